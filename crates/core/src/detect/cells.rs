//! The cells of an epoch detector: for each location the last write and the reads since, and what
//! comes of an access, given what its task knows.
//!
//! The algorithm and its cost are [`epochs`](super::epochs)'. Here it is apart from the order that
//! is asked, so that the cells of some locations can be looked after by one worker and the clocks
//! by another ([`shards`](super::shards)): an access needs the epoch and the clock of its task, and
//! the cell of its location, and nothing else.

use super::Access;
use super::last_of_each::{LastOfEach, Seen};
use crate::event::AccessKind;
use crate::ids::{Location, SiteId, TaskId};
use crate::order::clock::{Epoch, Known};
use rustc_hash::FxHashMap;

/// Before all events.
const NEVER: Epoch = Epoch { slot: 0, time: 0 };

const NOTHING: Seen = Seen { epoch: NEVER, site: SiteId(0) };

/// Aligned, so that it is all in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Cell {
    write: Seen,
    /// The only read since, or `NOTHING`.
    read: Seen,
    /// Where in `readers` the reads are if there are several, plus one.
    pub(super) several: u32,
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
    pub(super) fn follows_all(&self, known: impl Fn(Epoch) -> bool) -> bool {
        known(self.read.epoch) & known(self.write.epoch) & (self.several == 0) & !self.is_mixed
    }

    #[inline]
    pub(super) fn replace(&mut self, kind: AccessKind, now: Seen) {
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

/// Which locations the cells are of: those that leave `rest` when they are divided by `of`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    of: u32,
    rest: u32,
    /// 2⁶⁴ divided by `of`, rounded up (Lemire, Kaser and Kurz, *Faster remainder by direct
    /// computation*, 2019): a division for each access would cost more than its cell.
    inverse: u64,
}

impl Part {
    pub(super) const ALL: Part = Part { of: 1, rest: 0, inverse: 0 };

    pub(super) fn new(of: u32, rest: u32) -> Self {
        Part { of, rest, inverse: (u64::MAX / u64::from(of)).wrapping_add(1) }
    }

    /// Whether a location is among them. Locations of traces are dense and have 32 bits.
    #[inline]
    pub(super) fn has(&self, location: Location) -> bool {
        let low = self.inverse.wrapping_mul(location.0);
        ((u128::from(low) * u128::from(self.of)) >> 64) as u32 == self.rest
    }

    /// Where the cell of a location is among them.
    #[inline]
    pub(super) fn place(&self, location: Location) -> usize {
        match self.of {
            1 => location.0 as usize,
            _ => ((u128::from(self.inverse) * u128::from(location.0)) >> 64) as usize,
        }
    }
}

/// An access, with when it is and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub(super) by: Access,
    pub(super) epoch: Epoch,
    pub(super) location: Location,
    /// The number of its event in the run, as far as anybody counts them.
    pub(super) event: u64,
}

impl Now {
    fn seen(&self) -> Seen {
        Seen { epoch: self.epoch, site: self.by.site }
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Cells {
    part: Part,
    pub(super) cells: Vec<Cell>,
    readers: Vec<LastOfEach>,
    spare: Vec<u32>,
    atomics: FxHashMap<Location, Atomics>,
    /// By slot: the task that has or had it last.
    tasks: Vec<TaskId>,
    pub(super) races: Found,
}

#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) pairs: Vec<SiteRaces>,
    /// For each pair the event in which it was found.
    pub(super) events: Vec<u64>,
    numbers: FxHashMap<PairKey, u32>,
    pub(super) racy: Vec<Location>,
}

/// What distinguishes pairs of sites.
pub(super) type PairKey = (SiteId, SiteId, AccessKind, AccessKind, Atomic);

impl SiteRaces {
    pub(super) fn key(&self) -> PairKey {
        (self.first.site, self.second.site, self.first.kind, self.second.kind, self.atomic)
    }
}

impl Cells {
    pub(super) fn new(part: Part) -> Self {
        Cells {
            part,
            cells: Vec::new(),
            readers: Vec::new(),
            spare: Vec::new(),
            atomics: FxHashMap::default(),
            tasks: Vec::new(),
            races: Found::default(),
        }
    }

    /// A task begins, in a slot.
    pub(super) fn spawn(&mut self, slot: u32, task: TaskId) {
        let slot = slot as usize;
        if slot >= self.tasks.len() {
            self.tasks.resize(slot + 1, TaskId::MAIN);
        }
        self.tasks[slot] = task;
    }

    #[inline]
    fn cell(&mut self, location: Location) -> &mut Cell {
        &mut self.cells[self.part.place(location)]
    }

    #[inline]
    fn reach(&mut self, location: Location) {
        let at = self.part.place(location);
        if at >= self.cells.len() {
            self.grow(at);
        }
    }

    #[cold]
    fn grow(&mut self, at: usize) {
        self.cells.resize((at + 1).max(self.cells.len() * 3 / 2), EMPTY);
    }

    /// A plain access of a task that knows `known`.
    #[inline]
    pub(super) fn access(&mut self, now: Now, known: &(impl Known + ?Sized)) {
        self.reach(now.location);
        let (kind, seen) = (now.by.kind, now.seen());
        let cell = self.cell(now.location);
        if cell.follows_all(|epoch| known.covers(epoch)) {
            return cell.replace(kind, seen);
        }
        if cell.is_mixed {
            self.after_atomics(now, known);
        }
        match kind {
            AccessKind::Read => self.read(now, known),
            AccessKind::Write => self.write(now, known),
        }
    }

