//! Schedulable happens-before (SHB): happens-before, and each read after the write it saw.
//!
//! Mathur, Kini and Viswanathan, *What happens-after the first race? Enhancing the predictive power
//! of happens-before based dynamic race detection* (OOPSLA 2018). The order is there to make
//! *every* race real, not only the first: two accesses race iff the earlier is not before the event
//! that precedes the later in its task. So a read is compared before it is ordered after the write
//! it sees.
//!
//! Cost: HB's; a read that sees a write it is not ordered after joins a clock, O(slots), and so
//! does a task's first write after it has learnt something (a snapshot, for all writes until it
//! learns more).
//!
//! Departures: the time of a task goes on after every write, as in the paper; the clocks of the
//! writes are shared as above, and of two that differ the same parts
//! ([`snapshot`](super::snapshot)).
//!
//! What it can miss: what HB misses, and HB's races that may not be real. False alarms: none; every
//! race it gives has a witness.

use super::Order;
use super::clock::{Clock, Epoch};
use super::hard::{Hard, OnHard};
use super::snapshot::{Snapshot, Snapshots};
use crate::event::{AccessKind, SyncKind};
use crate::ids::{Location, SyncId, TaskId};
use rustc_hash::FxHashMap;

/// A write: when it was, and what its task knew of others then.
#[derive(Clone, Copy, Debug)]
struct Write {
    epoch: Epoch,
    known: Snapshot,
}

/// The last write of each location. Those of a trace are numbered without gaps, those of a program
/// need not be.
#[derive(Debug, Default)]
struct Writes {
    /// By location, as far as enough of them are used.
    near: Vec<Option<Write>>,
    far: FxHashMap<Location, Write>,
    used: usize,
}

/// A table is kept for so many locations in any case, and beyond for so many times those used.
const FREE: usize = 1 << 10;
const GAPS: usize = 4;

impl Writes {
    #[inline]
    fn get(&self, location: Location) -> Option<Write> {
        match self.near.get(location.0 as usize) {
            Some(Some(write)) => Some(*write),
            _ => self.far.get(&location).copied(),
        }
    }

    /// The write before, if any.
    fn replace(&mut self, location: Location, write: Write) -> Option<Write> {
        if let Some(Some(known)) = self.near.get_mut(location.0 as usize) {
            return Some(std::mem::replace(known, write));
        }
        let limit = FREE + GAPS * self.used;
        if location.0 >= limit as u64 {
            let before = self.far.insert(location, write);
            self.used += usize::from(before.is_none());
            return before;
        }
        let at = location.0 as usize;
        if at >= self.near.len() {
            self.near.resize((at + 1).max(self.near.len() * 5 / 4), None);
        }
        self.near[at] = Some(write);
        let before = self.far.remove(&location);
        self.used += usize::from(before.is_none());
        before
    }
}

/// See the module.
#[derive(Debug)]
pub struct Shb {
    tasks: Hard<Clock>,
    writes: Writes,
    /// By slot: a copy of what its task knows of others, if it has learnt nothing since.
    known: Vec<Option<Snapshot>>,
    snapshots: Snapshots,
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
            writes: Writes::default(),
            known: Vec::new(),
            snapshots: Snapshots::default(),
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
                let Some(write) = self.writes.get(location) else { return };
                let view = self.tasks.view_mut(self.now);
                if !view.covers(write.epoch) {
                    self.snapshots.join(write.known, view);
                    view.learn(write.epoch);
                    self.learnt(self.now);
                }
            }
        }
    }

    fn write(&mut self, task: TaskId, location: Location) {
        let epoch = self.tasks.epoch(task);
        let slot = epoch.slot as usize;
        if slot >= self.known.len() {
            self.known.resize(slot + 1, None);
        }
        let view = self.tasks.view(task);
        let known = *self.known[slot].get_or_insert_with(|| self.snapshots.take(view));
        self.snapshots.keep(known);
        if let Some(before) = self.writes.replace(location, Write { epoch, known }) {
            self.snapshots.give_back(before.known);
        }
    }
}

impl OnHard for Shb {
    type View = Clock;

    fn hard(&mut self) -> &mut Hard<Clock> {
        &mut self.tasks
    }
    fn prepare(&mut self) {
        self.settle();
    }
    fn learnt(&mut self, task: TaskId) {
        let known = self.known.get_mut(self.tasks.slot(task) as usize);
        if let Some(known) = known.and_then(Option::take) {
            self.snapshots.give_back(known);
        }
    }
    fn wait(&mut self, task: TaskId, sync: SyncId) {
        if self.tasks.learn(task, sync) {
            self.learnt(task);
        }
    }
    // A lock is like any other sync here.
    fn enter(&mut self, task: TaskId, lock: SyncId) {
        self.wait(task, lock);
    }
    fn leave(&mut self, task: TaskId, lock: SyncId) {
        self.tasks.signal(task, lock, SyncKind::Lock);
    }
    #[inline]
    fn touch(&mut self, task: TaskId, kind: AccessKind, location: Location) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_last_write_is_found_however_locations_are_numbered() {
        let mut writes = Writes::default();
        let mut expected = FxHashMap::default();
        let mut random = Random(1);
        for time in 1..20_000 {
            let far = if time % 5 == 0 { 1 << 40 } else { 0 };
            let location = Location(random.next() % (1 + u64::from(time)) + far);
            let write =
                Write { epoch: Epoch { slot: 0, time }, known: Snapshots::default().take(&Clock::default()) };
            let before = writes.replace(location, write).map(|write| write.epoch.time);
            assert_eq!(before, expected.insert(location, time));
        }
        for (&location, &time) in &expected {
            assert_eq!(writes.get(location).map(|write| write.epoch.time), Some(time));
        }
        assert_eq!(writes.used, expected.len());
        assert!(!writes.far.is_empty() && writes.near.iter().flatten().count() > 1_000);
    }
}
