//! The entry points of cancellation ([`cancel`]).

use super::Loc;
use crate::tasks::cancel::{self, Cancelled};
use crate::tasks::omp;

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel(_: Loc, _: i32, kind: i32) -> i32 {
    i32::from(cancel::cancel(Cancelled::of(kind)))
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancellationpoint(_: Loc, _: i32, kind: i32) -> i32 {
    i32::from(cancel::is_cancelled(Cancelled::of(kind)))
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_cancel_barrier(_: Loc, _: i32) -> i32 {
    omp::barrier();
    i32::from(cancel::is_cancelled(Some(Cancelled::Parallel)))
}
