//! Reductions of parallel and worksharing constructs.
//!
//! Each thread combines its part into the shared variable itself, one after the other. No task is switched to in
//! between, so that no lock is needed to keep them apart; the detector takes the accesses for atomic ones.

use super::Loc;
use crate::detect::detector;
use crate::tasks::omp;
use std::ffi::c_void;

type Combine = extern "C" fn(*mut c_void, *mut c_void);

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_reduce_nowait(
    _: Loc,
    _: i32,
    _count: i32,
    _size: usize,
    _data: *mut c_void,
    _combine: Combine,
    _lock: usize,
) -> i32 {
    detector().reduce(true);
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_reduce_nowait(_: Loc, _: i32, _lock: usize) {
    detector().reduce(false);
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
