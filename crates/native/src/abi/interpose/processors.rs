//! How many processors the machine has. A program that asks mostly sizes its teams by the answer,
//! as by `omp_get_num_procs`; so does `std::thread::hardware_concurrency`, which asks here.

use crate::abi::is_up;
use crate::process::is_shared;
use crate::tasks::units;
use std::ffi::{c_int, c_long};

unsafe extern "C" {
    /// The C library's own name of `sysconf`.
    fn __sysconf(name: c_int) -> c_long;
}

fn answer(name: c_int, routine: &'static str) -> c_long {
    // SAFETY: asks for a number; unknown names are an error.
    let answer = unsafe { __sysconf(name) };
    // A pool of rayon has the size that its program says.
    if matches!(name, libc::_SC_NPROCESSORS_ONLN | libc::_SC_NPROCESSORS_CONF) && is_up() && !is_shared() {
        units::query(routine, answer as u32);
    }
    answer
}

#[unsafe(no_mangle)]
pub extern "C" fn sysconf(name: c_int) -> c_long {
    answer(name, "sysconf")
}

#[unsafe(no_mangle)]
pub extern "C" fn get_nprocs() -> c_int {
    answer(libc::_SC_NPROCESSORS_ONLN, "get_nprocs") as c_int
}

#[unsafe(no_mangle)]
pub extern "C" fn get_nprocs_conf() -> c_int {
    answer(libc::_SC_NPROCESSORS_CONF, "get_nprocs_conf") as c_int
}
