//! Memory that is accessed atomically.
//!
//! Its cell refers to a *record*. There are fast paths as for plain accesses: the reference holds
//! the epoch of the last access, so that the entry points can do the same-epoch check
//! ([`Cell::is_since`]); and as for words ([`fast_path`](super::fast_path)) there is a medium path
//! for an access that evidently comes after the plain ones while only detecting
//! ([`Detector::atomic_words`]).
//!
//! Eight aligned bytes whose two cells are alike, as those of most atomic variables are, share a
//! record. It is split when half of them is accessed alone.

use super::fast_path::cells;
use super::*;
use crate::detect::now;

/// What a cell has no room for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Mixed {
    pub(super) plain: Cell,
    /// Atomic accesses since the last plain write after all of them, as in `Cell::readers`.
    pub(super) writes: ReaderRef,
    pub(super) reads: ReaderRef,
    /// It covers two words, which begin at a multiple of eight, or did until one of them was freed.
    pub(super) is_pair: bool,
}

impl Mixed {
    /// All sets of readers.
    pub(super) fn each(&self, list: &mut impl FnMut(ReaderRef)) {
        [self.plain.readers, self.writes, self.reads].into_iter().for_each(list);
    }

    /// The atomic accesses of a kind.
    #[inline(always)]
    fn accesses(&mut self, kind: AccessKind) -> &mut ReaderRef {
        match kind {
            AccessKind::Read => &mut self.reads,
            AccessKind::Write => &mut self.writes,
        }
    }
}

impl Detector {
    /// Whether accesses may take the fast path: see [`Detector::update_fast_path_enabled`].
    #[inline(always)]
    pub(crate) fn fast_path_enabled(&self) -> bool {
        self.fast_path_enabled
    }

    /// Whether the running step has made such an atomic access before, to `N` words that begin at a
    /// multiple of their size, and nothing has happened to them since.
    #[inline(always)]
    pub(crate) fn is_same_epoch_atomic<const N: usize>(&self, address: usize, kind: AccessKind) -> bool {
        let cells = cells::<N>(address);
        address.is_multiple_of(4 * N)
            && cells[0].is_since(now::epoch(), kind)
            && u64::from(cells[0]) == u64::from(cells[N - 1])
    }

    /// The medium path of an atomic access of `N` words: plain accesses to them evidently come
    /// before it, and no section is followed. Whether it was one of those.
    #[inline(never)]
    pub(crate) fn atomic_words<const N: usize>(
        &mut self,
        address: usize,
        kind: AccessKind,
        pc: usize,
    ) -> bool {
        let cells = cells::<N>(address);
        let before = cells[0];
        let is_same = u64::from(before) == u64::from(cells[N - 1]);
        // Whether the schedule chooses the order is for the slow path to find out.
        if !self.fast_path_enabled || !self.exclusive || !is_same || !address.is_multiple_of(4 * N) {
            return false;
        }
        let mut record = match before.reference() {
            Some(Reference::Mixed(number)) => self.mixed[number],
            None if before != Cell::default() => Mixed { plain: before, is_pair: N == 2, ..Mixed::default() },
            _ => return false,
        };
        let Mixed { plain, is_pair, .. } = record;
        let is_after_writer = plain.writer.access().is_none_or(|writer| self.is_near(writer));
        let is_after_readers = kind == AccessKind::Read
            || plain.readers.is_none()
            || plain.readers.one().is_some_and(|reader| self.is_near(reader));
        if !is_after_writer || !is_after_readers || is_pair && N == 1 || self.locks.is_any_held() {
            return false;
        }
        if !self.remember(record.accesses(kind), address, pc) {
            return true;
        }
        let number = self.record_for(before, is_pair);
        self.mixed[number] = record;
        Cell::refer_at(number, self.accesses.newest(), kind).put(cells);
        true
    }

    /// Adds an atomic access by the running step to those of its kind, unless one of them subsumes
    /// it. Whether it is among them.
    #[inline(always)]
    fn remember(&mut self, accesses: &mut ReaderRef, address: usize, pc: usize) -> bool {
        if self.has_read(*accesses) {
            return true;
        }
        if !accesses.is_none() && self.is_subsumed(*accesses, address, pc) {
            return false;
        }
        let id = self.number(pc, Flags::ATOMIC);
        *accesses = self.add_reader(*accesses, id);
        true
    }

