//! The entry points of `threadprivate` variables without thread-local storage ([`threadprivate`]).

use super::Loc;
use crate::abi::begin;
use crate::tasks::threadprivate::{self, Construct, Copy};
use std::ffi::c_void;

/// Called by a constructor, perhaps before anything else of the program.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate_register(
    _: Loc,
    data: *mut c_void,
    construct: Option<Construct>,
    copy: Option<Copy>,
    _destroy: Option<extern "C" fn(*mut c_void)>,
) {
    begin();
    threadprivate::register(data, construct, copy);
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_threadprivate_cached(
    _: Loc,
    _: i32,
    data: *mut c_void,
    size: usize,
    _: *mut c_void,
) -> *mut c_void {
    threadprivate::copy_of(data, size)
}
