//! Happens-before (HB): the hard order, and leaving a lock before entering it next, as observed.
//!
//! Lamport, *Time, clocks, and the ordering of events in a distributed system* (1978); the epochs
//! are those of Flanagan and Freund, *FastTrack: efficient and precise dynamic race detection*
//! (PLDI 2009).
//!
//! Cost: nothing for an access; O(slots) for every synchronisation.
//!
//! Departures from FastTrack: tasks are spawned and joined all the time, so slots are used again
//! (`hard.rs`); the adaptive representation of reads is the detector's affair.
//!
//! What it can miss: races hidden by the order in which sections happened to run. False alarms:
//! none for the first race of a run; a later one may depend on what the first one left behind. On
//! programs without locks, sections and semaphores it is exact.

use super::Order;
use super::clock::{Clock, Epoch};
use super::hard::{Hard, OnHard};
use crate::event::{AccessKind, SyncKind};
use crate::ids::{Location, SyncId, TaskId};

/// See the module.
#[derive(Debug)]
pub struct Hb {
    tasks: Hard<Clock>,
    now: TaskId,
    /// When that is, kept at hand: most events are accesses, and most are of the task of the one
    /// before.
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

impl OnHard for Hb {
    type View = Clock;

    fn hard(&mut self) -> &mut Hard<Clock> {
        &mut self.tasks
    }
    fn prepare(&mut self) {
        self.is_fresh = false;
    }
    fn wait(&mut self, task: TaskId, sync: SyncId) {
        self.tasks.learn(task, sync);
    }
    // A lock is like any other sync here.
    fn enter(&mut self, task: TaskId, lock: SyncId) {
        self.wait(task, lock);
    }
    fn leave(&mut self, task: TaskId, lock: SyncId) {
        self.tasks.signal(task, lock, SyncKind::Lock);
    }
    #[inline]
    fn touch(&mut self, task: TaskId, _: AccessKind, _: Location) {
        if !self.is_fresh || task != self.now {
            (self.now, self.epoch, self.is_fresh) = (task, self.tasks.epoch(task), true);
        }
    }
}
