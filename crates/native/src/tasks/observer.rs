//! The observer of the kernel: passes every event on to the detector, and to the search if there is one.

use crate::detect::detector;
use crate::tasks::explorer::find as explorer;
use raceproof::strategy::Traced;
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::explore::trace::Trace;
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};

pub(crate) struct Told;

// None of it is `inline`: functions of a trait that are count as reachable from outside, and with them the statics they use,
// which every access then finds by an instruction more.
impl Observer for Told {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        detector().spawn(parent, child, scope, site);
        if let Some(explorer) = explorer() {
            explorer.observer().spawn(parent, child, scope, site);
        }
    }
    fn end(&mut self, task: TaskId) {
        detector().end(task);
        if let Some(explorer) = explorer() {
            explorer.observer().end(task);
        }
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        detector().finish_begin(task, scope);
        if let Some(explorer) = explorer() {
            explorer.observer().finish_begin(task, scope);
        }
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        detector().finish_end(task, scope);
        if let Some(explorer) = explorer() {
            explorer.observer().finish_end(task, scope);
        }
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !explorer().is_some_and(|explorer| explorer.hides(sync)) {
            detector().signal(task, sync, kind);
        }
        if let Some(explorer) = explorer() {
            explorer.observer().signal(task, sync, kind);
        }
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !explorer().is_some_and(|explorer| explorer.hides(sync)) {
            detector().join(task, sync, kind);
        }
        if let Some(explorer) = explorer() {
            explorer.observer().join(task, sync, kind);
        }
    }
    /// Only the accesses of a replay come this way.
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        if let Some(explorer) = explorer() {
            explorer.observer().access(task, kind, location, site);
        }
    }
    fn turn(&mut self, task: TaskId) {
        detector().turn(task);
        if let Some(explorer) = explorer() {
            explorer.observer().turn(task);
        }
    }
}

impl Traced for Told {
    fn trace(&self) -> &Trace {
        explorer().expect("only searches are guided").trace()
    }
    fn label(&self, sync: SyncId) -> SyncId {
        explorer().map_or(sync, |explorer| explorer.label(sync))
    }
}
