//! The functions of the runtime, and their arguments. `crates/native/src/abi/rayon.rs` is the other
//! side.

use std::ffi::c_void;

/// The thread of a task, if that makes no difference.
pub(crate) const ANY: u32 = u32::MAX;

unsafe extern "C" {
    fn __raceproof_rayon_pool(threads: u32, data: *mut c_void) -> u32;
    fn __raceproof_rayon_data(pool: u32) -> *mut c_void;
    fn __raceproof_rayon_has_global() -> bool;
    fn __raceproof_rayon_threads(pool: u32) -> u32;
    fn __raceproof_rayon_worker() -> u64;
    fn __raceproof_rayon_asked();
    fn __raceproof_rayon_yield();
    fn __raceproof_rayon_begin() -> *mut c_void;
    fn __raceproof_rayon_splits() -> bool;
    fn __raceproof_rayon_spawn(
        region: *mut c_void,
        body: extern "C" fn(*mut c_void),
        data: *mut c_void,
        pool: u32,
        worker: u32,
        later: bool,
    );
    fn __raceproof_rayon_end(region: *mut c_void) -> *mut c_void;
    fn __raceproof_rayon_panicked(region: *mut c_void, panic: *mut c_void) -> bool;
}

/// Makes a pool of so many threads, or of the usual number if 0. The data are kept for it.
pub(crate) fn new_pool(threads: u32, data: *mut c_void) -> u32 {
    // SAFETY: the runtime only keeps the pointer.
    unsafe { __raceproof_rayon_pool(threads, data) }
}

pub(crate) fn data(pool: u32) -> *mut c_void {
    // SAFETY: looks a number up.
    unsafe { __raceproof_rayon_data(pool) }
}

pub(crate) fn has_global() -> bool {
    // SAFETY: a question.
    unsafe { __raceproof_rayon_has_global() }
}

pub(crate) fn threads(pool: u32) -> u32 {
    // SAFETY: looks a number up.
    unsafe { __raceproof_rayon_threads(pool) }
}

/// The pool and the thread of it that runs this; none outside of pools.
#[inline(always)]
pub(crate) fn worker() -> Option<(u32, u32)> {
    // SAFETY: a question.
    let worker = unsafe { __raceproof_rayon_worker() };
    (worker != u64::MAX).then_some(((worker >> 32) as u32, worker as u32))
}

/// The program sees on which thread it is.
pub(crate) fn asked() {
    // SAFETY: a note to the runtime.
    unsafe { __raceproof_rayon_asked() }
}

/// Lets other tasks go first.
pub(crate) fn give_way() {
    // SAFETY: a switch of tasks, and back.
    unsafe { __raceproof_rayon_yield() }
}

#[inline(always)]
pub(crate) fn begin() -> *mut c_void {
    // SAFETY: opens a region of the running task.
    unsafe { __raceproof_rayon_begin() }
}

/// Whether a parallel iterator may be split further.
#[inline(always)]
pub(crate) fn splits() -> bool {
    // SAFETY: a question.
    unsafe { __raceproof_rayon_splits() }
}

/// Spawns a task that runs the body with the data, on that thread of the pool. The region waits for
/// it; if it is null nobody does. `later` says whether its creator goes on first.
///
/// # Safety
/// The data are valid until the body is over, and so is the region, if there is one.
#[inline(always)]
pub(crate) unsafe fn spawn(
    region: *mut c_void,
    body: extern "C" fn(*mut c_void),
    data: *mut c_void,
    pool: u32,
    worker: u32,
    later: bool,
) {
    // SAFETY: the caller's promise.
    unsafe { __raceproof_rayon_spawn(region, body, data, pool, worker, later) }
}

/// # Safety
/// The region is the innermost of the running task, and nobody uses it any more.
#[inline(always)]
pub(crate) unsafe fn end(region: *mut c_void) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { __raceproof_rayon_end(region) }
}

/// # Safety
/// The region is alive.
pub(crate) unsafe fn panicked(region: *mut c_void, panic: *mut c_void) -> bool {
    // SAFETY: the caller's promise.
    unsafe { __raceproof_rayon_panicked(region, panic) }
}
