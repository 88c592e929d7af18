//! The order weaker than DC: sections are ordered only where one reads what the other writes.
//!
//! Ogles, Aldous and Mercer (FMCAD 2019), Section III.B: "only orders conflicting events across
//! critical sections if one is a read event and one is a write event", with accesses that are
//! protected by the same lock no race. DC orders two sections that write the same location even if
//! nobody reads what the first one wrote; Figure 1 of the paper is such a race, which DC misses and
//! this order finds. The paper knows no algorithm for it. This is one; it works online:
//!
//! - The order itself needs no more than DC's rules with other histories. Two writing sections are
//!   not ordered any more, so the sections that wrote a location are several, as those that read it
//!   are: a read follows all of the former, a write all of the latter.
//! - What two accesses have to be asked besides is whether they hold a lock in common. The sets of
//!   locks held are interned ([`Guard`]), and shadow memory keeps accesses under different sets
//!   apart.
//!
//! Cost: as DC's, but a section's first access of a location takes a comparison for each *task*
//! whose sections accessed it the other way, and a detector may keep an access for each task and
//! set of locks.
//!
//! Departures: several locks, by rule (b) as in DC; hard order.
//!
//! What it can miss: races that need other values to be read, or sections that read each other's
//! writes the other way around. False alarms: none for the first race with one lock (proven in Coq
//! by the paper's authors, and held to witnesses by our tests); otherwise as with DC.

use super::clock::{Clock, Epoch};
use super::hard::{Hard, OnHard};
use super::sections::{Recent, Sections};
use super::{Guard, Order};
use crate::event::AccessKind;
use crate::ids::{Location, SyncId, TaskId};
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
struct History {
    written: Recent<Clock>,
    read: Recent<Clock>,
}

/// See the module.
#[derive(Debug)]
pub struct Weak {
    tasks: Hard<Clock>,
    sections: Sections<History, Clock>,
    guards: Guards,
    now: TaskId,
}

impl Default for Weak {
    fn default() -> Self {
        Weak {
            tasks: Hard::default(),
            sections: Sections::default(),
            guards: Guards::default(),
            now: TaskId::MAIN,
        }
    }
}

/// Sets of locks by number; the empty one is 0.
#[derive(Debug)]
struct Guards {
    /// Each sorted.
    sets: Vec<Vec<SyncId>>,
    numbers: FxHashMap<Vec<SyncId>, u32>,
    /// By task.
    held: Vec<Guard>,
}

impl Default for Guards {
    fn default() -> Self {
        let numbers = FxHashMap::from_iter([(Vec::new(), 0)]);
        Guards { sets: vec![Vec::new()], numbers, held: Vec::new() }
    }
}

impl Guards {
    fn set(&mut self, task: TaskId, locks: impl Iterator<Item = SyncId>) {
        let mut set: Vec<SyncId> = locks.collect();
        set.sort();
        let number = match self.numbers.get(&set) {
            Some(&number) => number,
            None => {
                let number = self.sets.len() as u32;
                self.sets.push(set.clone());
                self.numbers.insert(set, number);
                number
            }
        };
        if task.index() >= self.held.len() {
            self.held.resize(task.index() + 1, Guard::default());
        }
        self.held[task.index()] = Guard(number);
    }

    fn locks(&self, guard: Guard) -> &[SyncId] {
        &self.sets[guard.0 as usize]
    }
}

impl Order for Weak {
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

    fn guard(&self) -> Guard {
        self.guards.held.get(self.now.index()).copied().unwrap_or_default()
    }

    fn share(&self, a: Guard, b: Guard) -> bool {
        let b = self.guards.locks(b);
        self.guards.locks(a).iter().any(|lock| b.contains(lock))
    }

    fn is_within(&self, narrow: Guard, wide: Guard) -> bool {
        let wide = self.guards.locks(wide);
        self.guards.locks(narrow).iter().all(|lock| wide.contains(lock))
    }
}

impl OnHard for Weak {
    type View = Clock;

    fn hard(&mut self) -> &mut Hard<Clock> {
        &mut self.tasks
    }

    fn enter(&mut self, task: TaskId, lock: SyncId) {
        self.sections.enter(task, lock, self.tasks.epoch(task).time);
        self.guards.set(task, self.sections.locks(task));
    }

    fn leave(&mut self, task: TaskId, lock: SyncId) {
        self.sections.half_known(lock, self.tasks.view_mut(task), |view, slot| view.get(slot), Clock::join);
        let view = self.tasks.view(task);
        self.sections.leave(
            task,
            lock,
            self.tasks.epoch(task),
            || view.clone(),
            |history, left, read, wrote| {
                if wrote {
                    history.written.add(left, |old| view.covers(old));
                }
                if read {
                    history.read.add(left, |old| view.covers(old));
                }
            },
        );
        self.guards.set(task, self.sections.locks(task));
        self.tasks.tick(task);
    }

    #[inline]
    fn touch(&mut self, task: TaskId, kind: AccessKind, location: Location) {
        self.now = task;
        if !self.sections.is_held(task) {
            return;
        }
        let view = self.tasks.view_mut(task);
        self.sections.touch(task, kind, location, |history| match kind {
            AccessKind::Read => history.written.precede(view),
            AccessKind::Write => history.read.precede(view),
        });
    }
}
