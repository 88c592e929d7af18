//! Range checks: many accesses of one step from one site. The cells are mostly alike, and all that
//! are alike make the same transition.
//!
//! That holds as long as the order alone decides a transition. Once two accesses meet that are not
//! ordered, the outcome is address-dependent, and the rest of the range is checked element by
//! element. A page of cells that are all alike is one cell ([`shadow::Pages`]).

use super::same_epoch::{count_same_epoch, is_same_epoch};
use super::transitions::{TRANSITIONS, ValidFor};
use super::*;
use crate::detect::search as explored;

/// Cells compared at once: the compiler vectorises the loop.
const AT_ONCE: usize = 16;
/// Up to so many cells, the whole element gets a same-epoch check first.
const SHORT: usize = 8;
/// Repetitions after which the bulk scan pays off.
const FEW: usize = 3;

/// Range checks from one site.
pub(crate) struct Ranges<'d> {
    detector: &'d mut Detector,
    kind: AccessKind,
    pc: usize,
    /// The bytes of an element.
    unit: usize,
    /// An access has met an unordered one: from there on each element is checked, and counted, on
    /// its own.
    met: bool,
    /// The last transition: the cell before and after.
    last: (u64, Cell),
    /// No result is address-dependent: all accesses from this site turn equal cells into equal
    /// cells.
    any: bool,
}

impl Detector {
    /// Whether every single access needs the slow path: the run is recorded or watched, accesses
    /// count as atomic, or detection is off.
    pub(crate) fn wants_each(&self) -> bool {
        self.record.is_some() || self.watched.is_some() || self.reducing || !self.on
    }

    /// One access to many bytes: the words, and what is before and after them.
    pub(super) fn long(&mut self, address: usize, size: usize, kind: AccessKind, pc: usize) {
        let (from, end) = (address.next_multiple_of(4), address + size);
        let to = end & !3;
        self.access(address, from - address, kind, Manner::Plain, pc);
        self.ranges(to - from, kind, pc).range(from, to - from);
        self.access(to, end - to, kind, Manner::Plain, pc);
    }

    /// For elements of so many bytes.
    pub(crate) fn ranges(&mut self, unit: usize, kind: AccessKind, pc: usize) -> Ranges<'_> {
        let last = (u64::from(Cell::IMPOSSIBLE), Cell::IMPOSSIBLE);
        let any = !explored::is_on();
        Ranges { detector: self, kind, pc, unit, met: false, last, any }
    }
}

/// Makes all cells that are like `before`, up to the first that is not, be `after`. How many there
/// are.
fn replace(cells: &mut [Cell], before: u64, after: u64) -> usize {
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what it needs.
        unsafe { replace_by_avx2(cells, before, after) }
    } else {
        replace_by_vectors(cells, before, after)
    }
}

#[target_feature(enable = "avx2")]
fn replace_by_avx2(cells: &mut [Cell], before: u64, after: u64) -> usize {
    replace_by_vectors(cells, before, after)
}

#[inline(always)]
fn replace_by_vectors(cells: &mut [Cell], before: u64, after: u64) -> usize {
    let mut count = 0;
    for block in cells.chunks_exact_mut(AT_ONCE) {
        if block.iter().fold(0, |differ, cell| differ | u64::from(*cell) ^ before) != 0 {
            break;
        }
        if after != before {
            block.fill(after.into());
        }
        count += AT_ONCE;
    }
    for cell in cells[count..].iter_mut().take_while(|cell| u64::from(**cell) == before) {
        Cell::from(after).put(std::array::from_mut(cell));
        count += 1;
    }
    count
}

