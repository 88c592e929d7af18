//! The entry points of taskgroups and of the reductions of tasks ([`groups`]).

use super::{Loc, entry};
use crate::tasks::groups::{self, Item};
use crate::tasks::omp;
use std::ffi::c_void;

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_taskgroup(_: Loc, _: i32) {
    groups::begin();
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_taskgroup(_: Loc, _: i32) {
    groups::end();
}

fn add(count: i32, items: *const Item) -> *mut c_void {
    // SAFETY: the compiler passes an array of that length.
    groups::add(unsafe { std::slice::from_raw_parts(items, count.max(0) as usize) })
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_taskred_init(_: i32, count: i32, items: *const Item) -> *mut c_void {
    add(count, items)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_reduction_init(_: i32, count: i32, items: *const Item) -> *mut c_void {
    add(count, items)
}

/// `reduction(task, …)` on a parallel or worksharing construct: what the tasks that a thread creates there have, it adds to its
/// own part. There may be barriers inside, so this is no group that is waited for, but ends with a barrier.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_taskred_modifier_init(
    _: Loc,
    _: i32,
    _worksharing: i32,
    count: i32,
    items: *const Item,
) -> *mut c_void {
    groups::open();
    add(count, items)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_reduction_modifier_init(
    loc: Loc,
    thread: i32,
    worksharing: i32,
    count: i32,
    items: *const Item,
) -> *mut c_void {
    __kmpc_taskred_modifier_init(loc, thread, worksharing, count, items)
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_reduction_modifier_fini(_: Loc, _: i32, _worksharing: i32) {
    omp::barrier();
    groups::combine();
}

entry! { __kmpc_task_reduction_get_th_data => th_data; }

extern "C" fn th_data(_: i32, group: *mut c_void, data: *mut c_void) -> *mut c_void {
    groups::copy_of(group, data)
}