    pub(super) fn atomic(&mut self, now: Now, known: &(impl Known + ?Sized)) {
        self.reach(now.location);
        let cell = *self.cell(now.location);
        let mut before = vec![(cell.write, AccessKind::Write)];
        if now.by.kind == AccessKind::Write {
            match cell.several {
                0 => before.push((cell.read, AccessKind::Read)),
                several => {
                    let readers = self.readers[several as usize - 1].list().iter();
                    before.extend(readers.map(|&read| (read, AccessKind::Read)));
                }
            }
        }
        for (old, kind) in before {
            if !known.covers(old.epoch) {
                self.race(now, old, kind, Atomic::Second);
            }
        }
        self.cell(now.location).is_mixed = true;
        let atomics = self.atomics.entry(now.location).or_default();
        let list = if now.by.kind == AccessKind::Read { &mut atomics.reads } else { &mut atomics.writes };
        list.add(now.seen());
    }

    #[cold]
    fn race(&mut self, now: Now, old: Seen, old_kind: AccessKind, atomic: Atomic) {
        let Now { by, location, event, .. } = now;
        let cell = &mut self.cells[self.part.place(location)];
        let Found { pairs, events, numbers, racy } = &mut self.races;
        if !cell.is_racy {
            cell.is_racy = true;
            racy.push(location);
        }
        let key = (old.site, by.site, old_kind, by.kind, atomic);
        let number = *numbers.entry(key).or_insert_with(|| {
            let task = self.tasks.get(old.epoch.slot as usize).copied().unwrap_or(TaskId::MAIN);
            let first = Access { task, kind: old_kind, site: old.site };
            pairs.push(SiteRaces { first, second: by, location, atomic, count: 0 });
            events.push(event);
            pairs.len() as u32 - 1
        });
        pairs[number as usize].count += 1;
    }

    #[cold]
    fn read(&mut self, now: Now, known: &(impl Known + ?Sized)) {
        let cell = self.cell(now.location);
        if cell.read.epoch == now.epoch {
            cell.read.site = now.by.site;
            return;
        }
        let write = cell.write;
        if cell.several == 0 && known.covers(cell.read.epoch) {
            cell.read = now.seen();
        } else {
            self.share(now.location, now.seen());
        }
        if !known.covers(write.epoch) {
            self.race(now, write, AccessKind::Write, Atomic::Neither);
        }
    }

    /// Adds a read that does not know the others.
    fn share(&mut self, location: Location, now: Seen) {
        let cell = &mut self.cells[self.part.place(location)];
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
    fn write(&mut self, now: Now, known: &(impl Known + ?Sized)) {
        let cell = self.cell(now.location);
        let Cell { write, read, several, .. } = *cell;
        if write.epoch == now.epoch && several == 0 && read.epoch == NEVER {
            cell.write.site = now.by.site;
            return;
        }
        cell.write = now.seen();
        if several != 0 {
            self.write_after_several(now, known);
        } else if known.covers(read.epoch) {
            cell.read = NOTHING;
        } else {
            self.race(now, read, AccessKind::Read, Atomic::Neither);
        }
        if !known.covers(write.epoch) {
            self.race(now, write, AccessKind::Write, Atomic::Neither);
        }
    }

    /// An access that is not atomic, to a location that was accessed atomically. A write subsumes
    /// those it comes after.
    #[cold]
    fn after_atomics(&mut self, now: Now, known: &(impl Known + ?Sized)) {
        let Some(mut atomics) = self.atomics.remove(&now.location) else { return };
        let is_write = now.by.kind == AccessKind::Write;
        let mut check = |seen: &mut LastOfEach, kind| {
            seen.retain(|&old| {
                let races = !known.covers(old.epoch);
                if races {
                    self.race(now, old, kind, Atomic::First);
                }
                races || !is_write
            });
        };
        check(&mut atomics.writes, AccessKind::Write);
        if is_write {
            check(&mut atomics.reads, AccessKind::Read);
        }
        if atomics.reads.list().is_empty() && atomics.writes.list().is_empty() {
            self.cell(now.location).is_mixed = false;
        } else {
            self.atomics.insert(now.location, atomics);
        }
    }

    fn write_after_several(&mut self, now: Now, known: &(impl Known + ?Sized)) {
        let at = self.cell(now.location).several as usize - 1;
        let mut readers = std::mem::take(&mut self.readers[at]);
        readers.retain(|&read| {
            let races = !known.covers(read.epoch);
            if races {
                self.race(now, read, AccessKind::Read, Atomic::Neither);
            }
            races
        });
        let cell = self.cell(now.location);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_all_locations() {
        for of in 1..=9 {
            let locations = (0..1000).chain((u32::MAX - 500)..=u32::MAX);
            for location in locations {
                let has = |rest: u32| of == 1 || Part::new(of, rest).has(Location(location.into()));
                let owners: Vec<u32> = (0..of).filter(|&rest| has(rest)).collect();
                assert_eq!(owners, [location % of]);
                let place = Part::new(of, 0).place(Location(location.into()));
                assert_eq!(place, (location / of) as usize);
            }
        }
    }
}
