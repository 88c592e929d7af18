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
//! Sections that only add to a location commute there ([`Observer::addition`]), and do not order
//! each other: what precedes an addition in one task can meet what follows another's. An addition
//! comes after the earlier sections that read the location otherwise or wrote it, and they after
//! it. A section in which its task waited or made another choice is no addition any more: other
//! tasks that it waits for may have accessed the location meanwhile, and the explorer orders such
//! sections always.
//!
//! Of a lock and location only the last two *phases* are remembered: the latest sections of which
//! none conflicts with another, and those before, each of which conflicts with each of these. All
//! that is older comes before them.
//!
//! Cost: a map entry for each lock and location accessed under it. With one lock the first race is
//! always feasible (the theorem of that paper); with several it need not be, and the rule by which
//! sections with ordered insides are ordered as wholes is left out: a race found here is a
//! candidate until a schedule has shown it.

use crate::event::{AccessKind, Effect, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The sections that last accessed a location under a lock, each by the sync that its end signals.
#[derive(Debug)]
struct Last {
    /// The effect of those of the last phase. One that writes is a phase by itself.
    effect: Effect,
    phase: Vec<End>,
    /// The phase before.
    before: Vec<End>,
}

/// The end of a section: its task, and the sync that it signals. Of the sections of one task in a
/// phase the last stands for all.
type End = (TaskId, SyncId);

impl Last {
    /// What an access with an effect comes after.
    fn before(&self, effect: Effect) -> &[End] {
        if effect.conflicts(self.effect) { &self.phase } else { &self.before }
    }

    /// A section with an effect has ended.
    fn add(&mut self, end: End, effect: Effect) {
        if self.phase.last() == Some(&end) && (self.effect == effect || self.effect == Effect::Write) {
            // As it is known.
        } else if effect.conflicts(self.effect) {
            self.effect = effect;
            std::mem::swap(&mut self.before, &mut self.phase);
            self.phase.clear();
            self.phase.push(end);
        } else if let Some(earlier) =
            self.phase.iter_mut().rev().take(NEARBY).find(|(task, _)| *task == end.0)
        {
            *earlier = end;
        } else {
            self.phase.push(end);
        }
    }
}

/// A section that has been entered and not left.
#[derive(Debug)]
struct Open {
    task: TaskId,
    lock: SyncId,
    /// What it has accessed, mostly once each.
    accesses: Vec<(Location, Effect)>,
    /// Sections this one already comes after.
    after: FxHashSet<SyncId>,
    /// Whether its task has waited in it, or made another choice.
    waited: bool,
}

impl Open {
    fn come_after(&mut self, ends: &[End], inner: &mut impl Observer) {
        for &(_, end) in ends {
            if self.after.insert(end) {
                inner.edge(self.task, end);
            }
        }
    }
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

/// How far back a repeated access of a section is looked for, or an earlier section of a task, so
/// that these lists stay short.
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
        self.waits(task);
        self.inner.finish_end(task, scope);
    }

    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !is_lock(kind) {
            self.waits(task);
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
        for (location, effect) in open.accesses.drain(..) {
            let new = || Last { effect, phase: Vec::new(), before: Vec::new() };
            self.last.entry((sync, location)).or_insert_with(new).add((task, end), effect);
        }
        open.after.clear();
        self.spare.push(open);
    }

    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.waits(task);
        if is_lock(kind) {
            let Open { accesses, after, .. } = self.spare.pop().unwrap_or_else(|| Open {
                task,
                lock: sync,
                accesses: Vec::new(),
                after: FxHashSet::default(),
                waited: false,
            });
            self.open.push(Open { task, lock: sync, accesses, after, waited: false });
        }
        // The wrapped observer gets no signal of a lock, so this join orders nothing; it is still
        // an action.
        self.inner.join(task, of_program(sync), kind);
    }

    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        if !self.open.is_empty() {
            self.protected(task, kind.into(), location);
        }
        self.inner.access(task, kind, location, site);
    }

    #[inline]
    fn addition(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        if !self.open.is_empty() {
            self.protected(task, Effect::Add, location);
        }
        self.inner.addition(task, kind, location, site);
    }
}

impl<D: Observer> Conflicting<D> {
    fn protected(&mut self, task: TaskId, effect: Effect, location: Location) {
        for open in self.open.iter_mut().filter(|open| open.task == task) {
            let effect = if open.waited && effect == Effect::Add { Effect::Write } else { effect };
            if let Some(last) = self.last.get(&(open.lock, location)) {
                open.come_after(last.before(effect), &mut self.inner);
            }
            match open.accesses.iter_mut().rev().take(NEARBY).find(|(other, _)| *other == location) {
                Some((_, all)) => *all = all.with(effect),
                None => open.accesses.push((location, effect)),
            }
        }
    }

    /// The task waits, or makes a choice, in the sections that it is in: what these have added so
    /// far, they have written.
    fn waits(&mut self, task: TaskId) {
        for open in self.open.iter_mut().filter(|open| open.task == task && !open.waited) {
            open.waited = true;
            for at in 0..open.accesses.len() {
                let (location, effect) = &mut open.accesses[at];
                if *effect == Effect::Add {
                    *effect = Effect::Write;
                    if let Some(last) = self.last.get(&(open.lock, *location)) {
                        open.come_after(last.before(Effect::Write), &mut self.inner);
                    }
                }
            }
        }
    }
}
