//! Reductions of parallel and worksharing constructs.
//!
//! Each thread combines its part into the shared variable itself, one after the other. No task is switched to in
//! between, so that no lock is needed to keep them apart; the detector is told of a section all the same. The order in which
//! the parts are combined makes no difference that a program may depend on, so this is no mutual exclusion that would
//! make the verdict one of this schedule only.

use super::Loc;
use crate::{omp, world};
use std::ffi::c_void;

/// Told apart from the numbers of the kernel's locks.
const REDUCTIONS: usize = 1 << 62;

type Combine = extern "C" fn(*mut c_void, *mut c_void);

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_reduce_nowait(
    _: Loc,
    _: i32,
    _count: i32,
    _size: usize,
    _data: *mut c_void,
    _combine: Combine,
    lock: usize,
) -> i32 {
    world().detector.enter_section(REDUCTIONS | lock);
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_reduce_nowait(_: Loc, _: i32, lock: usize) {
    world().detector.leave_section(REDUCTIONS | lock);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_reduce(
    loc: Loc,
    thread: i32,
    count: i32,
    size: usize,
    data: *mut c_void,
    combine: Combine,
    lock: usize,
) -> i32 {
    __kmpc_reduce_nowait(loc, thread, count, size, data, combine, lock)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_reduce(loc: Loc, thread: i32, lock: usize) {
    __kmpc_end_reduce_nowait(loc, thread, lock);
    omp::barrier();
}
