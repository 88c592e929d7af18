//! Happens-before (HB): the hard order, and leaving a lock before entering it next, as observed.
//!
//! Lamport, *Time, clocks, and the ordering of events in a distributed system* (1978); the epochs are those of
//! Flanagan and Freund, *FastTrack: efficient and precise dynamic race detection* (PLDI 2009).
//!
//! Cost: nothing for an access; O(slots) for every synchronisation.
//!
//! Departures from FastTrack: tasks are spawned and joined all the time, so slots are used again (`hard.rs`); the
//! adaptive representation of reads is the detector's affair.
//!
//! What it can miss: races hidden by the order in which sections happened to run. False alarms: none for the first race
//! of a run; a later one may depend on what the first one left behind. On programs without
//! locks, sections and semaphores it is exact.

use super::Order;
use super::clock::{Clock, Epoch};
use super::hard::Hard;
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};

/// See the module.
#[derive(Debug)]
pub struct Hb {
    tasks: Hard<Clock>,
    now: TaskId,
    /// When that is, kept at hand: most events are accesses, and most are of the task of the one before.
    epoch: Epoch,
    /// Nothing but accesses has come since.
    is_fresh: bool,
}

impl Default for Hb {
    fn default() -> Self {
        let tasks = Hard::default();
        let epoch = tasks.epoch(TaskId::MAIN);
        Hb { tasks, now: TaskId::MAIN, epoch, is_fresh: true }
    }
}

impl Order for Hb {
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

    #[inline]
    fn steady(&self, task: TaskId) -> Option<(Epoch, &Clock)> {
        Some((self.tasks.epoch(task), self.tasks.view(task)))
    }

    #[inline]
    fn epoch(&self) -> Epoch {
        debug_assert!(self.is_fresh, "asked of an access");
        self.epoch
    }

    #[inline]
    fn precedes(&self, earlier: Epoch) -> bool {
        self.tasks.at(self.epoch.slot).covers(earlier)
    }
}

impl Observer for Hb {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        self.is_fresh = false;
        self.tasks.spawn(parent, child, scope);
    }
    fn end(&mut self, task: TaskId) {
        self.is_fresh = false;
        self.tasks.end(task);
    }
    fn finish_begin(&mut self, _: TaskId, _: ScopeId) {}
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.is_fresh = false;
        self.tasks.finish_end(task, scope);
    }
    // A lock is like any other sync here.
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.is_fresh = false;
        self.tasks.signal(task, sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, _: SyncKind) {
        self.is_fresh = false;
        self.tasks.learn(task, sync);
    }
    #[inline]
    fn access(&mut self, task: TaskId, _: AccessKind, _: Location, _: SiteId) {
        if !self.is_fresh || task != self.now {
            (self.now, self.epoch, self.is_fresh) = (task, self.tasks.epoch(task), true);
        }
    }
}
