//! The iterations of a share: which one made an access.
//!
//! Accesses of one iteration have ids of their own, so that the same-epoch check is for one
//! iteration. A range check for many iterations has a [`Span`] in their place. All range checks
//! from one place in a loop that belong to one array, such as those of the chunks that a thread
//! executes, are of one span, and have one id: what they make of a cell is the same for all of
//! them.

use super::*;
use crate::detect::detector::transitions::{TRANSITIONS, ValidFor};
use crate::detect::now::{self, Now};
use crate::detect::shadow;

/// A range check that stands for many iterations: the iteration of an element by its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    /// The element of the iteration 0, and the bytes from one iteration to the next.
    origin: usize,
    stride: isize,
    /// Where each iteration accesses several elements that are further apart than all iterations
    /// of one: how far; otherwise 0.
    row: usize,
    /// The first iteration.
    first: u64,
}

impl Span {
    fn iteration(&self, address: usize) -> u64 {
        let stride = self.stride.unsigned_abs();
        // From the first iteration on, whose element is the lowest or the highest.
        let start = self.origin.wrapping_add((self.stride as usize).wrapping_mul(self.first as usize));
        let mut offset = match self.stride > 0 {
            true => address.wrapping_sub(start),
            false => start.wrapping_add(stride - 1).wrapping_sub(address),
        };
        if self.row > 0 {
            offset %= self.row;
        }
        self.first + (offset / stride) as u64
    }
}

/// The shape of a range check: how often, and how far apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeated {
    pub(crate) count: usize,
    pub(crate) stride: usize,
}

impl Repeated {
    pub(crate) const ONCE: Repeated = Repeated { count: 1, stride: 0 };

    /// How many bytes there are from the first of elements of this size to the end of the last.
    fn extent(self, size: usize) -> usize {
        (self.stride as isize).unsigned_abs() * self.count.saturating_sub(1) + size
    }
}

/// What each of some iterations accesses from one place: `size` bytes, repeated as in `inner`.
pub(crate) struct Elements {
    pub(crate) address: usize,
    pub(crate) size: usize,
    pub(crate) inner: Repeated,
    pub(crate) kind: AccessKind,
    pub(crate) pc: usize,
}

impl Elements {
    /// The span of iterations from `first` on, if the address of an element says whose it is.
    fn span(&self, first: u64, iterations: Repeated) -> Option<Span> {
        let (stride, apart) = (iterations.stride as isize, self.inner.stride as isize);
        // Rows that go down from the first would need another origin.
        let goes_down = self.inner.count > 1 && apart < 0;
        let row = if self.inner.extent(self.size) <= stride.unsigned_abs() {
            // Each iteration has its own stretch of memory.
            0
        } else if stride > 0
            && self.size <= stride as usize
            && iterations.extent(self.size) <= apart.unsigned_abs()
        {
            // Each iteration has one element of every row.
            apart.unsigned_abs()
        } else {
            return None;
        };
        let origin = self.address.wrapping_sub((stride as usize).wrapping_mul(first as usize));
        (!goes_down).then_some(Span { origin, stride, row, first })
    }

    /// Whether the running step has read them in two iterations, which subsume all others.
    fn are_read_by_two(&self) -> bool {
        const MOST: usize = 4;
        let words = self.size / 4;
        self.kind == AccessKind::Read
            && self.inner.count == 1
            && (self.address | self.size) & 3 == 0
            && words <= MOST
            && (0..words).all(|word| {
                // SAFETY: every address has its cell in the region reserved at the start.
                let cell = unsafe { *shadow::cell(self.address + 4 * word) };
                cell.readers.is_since(AccessId::MAX, now::first_set())
            })
    }
}

/// Which iteration made an access: the number of a unit, or the index of a [`Span`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub(in crate::detect::detector) struct Iteration(u32);

impl Iteration {
    /// Of accesses whose step has one iteration, or none.
    pub(in crate::detect::detector) const NONE: Iteration = Iteration(0);
    const SPAN: u32 = 1 << 31;

    /// Of so many units that two have the same number, one does not run when the other's accesses
    /// are still looked at.
    fn of(unit: u64) -> Self {
        Iteration(unit as u32 & !Self::SPAN)
    }

    fn span(index: usize) -> Self {
        Iteration(index as u32 | Self::SPAN)
    }

    fn as_span(self) -> Option<usize> {
        (self.0 & Self::SPAN != 0).then_some((self.0 & !Self::SPAN) as usize)
    }
}

/// The spans of range checks, and the ids of those of the running step.
pub(in crate::detect::detector) struct Spans {
    all: Vec<Span>,
    known: [Known; SLOTS],
    /// The range check that is made now: its slot.
    running: Option<usize>,
    /// The last one that was given to a slot. Ids are valid in the period they were made in.
    epoch: u32,
    period: u32,
}

/// A range check that the running step has made.
#[derive(Clone, Copy)]
struct Known {
    pc: usize,
    context: u32,
    span: Span,
    index: u32,
    /// Its accesses have this id, or none so far.
    id: AccessId,
    /// In place of the first access of the step while it runs: greater than all ids, so that it
    /// repeats nobody's access, and no other range check's, so that transitions are its own.
    epoch: u32,
    period: u32,
}

