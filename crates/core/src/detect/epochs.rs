//! Races by epochs: one write and the reads since, for traces of millions of events.
//!
//! Flanagan and Freund, *FastTrack: efficient and precise dynamic race detection* (PLDI 2009), over
//! any [`Order`], with the races counted by their pair of source sites, as RAPID gives them. For
//! each location it keeps the last write and the reads since: one of them while each read knows the
//! one before, else one for each slot.
//!
//! Cost, beyond the order's: two or three comparisons for an access, in one cell of 32 bytes; a
//! write after reads that did not know each other takes one comparison for each. Memory grows with
//! locations, slots and racing pairs of sites, and not with events. Locations must be dense
//! numbers, as every [`Source`](crate::trace::Source) gives them.
//!
//! Departures from FastTrack: a repeated access of one epoch is a same-epoch hit, but its site is
//! the one that is reported; reads that a write is not ordered after stay, since a later write may
//! race with them as well.
//!
//! Atomic accesses, which native programs have, race with others and never with each other, so
//! neither subsumes the other: the last of each slot is kept beside the cell.
//!
//! What it can miss: pairs of sites. For every location of which two accesses race by the order at
//! least one race is found, and the first one; [`predict`](super::predict) finds every pair of
//! sites, at some ten times the cost. False alarms: as the order's.

use super::Access;
use super::last_of_each::{LastOfEach, Seen};
use crate::event::{AccessKind, Event, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use crate::order::Order;
use crate::order::clock::{Epoch, Known, Times};
use rustc_hash::FxHashMap;
use std::hint::black_box;

/// So many cells are no longer close by.
const FAR: usize = 1 << 15;

/// How many cells are fetched together.
const AHEAD: usize = 128;

/// Before all events.
const NEVER: Epoch = Epoch { slot: 0, time: 0 };

const NOTHING: Seen = Seen { epoch: NEVER, site: SiteId(0) };

/// Aligned, so that it is all in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Cell {
    write: Seen,
    /// The only read since, or `NOTHING`.
    read: Seen,
    /// Where in `readers` the reads are if there are several, plus one.
    several: u32,
    is_racy: bool,
    /// It was accessed atomically: `atomics` has more.
    is_mixed: bool,
}

const EMPTY: Cell = Cell { write: NOTHING, read: NOTHING, several: 0, is_racy: false, is_mixed: false };

const _: () = assert!(size_of::<Cell>() == 32);

impl Cell {
    /// Whether all that was before is known, and in the cell. Nearly always it is. No branch on
    /// anything else: a cell's past is as good as random.
    #[inline]
    fn follows_all(&self, known: impl Fn(Epoch) -> bool) -> bool {
        known(self.read.epoch) & known(self.write.epoch) & (self.several == 0) & !self.is_mixed
    }

    #[inline]
    fn replace(&mut self, kind: AccessKind, now: Seen) {
        let is_write = kind as usize;
        self.read = [now, NOTHING][is_write];
        self.write = [self.write, now][is_write];
    }
}

/// The atomic accesses of a location that no plain write has come after: the last of each slot.
#[derive(Debug, Default)]
struct Atomics {
    reads: LastOfEach,
    writes: LastOfEach,
}

/// Races between two sites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteRaces {
    pub first: Access,
    pub second: Access,
    /// Of the first of them.
    pub location: Location,
    /// Which of the two is atomic.
    pub atomic: Atomic,
    pub count: u64,
}

/// Two atomic accesses never race.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atomic {
    Neither,
    First,
    Second,
}

/// See the module.
#[derive(Debug)]
pub struct Epochs<O> {
    order: O,
    cells: Vec<Cell>,
    readers: Vec<LastOfEach>,
    spare: Vec<u32>,
    atomics: FxHashMap<Location, Atomics>,
    /// By slot: the task that has or had it last.
    tasks: Vec<TaskId>,
    races: Found,
}

#[derive(Debug, Default)]
struct Found {
    pairs: Vec<SiteRaces>,
    numbers: FxHashMap<(SiteId, SiteId, AccessKind, AccessKind, Atomic), u32>,
    racy: Vec<Location>,
}

impl<O: Default> Default for Epochs<O> {
    fn default() -> Self {
        Epochs {
            order: O::default(),
            cells: Vec::new(),
            readers: Vec::new(),
            spare: Vec::new(),
            atomics: FxHashMap::default(),
            tasks: Vec::new(),
            races: Found::default(),
        }
    }
}

impl<O: Order> Epochs<O> {
    /// The races by pair of sites and kinds of access, in the order of discovery.
    pub fn races(&self) -> &[SiteRaces] {
        &self.races.pairs
    }

    /// The locations that have a race, in the order of discovery.
    pub fn racy(&self) -> &[Location] {
        &self.races.racy
    }

