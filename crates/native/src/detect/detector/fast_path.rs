//! Aligned word accesses that missed the same-epoch check: most of a program's. Three tiers:
//!
//! 1. *Fast path* ([`Detector::try_fast`]): a plain access while only detecting (no recording, no
//!    search), to a shadow cell whose writer and reader ids are both below the happens-before
//!    watermark. Two compares decide.
//! 2. *Medium path* ([`Detector::try_medium`]): the previous access is the task's own, its
//!    parent's, from an earlier user of this stack slot, or subsumed by a representative reader.
//!    Decided from caches, without a reachability query.
//! 3. *Slow path* ([`Detector::words`]): all else.
//!
//! Tiers 1 and 2 make no calls, so the entry point saves no registers; spilling would add a quarter
//! to their cost (budget: `native_budget.rs`).

use super::last_ids::LAST_IDS;
use super::transitions::{TRANSITIONS, ValidFor};
use super::*;
use crate::detect::now;
use crate::detect::search as explored;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// The cells of so many words. They are for one access alone.
#[inline(always)]
pub(super) fn cells<const N: usize>(address: usize) -> &'static mut [Cell; N] {
    // SAFETY: every address has its cell in the region reserved at the start, those of neighbouring
    // words are neighbours, and nobody else has a reference to them.
    unsafe { &mut *shadow::cell(address).cast::<[Cell; N]>() }
}

/// Lines of cells that are fetched ahead.
const AHEAD: usize = 12;

/// Prefetches what a loaded pointer points to, if that is not far away, as the next element of a
/// list: the program will want it, its cells and their neighbours soon, since elements of one list
/// are mostly allocated together. To wait for each only then would be half of what such programs
/// take.
#[inline(always)]
fn fetch_target(address: usize) {
    const LINE: usize = 64;
    // SAFETY: the program is about to read there, and has accessed it before; perhaps not aligned.
    let value = unsafe { (address as *const usize).read_unaligned() };
    if (value ^ address) >> 32 == 0 {
        for line in 0..AHEAD {
            // SAFETY: fetching ahead accesses nothing. Cells take twice the memory of what they are
            // for.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(shadow::cell(value).cast::<i8>().wrapping_add(line * LINE));
                if line % 2 == 0 {
                    _mm_prefetch::<_MM_HINT_T0>((value as *const i8).wrapping_add(line / 2 * LINE));
                }
            }
        }
    }
}

impl Detector {
    /// Enables the fast path if no single access has to be recorded or explored.
    pub(super) fn update_fast_path_enabled(&mut self) {
        self.fast_path_enabled = !self.wants_each() && !explored::is_on();
        now::set_epoch(now::first(), self.fast_path_enabled);
        self.publish_watermark();
    }

    /// Publishes the happens-before watermark to the entry points: another task has resumed, or the
    /// collector has renumbered accesses.
    #[inline(always)]
    pub(super) fn publish_watermark(&mut self) {
        let watermark = self.order.watermark().min(self.units.from.raw()).saturating_sub(1);
        now::set_watermark(if self.fast_path_enabled { watermark } else { 0 });
    }

    /// Whether races are looked for.
    pub(crate) fn turn_on(&mut self, on: bool) {
        self.on = on;
        self.update_fast_path_enabled();
    }

    /// Whether an access of words whose cells all equal `before` may take the fast path.
    #[inline(always)]
    pub(crate) fn is_fast(&self, before: Cell) -> bool {
        // Ids begin at 1, so an empty half is below every watermark.
        self.fast_path_enabled
            && before != Cell::default()
            && before.has_accesses_only()
            && self.is_below_watermark(before.writer.id())
            && self.is_below_watermark(before.readers.id())
    }

    /// Whether a read of words whose cells are all like `before`, with a set of readers, evidently
    /// need not be remembered.
    #[inline(always)]
    pub(crate) fn try_skip(&mut self, before: Cell, address: usize, pc: usize) -> bool {
        let Cell { writer, readers } = before;
        let is_ordered =
            self.fast_path_enabled && !writer.is_reference() && self.is_below_watermark(writer.id());
        is_ordered && self.is_subsumed_by_known(readers, address, pc)
    }

    /// The fast path. Returns false, and changes nothing, if it does not apply.
    #[inline(always)]
    pub(crate) fn try_fast<const N: usize>(
        &mut self,
        before: Cell,
        address: usize,
        kind: AccessKind,
        pc: usize,
    ) -> bool {
        if kind == AccessKind::Read && N == 2 {
            fetch_target(address);
        }
        self.put(cells::<N>(address), before, kind, pc)
    }

    /// An access of words whose cells are below the watermark, if the last one from this place was
    /// an earlier iteration's of the share that runs. Returns false, and changes nothing, if not.
    #[inline(always)]
    pub(crate) fn try_next_iteration<const N: usize>(
        &mut self,
        before: Cell,
        address: usize,
        kind: AccessKind,
        pc: usize,
    ) -> bool {
        let Some(site) = LAST_IDS.site_in_period(pc, self.units.spans.period()) else { return false };
        let record = || AccessRecord {
            step: self.order.step(),
            site: FlaggedSite::new(site, Flags::PLAIN),
            iteration: self.units.iteration,
        };
        let Some(id) = self.accesses.add_in_place(record) else { return false };
        LAST_IDS.renew(pc, kind, id);
        let after = match kind {
            AccessKind::Read => Cell { readers: id.into(), ..before },
            AccessKind::Write => Cell::written_by(id),
        };
        after.put(cells::<N>(address));
        true
    }

