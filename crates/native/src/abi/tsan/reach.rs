//! Whether there is memory in all of a large range that the program is about to access.
//!
//! A negative length, or a loop that misses its end, asks for more than there is, and crashes. The
//! accesses must then not be noted first: shadow for a terabyte never comes to an end, and neither
//! the memory it takes nor the crash would ever be reported.

use crate::detect::detector::Repeated as Dimension;
use std::ffi::c_void;

/// Smaller ranges are noted unasked: their shadow is small. A call of the system is nothing beside
/// larger ones.
const LARGE: usize = 1 << 24;
/// A loop with fewer elements is noted unasked.
const MANY: usize = 1 << 16;

const PAGE: usize = 4096;

/// Whether the program can access so many bytes.
#[inline]
pub(super) fn is_memory(address: usize, size: usize) -> bool {
    size < LARGE || is_mapped(address, size)
}

/// Whether a loop crashes before it has made all of its accesses.
#[inline(always)]
pub(super) fn crashes(first: usize, size: usize, run: Dimension, runs: Dimension) -> bool {
    run.count | runs.count >= MANY && !holds(first, size, run, runs)
}

/// Whether the program can make all accesses of a loop, as far as the first, the last and what lies
/// between touching ones tell.
#[cold]
fn holds(first: usize, size: usize, run: Dimension, runs: Dimension) -> bool {
    let last = |of: Dimension| of.stride.wrapping_mul(of.count - 1);
    let bytes = |of: Dimension| (of.stride as isize).unsigned_abs().saturating_mul(of.count - 1);
    let end = first.wrapping_add(last(run)).wrapping_add(last(runs));
    let all = bytes(run).saturating_add(bytes(runs)).saturating_add(size);
    let touch = |of: Dimension| of.count == 1 || (of.stride as isize).unsigned_abs() <= size;
    all < LARGE
        || if touch(run) && touch(runs) { is_mapped(first.min(end), all) } else { is_mapped(end, size) }
}

#[cold]
fn is_mapped(address: usize, size: usize) -> bool {
    let from = address & !(PAGE - 1);
    let Some(size) = size.checked_add(address - from) else { return false };
    // SAFETY: a documented use, which changes nothing: the pages are only looked for. The program
    // finds its error number as it was.
    unsafe {
        let error = libc::__errno_location();
        let before = *error;
        let missing = libc::msync(from as *mut c_void, size, libc::MS_ASYNC) != 0 && *error == libc::ENOMEM;
        *error = before;
        !missing
    }
}
