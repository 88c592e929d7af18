//! Per-PC cache of shadow transitions: an access that finds the same cell as the previous one from
//! its program counter, in the same step and context, turns it into the same new cell.
//!
//! Loops walk over memory whose cells are mostly alike, so this is the third check of the entry
//! points, in assembly, after the same-epoch check and the one for cells below the watermark
//! ([`last_ids`](super::last_ids)). A transition is valid for all addresses as long as the order
//! alone decided it. Where the result is address-dependent (memory that may have been freed, or
//! belongs to the thread) the transition is marked, and only the detector looks it up, after it has
//! checked the address.

use super::*;
use crate::detect::now::{self, Now};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// As the entry points read it: [`Transition::SIZE`] bytes each.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Transition {
    /// The return address; with a bit that no address has if only the detector may use the entry.
    pc: usize,
    before: Cell,
    after: Cell,
    when: Now,
}

/// The slot of a transition is a hash of the return address and the ids in the cell: a loop may
/// meet two or three kinds of cells in turn. A power of two; few, so that they stay in the L1
/// cache.
const SLOTS: usize = 1 << 9;
/// Mask of the byte offset of a transition in the table.
pub(crate) const MASK: usize = (SLOTS - 1) * Transition::SIZE;
/// The cell, as one word, is multiplied by this and the product shifted. Return addresses, which
/// are some bytes apart, are multiplied by 8.
pub(crate) const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
pub(crate) const SHIFT: u32 = 45;

pub(crate) const BEFORE: usize = std::mem::offset_of!(Transition, before);
pub(crate) const AFTER: usize = std::mem::offset_of!(Transition, after);
pub(crate) const WHEN: usize = std::mem::offset_of!(Transition, when);

pub(crate) struct Transitions(UnsafeCell<[Transition; SLOTS]>);

// SAFETY: all code of the program, and of this, runs on one OS thread.
unsafe impl Sync for Transitions {}

pub(crate) static TRANSITIONS: Transitions = Transitions(UnsafeCell::new([Transition::NONE; SLOTS]));

/// The same for accesses to words by the byte ([`byte_groups`](super::byte_groups)). Only the
/// detector looks them up.
pub(super) static PARTS: Transitions = Transitions(UnsafeCell::new([Transition::NONE; SLOTS]));

/// Whether [`PARTS`] has any: most programs have none.
static HAS_PARTS: AtomicBool = AtomicBool::new(false);

/// Forgets those of [`PARTS`].
pub(super) fn forget_parts() {
    if HAS_PARTS.swap(false, Ordering::Relaxed) {
        PARTS.forget();
    }
}

/// Where the part of the word is in the place of a transition of [`PARTS`]: no address has bits
/// there.
const PART: u32 = 56;
/// The parts of a word that one program counter accesses in turn have slots of their own.
const APART: usize = 5;

/// The accesses that a transition is valid for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ValidFor {
    Any,
    /// Those whose address the detector has checked.
    Checked,
}

impl Transition {
    const SIZE: usize = size_of::<Transition>();
    const NONE: Transition = Transition {
        pc: 0,
        before: Cell::IMPOSSIBLE,
        after: Cell::IMPOSSIBLE,
        when: Now { first: AccessId::NONE, context: 0 },
    };

    fn place(pc: usize, valid_for: ValidFor) -> usize {
        match valid_for {
            ValidFor::Any => pc,
            ValidFor::Checked => pc | 1 << 63,
        }
    }
}

impl Transitions {
    #[inline(always)]
    fn slot(&self, pc: usize, before: Cell) -> *mut Transition {
        let mixed = (u64::from(before).wrapping_mul(MIX) >> SHIFT) as usize;
        // SAFETY: inside the array.
        unsafe { self.0.get().byte_add(mixed.wrapping_add(pc * 8) & MASK).cast() }
    }

    /// The cell after such an access, if the cache has it.
    #[inline(always)]
    pub(super) fn find(&self, pc: usize, valid_for: ValidFor, before: Cell) -> Option<Cell> {
        self.find_for(pc, valid_for, before, now::now())
    }

    /// The same for accesses of another step and context.
    #[inline(always)]
    pub(super) fn find_for(&self, pc: usize, valid_for: ValidFor, before: Cell, when: Now) -> Option<Cell> {
        // SAFETY: nobody else looks at it now.
        let change = unsafe { *self.slot(pc, before) };
        let is_it =
            change.pc == Transition::place(pc, valid_for) && change.before == before && change.when == when;
        is_it.then_some(change.after)
    }

    #[inline(always)]
    pub(super) fn set(&self, pc: usize, valid_for: ValidFor, before: Cell, after: Cell) {
        let change = Transition { pc: Transition::place(pc, valid_for), before, after, when: now::now() };
        // SAFETY: the one OS thread runs this, and no function of this type passes a reference out.
        unsafe { *self.slot(pc, before) = change };
    }

    #[inline(always)]
    fn slot_of_part(&self, pc: usize, part: usize, before: Cell) -> *mut Transition {
        self.slot(pc.wrapping_add(part << APART), before)
    }

    /// The cell after an access to this part of a word, if the cache has it.
    #[inline(always)]
    pub(super) fn find_part(&self, pc: usize, part: usize, before: Cell) -> Option<Cell> {
        // SAFETY: nobody else looks at it now.
        let change = unsafe { *self.slot_of_part(pc, part, before) };
        let is_it = change.pc == pc | part << PART && change.before == before && change.when == now::now();
        is_it.then_some(change.after)
    }

    #[inline(always)]
    pub(super) fn set_part(&self, pc: usize, part: usize, before: Cell, after: Cell) {
        HAS_PARTS.store(true, Ordering::Relaxed);
        let change = Transition { pc: pc | part << PART, before, after, when: now::now() };
        // SAFETY: the one OS thread runs this, and no function of this type passes a reference out.
        unsafe { *self.slot_of_part(pc, part, before) = change };
    }

    pub(super) fn forget(&self) {
        // SAFETY: the one OS thread runs this, and no function of this type passes a reference out.
        unsafe { *self.0.get() = [Transition::NONE; SLOTS] };
    }
}
