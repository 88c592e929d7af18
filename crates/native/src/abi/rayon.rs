//! The entry points of the drop-in for `rayon-core` (`crates/rayon`): pools and regions
//! ([`pools`]).

use crate::abi::entry::{caller, entry};
use crate::abi::kmpc::query::omp_get_thread_num;
use crate::tasks::pools::{self, Region};
use crate::tasks::sched;
use std::ffi::c_void;

/// Makes a pool of so many threads, or of as many as the options say; its number.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_rayon_pool(threads: u32, data: *mut c_void) -> u32 {
    pools::create(threads, data)
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_rayon_data(number: u32) -> *mut c_void {
    pools::data(number)
}

/// Whether the global pool is there.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_rayon_has_global() -> bool {
    pools::has_global()
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_rayon_threads(number: u32) -> u32 {
    pools::threads(number)
}

/// Where the running task runs: the pool in the upper half, the thread of it in the lower; all ones
/// outside of pools.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_rayon_worker() -> u64 {
    pools::worker()
}

/// The program asks on which thread it is: what it does next may depend on the answer.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_rayon_asked() {
    omp_get_thread_num();
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_rayon_yield() {
    sched::give_way();
}

#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_rayon_begin() -> *mut Region {
    pools::begin()
}

entry! {
    __raceproof_rayon_end => end;
    __raceproof_rayon_spawn => spawn;
    __raceproof_rayon_splits => splits;
}

/// Whether a parallel iterator may be split further.
extern "C" fn splits() -> bool {
    pools::may_split(caller())
}

/// Waits for all tasks of the innermost region, and leaves it; the first panic of one of them.
unsafe extern "C" fn end(region: *mut Region) -> *mut c_void {
    // SAFETY: the drop-in ends each region once, in the function that has begun it, when all inner
    // ones have ended.
    unsafe { pools::end(region) }
}

/// A task of the region has panicked; whether this is the first panic, which is the one that
/// counts.
///
/// # Safety
/// Called by a task of the region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __raceproof_rayon_panicked(region: *mut Region, panic: *mut c_void) -> bool {
    // SAFETY: the caller's promise.
    unsafe { pools::panicked(region, panic) }
}

/// A task of a pool runs the body with the data, see [`pools::spawn`].
unsafe extern "C" fn spawn(
    region: *mut Region,
    body: extern "C" fn(*mut c_void),
    data: *mut c_void,
    pool: u32,
    worker: u32,
    later: bool,
) {
    // SAFETY: the drop-in passes a region only to closures that its end waits for.
    unsafe { pools::spawn(region, body, data, (pool, worker), later, caller()) };
}
