//! Range checks of loops that access a row of elements, from one address up to another. The pass
//! (`Ranges.cpp`) hoists them before the loop, or sinks them to its exits where the data decides
//! when it ends.
//!
//! Hot: such loops are often short, as in an insertion sort, and a step comes back to its elements.
//! So the same-epoch check is here, without a stack frame: some twenty instructions, and three to
//! six a word. The detector does the rest.

use super::iterations;
use super::reach::crashes;
use super::strided::{Dimension, check_ranges};
use crate::detect::detector::same_epoch::count_same_epoch;
use crate::detect::{detector, now, shadow};
use crate::report::signals::PENDING;
use raceproof_core::event::AccessKind;
use std::arch::naked_asm;
use std::sync::atomic::Ordering;

/// The return address as a further argument, the fourth.
macro_rules! entries {
    ($($name:ident $kind:expr;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            extern "C" fn check(low: usize, high: usize, size: usize, pc: usize) {
                span(low, high, size, $kind, pc);
            }
            naked_asm!("mov rcx, [rsp]", "jmp {check}", check = sym check)
        }
    )* };
}
entries! {
    __raceproof_read_span AccessKind::Read;
    __raceproof_write_span AccessKind::Write;
}

/// Elements of 1, 2, 4, 8 or 16 bytes; none, if the loop was left before it made an access.
#[inline(always)]
fn span(mut low: usize, high: usize, size: usize, kind: AccessKind, pc: usize) {
    if low >= high {
        iterations::take();
        return;
    }
    if iterations::are_next() {
        let run = Dimension { count: (high - low) / size, stride: size };
        return check_ranges(low, size, run, Dimension::ONCE, kind, pc);
    }
    if (low | high) & 3 == 0 {
        // SAFETY: `setup::begin` has reserved a cell for every address, cells of neighbouring words
        // are neighbours, and this one OS thread holds no other reference to them: the detector
        // takes its own only after `done` has returned.
        let cells = unsafe { std::slice::from_raw_parts(shadow::cell(low), (high - low) / 4) };
        let done = count_same_epoch(cells, kind, now::first());
        if done == cells.len() {
            return;
        }
        low += (4 * done) & !(size - 1);
    } else if size < 4 {
        return bytes(low, high, size, kind, pc);
    }
    rest(low, high, size, kind, pc);
}

/// Bytes or half words, not of whole words only: what is done of a word is done of its parts.
#[inline(never)]
fn bytes(low: usize, high: usize, size: usize, kind: AccessKind, pc: usize) {
    let from = low & !3;
    // SAFETY: `setup::begin` has reserved a cell for every address, cells of neighbouring words are
    // neighbours, and no mutable reference to them exists: `are_same_epoch` only reads.
    let cells = unsafe { std::slice::from_raw_parts(shadow::cell(from), (high - from).div_ceil(4)) };
    let mut at = from;
    while at < high {
        at = from + 4 * ((at - from) / 4 + count_same_epoch(&cells[(at - from) / 4..], kind, now::first()));
        let next = (at + 4).min(high);
        if at < high && !detector().are_same_epoch(at.max(low)..next, kind) {
            return rest(at.max(low), high, size, kind, pc);
        }
        at = next;
    }
}

#[inline(never)]
fn rest(low: usize, high: usize, size: usize, kind: AccessKind, pc: usize) {
    let run = Dimension { count: (high - low) / size, stride: size };
    if crashes(low, size, run, Dimension::ONCE) {
        return;
    }
    if PENDING.load(Ordering::Relaxed) || detector().wants_each() {
        return check_ranges(low, size, run, Dimension::ONCE, kind, pc);
    }
    detector().ranges(size, kind, pc).range(low, high - low);
}