impl Known {
    #[inline(always)]
    fn is_of(&self, pc: usize, context: u32, period: u32) -> bool {
        (self.pc, self.context, self.period) == (pc, context, period)
    }
}

const SLOTS: usize = 16;
const EPOCHS: u32 = 1 << 20;

impl Spans {
    pub(super) fn new() -> Self {
        let nowhere = Span { origin: 0, stride: 0, row: 0, first: 0 };
        let nobody =
            Known { pc: 0, context: 0, span: nowhere, index: 0, id: AccessId::NONE, epoch: 0, period: 0 };
        Spans {
            all: Vec::new(),
            known: [nobody; SLOTS],
            running: None,
            epoch: AccessId::MAX.raw(),
            period: 1,
        }
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.forget_ids();
    }

    /// Another step begins, or another task runs, or the collector has renumbered accesses.
    #[inline(always)]
    pub(in crate::detect::detector) fn forget_ids(&mut self) {
        self.period = self.period.wrapping_add(1).max(1);
        self.running = None;
    }

    #[inline(always)]
    fn place(pc: usize) -> usize {
        (pc >> 1 ^ pc >> 5) % SLOTS
    }

    #[inline(always)]
    pub(in crate::detect::detector) fn period(&self) -> u32 {
        self.period
    }

    /// The slot of a range check of `count` iterations.
    fn slot(&mut self, pc: usize, context: u32, span: Span, count: u64) -> usize {
        let slot = Self::place(pc);
        let known = &self.known[slot];
        if known.is_of(pc, context, self.period) && known.span.holds(&span, count) {
            return slot;
        }
        if self.epoch == AccessId::MAX.raw() - EPOCHS {
            self.epoch = AccessId::MAX.raw();
            TRANSITIONS.forget();
        }
        self.epoch -= 1;
        let (index, epoch, period) = (self.all.len() as u32, self.epoch, self.period);
        self.all.push(span);
        self.known[slot] = Known { pc, context, span, index, id: AccessId::NONE, epoch, period };
        slot
    }

    /// The id of the range check that is made now, if it has one.
    #[inline(always)]
    pub(in crate::detect::detector) fn id(&self) -> Option<AccessId> {
        let id = self.known[self.running?].id;
        (id != AccessId::NONE).then_some(id)
    }

    pub(in crate::detect::detector) fn set_id(&mut self, id: AccessId) {
        if let Some(running) = self.running {
            self.known[running].id = id;
        }
    }
}

impl Span {
    /// Whether iterations of another one, as many as said, are some of this one.
    fn holds(&self, other: &Span, count: u64) -> bool {
        (self.origin, self.stride, self.row) == (other.origin, other.stride, other.row)
            && self.first <= other.first
            && (self.row == 0
                || (other.first + count - self.first) * self.stride.unsigned_abs() as u64 <= self.row as u64)
    }
}

impl Detector {
    /// The iteration begins whose loop variable has this value. Whether the last one has
    /// synchronised, so that this one must be a unit of its own.
    #[inline]
    pub(crate) fn begin_iteration(&mut self, variable: i64) -> bool {
        let Some(share) = &self.units.share else { return false };
        let iteration = Iteration::of(share.unit(variable));
        if iteration == self.units.iteration {
            return false;
        }
        if self.units.has_synchronised {
            return true;
        }
        self.set_iteration(iteration);
        false
    }

    /// Whether iterations of the share that runs are told apart.
    pub(crate) fn has_share(&self) -> bool {
        self.units.share.is_some()
    }

    /// What follows was done in the iteration with this loop variable.
    pub(crate) fn go_to_iteration(&mut self, variable: i64) {
        if let Some(share) = &self.units.share {
            self.go_to(Iteration::of(share.unit(variable)));
        }
    }

    fn go_to(&mut self, iteration: Iteration) {
        if iteration != self.units.iteration {
            self.set_iteration(iteration);
        }
    }

    /// Accesses so far were another iteration's.
    #[inline]
    fn set_iteration(&mut self, iteration: Iteration) {
        self.units.iteration = iteration;
        // The sets stay: two readers of different iterations, which are one, subsume all others.
        let first = self.accesses.next();
        now::set_first(first);
        now::set_epoch(first, self.fast_path_enabled);
    }

    /// The rest of a share, from the iteration with this loop variable on, is another unit.
    pub(crate) fn split_share(&mut self, variable: i64) {
        let thread = self.tasks[self.current.index()].parent;
        let Some(Unit { work: work @ Work::Share(share), created, .. }) =
            self.units.takers.get(&thread).and_then(|taker| taker.unit)
        else {
            return;
        };
        self.end_unit();
        self.begin(thread, work, created);
        self.units.iteration = Iteration::of(share.unit(variable));
    }

    /// The running task synchronises or creates a task: what orders this iteration does not order
    /// others.
    #[inline]
    pub(in crate::detect::detector) fn note_synchronisation(&mut self) {
        self.units.has_synchronised |= self.units.share.is_some();
    }

