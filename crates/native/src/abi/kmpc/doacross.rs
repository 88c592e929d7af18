//! The entry points of doacross loops ([`doacross`]).

use super::Loc;
use crate::tasks::doacross::{self, Dimension};

/// # Safety
/// `dimensions` is the compiler's array of that length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_init(_: Loc, _: i32, count: i32, dimensions: *const Dimension) {
    // SAFETY: the compiler passes an array of `count` dimensions.
    doacross::begin(unsafe { std::slice::from_raw_parts(dimensions, count.max(0) as usize) });
}

/// # Safety
/// The vector is the compiler's, as long as the loop nest is deep.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_wait(_: Loc, _: i32, vector: *const i64) {
    // SAFETY: the compiler passes the vector of an iteration, with as many numbers as the loop has
    // dimensions.
    unsafe { doacross::wait(vector) }
}

/// # Safety
/// The vector is the compiler's, as long as the loop nest is deep.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_doacross_post(_: Loc, _: i32, vector: *const i64) {
    // SAFETY: the compiler passes the vector of an iteration, with as many numbers as the loop has
    // dimensions.
    unsafe { doacross::post(vector) }
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_doacross_fini(_: Loc, _: i32) {
    doacross::end();
}
