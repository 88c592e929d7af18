//! The entry points of raceproof's `<future>` (`crates/cc/include/std/future`), one line each into
//! `tasks/futures.rs`.

use crate::abi::entry::entry;
use crate::abi::interpose;
use crate::tasks::futures::{Frees, Shared};
use std::ffi::{c_int, c_void};

entry! {
    __raceproof_future_room => room;
    __raceproof_future_create => create;
    __raceproof_future_release => release;
    __raceproof_future_claim => claim;
    __raceproof_future_set => set;
    __raceproof_future_set_at_thread_exit => set_at_thread_exit;
    __raceproof_future_wait => wait;
    __raceproof_future_wait_for => wait_for;
}

/// Memory for a state.
extern "C" fn room(size: usize) -> *mut c_void {
    let room = interpose::malloc_noted(size);
    if room.is_null() {
        crate::fatal("out of memory for another promise");
    }
    room
}

/// The state was destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn __raceproof_future_reclaim(room: *mut c_void) {
    interpose::free_noted(room);
}

extern "C" fn create(state: &mut Shared, frees: c_int) {
    state.create(Frees::of(frees));
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __raceproof_future_share(state: &mut Shared) {
    state.share();
}

unsafe extern "C-unwind" fn release(state: *mut Shared) {
    // SAFETY: the header gives up a share that it has.
    unsafe { Shared::release(state) };
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __raceproof_future_retrieve(state: &mut Shared) -> c_int {
    state.retrieve().into()
}

/// Whether a value is left that the program can destroy.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __raceproof_future_only_frees(state: &mut Shared, is_so: c_int) {
    state.set_frees(Frees::of(is_so));
}

extern "C" fn claim(state: &mut Shared) -> c_int {
    state.claim().into()
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __raceproof_future_unclaim(state: &mut Shared) {
    state.unclaim();
}

/// The header throws an exception, since the state is set already.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn __raceproof_future_refused(state: &mut Shared) {
    state.refused();
}

extern "C" fn set(state: &mut Shared) {
    state.set();
}

extern "C" fn set_at_thread_exit(state: &mut Shared, owns: c_int) {
    state.set_at_thread_exit(owns != 0);
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn __raceproof_future_runs(state: &mut Shared) {
    state.runs_in_this_thread();
}

extern "C-unwind" fn wait(state: &mut Shared) {
    state.wait();
}

extern "C" fn wait_for(state: &mut Shared, nanoseconds: i64) -> c_int {
    state.wait_for(nanoseconds) as c_int
}
