//! The entry points of libomp's C interface that clang calls, one file a construct.
//!
//! Code of the program calls them, on the one OS thread. The compiler passes the pointers: they are
//! valid, and used as the interface says. The entry points ignore the thread number that they are
//! passed: the scheduler knows who runs.

pub(crate) mod atomics;
pub(crate) mod cancel;
pub(crate) mod doacross;
mod explicit_tasks;
pub(crate) mod groups;
mod lock_routines;
pub(crate) mod loops;
pub(crate) mod parallel;
pub(crate) mod query;
pub(crate) mod reduce;
pub(crate) mod sync;
pub(crate) mod target;
pub(crate) mod taskloop;
pub(crate) mod threadprivate;

use crate::abi::entry::{CALLER, caller, entry};
use std::ffi::c_void;

/// A source position the compiler passes. Only [`is_sections`] looks at it.
pub(crate) type Loc = *const c_void;

/// Whether a loop is one over sections.
///
/// # Safety
/// The position is one that the compiler has passed.
pub(crate) unsafe fn is_sections(at: Loc) -> bool {
    const FLAGS: usize = 1;
    const WORK_SECTIONS: i32 = 0x400;
    // SAFETY: the caller's promise; the second word of a position has its flags.
    !at.is_null() && unsafe { *at.cast::<i32>().add(FLAGS) } & WORK_SECTIONS != 0
}

/// The number by which libomp would know the running thread.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_global_thread_num(_: Loc) -> i32 {
    crate::tasks::omp::thread().virtual_thread as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_global_num_threads(_: Loc) -> i32 {
    crate::tasks::omp::team().size as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_bound_thread_num(_: Loc) -> i32 {
    query::omp_get_thread_num()
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_bound_num_threads(_: Loc) -> i32 {
    crate::tasks::omp::team().size as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_in_parallel(_: Loc) -> i32 {
    query::omp_in_parallel()
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_ok_to_fork(_: Loc) -> i32 {
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_begin(_: Loc, _: i32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end(_: Loc) {}
