//! The hard order, on which all predictive orders agree, and the tasks' clocks.
//!
//! An order keeps for each task a [`View`], one or several clocks; spawn, finish, and the signals
//! that are no lock's pass whole views on, whatever they are made of. What remains for an order is
//! what it makes of locks.
//!
//! Slots. A task that has ended leaves its slot to a task whose parent knows of its end: then all
//! events of the old task precede all of the new one, and a single time for both says no more than
//! is true. So the length of the clocks is the number of tasks that were unordered at some time,
//! not the number of tasks of the run. Only the newest few free slots are tried; the price of
//! missing one is a longer clock.
//!
//! Cost: O(slots) for spawn, end, finish end, signal and join.

use super::Order;
use super::clock::{Clock, Epoch, WIDE};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHashMap;

/// What a task knows of the others, and of itself the time in its own slot.
pub(crate) trait View: Clone + Default {
    fn join(&mut self, other: &Self);
    /// A copy for what several tasks know together.
    fn gathered(&self) -> Self;
    /// Up to which time of `slot` the hard order reaches; in the task's own slot its time.
    fn time(&self, slot: u32) -> u32;
    /// From being the copy of a parent's view, in the epoch of the spawn, becomes that of the
    /// child.
    fn begin(&mut self, slot: u32, time: u32, parent: Epoch);
    fn tick(&mut self, slot: u32);
    /// Prepares for copies that go on to share what there is.
    fn widen(&mut self);
}

impl View for Clock {
    fn join(&mut self, other: &Self) {
        self.join(other);
    }
    fn gathered(&self) -> Self {
        self.gathered()
    }
    #[inline]
    fn time(&self, slot: u32) -> u32 {
        self.get(slot)
    }
    fn begin(&mut self, slot: u32, time: u32, parent: Epoch) {
        self.begin(slot, time, parent);
    }
    fn tick(&mut self, slot: u32) {
        self.tick(slot);
    }
    fn widen(&mut self) {
        self.widen();
    }
}

/// How many free slots a spawn looks at.
const TRIED: usize = 8;

#[derive(Debug)]
pub(crate) struct Hard<V> {
    /// By task.
    slots: Vec<u32>,
    scopes: Vec<ScopeId>,
    /// By slot; the view of the task that has the slot, or had it last.
    views: Vec<V>,
    /// Slots of tasks that have ended.
    free: Vec<u32>,
    /// What the ended tasks of a scope know.
    ended: FxHashMap<ScopeId, V>,
    /// By sync: what its latest signal published, and when that was.
    signals: Vec<Option<(Epoch, V)>>,
}

impl<V: View> Default for Hard<V> {
    fn default() -> Self {
        let mut main = V::default();
        main.begin(0, 1, Epoch { slot: 0, time: 0 });
        Hard {
            slots: vec![0],
            scopes: vec![ScopeId::PROGRAM],
            views: vec![main],
            free: Vec::new(),
            ended: FxHashMap::default(),
            signals: Vec::new(),
        }
    }
}

impl<V: View> Hard<V> {
    #[inline]
    pub(crate) fn slot(&self, task: TaskId) -> u32 {
        self.slots[task.index()]
    }

    #[inline]
    pub(crate) fn view(&self, task: TaskId) -> &V {
        &self.views[self.slot(task) as usize]
    }

    /// The view of the task that has a slot.
    #[inline]
    pub(crate) fn at(&self, slot: u32) -> &V {
        &self.views[slot as usize]
    }

    pub(crate) fn view_mut(&mut self, task: TaskId) -> &mut V {
        let slot = self.slot(task);
        &mut self.views[slot as usize]
    }

    #[inline]
    pub(crate) fn epoch(&self, task: TaskId) -> Epoch {
        let slot = self.slot(task);
        Epoch { slot, time: self.views[slot as usize].time(slot) }
    }

    /// Ends the current time of `task`: what comes after is not known to whom its view has been
    /// given.
    pub(crate) fn tick(&mut self, task: TaskId) {
        let slot = self.slot(task);
        self.views[slot as usize].tick(slot);
    }

    pub(crate) fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId) {
        debug_assert_eq!(child.index(), self.slots.len(), "children are numbered in the order of spawning");
        let above = self.slot(parent) as usize;
        let slot = self.free_slot(above);
        if slot >= WIDE {
            self.views[above].widen();
        }
        let mut view = std::mem::take(&mut self.views[slot as usize]);
        view.clone_from(&self.views[above]);
        view.begin(slot, self.views[above].time(slot) + 1, self.epoch(parent));
        self.views[slot as usize] = view;
        self.slots.push(slot);
        self.scopes.push(scope);
        self.tick(parent);
    }

    /// A slot whose last task has ended to the knowledge of the task in slot `above`, or a new one.
    fn free_slot(&mut self, above: usize) -> u32 {
        let view = &self.views[above];
        let known = |&slot: &u32| view.time(slot) >= self.views[slot as usize].time(slot);
        let oldest = self.free.len().saturating_sub(TRIED);
        match self.free[oldest..].iter().rposition(known) {
            Some(at) => self.free.remove(oldest + at),
            None => {
                self.views.push(V::default());
                (self.views.len() - 1) as u32
            }
        }
    }

    pub(crate) fn end(&mut self, task: TaskId) {
        let slot = self.slot(task);
        let scope = self.scopes[task.index()];
        if scope != ScopeId::PROGRAM {
            let view = &self.views[slot as usize];
            self.ended.entry(scope).and_modify(|all| all.join(view)).or_insert_with(|| view.gathered());
        }
        self.free.push(slot);
    }

    pub(crate) fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        if let Some(ended) = self.ended.remove(&scope) {
            self.view_mut(task).join(&ended);
        }
    }

    pub(crate) fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if sync.index() >= self.signals.len() {
            self.signals.resize_with(sync.index() + 1, || None);
        }
        let epoch = self.epoch(task);
        let view = &self.views[epoch.slot as usize];
        match &mut self.signals[sync.index()] {
            Some((when, signal)) => {
                *when = epoch;
                signal.clone_from(view);
            }
            signal => *signal = Some((epoch, view.clone())),
        }
        // After the signal of a future comes its end only: who got the future knows all of the
        // task.
        if kind != SyncKind::Future {
            self.tick(task);
        }
    }

    pub(crate) fn join(&mut self, task: TaskId, sync: SyncId) {
        let slot = self.slots[task.index()] as usize;
        if let Some(Some((_, signal))) = self.signals.get(sync.index()) {
            self.views[slot].join(signal);
        }
    }

    /// The same for an order that is all in one clock; whether there was anything to learn. Time
    /// goes on with every signal, so that whoever knows when the signal was has all that it
    /// published.
    pub(crate) fn learn(&mut self, task: TaskId, sync: SyncId) -> bool {
        let slot = self.slots[task.index()] as usize;
        match self.signals.get(sync.index()) {
            Some(Some((when, signal))) if self.views[slot].time(when.slot) < when.time => {
                self.views[slot].join(signal);
                true
            }
            _ => false,
        }
    }
}

