//! Weak-causally-precedes (WCP): sections are ordered where they conflict, with everything that
//! happened before the one and everything that happens after the other.
//!
//! Kini, Mathur and Viswanathan, *Dynamic race prediction in linear time* (PLDI 2017). The smallest
//! relation such that
//!
//! (a) for accesses e and f of different tasks in sections of one lock that conflict, e first, the
//!     end of e's section is before f;
//! (b) for sections of one lock, the end of the first is before the end of the second, if the
//!     beginning of the first is before the end of the second;
//! (c) it is closed under composition with HB on both sides.
//!
//! Two accesses are ordered by it or by the hard order. Each task has three clocks: what happens
//! before it (HB), what is before it by WCP, and the hard order.
//!
//! Cost: as DC's with three clocks instead of one; and entering a lock is O(slots), since HB and,
//! by (c), WCP go through it.
//!
//! Departures: the paper has threads only; here the hard order takes the place of the order of one
//! thread. Rule (b) is applied to each of the two: who knows by the hard order that a section began
//! knows by the hard order that it ended, without what HB puts before it. Queues are replaced as
//! `sections.rs` says. Of the sections of a lock that accessed a location the last one of another
//! task is enough, since HB orders all sections of a lock.
//!
//! What it can miss: what DC misses, and races that HB with something before a conflicting section
//! hides. False alarms: none for the first race with one lock; with several the first may be a
//! deadlock instead of a race, and later ones may be neither; only a witness decides.

use super::Order;
use super::clock::{Clock, Epoch};
use super::hard::{Hard, OnHard, View};
use super::sections::{Left, Sections};
use crate::event::AccessKind;
use crate::ids::{Location, SyncId, TaskId};
use std::rc::Rc;

#[derive(Debug, Default)]
pub(crate) struct Views {
    hb: Clock,
    wcp: Clock,
    hard: Clock,
}

impl Clone for Views {
    fn clone(&self) -> Self {
        Views { hb: self.hb.clone(), wcp: self.wcp.clone(), hard: self.hard.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.hb.clone_from(&source.hb);
        self.wcp.clone_from(&source.wcp);
        self.hard.clone_from(&source.hard);
    }
}

impl View for Views {
    fn join(&mut self, other: &Self) {
        self.hb.join(&other.hb);
        self.wcp.join(&other.wcp);
        self.hard.join(&other.hard);
    }
    fn gathered(&self) -> Self {
        Views { hb: self.hb.gathered(), wcp: self.wcp.gathered(), hard: self.hard.gathered() }
    }
    #[inline]
    fn time(&self, slot: u32) -> u32 {
        self.hard.get(slot)
    }
    fn begin(&mut self, slot: u32, time: u32, parent: Epoch) {
        self.hb.begin(slot, time, parent);
        self.wcp.rest_on(parent);
        self.hard.begin(slot, time, parent);
    }
    fn tick(&mut self, slot: u32) {
        // What is before by WCP is before by HB, and known to whoever knows the task so far.
        self.wcp.rest_on(Epoch { slot, time: self.hb.get(slot) });
        self.hb.tick(slot);
        self.hard.tick(slot);
    }
    fn widen(&mut self) {
        self.hb.widen();
        self.wcp.widen();
        self.hard.widen();
    }
}

/// The last section of all, and the last of another task than that one's.
#[derive(Debug, Default)]
struct Last {
    of_all: Option<Rc<Left<Views>>>,
    of_others: Option<Rc<Left<Views>>>,
}

impl Last {
    fn add(&mut self, left: &Rc<Left<Views>>) {
        if self.of_all.as_ref().is_some_and(|last| last.task != left.task) {
            self.of_others = self.of_all.take();
        }
        self.of_all = Some(Rc::clone(left));
    }

    /// Rule (a): orders what comes in `task` after the last section of another one.
    fn precede(&self, task: TaskId, view: &mut Views) {
        let last = match &self.of_all {
            Some(last) if last.task == task => &self.of_others,
            last => last,
        };
        if let Some(left) = last
            && !view.wcp.covers(left.epoch)
        {
            view.wcp.join(&left.view.hb);
        }
    }
}

#[derive(Debug, Default)]
struct History {
    written: Last,
    read: Last,
}

/// What was published by leaving a lock last.
#[derive(Debug, Default)]
struct Lock {
    hb: Clock,
    wcp: Clock,
}

/// See the module.
#[derive(Debug)]
pub struct Wcp {
    tasks: Hard<Views>,
    sections: Sections<History, Views>,
    /// By sync.
    locks: Vec<Lock>,
    now: TaskId,
}

impl Default for Wcp {
    fn default() -> Self {
        Wcp { tasks: Hard::default(), sections: Sections::default(), locks: Vec::new(), now: TaskId::MAIN }
    }
}

impl Order for Wcp {
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
        let view = self.tasks.view(task);
        view.hard.covers(earlier) || view.wcp.covers(earlier)
    }
}

impl OnHard for Wcp {
    type View = Views;

    fn hard(&mut self) -> &mut Hard<Views> {
        &mut self.tasks
    }

    fn enter(&mut self, task: TaskId, lock: SyncId) {
        self.sections.enter(task, lock, self.tasks.epoch(task).time);
        if let Some(lock) = self.locks.get(lock.index()) {
            let view = self.tasks.view_mut(task);
            view.hb.join(&lock.hb);
            view.wcp.join(&lock.wcp);
        }
    }

    fn leave(&mut self, task: TaskId, lock: SyncId) {
        let view = self.tasks.view_mut(task);
        self.sections.half_known(
            lock,
            view,
            |view, slot| view.wcp.get(slot),
            |view, left| view.wcp.join(&left.hb),
        );
        self.sections.half_known(
            lock,
            view,
            |view, slot| view.hard.get(slot),
            |view, left| view.hard.join(&left.hard),
        );
        if lock.index() >= self.locks.len() {
            self.locks.resize_with(lock.index() + 1, Lock::default);
        }
        let published = &mut self.locks[lock.index()];
        published.hb.clone_from(&view.hb);
        published.wcp.clone_from(&view.wcp);
        let view = self.tasks.view(task);
        self.sections.leave(
            task,
            lock,
            self.tasks.epoch(task),
            || view.clone(),
            |history, left, read, wrote| {
                if wrote {
                    history.written.add(left);
                }
                if read {
                    history.read.add(left);
                }
            },
        );
        self.tasks.tick(task);
    }

    #[inline]
    fn touch(&mut self, task: TaskId, kind: AccessKind, location: Location) {
        self.now = task;
        if !self.sections.is_held(task) {
            return;
        }
        let view = self.tasks.view_mut(task);
        self.sections.touch(task, kind, location, |history| {
            history.written.precede(task, view);
            if kind == AccessKind::Write {
                history.read.precede(task, view);
            }
        });
    }
}
