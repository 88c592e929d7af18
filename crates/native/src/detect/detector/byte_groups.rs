//! Groups of four cells, one a byte, for words that are accessed by the byte or the half word.
//!
//! The sites of a loop over text or compressed data take turns, so that the cells of the bytes of a
//! word differ, but they differ alike in very many words. So a group is kept once for all words
//! with these contents (hash consing): it is never changed, and a word whose bytes are accessed
//! refers to another one from then on. That makes the result of an access a function of the cell
//! of the word, of the bytes and of the site, which [`PARTS`] caches as [`TRANSITIONS`](super::transitions::TRANSITIONS) does that
//! of accesses to whole words.
//!
//! A group counts the cells that refer to it. Cells of memory that is given back are forgotten
//! without notice, so a count may be too high, never too low; the collector finds out. A group
//! that no cell refers to waits in a list before its number is given to another: it is often
//! wanted again, and no entry of [`PARTS`] may name it then.
//!
//! Cost: 40 bytes a group. An access that misses the cache: a hash of 32 bytes and a walk of a
//! chain.

use super::transitions::{MIX, PARTS, forget_parts};
use super::*;
use raceproof_core::marks::Marks;
use std::ops::{Index, Range};

#[derive(Clone, Copy)]
struct Group {
    cells: [Cell; 4],
    /// How many cells refer to it, at most; [`Group::FOR_EVER`] of those that have been too many to
    /// count, [`Group::FREE`] if it is none.
    uses: u32,
    /// The next group of the chain, or free one.
    next: u32,
}

impl Group {
    const FOR_EVER: u32 = u32::MAX - 1;
    const FREE: u32 = u32::MAX;
}

const NONE: u32 = u32::MAX;

/// So many groups that no cell refers to are kept.
const WAITING: usize = 1 << 12;

pub(super) struct ByteGroups {
    groups: Vec<Group>,
    /// The first of the chain of free groups.
    free: u32,
    /// The first of each chain; a power of two of them, no fewer than half of the groups.
    chains: Vec<u32>,
    /// Groups that no cell referred to at some time since this was empty.
    waiting: Vec<u32>,
    /// How many groups are not free.
    live: usize,
}

impl ByteGroups {
    pub(super) fn new() -> Self {
        ByteGroups { groups: Vec::new(), free: NONE, chains: vec![NONE; 16], waiting: Vec::new(), live: 0 }
    }

    /// How many groups there are room for; numbers are below it.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// The cell of a word whose bytes have these cells from now on, and which had the cell `before`.
    pub(super) fn replace(&mut self, before: Cell, cells: [Cell; 4]) -> Cell {
        let [one, rest @ ..] = cells;
        let is_whole = !one.writer.is_reference() && rest.iter().all(|other| *other == one);
        let after = if is_whole { one } else { Cell::refer(Reference::Bytes(self.find_or_add(cells))) };
        self.change(before, after);
        after
    }

    /// The cell of a word is about to be another.
    #[inline(always)]
    pub(super) fn change(&mut self, before: Cell, after: Cell) {
        if before == after {
            return;
        }
        if let Some(Reference::Bytes(number)) = after.reference() {
            let uses = &mut self.groups[number as usize].uses;
            *uses += u32::from(*uses < Group::FOR_EVER);
        }
        if let Some(Reference::Bytes(number)) = before.reference() {
            let uses = &mut self.groups[number as usize].uses;
            *uses -= u32::from(*uses < Group::FOR_EVER);
            if *uses == 0 {
                self.leave(number);
            }
        }
    }

    /// No cell refers to the group any more.
    #[inline(never)]
    fn leave(&mut self, number: u32) {
        self.waiting.push(number);
        if self.waiting.len() < WAITING {
            return;
        }
        // One may be there several times: the first time frees it.
        for number in std::mem::take(&mut self.waiting) {
            if self.groups[number as usize].uses == 0 {
                self.unchain(number);
                self.give_back(number);
                self.live -= 1;
            }
        }
        forget_parts();
    }

    fn give_back(&mut self, number: u32) {
        self.groups[number as usize] =
            Group { cells: Default::default(), uses: Group::FREE, next: self.free };
        self.free = number;
    }

    fn chain(&self, cells: &[Cell; 4]) -> usize {
        let mix = |hash: u64, cell: &Cell| (hash ^ u64::from(*cell)).wrapping_mul(MIX).rotate_left(29);
        (cells.iter().fold(0, mix) >> 7) as usize & (self.chains.len() - 1)
    }