    /// Takes events in turn, faster than one by one: the cells of a few are looked at before, so
    /// that the memory they are in is fetched for all of them together. With many locations nearly
    /// every cell is far away.
    pub fn observe(&mut self, events: &[Event]) {
        for few in events.chunks(AHEAD) {
            if self.cells.len() >= FAR {
                let cells = few.iter().map(|event| match event {
                    Event::Access { location, .. } => location.0 as usize,
                    _ => 0,
                });
                black_box(cells.fold(0, |all, at| all | self.cells.get(at).map_or(0, |cell| cell.several)));
            }
            let mut rest = few;
            while let Some(event) = rest.first() {
                let known = match event {
                    Event::Access { task, .. } => self.known_accesses(*task, rest),
                    _ => 0,
                };
                if known == 0 {
                    event.deliver(self);
                }
                rest = &rest[known.max(1)..];
            }
        }
    }

    /// Takes the accesses of `task` that come first, up to one after which there is more to do; how
    /// many.
    fn known_accesses(&mut self, task: TaskId, events: &[Event]) -> usize {
        let Some((epoch, clock)) = self.order.steady(task) else { return 0 };
        match clock.times() {
            Times::Short(times) => known_accesses(&mut self.cells, &times[..], task, epoch, events),
            Times::Long(times) => known_accesses(&mut self.cells, &times[..], task, epoch, events),
            Times::Tree(tree) => known_accesses(&mut self.cells, tree, task, epoch, events),
        }
    }

    #[cold]
    fn grow(&mut self, at: usize) {
        self.cells.resize((at + 1).max(self.cells.len() * 3 / 2), EMPTY);
    }

    fn race(&mut self, location: Location, old: Seen, old_kind: AccessKind, now: Access) {
        self.add_race(location, old, old_kind, now, Atomic::Neither);
    }

    #[cold]
    fn add_race(&mut self, location: Location, old: Seen, old_kind: AccessKind, now: Access, atomic: Atomic) {
        let cell = &mut self.cells[location.0 as usize];
        if !cell.is_racy {
            cell.is_racy = true;
            self.races.racy.push(location);
        }
        let pairs = &mut self.races.pairs;
        let key = (old.site, now.site, old_kind, now.kind, atomic);
        let number = *self.races.numbers.entry(key).or_insert_with(|| {
            let task = self.tasks.get(old.epoch.slot as usize).copied().unwrap_or(TaskId::MAIN);
            let first = Access { task, kind: old_kind, site: old.site };
            pairs.push(SiteRaces { first, second: now, location, atomic, count: 0 });
            pairs.len() as u32 - 1
        });
        pairs[number as usize].count += 1;
    }

    #[cold]
    fn read(&mut self, location: Location, now: Seen, by: Access) {
        let cell = &mut self.cells[location.0 as usize];
        if cell.read.epoch == now.epoch {
            cell.read.site = now.site;
            return;
        }
        let write = cell.write;
        if cell.several == 0 && self.order.precedes(cell.read.epoch) {
            cell.read = now;
        } else {
            self.share(location, now);
        }
        if !self.order.precedes(write.epoch) {
            self.race(location, write, AccessKind::Write, by);
        }
    }

    /// Adds a read that does not know the others.
    fn share(&mut self, location: Location, now: Seen) {
        let cell = &mut self.cells[location.0 as usize];
        if cell.several == 0 {
            let at = self.spare.pop().unwrap_or_else(|| {
                self.readers.push(LastOfEach::default());
                self.readers.len() as u32 - 1
            });
            cell.several = at + 1;
            self.readers[at as usize].add(cell.read);
        }
        // The one repeated reads are compared with.
        cell.read = now;
        self.readers[cell.several as usize - 1].add(now);
    }

    #[cold]
    fn write(&mut self, location: Location, now: Seen, by: Access) {
        let cell = &mut self.cells[location.0 as usize];
        let Cell { write, read, several, .. } = *cell;
        if write.epoch == now.epoch && several == 0 && read.epoch == NEVER {
            cell.write.site = now.site;
            return;
        }
        cell.write = now;
        if several != 0 {
            self.write_after_several(location, by);
        } else if self.order.precedes(read.epoch) {
            cell.read = NOTHING;
        } else {
            self.race(location, read, AccessKind::Read, by);
        }
        if !self.order.precedes(write.epoch) {
            self.race(location, write, AccessKind::Write, by);
        }
    }

    /// An access that is not atomic, to a location that was accessed atomically. A write subsumes
    /// those it comes after.
    #[cold]
    fn after_atomics(&mut self, location: Location, by: Access) {
        let Some(mut atomics) = self.atomics.remove(&location) else { return };
        let is_write = by.kind == AccessKind::Write;
        let mut check = |seen: &mut LastOfEach, kind| {
            seen.retain(|&old| {
                let races = !self.order.knows(by.task, old.epoch);
                if races {
                    self.add_race(location, old, kind, by, Atomic::First);
                }
                races || !is_write
            });
        };
        check(&mut atomics.writes, AccessKind::Write);
        if is_write {
            check(&mut atomics.reads, AccessKind::Read);
        }
        if atomics.reads.list().is_empty() && atomics.writes.list().is_empty() {
            self.cells[location.0 as usize].is_mixed = false;
        } else {
            self.atomics.insert(location, atomics);
        }
    }

