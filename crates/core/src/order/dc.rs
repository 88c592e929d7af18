//! Does-not-commute (DC): sections are ordered only where they conflict.
//!
//! Roemer, Genç and Bond, *High-coverage, unbounded sound predictive race detection* (PLDI 2018);
//! for one lock Ogles, Aldous and Mercer, *Proving data race freedom in task parallel programs
//! using a weaker partial order* (FMCAD 2019), Definition 2 and Figure 3. The smallest order that
//! contains the hard order and
//!
//! (a) for accesses e and f in sections of one lock that conflict, e first, the end of e's section
//!     before f;
//! (b) for sections of one lock, the end of the first before the end of the second, if the
//!     beginning of the first is before the end of the second.
//!
//! With one lock, and nothing signalled or spawned inside a section, (b) follows from (a), and then
//! the first race of a run is real (Theorem 1 of the FMCAD paper): the first in the list of
//! predictions.
//!
//! Cost: an access outside of sections nothing; inside, one look-up for each lock held, and for the
//! section's first access of a location a comparison for each section to be ordered after (the last
//! that wrote; for a write those that read since), with a join of O(slots) for those not known.
//! Leaving a lock: one copy of the clock for all locations accessed inside, instead of the papers'
//! join for each of them; and rule (b), see `sections.rs`.
//!
//! Departures: rule (b) without queues (`sections.rs`); the histories of a lock and location hold
//! sections, not joined clocks; accesses of one task do not conflict, but those of a parent and its
//! child do, though the hard order keeps them apart.
//!
//! What it can miss: races that conflicting sections hide when two writes nobody reads are all
//! there is between them (`weak.rs` finds these), and what needs other values to be read. False
//! alarms: none for the first race with one lock; otherwise they are possible (also with one lock,
//! if a section signals or spawns), and only a witness decides.

use super::Order;
use super::clock::{Clock, Epoch};
use super::hard::{Hard, OnHard};
use super::sections::{Recent, Sections};
use crate::event::AccessKind;
use crate::ids::{Location, SyncId, TaskId};

/// Of the sections that accessed one location under one lock: those a later one may have to be
/// ordered after.
#[derive(Debug, Default)]
struct History {
    /// The last that wrote: it is itself ordered after all that came before it.
    written: Recent<Clock>,
    /// Those that read since.
    read: Recent<Clock>,
}

/// See the module.
#[derive(Debug)]
pub struct Dc {
    tasks: Hard<Clock>,
    sections: Sections<History, Clock>,
    now: TaskId,
}

impl Default for Dc {
    fn default() -> Self {
        Dc { tasks: Hard::default(), sections: Sections::default(), now: TaskId::MAIN }
    }
}

impl Order for Dc {
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

impl OnHard for Dc {
    type View = Clock;

    fn hard(&mut self) -> &mut Hard<Clock> {
        &mut self.tasks
    }

    fn enter(&mut self, task: TaskId, lock: SyncId) {
        self.sections.enter(task, lock, self.tasks.epoch(task).time);
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
                    history.read.sections.clear();
                    history.written.replace(left);
                } else if read {
                    history.read.add(left, |old| view.covers(old));
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
            history.written.precede(view);
            if kind == AccessKind::Write {
                history.read.precede(view);
            }
        });
    }
}
