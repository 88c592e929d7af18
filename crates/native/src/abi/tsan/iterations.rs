//! The iterations of worksharing loops, as the pass marks them (`Iterations.cpp` in `crates/pass`).

use crate::tasks::state;
use crate::tasks::units;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

/// What the next range check stands for: the loop variable of its first iteration, and the
/// dimension, or none.
static VARIABLE: AtomicI64 = AtomicI64::new(0);
static DIMENSION: AtomicI32 = AtomicI32::new(NONE);
const NONE: i32 = -1;

/// Whether the range check that begins stands for iterations.
#[inline(always)]
pub(super) fn are_next() -> bool {
    DIMENSION.load(Ordering::Relaxed) != NONE
}

/// The loop variable and the dimension that [`__raceproof_by_iterations`] has said of the range
/// check that begins.
#[inline(always)]
pub(super) fn take() -> Option<(i64, i32)> {
    let dimension = DIMENSION.load(Ordering::Relaxed);
    (dimension != NONE).then(|| {
        DIMENSION.store(NONE, Ordering::Relaxed);
        (VARIABLE.load(Ordering::Relaxed), dimension)
    })
}

/// The iterations of the loop that comes are marked.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_iterations_marked() {
    state().omp.has_marks = true;
}

/// An iteration begins; the loop variable in the space of the bounds that the runtime has set.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_iteration(variable: i64) {
    units::iteration(variable);
}

/// The range check that follows stands for iterations of the loop around it: its elements in this
/// dimension (0: those of a run, 1: the runs) are those of the iterations from the one with this
/// loop variable on.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_by_iterations(variable: i64, dimension: i32) {
    VARIABLE.store(variable, Ordering::Relaxed);
    DIMENSION.store(dimension, Ordering::Relaxed);
}