    /// Makes a range check, `check`, for iterations of the share that runs, of which the first has
    /// this loop variable; false if it cannot be told by the address which iteration accesses it.
    /// `iterations` is how the elements of one go on.
    pub(crate) fn check_iterations(
        &mut self,
        variable: i64,
        elements: &Elements,
        iterations: Repeated,
        check: impl Fn(&mut Detector),
    ) -> bool {
        let Some(share) = self.units.share else { return false };
        let (first, last) = (share.iteration(variable), iterations.count.saturating_sub(1) as u64);
        if iterations.stride == 0 {
            // The same memory in each: two iterations are as good as all.
            for iteration in [first, first + last] {
                if !elements.are_read_by_two() {
                    self.go_to(Iteration::of(share.unit_of(iteration)));
                    check(self);
                }
            }
            return true;
        }
        let Some(span) = elements.span(first, iterations) else { return false };
        if self.repeats(elements, span, iterations) {
            return true;
        }
        let slot = self.units.spans.slot(elements.pc, now::context(), span, last + 1);
        let Known { index, epoch, id, period, .. } = self.units.spans.known[slot];
        let (iteration, step) = (self.units.iteration, now::first());
        self.units.iteration = Iteration::span(index as usize);
        self.units.spans.running = Some(slot);
        now::set_first(AccessId::from_raw(epoch));
        check(self);
        self.units.spans.running = None;
        // Whoever comes next is not this range check.
        if id != AccessId::NONE && period == self.units.spans.period {
            self.units.iteration = iteration;
            now::set_first(step);
        } else {
            self.set_iteration(iteration);
        }
        true
    }

    /// Makes a range check of a few words in a row whose cells are all alike, if the same one of
    /// other iterations has met such a cell: what becomes of it is known. False, with nothing
    /// changed, otherwise.
    #[inline(always)]
    fn repeats(&mut self, elements: &Elements, span: Span, iterations: Repeated) -> bool {
        const MOST: usize = 64;
        let &Elements { address, size, inner, pc, .. } = elements;
        let known = &self.units.spans.known[Spans::place(pc)];
        let when = Now { first: AccessId::from_raw(known.epoch), context: now::context() };
        let words = size * iterations.count / 4;
        if !known.is_of(pc, when.context, self.units.spans.period)
            || !known.span.holds(&span, iterations.count as u64)
            || (inner.count != 1 || iterations.stride != size && iterations.count > 1)
            || (address | size) & 3 != 0
            || words > MOST
        {
            return false;
        }
        // SAFETY: every address has its cell in the region reserved at the start, those of
        // neighbouring words are neighbours, and nobody else has a reference to them.
        let cells = unsafe { std::slice::from_raw_parts_mut(shadow::cell(address), words) };
        let before = cells[0];
        let valid_for = if before == Cell::default() { ValidFor::Checked } else { ValidFor::Any };
        let Some(after) = TRANSITIONS.find_for(pc, valid_for, before, when) else { return false };
        if cells.iter().any(|cell| *cell != before) {
            return false;
        }
        if valid_for == ValidFor::Checked {
            let is_known = self.pages.knows(&cells[0]) && self.pages.knows(&cells[words - 1]);
            if !is_known || self.freed_blocks.may_hold(address) {
                return false;
            }
        }
        cells.fill(after);
        true
    }

    /// The unit of an iteration at an address.
    pub(super) fn unit_at(&self, share: &Share, iteration: Iteration, address: usize) -> u64 {
        match iteration.as_span().and_then(|span| self.units.spans.all.get(span)) {
            Some(span) => Iteration::of(share.unit_of(span.iteration(address))).0.into(),
            None => iteration.0.into(),
        }
    }

    /// Whether an access with an id from [`Units::from`] on was made by another iteration of the
    /// share that runs.
    pub(in crate::detect::detector) fn is_other_iteration(&mut self, id: AccessId, address: usize) -> bool {
        let Some(share) = self.units.share else { return false };
        if self.task_of(id) != self.current {
            return false;
        }
        let (then, now) = (self.accesses[id].iteration, self.units.iteration);
        let span = |iteration: Iteration| self.units.spans.all.get(iteration.as_span()?).copied();
        let is_other = match (span(then), span(now)) {
            (None, None) => return then != now,
            // Alike at every address.
            (Some(a), Some(b)) if (a.origin, a.stride, a.row) == (b.origin, b.stride, b.row) => return false,
            _ => self.unit_at(&share, then, address) != self.unit_at(&share, now, address),
        };
        // Another address may have another answer.
        self.met += 1;
        is_other
    }

    /// The iterations that made an earlier access and the present one, if both are of one loop.
    pub(in crate::detect::detector) fn iterations_at(
        &self,
        earlier: AccessId,
        address: usize,
    ) -> Option<[u64; 2]> {
        let share = self.units.share?;
        (self.task_of(earlier) == self.current).then(|| {
            [self.accesses[earlier].iteration, self.units.iteration]
                .map(|iteration| self.unit_at(&share, iteration, address))
        })
    }
}