    /// The medium path. Returns false, and changes nothing, if it does not apply.
    #[inline(always)]
    pub(crate) fn try_medium<const N: usize>(
        &mut self,
        mut before: Cell,
        address: usize,
        kind: AccessKind,
        pc: usize,
    ) -> bool {
        if !self.fast_path_enabled || before.writer.is_reference() {
            return false;
        }
        if kind == AccessKind::Read && before.readers.is_set() {
            let comes_after = before.writer.access().is_none_or(|writer| self.is_near(writer));
            return comes_after && self.is_subsumed_by_known(before.readers, address, pc);
        }
        let cells = cells::<N>(address);
        // What earlier tasks have done on the stack of this one has nothing to do with it.
        if let Some(born) = self.stacks.mine_born(address)
            && before.is_before(born)
        {
            before = Cell::default();
        }
        if before == Cell::default() {
            let is_known = self.pages.knows(&cells[0]) && self.pages.knows(&cells[N - 1]);
            if !is_known || self.freed_blocks.may_hold(address) {
                return false;
            }
        } else if before.writer.access().is_some_and(|writer| !self.is_near(writer)) {
            if kind == AccessKind::Read || !self.is_of_earlier_user(before, address) {
                return false;
            }
            before = Cell::default();
        } else if !before.readers.is_none() && (before.readers.is_set() || !self.is_near(before.readers.id()))
        {
            if kind == AccessKind::Read {
                return self.is_subsumed_by_known(before.readers, address, pc);
            }
            // A result that is left on the stack of the parent, where others have left theirs.
            if !self.is_of_earlier_user(before, address) {
                return false;
            }
            before = Cell::default();
        }
        self.put(cells, before, kind, pc)
    }

    /// Stores an access that happens after those in the cells, if it has an id or can be given one
    /// without a call.
    #[inline(always)]
    fn put<const N: usize>(
        &mut self,
        cells: &mut [Cell; N],
        before: Cell,
        kind: AccessKind,
        pc: usize,
    ) -> bool {
        let context = self.contexts.now().context.0;
        let recent = self.caches.recent(pc, context);
        if !recent.is_of(pc, context, Flags::PLAIN) {
            return false;
        }
        let is_repeated = recent.id >= now::first();
        // Of another iteration of the share that runs.
        let is_of_share = recent.id >= self.units.from;
        if !is_repeated {
            let record = || AccessRecord {
                step: self.order.step(),
                site: FlaggedSite::new(recent.site, Flags::PLAIN),
                iteration: self.units.iteration,
            };
            let Some(id) = self.accesses.add_in_place(record) else { return false };
            recent.id = id;
        }
        let after = match kind {
            AccessKind::Read => Cell { readers: recent.id.into(), ..before },
            AccessKind::Write => Cell::written_by(recent.id),
        };
        // Not at the first access of a step from this site: most have no second. And not where the
        // result is address-dependent.
        if (is_repeated || is_of_share) && before == cells[0] && before != Cell::default() {
            if before.is_below(now::watermark()) {
                let period = if is_of_share { self.units.spans.period() } else { 0 };
                LAST_IDS.set(pc, kind, recent.id, recent.site, period);
            } else if is_repeated {
                TRANSITIONS.set(pc, ValidFor::Any, before, after);
            }
        }
        after.put(cells);
        true
    }

    /// Whether the memory is a stack, most likely another task's, that had another user when the
    /// accesses were made.
    #[inline(always)]
    fn is_of_earlier_user(&self, cell: Cell, address: usize) -> bool {
        let born = self.stacks.may_hold(address).then(|| self.stacks.born_in_first(address)).flatten();
        born.is_some_and(|born| cell.is_before(born))
    }

    /// Whether an access happens before the running step, by the watermark or as an access of the
    /// same task or its parent. A "no" means nothing.
    #[inline(always)]
    pub(super) fn is_near(&self, id: AccessId) -> bool {
        self.is_below_watermark(id) || id < self.units.from && self.order.is_near(self.accesses[id].step)
    }

    /// The slow path.
    #[inline(always)]
    pub(crate) fn words<const N: usize>(&mut self, address: usize, kind: AccessKind, pc: usize) {
        let place = shadow::cell(address);
        // SAFETY: every address has its cell in the region reserved at the start.
        if unsafe { *place } == Cell::default() {
            self.pages.touch(place);
            self.pages.touch(place.wrapping_add(N - 1));
        }
        let cells = cells::<N>(address);
        let before = cells[0];
        let is_special = before.writer.is_reference() || !self.on || self.reducing || self.watched.is_some();
        if is_special || cells[1..].iter().any(|cell| *cell != before) {
            return self.access(address, 4 * N, kind, Manner::Plain, pc);
        }
        // Where the result is not address-dependent, the entry point has already looked it up.
        let valid_for = if before == Cell::default() { ValidFor::Checked } else { ValidFor::Any };
        if valid_for == ValidFor::Checked
            && let Some(after) = TRANSITIONS.find(pc, valid_for, before)
            && self.freed_blocks.freed_by(address).is_none()
        {
            after.put(cells);
            return;
        }
        let is_repeated = self.recent_from(pc, Flags::PLAIN).is_some();
        self.record_access(address, 4 * N, kind, Manner::Plain, pc);
        let met = self.met;
        if before == Cell::default() {
            self.check_freed(address, kind, Manner::Plain, pc);
        }
        let (after, races) = self.races_there(address, |detector| match kind {
            AccessKind::Read => detector.read(before, address, pc),
            AccessKind::Write => detector.write(before, address, pc),
        });
        if races {
            (1..N).for_each(|word| self.note_racing(address + 4 * word));
        }
        after.put(cells);
        // Not if it is left out, which depends on the address.
        if is_repeated && met == self.met && after != before && self.record.is_none() && !explored::is_on() {
            TRANSITIONS.set(pc, valid_for, before, after);
        }
    }
}
