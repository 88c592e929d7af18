//! Which task enters which section, and where: what an order of sections is told by.

use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};

/// Records the sections that are entered. Entering has no site: the first access inside has.
#[derive(Default)]
pub(crate) struct Sections {
    pub(crate) entered: Vec<(TaskId, SyncId, Option<SiteId>)>,
}

/// Sections that are recorded; of more, the last ones are not.
const MOST: usize = 1 << 16;

impl Observer for Sections {
    fn spawn(&mut self, _: TaskId, _: TaskId, _: ScopeId, _: SiteId) {}
    fn end(&mut self, _: TaskId) {}
    fn finish_begin(&mut self, _: TaskId, _: ScopeId) {}
    fn finish_end(&mut self, _: TaskId, _: ScopeId) {}
    fn signal(&mut self, _: TaskId, _: SyncId, _: SyncKind) {}
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if kind.is_section() && self.entered.len() < MOST {
            self.entered.push((task, sync, None));
        }
    }
    fn access(&mut self, task: TaskId, _: AccessKind, _: Location, site: SiteId) {
        // A turn ends before most accesses of others: the last entry is usually the one.
        if let Some((_, _, at)) = self.entered.iter_mut().rev().take(8).find(|(of, ..)| *of == task) {
            at.get_or_insert(site);
        }
    }
}