    fn write_after_several(&mut self, location: Location, by: Access) {
        let at = self.cells[location.0 as usize].several as usize - 1;
        let mut readers = std::mem::take(&mut self.readers[at]);
        readers.retain(|&read| {
            let races = !self.order.precedes(read.epoch);
            if races {
                self.race(location, read, AccessKind::Read, by);
            }
            races
        });
        let cell = &mut self.cells[location.0 as usize];
        // None of these is of the epoch now, so that the next read is looked at.
        cell.read = readers.list().first().copied().unwrap_or(NOTHING);
        if readers.list().len() <= 1 {
            cell.several = 0;
            readers.retain(|_| false);
            self.spare.push(at as u32);
        }
        self.readers[at] = readers;
    }
}

/// See [`Epochs::known_accesses`].
fn known_accesses(
    cells: &mut [Cell],
    known: &(impl Known + ?Sized),
    task: TaskId,
    epoch: Epoch,
    events: &[Event],
) -> usize {
    for (event, done) in events.iter().zip(0..) {
        let Event::Access { task: by, kind, location, site } = *event else { return done };
        let Some(cell) = cells.get_mut(location.0 as usize).filter(|_| by == task) else { return done };
        if !cell.follows_all(|epoch| known.covers(epoch)) {
            return done;
        }
        cell.replace(kind, Seen { epoch, site });
    }
    events.len()
}

impl<O: Order> Observer for Epochs<O> {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.order.spawn(parent, child, scope, site);
        let slot = self.order.epoch_of(child).slot as usize;
        if slot >= self.tasks.len() {
            self.tasks.resize(slot + 1, TaskId::MAIN);
        }
        self.tasks[slot] = child;
    }
    fn end(&mut self, task: TaskId) {
        self.order.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.order.finish_begin(task, scope);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.order.finish_end(task, scope);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.order.signal(task, sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.order.join(task, sync, kind);
    }
    fn atomic(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        let at = location.0 as usize;
        if at >= self.cells.len() {
            self.grow(at);
        }
        let (epoch, by) = (self.order.epoch_of(task), Access { task, kind, site });
        let cell = self.cells[at];
        let mut before = vec![(cell.write, AccessKind::Write)];
        if kind == AccessKind::Write {
            match cell.several {
                0 => before.push((cell.read, AccessKind::Read)),
                several => {
                    let readers = self.readers[several as usize - 1].list().iter();
                    before.extend(readers.map(|&read| (read, AccessKind::Read)));
                }
            }
        }
        for (old, kind) in before {
            if !self.order.knows(task, old.epoch) {
                self.add_race(location, old, kind, by, Atomic::Second);
            }
        }
        self.cells[at].is_mixed = true;
        let atomics = self.atomics.entry(location).or_default();
        let list = if kind == AccessKind::Read { &mut atomics.reads } else { &mut atomics.writes };
        list.add(Seen { epoch, site });
    }
    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.order.access(task, kind, location, site);
        if location.0 as usize >= self.cells.len() {
            self.grow(location.0 as usize);
        }
        let now = Seen { epoch: self.order.epoch(), site };
        let cell = &mut self.cells[location.0 as usize];
        if cell.follows_all(|epoch| self.order.precedes(epoch)) {
            return cell.replace(kind, now);
        }
        let by = Access { task, kind, site };
        if self.cells[location.0 as usize].is_mixed {
            self.after_atomics(location, by);
        }
        match kind {
            AccessKind::Read => self.read(location, now, by),
            AccessKind::Write => self.write(location, now, by),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::hb::Hb;

    #[test]
    fn many_at_a_time_give_the_races_of_one_at_a_time() {
        let access = |task, kind, location: usize, site| Event::Access {
            task: TaskId(task),
            kind,
            location: Location(location as u64),
            site: SiteId(site),
        };
        let mut events: Vec<Event> = (1..=2)
            .map(|child| Event::Spawn {
                parent: TaskId::MAIN,
                child: TaskId(child),
                scope: ScopeId::PROGRAM,
                site: SiteId(0),
            })
            .collect();
        // So many that the cells of later ones are fetched ahead; the second task meets the first
        // at every tenth.
        let cells = 2 * FAR;
        events.extend((0..cells).map(|at| access(1, AccessKind::Write, at, 1)));
        events.extend((0..cells).map(|at| {
            let location = if at % 10 == 0 { at } else { cells + at };
            access(2, if at % 20 == 0 { AccessKind::Read } else { AccessKind::Write }, location, 2)
        }));
        let (mut one, mut many) = (Epochs::<Hb>::default(), Epochs::<Hb>::default());
        events.iter().for_each(|event| event.deliver(&mut one));
        events.chunks(1_000).for_each(|some| many.observe(some));
        assert_eq!(one.races(), many.races());
        assert_eq!(one.racy(), many.racy());
        assert_eq!(one.racy().len(), cells.div_ceil(10));
    }
}
