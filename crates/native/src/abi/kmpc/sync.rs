//! Barriers, `single`, `master`, `critical`, `flush`.

use super::{Loc, entry};
use crate::tasks::atomics;
use crate::tasks::locks;
use crate::tasks::omp::{self, thread};
use crate::tasks::regions;
use crate::tasks::sched;
use crate::tasks::units;
use std::ffi::c_void;

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_barrier(_: Loc, _: i32) {
    omp::barrier();
}

entry! {
    __kmpc_single => single;
}

/// Whether the running thread runs the next `single`.
extern "C" fn single(_: Loc, _: i32) -> i32 {
    i32::from(regions::begin_single())
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_single(_: Loc, _: i32) {
    units::end();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_master(_: Loc, _: i32) -> i32 {
    i32::from(units::begin_master(thread().number == 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_master(_: Loc, _: i32) {
    units::end_master();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_masked(_: Loc, _: i32, filter: i32) -> i32 {
    i32::from(units::begin_master(regions::is_filtered(filter)))
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_masked(_: Loc, _: i32) {
    units::end_master();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_scope(_: Loc, _: i32, _: *mut c_void) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_scope(_: Loc, _: i32, _: *mut c_void) {}

/// Hands the values of the thread that ran a `single` to the others.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_copyprivate(
    _: Loc,
    _: i32,
    _: usize,
    data: *mut c_void,
    copy: extern "C" fn(*mut c_void, *mut c_void),
    did_it: i32,
) {
    regions::copy_private(data, copy, did_it != 0);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_copyprivate_light(_: Loc, _: i32, data: *mut c_void) -> *mut c_void {
    regions::share_pointer(data)
}

entry! {
    __kmpc_critical => critical;
    __kmpc_critical_with_hint => critical;
    __kmpc_end_critical => end_critical;
}

/// A critical section; its name is the address of a variable the compiler has made for it.
extern "C" fn critical(_: Loc, _: i32, name: *const c_void) {
    locks::enter(name as usize);
}

extern "C" fn end_critical(_: Loc, _: i32, name: *const c_void) {
    locks::exit(name as usize);
}

/// A flush lets busy waiters go on, and is a fence.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_flush(_: Loc) {
    atomics::fence();
    sched::give_way();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_error(_: Loc, severity: i32, message: *const std::ffi::c_char) {
    // SAFETY: the compiler passes a string, or null.
    let text = unsafe { message.as_ref().map(|_| std::ffi::CStr::from_ptr(message).to_string_lossy()) };
    let text = text.as_deref().unwrap_or("an error directive was reached");
    if severity >= 2 {
        crate::report::program_error("error-directive", text);
        crate::report::finish_and_exit(1);
    }
    crate::say(text);
}
