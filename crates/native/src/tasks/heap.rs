//! Blocks of the program's heap, as it gets and frees them: what the detector, the locks and a
//! search have to know.

use crate::detect::detector;
use crate::report::record;
use crate::tasks::atomics;
use crate::tasks::{excuses, explorer, futures, locks, monitors, standard, state};
use std::ops::Range;

/// The program has got a block, by code at `pc`.
pub(crate) fn allocated(address: usize, size: usize, pc: impl FnOnce() -> usize) {
    // What writes the trace allocates for itself.
    if record::is_writing() {
        return;
    }
    let detector = detector();
    detector.allocated(address, size);
    let site = detector.here(pc());
    excuses::allocated(address);
    detector.own_block(address, size, site);
}

/// Code that is not instrumented has got the block: Rust's standard library, perhaps for itself.
pub(crate) fn allocated_by_library(address: usize) {
    if !record::is_writing() {
        state().librarys_blocks.insert(address);
    }
}

/// The program frees a block; its size, if it is one. Freeing is an access, except of a block that
/// a library has got and frees itself: what orders its threads is in code that is not instrumented,
/// such as the handle of a thread, which that thread and others drop.
pub(crate) fn freed(address: usize, pc: usize, is_librarys: impl FnOnce() -> bool) -> Option<usize> {
    if record::is_writing() {
        return None;
    }
    let size = detector().memory.remove(address)?.size;
    let is_own = state().librarys_blocks.remove(&address) && is_librarys();
    atomics::freed(address, size);
    standard::freed(address, size);
    locks::freed(address, size);
    monitors::freed(address, size);
    if futures::is_destroying() {
        return Some(size);
    }
    explorer::freed(address, size, pc);
    if !is_own {
        detector().freed(address, size, pc);
    }
    Some(size)
}

/// What the program has accessed of a block.
pub(crate) fn accessed_parts(address: usize) -> Vec<Range<usize>> {
    if record::is_writing() {
        return Vec::new();
    }
    let detector = detector();
    match detector.memory.find_live(address) {
        Some((base, block)) if base == address => detector.accessed_parts(base, block.size),
        _ => Vec::new(),
    }
}
