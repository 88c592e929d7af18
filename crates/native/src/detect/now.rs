//! The state that the entry points of every access compare with, side by side: the first access id
//! of the running step, the context, how many readers it may still skip, the happens-before
//! watermark, and the first reader set of the step.
//!
//! The pass emits the same-epoch check inline for accesses in loops (`SameEpoch.cpp` in
//! `crates/pass`), and so depends on the symbol's name and on the offsets of `first` and
//! `first_set`.

use crate::detect::cell::{AccessId, Cell};
use std::sync::atomic::{AtomicU32, Ordering};

/// Which step runs, in which context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub(crate) struct Now {
    /// The first access of the step.
    pub(crate) first: AccessId,
    /// The calling context.
    pub(crate) context: u32,
}

/// As the entry points read it: the first two like [`Now`], at once.
#[repr(C, align(8))]
pub(crate) struct Running {
    first: AtomicU32,
    context: AtomicU32,
    skips: AtomicU32,
    watermark: AtomicU32,
    first_set: AtomicU32,
    /// Whether all pairs of sites are wanted: then accesses that hit the same-epoch check are
    /// reported to the detector as well.
    watching: AtomicU32,
    /// The least [epoch](Cell::refer_at) of the running step as a cell holds it, or one that no
    /// cell holds.
    epoch: AtomicU32,
}

pub(crate) const SKIPS: usize = std::mem::offset_of!(Running, skips);
pub(crate) const WATERMARK: usize = std::mem::offset_of!(Running, watermark);

pub(crate) const EPOCH: usize = std::mem::offset_of!(Running, epoch);
pub(crate) const FIRST_SET: usize = std::mem::offset_of!(Running, first_set);
const _: () = assert!(std::mem::offset_of!(Running, first) == 0 && FIRST_SET == 16);
const _: () = assert!(std::mem::offset_of!(Running, watching) == 20);

// Protected: the entry points address it directly, also in a shared library.
std::arch::global_asm!(".protected __raceproof_now");

#[unsafe(export_name = "__raceproof_now")]
pub(crate) static NOW: Running = Running {
    first: AtomicU32::new(1),
    context: AtomicU32::new(0),
    skips: AtomicU32::new(0),
    watermark: AtomicU32::new(0),
    first_set: AtomicU32::new(u32::MAX),
    watching: AtomicU32::new(0),
    epoch: AtomicU32::new(NO_EPOCH),
};

/// Greater than all epochs.
const NO_EPOCH: u32 = u32::MAX;

/// From the beginning of the program on.
pub(crate) fn watch() {
    NOW.watching.store(1, Ordering::Relaxed);
}

/// The first reader set that the running step has created, as a cell holds it: the step is the last
/// reader of those from here on.
#[inline(always)]
pub(crate) fn first_set() -> u32 {
    NOW.first_set.load(Ordering::Relaxed)
}

#[inline(always)]
pub(crate) fn set_first_set(set: u32) {
    NOW.first_set.store(set, Ordering::Relaxed);
}

/// The happens-before watermark: all accesses with ids up to it happen before the running step,
/// whatever the address. Zero while the fast path is off.
#[inline(always)]
pub(crate) fn watermark() -> u32 {
    NOW.watermark.load(Ordering::Relaxed)
}

#[inline(always)]
pub(crate) fn set_watermark(watermark: u32) {
    NOW.watermark.store(watermark, Ordering::Relaxed);
}

/// How many readers the step may still skip, if a representative subsumes them.
#[inline(always)]
pub(crate) fn skips() -> u32 {
    NOW.skips.load(Ordering::Relaxed)
}

#[inline(always)]
pub(crate) fn set_skips(skips: u32) {
    NOW.skips.store(skips, Ordering::Relaxed);
}

#[inline(always)]
pub(crate) fn epoch() -> u32 {
    NOW.epoch.load(Ordering::Relaxed)
}

#[inline(always)]
pub(crate) fn now() -> Now {
    Now { first: first(), context: context() }
}

/// The first access of the step that runs now.
#[inline(always)]
pub(crate) fn first() -> AccessId {
    AccessId::from_raw(NOW.first.load(Ordering::Relaxed))
}

#[inline(always)]
pub(crate) fn set_first(first: AccessId) {
    NOW.first.store(first.raw(), Ordering::Relaxed);
}

/// Sets the epoch. `may_repeat` says whether repeated atomic accesses of the step may stop at the
/// same-epoch check.
#[inline(always)]
pub(crate) fn set_epoch(first: AccessId, may_repeat: bool) {
    let epoch = if may_repeat { Cell::epoch_from(first).unwrap_or(NO_EPOCH) } else { NO_EPOCH };
    NOW.epoch.store(epoch, Ordering::Relaxed);
}

/// Makes the next access miss the same-epoch check, whatever it is.
pub(crate) fn force_miss() {
    set_first(AccessId::MAX);
    set_epoch(AccessId::MAX, false);
    set_first_set(u32::MAX);
}

/// The context the running task is in.
#[inline(always)]
pub(crate) fn context() -> u32 {
    NOW.context.load(Ordering::Relaxed)
}

#[inline(always)]
pub(crate) fn set_context(context: u32) {
    NOW.context.store(context, Ordering::Relaxed);
}