    /// The same for eight bytes, if they share a record, or are to. Whether they do.
    #[inline]
    pub(super) fn pair(&mut self, address: usize, kind: AccessKind, manner: Manner, pc: usize) -> bool {
        let place = shadow::cell(address);
        // SAFETY: every address has its cell in the region reserved at the start.
        if unsafe { *place } == Cell::default() {
            self.pages.touch(place);
        }
        let cells = cells::<2>(address);
        let before = cells[0];
        let shares = match before.reference() {
            None => manner == Manner::Atomic,
            Some(reference) => matches!(reference, Reference::Mixed(_)),
        };
        if !shares || cells[1] != before || !address.is_multiple_of(8) || self.watched.is_some() {
            return false;
        }
        if before == Cell::default() {
            self.check_freed(address, kind, manner, pc);
            self.check_freed(address + 4, kind, manner, pc);
        }
        let number = self.record_for(before, true);
        let (after, races) =
            self.races_there(address, |detector| detector.record(number, address, kind, manner, pc));
        if races {
            self.note_racing(address + 4);
        }
        after.put(cells);
        true
    }

    /// An access to four bytes, or one, that are accessed atomically, now or before.
    #[inline(never)]
    pub(super) fn mixed(
        &mut self,
        cell: Cell,
        address: usize,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) -> Cell {
        let number = self.record_for(cell, false);
        if self.mixed[number].is_pair {
            self.part_record(number, address);
        }
        self.record(number, address, kind, manner, pc)
    }

    /// The record that a cell refers to, or a new one.
    fn record_for(&mut self, cell: Cell, is_pair: bool) -> u32 {
        match cell.reference() {
            Some(Reference::Mixed(number)) => number,
            _ => self.mixed.add(Mixed { plain: cell, is_pair, ..Mixed::default() }),
        }
    }

    /// The word beside this one gets a record of its own, if it refers to the same.
    #[cold]
    fn part_record(&mut self, number: u32, address: usize) {
        self.mixed[number].is_pair = false;
        let [other] = cells::<1>(address ^ 4);
        if other.reference() == Some(Reference::Mixed(number)) {
            let shared = self.mixed[number];
            let record = self.mixed.add(shared);
            *other = Cell::refer(Reference::Mixed(record));
        }
    }

    /// What becomes of a record, and of the cells that refer to it.
    fn record(&mut self, number: u32, address: usize, kind: AccessKind, manner: Manner, pc: usize) -> Cell {
        let mut record = self.mixed[number];
        let mut after = Cell::refer(Reference::Mixed(number));
        match (manner, kind) {
            (Manner::Plain, AccessKind::Read) => {
                self.check_all(record.writes, AccessKind::Write, kind, manner, address, pc);
                record.plain = self.read(record.plain, address, pc);
            }
            (Manner::Plain, AccessKind::Write) => {
                let written = self.check_all(record.writes, AccessKind::Write, kind, manner, address, pc);
                let read = self.check_all(record.reads, AccessKind::Read, kind, manner, address, pc);
                record.plain = self.write(record.plain, address, pc);
                if written && read {
                    // The write subsumes all of them.
                    self.mixed.free(number);
                    return record.plain;
                }
            }
            (Manner::Atomic, _) => {
                if !self.exclusive && !self.reducing {
                    self.exclusive = self.has_teams || !self.is_after_all(record, kind);
                }
                let met = self.met;
                self.check(record.plain, kind, manner, address, pc);
                if self.locks.is_held_by(self.current) {
                    self.follow_sections(record, kind);
                }
                let is_remembered = self.remember(record.accesses(kind), address, pc);
                let may_repeat = self.fast_path_enabled && self.premises.sees_all_stores;
                if is_remembered && met == self.met && may_repeat {
                    after = Cell::refer_at(number, self.accesses.newest(), kind);
                }
            }
        }
        self.mixed[number] = record;
        after
    }

    /// Whether the running step comes after all atomic accesses of a record that one of this kind
    /// conflicts with. As long as this is so of all, what atomic operations order is ordered without
    /// them: no schedule has them in another order.
    #[cold]
    fn is_after_all(&mut self, Mixed { writes, reads, .. }: Mixed, kind: AccessKind) -> bool {
        let mut before = self.list(writes);
        if kind == AccessKind::Write {
            before.extend(self.list(reads));
        }
        before.into_iter().all(|earlier| self.precedes(earlier))
    }

    /// Of atomic accesses in sections of one lock, one of them a write, the later comes after the
    /// earlier one's section, as with plain ones: what it sees, and so what its task does, depends
    /// on it.
    #[cold]
    fn follow_sections(&mut self, Mixed { writes, reads, .. }: Mixed, kind: AccessKind) {
        let mut before = self.list(writes);
        if kind == AccessKind::Write {
            before.extend(self.list(reads));
        }
        for earlier in before {
            if !self.precedes(earlier) {
                self.exclude(earlier);
            }
        }
    }
}