impl Ranges<'_> {
    /// An access to all of these bytes.
    #[inline]
    pub(crate) fn range(&mut self, address: usize, size: usize) {
        if (address | size | self.unit) & 3 != 0 {
            return self.detector.access(address, size, self.kind, Manner::Plain, self.pc);
        }
        let (cells, count) = (shadow::cell(address), size / 4);
        if count <= SHORT && !self.met {
            // SAFETY: the cells of neighbouring words are neighbours, the region has one for every
            // address, and nobody else has a reference to them.
            let cells = unsafe { std::slice::from_raw_parts(cells, count) };
            if count_same_epoch(cells, self.kind, self.detector.first()) == count {
                return;
            }
        }
        let all = address..address + size;
        if count < shadow::ON_PAGE {
            self.cells(all.clone(), all);
        } else {
            self.pages(all);
        }
    }

    /// A range that may cover whole pages of cells.
    #[inline(never)]
    fn pages(&mut self, all: std::ops::Range<usize>) {
        const PAGE: usize = 4 * shadow::ON_PAGE;
        let mut at = all.start;
        while at < all.end {
            let mut done = 0;
            if at.is_multiple_of(PAGE) && all.end - at >= PAGE && !self.met {
                done = self.page(shadow::cell(at), at);
            }
            if done == 0 {
                let end = (at + 1).next_multiple_of(PAGE).min(all.end);
                if !self.cells(at..end, all.clone()) {
                    return;
                }
                at = end;
            }
            at += 4 * done;
        }
    }

    /// A part of a range, on one page of cells if it is not all of the range. Whether something is
    /// left of the range behind it.
    #[inline(always)]
    fn cells(&mut self, part: std::ops::Range<usize>, all: std::ops::Range<usize>) -> bool {
        let (address, cells, count) = (part.start, shadow::cell(part.start), part.len() / 4);
        // How many cells equalled the one before, or hit the same-epoch check, since the last bulk
        // scan.
        let (mut at, mut few) = (0, 0);
        while at < count {
            if self.met {
                self.after_met(address + 4 * at, all);
                return false;
            }
            let place = cells.wrapping_add(at);
            // SAFETY: a cell of the region, to which no reference exists here.
            let mut word = unsafe { *place.cast::<u64>() };
            if word == 0 {
                self.detector.pages.touch(place);
                // SAFETY: a cell of the region; `touch` has given its reference back.
                word = unsafe { *place.cast::<u64>() };
            }
            // SAFETY: a cell of the region, to which no other reference exists: `other` is called
            // after its last use.
            let cell = unsafe { &mut *place };
            if word == self.last.0 {
                if few < FEW && word != 0 {
                    self.last.1.put(std::array::from_mut(cell));
                    (at, few) = (at + 1, few + 1);
                    continue;
                }
                let mut reach = count - at;
                if word == 0 {
                    // Of memory that is new, each page has to be touched.
                    reach = reach.min(shadow::on_page(cell));
                }
                // SAFETY: so many cells from this one on are cells of the range, which are
                // neighbours, and `cell` is not used any more.
                let cells = unsafe { std::slice::from_raw_parts_mut(place, reach) };
                at += replace(cells, word, self.last.1.into());
            } else if is_same_epoch(word.into(), self.kind, self.detector.first()) {
                if few < FEW {
                    (at, few) = (at + 1, few + 1);
                    continue;
                }
                // SAFETY: the rest of the cells of the range, which are neighbours, and `cell` is
                // not used any more.
                let cells = unsafe { std::slice::from_raw_parts_mut(place, count - at) };
                // Mostly they are alike, which is found faster.
                let alike = replace(cells, word, word);
                at += if alike >= AT_ONCE {
                    alike
                } else {
                    count_same_epoch(cells, self.kind, self.detector.first())
                };
            } else {
                at += match self.known(word.into()) {
                    Some(after) => {
                        self.last = (word, after);
                        after.put(std::array::from_mut(cell));
                        1
                    }
                    None => self.other(place, address + 4 * at, count - at),
                };
            }
            few = 0;
        }
        true
    }

    /// The cells of a page, which the range covers whole, as one, if they are alike. With how many
    /// of them it is done.
    fn page(&mut self, cells: *mut Cell, address: usize) -> usize {
        let first = self.detector.first();
        // SAFETY: the first cell of a page of the region, to which no reference exists here.
        if self.detector.pages.knows(cells) && is_same_epoch(unsafe { *cells }, self.kind, first) {
            return 0;
        }
        let Some(&mut before) = self.detector.pages.uniform(cells) else { return 0 };
        if is_same_epoch(before, self.kind, first) {
            return shadow::ON_PAGE;
        }
        let after = match self.known(before) {
            _ if u64::from(before) == self.last.0 => self.last.1,
            Some(after) => after,
            None => self.judge(before, address),
        };
        self.last = (u64::from(before), after);
        if self.met {
            // Judged by its address, for the first cell alone.
            self.detector.pages.touch(cells);
            // SAFETY: the first cell of a page of the region; `touch` has given its reference back.
            unsafe { *cells = after };
            return 1;
        }
        if let Some(cell) = self.detector.pages.uniform(cells) {
            *cell = after;
        }
        shadow::ON_PAGE
    }

    /// What is left once accesses have met others: the words of the element that is under way, then
    /// each element on its own.
    #[cold]
    fn after_met(&mut self, from: usize, all: std::ops::Range<usize>) {
        let into = (from - all.start) % self.unit;
        let next = if into == 0 { from } else { (from - into + self.unit).min(all.end) };
        let mut address = from;
        while address < next {
            let place = shadow::cell(address);
            // SAFETY: a cell of the region, to which no reference exists here.
            if unsafe { *place } == Cell::default() {
                self.detector.pages.touch(place);
            }
            // SAFETY: a cell of the region, to which no other reference exists: `other` is called
            // after its last use.
            let cell = unsafe { &mut *place };
            let words = if u64::from(*cell) == self.last.0 {
                self.last.1.put(std::array::from_mut(cell));
                1
            } else {
                self.other(place, address, (next - address) / 4)
            };
            address += 4 * words;
        }
        self.each(next..all.end);
    }

    #[cold]
    fn each(&mut self, addresses: std::ops::Range<usize>) {
        let end = addresses.end;
        for address in addresses.step_by(self.unit) {
            self.detector.access(address, self.unit.min(end - address), self.kind, Manner::Plain, self.pc);
        }
    }

    /// The cached transition of such a cell for this step and site: ranges have cells of two or
    /// three kinds in turn.
    #[inline(always)]
    fn known(&self, cell: Cell) -> Option<Cell> {
        if self.any { TRANSITIONS.find(self.pc, ValidFor::Any, cell) } else { None }
    }

    /// A cell of a resident page that is not like the last, the first of so many that are `left`.
    /// With how many of them it is done.
    #[inline(never)]
    fn other(&mut self, place: *mut Cell, address: usize, left: usize) -> usize {
        let (kind, pc) = (self.kind, self.pc);
        // SAFETY: a cell of the region, to which the callers hold no reference any more.
        let cell = unsafe { *place };
        if cell.writer.is_reference() {
            // Bytes of their own, or atomic accesses.
            if left > 1 && self.detector.pair(address, kind, Manner::Plain, pc) {
                return 2;
            }
            self.detector.access(address, 4, kind, Manner::Plain, pc);
            return 1;
        }
        let after = self.judge(cell, address);
        // SAFETY: a cell of the region; `judge` has given its references back.
        unsafe { *place = after };
        1
    }

    /// What becomes of a cell that is no reference.
    #[inline(always)]
    fn judge(&mut self, cell: Cell, address: usize) -> Cell {
        let (kind, pc) = (self.kind, self.pc);
        let before = self.detector.met;
        if cell == Cell::default() {
            self.detector.check_freed(address, kind, Manner::Plain, pc);
        }
        let after = match kind {
            AccessKind::Read => self.detector.read(cell, address, pc),
            AccessKind::Write => self.detector.write(cell, address, pc),
        };
        let met = self.detector.met > before;
        self.met |= met;
        if self.any && !met && after != cell {
            let valid_for = if cell == Cell::default() { ValidFor::Checked } else { ValidFor::Any };
            TRANSITIONS.set(pc, valid_for, cell, after);
        }
        self.last = (u64::from(cell), after);
        after
    }
}
