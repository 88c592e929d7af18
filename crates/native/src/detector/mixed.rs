//! Memory that is accessed atomically.
//!
//! As for plain accesses of words ([`words`](super::words)) there is a short way: an access in a run that is only watched, that comes evidently after the plain
//! ones and that the running step, or one that stands for it, has made before. Of such there is nothing to remember.

use super::words::cells;
use super::*;

/// What a cell has no room for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Mixed {
    pub(super) plain: Cell,
    /// Atomic accesses since the last plain write after all of them, as in `Cell::readers`.
    pub(super) writes: i32,
    pub(super) reads: i32,
}

impl Detector {
    /// The short way of an atomic access of words; whether it could be gone. Without calls, as [`Detector::words_shortly`].
    #[inline(always)]
    pub(crate) fn atomic_shortly<const N: usize>(
        &mut self,
        address: usize,
        kind: AccessKind,
        pc: usize,
    ) -> bool {
        if !self.is_simple || !address.is_multiple_of(4) {
            return false;
        }
        let cells = cells::<N>(address);
        let first = self.record_of(cells[0]);
        let Some(&Mixed { plain, writes, reads }) = first else { return false };
        // (A call of `any` would be one.)
        for cell in &cells[1..] {
            if self.record_of(*cell) != first {
                return false;
            }
        }
        if plain.writer > 0 && !self.is_near(plain.writer) {
            return false;
        }
        let before = match kind {
            AccessKind::Read => reads,
            AccessKind::Write if plain.readers == 0 => writes,
            AccessKind::Write if plain.readers > 0 && self.is_near(plain.readers) => writes,
            AccessKind::Write => return false,
        };
        if !self.has_read(before) && (before == 0 || !self.is_known_to_be_stood_for(before, address, pc)) {
            return false;
        }
        // Not known yet if all were parts of reductions.
        self.exclusive = true;
        true
    }

    /// The record that a cell refers to.
    #[inline(always)]
    fn record_of(&self, cell: Cell) -> Option<&Mixed> {
        match cell.reference() {
            Some(Reference::Mixed(number)) => self.mixed.get(number as usize),
            _ => None,
        }
    }

    /// An access to memory that is accessed atomically, now or before.
    #[inline(never)]
    pub(super) fn mixed(
        &mut self,
        cell: Cell,
        address: usize,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) -> Cell {
        let number = if let Some(Reference::Mixed(number)) = cell.reference() {
            number
        } else {
            let mixed = Mixed { plain: cell, ..Mixed::default() };
            let number = self.spare_mixed.pop().unwrap_or(self.mixed.len() as u32);
            match self.mixed.get_mut(number as usize) {
                Some(spare) => *spare = mixed,
                None => self.mixed.push(mixed),
            }
            number
        };
        let mut record = self.mixed[number as usize];
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
                    // It stands for all of them.
                    self.spare_mixed.push(number);
                    return record.plain;
                }
            }
            (Manner::Atomic, _) => {
                self.exclusive |= !self.reducing;
                self.check(record.plain, kind, manner, address, pc);
                if !self.holds.is_empty() && self.holds.contains_key(&self.current) {
                    self.follow_sections(record, kind);
                }
                let set = if kind == AccessKind::Read { &mut record.reads } else { &mut record.writes };
                if !(self.has_read(*set) || *set != 0 && self.is_stood_for(*set, address, pc)) {
                    let made = self.number(pc, ATOMIC);
                    *set = self.add_reader(*set, made);
                }
            }
        }
        self.mixed[number as usize] = record;
        Cell::refer(Reference::Mixed(number))
    }

    /// Of atomic accesses in sections of one lock, one of them a write, the later comes after the earlier one's section, as with plain
    /// ones: what it sees, and so what its task does, depends on it.
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
