//! The entry points of libomp's C interface that clang calls, one file a construct.
//!
//! All of them run on the one OS thread, called by code of the program. Pointers they are given are the compiler's: valid,
//! and used as the interface says. The thread number they are given is not looked at: who runs is known.

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

pub(crate) use crate::process::call_site::{CALLER, caller};
use std::ffi::c_void;

/// Defines an entry point that notes its return address in `CALLER`, where that stands in `STACK`, and the frame of its caller in `FRAME`, and goes on as the function `$target`.
macro_rules! entry {
    ($($name:ident => $target:ident;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            ::std::arch::naked_asm!(
                "mov rax, [rsp]",
                "mov [rip + {caller}], rax",
                "mov [rip + {frame}], rbp",
                "mov [rip + {stack}], rsp",
                "jmp {target}",
                caller = sym crate::process::call_site::CALLER,
                frame = sym crate::process::call_site::FRAME,
                stack = sym crate::process::call_site::STACK,
                target = sym $target,
            )
        }
    )* };
}
pub(crate) use entry;

/// A source position the compiler passes; not looked at.
pub(crate) type Loc = *const c_void;

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