/// What an order adds to the hard order: what it makes of locks and of accesses.
///
/// Whoever implements this observes runs: spawns, finishes and the signals that are no lock's are
/// [`Hard`]'s affair.
pub(crate) trait OnHard {
    type View: View;

    fn hard(&mut self) -> &mut Hard<Self::View>;

    /// `task` enters a section of `lock`, and leaves it.
    fn enter(&mut self, task: TaskId, lock: SyncId);
    fn leave(&mut self, task: TaskId, lock: SyncId);

    fn touch(&mut self, task: TaskId, kind: AccessKind, location: Location);

    /// `task` has waited for a signal that is no lock's.
    fn wait(&mut self, task: TaskId, sync: SyncId) {
        self.hard().join(task, sync);
    }

    /// Comes before every event but accesses.
    #[inline]
    fn prepare(&mut self) {}

    /// A spawn or the end of a finish may have made `task` know of more events.
    #[inline]
    fn learnt(&mut self, _task: TaskId) {}
}

impl<T: OnHard> Observer for T {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        self.prepare();
        self.hard().spawn(parent, child, scope);
        self.learnt(child);
    }
    fn end(&mut self, task: TaskId) {
        self.prepare();
        self.hard().end(task);
    }
    fn finish_begin(&mut self, _: TaskId, _: ScopeId) {}
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.prepare();
        self.hard().finish_end(task, scope);
        self.learnt(task);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.prepare();
        if kind.is_section() {
            self.leave(task, sync);
        } else {
            self.hard().signal(task, sync, kind);
        }
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.prepare();
        if kind.is_section() {
            self.enter(task, sync);
        } else {
            self.wait(task, sync);
        }
    }
    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, _: SiteId) {
        self.touch(task, kind, location);
    }
}

/// The hard order by itself: locks order nothing. Two accesses it leaves unordered may still never
/// race.
#[derive(Debug)]
pub struct HardOrder {
    tasks: Hard<Clock>,
    now: TaskId,
}

impl Default for HardOrder {
    fn default() -> Self {
        HardOrder { tasks: Hard::default(), now: TaskId::MAIN }
    }
}

impl Order for HardOrder {
    #[inline]
    fn now(&self) -> TaskId {
        self.now
    }

    #[inline]
    fn epoch_of(&self, task: TaskId) -> Epoch {
        self.tasks.epoch(task)
    }

    #[inline]
    fn knows(&self, task: TaskId, earlier: Epoch) -> bool {
        self.tasks.view(task).covers(earlier)
    }
}

impl OnHard for HardOrder {
    type View = Clock;

    fn hard(&mut self) -> &mut Hard<Clock> {
        &mut self.tasks
    }
    fn enter(&mut self, _: TaskId, _: SyncId) {}
    fn leave(&mut self, _: TaskId, _: SyncId) {}
    #[inline]
    fn touch(&mut self, task: TaskId, _: AccessKind, _: Location) {
        self.now = task;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCOPE: ScopeId = ScopeId(1);

    #[test]
    fn tasks_that_were_joined_leave_their_slots() {
        let mut order = Hard::<Clock>::default();
        let mut task = 0;
        for _ in 0..1_000 {
            // A finish with three tasks and a future that is got.
            for _ in 0..3 {
                task += 1;
                order.spawn(TaskId::MAIN, TaskId(task), SCOPE);
            }
            (0..3).for_each(|older| order.end(TaskId(task - older)));
            order.finish_end(TaskId::MAIN, SCOPE);
            task += 1;
            order.spawn(TaskId::MAIN, TaskId(task), ScopeId::PROGRAM);
            order.signal(TaskId(task), SyncId(task), SyncKind::Future);
            order.end(TaskId(task));
            order.join(TaskId::MAIN, SyncId(task));
        }
        assert!(order.views.len() <= 4, "{} slots", order.views.len());
    }

    #[test]
    fn tasks_that_were_not_joined_keep_their_slots() {
        let mut order = Hard::<Clock>::default();
        order.spawn(TaskId::MAIN, TaskId(1), ScopeId::PROGRAM);
        let ended = order.epoch(TaskId(1));
        order.end(TaskId(1));
        order.spawn(TaskId::MAIN, TaskId(2), ScopeId::PROGRAM);
        assert_ne!(order.slot(TaskId(1)), order.slot(TaskId(2)));
        assert!(!order.view(TaskId(2)).covers(ended));
    }
}