    fn unchain(&mut self, number: u32) {
        let Group { cells, next, .. } = self.groups[number as usize];
        let chain = self.chain(&cells);
        let mut at = self.chains[chain];
        if at == number {
            self.chains[chain] = next;
            return;
        }
        while self.groups[at as usize].next != number {
            at = self.groups[at as usize].next;
        }
        self.groups[at as usize].next = next;
    }

    fn find_or_add(&mut self, cells: [Cell; 4]) -> u32 {
        let chain = self.chain(&cells);
        let mut at = self.chains[chain];
        while at != NONE {
            let group = &self.groups[at as usize];
            if group.cells == cells {
                return at;
            }
            at = group.next;
        }
        self.live += 1;
        let group = Group { cells, uses: 0, next: self.chains[chain] };
        let number = self.free;
        if number != NONE {
            self.free = self.groups[number as usize].next;
            self.groups[number as usize] = group;
            self.chains[chain] = number;
            return number;
        }
        let number = self.groups.len() as u32;
        self.groups.push(group);
        self.chains[chain] = number;
        if self.groups.len() > 2 * self.chains.len() {
            self.rechain();
        }
        number
    }

    /// Builds the chains anew.
    fn rechain(&mut self) {
        let wanted = self.groups.len().next_power_of_two().max(16);
        self.chains.clear();
        self.chains.resize(wanted, NONE);
        for at in 0..self.groups.len() {
            if self.groups[at].uses != Group::FREE {
                let chain = self.chain(&self.groups[at].cells);
                self.groups[at].next = std::mem::replace(&mut self.chains[chain], at as u32);
            }
        }
    }

    /// The collector visits the marked groups; frees the others.
    pub(super) fn sift(&mut self, marked: &Marks, mut visit: impl FnMut(Cell)) {
        self.waiting.clear();
        while self.groups.last().is_some_and(|_| !marked.has(self.groups.len() - 1)) {
            self.groups.pop();
        }
        let before = self.groups.capacity();
        if before > 4 * self.groups.len() + 1024 {
            self.groups.shrink_to(2 * self.groups.len());
        }
        (self.free, self.live) = (NONE, 0);
        for at in 0..self.groups.len() {
            match marked.has(at) {
                true => {
                    self.live += 1;
                    self.groups[at].cells.into_iter().for_each(&mut visit);
                }
                false => self.give_back(at as u32),
            }
        }
    }

    /// The collector has renumbered accesses. Groups may be alike afterwards: each stays.
    pub(super) fn renumber(&mut self, new: impl Fn(Cell) -> Cell) {
        for group in self.groups.iter_mut().filter(|group| group.uses != Group::FREE) {
            group.cells = group.cells.map(&new);
        }
        self.rechain();
    }
}

impl Index<u32> for ByteGroups {
    type Output = [Cell; 4];
    #[inline(always)]
    fn index(&self, number: u32) -> &[Cell; 4] {
        &self.groups[number as usize].cells
    }
}

/// An access to some bytes of a word, as a key of [`PARTS`]: what copies memory reads and writes
/// from one program counter. Only a whole word has four bytes, and no other part is 4.
#[inline(always)]
fn part(from: usize, count: usize, kind: AccessKind) -> usize {
    usize::from(kind == AccessKind::Write) << 4 | (from % 4) << 2 | count
}

impl Detector {
    /// An access to a part of a word whose outcome the cache has. Returns false, and changes
    /// nothing, if it has not.
    #[inline(always)]
    pub(crate) fn try_part(&mut self, address: usize, size: usize, kind: AccessKind, pc: usize) -> bool {
        let place = shadow::cell(address);
        // SAFETY: every address has its cell in the region reserved at the start, and nobody else
        // has a reference to it.
        let before = unsafe { *place };
        if !self.fast_path_enabled || before == Cell::default() && !self.pages.knows(place) {
            return false;
        }
        let key = part(address, size, kind);
        let Some(after) = self.part_known(before, address, key, pc) else { return false };
        self.bytes.change(before, after);
        // SAFETY: as above.
        unsafe { after.put(std::array::from_mut(&mut *place)) };
        true
    }

