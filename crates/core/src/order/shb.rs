//! Schedulable happens-before (SHB): happens-before, and each read after the write it saw.
//!
//! Mathur, Kini and Viswanathan, *What happens-after the first race? Enhancing the predictive power of happens-before based
//! dynamic race detection* (OOPSLA 2018). The order is there to make *every* race real, not only the first:
//! two accesses race iff the earlier is not before the event that precedes the later in its task. So a read is compared
//! before it is ordered after the write it sees.
//!
//! Cost: HB's; a read that sees a write it is not ordered after joins a clock, O(slots), and so does a task's first
//! write after it has learnt something (a copy, shared by all writes until it learns more).
//!
//! Departures: the time of a task goes on after every write, as in the paper; the clocks of the writes are shared
//! as above.
//!
//! What it can miss: what HB misses, and HB's races that may not be real. False alarms: none; every race it gives
//! has a witness.

use super::Order;
use super::clock::{Clock, Epoch};
use super::hard::Hard;
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A write: when it was, and what its task knew of others then.
#[derive(Debug)]
struct Write {
    epoch: Epoch,
    known: Rc<Clock>,
}

/// See the module.
#[derive(Debug)]
pub struct Shb {
    tasks: Hard<Clock>,
    writes: FxHashMap<Location, Write>,
    /// By slot: a copy of what its task knows of others, if it has learnt nothing since.
    known: Vec<Option<Rc<Clock>>>,
    now: TaskId,
    /// The access now is ordered before what its task does next only by this.
    due: Due,
}

#[derive(Clone, Copy, Debug)]
enum Due {
    Nothing,
    /// It read this.
    Read(Location),
    Tick,
}

impl Default for Shb {
    fn default() -> Self {
        Shb {
            tasks: Hard::default(),
            writes: FxHashMap::default(),
            known: Vec::new(),
            now: TaskId::MAIN,
            due: Due::Nothing,
        }
    }
}

impl Order for Shb {
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

impl Shb {
    /// What the last access still has to do, once it has been compared with others.
    fn settle(&mut self) {
        match std::mem::replace(&mut self.due, Due::Nothing) {
            Due::Nothing => {}
            Due::Tick => self.tasks.tick(self.now),
            Due::Read(location) => {
                let Some(write) = self.writes.get(&location) else { return };
                let view = self.tasks.view_mut(self.now);
                if !view.covers(write.epoch) {
                    view.join(&write.known);
                    view.learn(write.epoch);
                    self.learnt(self.now);
                }
            }
        }
    }

    fn learnt(&mut self, task: TaskId) {
        if let Some(known) = self.known.get_mut(self.tasks.slot(task) as usize) {
            *known = None;
        }
    }

    fn write(&mut self, task: TaskId, location: Location) {
        let epoch = self.tasks.epoch(task);
        let slot = epoch.slot as usize;
        if slot >= self.known.len() {
            self.known.resize(slot + 1, None);
        }
        let view = self.tasks.view(task);
        let known = Rc::clone(self.known[slot].get_or_insert_with(|| Rc::new(view.clone())));
        self.writes.insert(location, Write { epoch, known });
    }
}

impl Observer for Shb {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        self.settle();
        self.tasks.spawn(parent, child, scope);
        self.learnt(child);
    }
    fn end(&mut self, task: TaskId) {
        self.settle();
        self.tasks.end(task);
    }
    fn finish_begin(&mut self, _: TaskId, _: ScopeId) {}
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.settle();
        self.tasks.finish_end(task, scope);
        self.learnt(task);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.settle();
        self.tasks.signal(task, sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, _: SyncKind) {
        self.settle();
        self.tasks.join(task, sync);
        self.learnt(task);
    }
    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, _: SiteId) {
        self.settle();
        self.now = task;
        self.due = match kind {
            AccessKind::Read => Due::Read(location),
            AccessKind::Write => {
                self.write(task, location);
                Due::Tick
            }
        };
    }
}
