//! Sections ordered only where they conflict: the DC order, given to any detector of the graph
//! order as plain edges.
//!
//! The observed order of lock sections orders more than it must: two sections that share no data
//! could as well have come the other way round. Here a section orders nothing by being entered; an
//! access inside it comes after those earlier sections of the same lock that accessed the location
//! and conflict with it (Ogles, Aldous, Mercer, FMCAD 2019, Definition 2: from their release to
//! this access). The wrapped observer sees the program's events, with joins and signals of locks
//! replaced by [`Observer::edge`]s.
//!
//! Cost: a map entry for each lock and location accessed under it. With one lock the first race is
//! always feasible (the theorem of that paper); with several it need not be, and the rule by which
//! sections with ordered insides are ordered as wholes is left out: a race found here is a
//! candidate until a schedule has shown it.

use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHashMap;

/// The sections that last accessed a location under a lock, each by the sync that its end signals.
#[derive(Default, Debug)]
struct Last {
    writer: Option<SyncId>,
    /// The readers since.
    readers: Vec<SyncId>,
}

/// A section that has been entered and not left.
#[derive(Debug)]
struct Open {
    task: TaskId,
    lock: SyncId,
    /// What it has accessed, mostly once each.
    accesses: Vec<(Location, AccessKind)>,
    /// Sections this one already comes after.
    after: Vec<SyncId>,
}

/// See the module.
#[derive(Default, Debug)]
pub struct Conflicting<D> {
    pub inner: D,
    open: Vec<Open>,
    /// Sections that were left, empty: what they have allocated is used again.
    spare: Vec<Open>,
    last: FxHashMap<(SyncId, Location), Last>,
    sections: u32,
}

/// How far back a repeated access of a section is looked for, so that the list of its accesses
/// stays short.
const NEARBY: usize = 8;

impl<D: Observer> Conflicting<D> {
    pub fn new(inner: D) -> Self {
        Conflicting { inner, open: Vec::new(), spare: Vec::new(), last: FxHashMap::default(), sections: 0 }
    }
}

/// The program's syncs and the ends of sections share the wrapped observer's ids.
fn of_program(sync: SyncId) -> SyncId {
    SyncId(sync.0 * 2)
}

fn is_lock(kind: SyncKind) -> bool {
    matches!(kind, SyncKind::Lock | SyncKind::Isolated)
}

impl<D: Observer> Observer for Conflicting<D> {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.inner.spawn(parent, child, scope, site);
    }
    fn end(&mut self, task: TaskId) {
        self.inner.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.inner.finish_begin(task, scope);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.inner.finish_end(task, scope);
    }

    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !is_lock(kind) {
            return self.inner.signal(task, of_program(sync), kind);
        }
        let Some(at) = self.open.iter().rposition(|open| (open.task, open.lock) == (task, sync)) else {
            return;
        };
        let mut open = self.open.remove(at);
        let end = SyncId(self.sections * 2 + 1);
        self.sections += 1;
        self.inner.signal(task, end, kind);
        if self.last.is_empty() {
            self.last.reserve(64);
        }
        for (location, kind) in open.accesses.drain(..) {
            let last = self.last.entry((sync, location)).or_default();
            match kind {
                // Whoever comes after the writer comes after what the writer came after.
                AccessKind::Write => {
                    last.writer = Some(end);
                    last.readers.clear();
                }
                AccessKind::Read if last.writer == Some(end) || last.readers.last() == Some(&end) => {}
                AccessKind::Read => last.readers.push(end),
            }
        }
        open.after.clear();
        self.spare.push(open);
    }

    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if is_lock(kind) {
            let Open { accesses, after, .. } = self.spare.pop().unwrap_or_else(|| Open {
                task,
                lock: sync,
                accesses: Vec::new(),
                after: Vec::new(),
            });
            self.open.push(Open { task, lock: sync, accesses, after });
        }
        // The wrapped observer gets no signal of a lock, so this join orders nothing; it is still
        // an action.
        self.inner.join(task, of_program(sync), kind);
    }

    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        if !self.open.is_empty() {
            self.protected(task, kind, location);
        }
        self.inner.access(task, kind, location, site);
    }
}

impl<D: Observer> Conflicting<D> {
    fn protected(&mut self, task: TaskId, kind: AccessKind, location: Location) {
        for open in self.open.iter_mut().filter(|open| open.task == task) {
            if let Some(last) = self.last.get(&(open.lock, location)) {
                let readers: &[SyncId] = if kind == AccessKind::Write { &last.readers } else { &[] };
                for &end in last.writer.iter().chain(readers) {
                    if !open.after.contains(&end) {
                        open.after.push(end);
                        self.inner.edge(task, end);
                    }
                }
            }
            match open.accesses.iter_mut().rev().take(NEARBY).find(|(other, _)| *other == location) {
                Some((_, strongest)) => *strongest = (*strongest).max(kind),
                None => open.accesses.push((location, kind)),
            }
        }
    }
}