    #[inline(always)]
    fn part_known(&mut self, before: Cell, from: usize, key: usize, pc: usize) -> Option<Cell> {
        let after = PARTS.find_part(pc, key, before)?;
        (before != Cell::default() || self.freed_blocks.freed_by(from).is_none()).then_some(after)
    }

    /// The cell of a word after an access to some of its bytes, all if it has a group. The page of
    /// the cell is resident, and whether the memory was freed is checked.
    #[inline(never)]
    pub(super) fn word_by_bytes(
        &mut self,
        before: Cell,
        bytes: Range<usize>,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) -> Cell {
        let key = part(bytes.start, bytes.len(), kind);
        let may_cache = self.fast_path_enabled && manner == Manner::Plain;
        if may_cache && let Some(after) = self.part_known(before, bytes.start, key, pc) {
            self.bytes.change(before, after);
            return after;
        }
        let old = match before.reference() {
            Some(Reference::Bytes(group)) => self.bytes[group],
            _ => [before; 4],
        };
        let is_repeated = may_cache && self.recent_from(pc, Flags::PLAIN).is_some();
        let (met, first, mut new) = (self.met, self.first(), old);
        self.update_bytes(&mut new, bytes.clone(), kind, manner, pc);
        let after = self.bytes.replace(before, new);
        // What is left out, or has a record of its own, depends on the address.
        let is_decided = |at: usize| {
            let (old, new) = (old[at % 4], new[at % 4]);
            !old.writer.is_reference()
                && !new.writer.is_reference()
                && (old != new || same_epoch::is_same_epoch(old, kind, first))
        };
        if is_repeated && met == self.met && bytes.clone().all(is_decided) {
            PARTS.set_part(pc, key, before, after);
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(id: usize) -> Cell {
        Cell::written_by(AccessId::at(id))
    }

    fn group(ids: [usize; 4]) -> [Cell; 4] {
        ids.map(cell)
    }

    #[test]
    fn words_with_the_same_bytes_share_a_group() {
        let mut groups = ByteGroups::new();
        let words: Vec<Cell> = (0..1000).map(|_| groups.replace(cell(1), group([2, 1, 1, 1]))).collect();
        assert!(groups.len() == 1 && words.iter().all(|word| *word == words[0]));
        let words: Vec<Cell> =
            words.into_iter().map(|word| groups.replace(word, group([2, 2, 2, 1]))).collect();
        assert!(groups.len() == 2 && words.iter().all(|word| *word == words[0]));
        let words: Vec<Cell> =
            words.into_iter().map(|word| groups.replace(word, group([2, 2, 2, 2]))).collect();
        assert!(words.iter().all(|word| *word == cell(2)));
    }

    #[test]
    fn groups_that_nobody_refers_to_are_used_again() {
        let mut groups = ByteGroups::new();
        let mut word = Cell::default();
        for id in 1..20 * WAITING {
            word = groups.replace(word, group([id, id + 1, id, id + 1]));
            let Some(Reference::Bytes(number)) = word.reference() else { panic!("no group") };
            assert_eq!(groups[number], group([id, id + 1, id, id + 1]));
        }
        assert!(groups.len() <= 2 * WAITING, "{}", groups.len());
    }

    #[test]
    fn marked_groups_survive_and_are_renumbered() {
        let mut groups = ByteGroups::new();
        let words: Vec<Cell> =
            (1..100).map(|id| groups.replace(Cell::default(), group([id, 500, 500, 500]))).collect();
        let mut marks = Marks::none(groups.len());
        let numbers = |word: &Cell| match word.reference() {
            Some(Reference::Bytes(number)) => number,
            _ => panic!("no group"),
        };
        words.iter().step_by(2).for_each(|word| _ = marks.add(numbers(word) as usize));
        let mut visited = 0;
        groups.sift(&marks, |_| visited += 1);
        assert_eq!(visited, 4 * 50);
        groups.renumber(|cell| Cell::written_by(AccessId::at(cell.writer.id().index() + 1)));
        for (at, word) in words.iter().enumerate().step_by(2) {
            assert_eq!(groups[numbers(word)], group([at + 2, 501, 501, 501]));
            // It is found by its new content.
            assert_eq!(groups.replace(*word, group([at + 2, 501, 501, 501])), *word);
        }
        let before = groups.len();
        (1000..1040).for_each(|id| _ = groups.replace(Cell::default(), group([id, 1, 1, 1])));
        assert_eq!(groups.len(), before);
    }
}
