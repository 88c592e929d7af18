//! Mutexes of the C and C++ libraries, as OpenMP programs use them.
//!
//! All tasks run on one OS thread: one that waited in the C library would wait for ever. So a mutex
//! is a lock of the kernel, by its address. A condition variable wakes its waiters at once, which
//! the specification allows.

use crate::report;
use crate::tasks::{locks, sched};
use std::ffi::c_int;

/// Where the C library keeps the kind of a mutex, and what it writes there when the mutex is
/// destroyed.
const KIND: usize = 16;
const DESTROYED: c_int = -1;

/// Whether there can be a mutex at an address. A null pointer and a destroyed mutex are program
/// errors, which are reported once the runtime `is_up`; a destroyed mutex then works as it does in
/// the C library.
fn is_mutex(mutex: usize, is_up: bool) -> bool {
    let problem = match mutex {
        0 => "a null pointer is used as a mutex",
        // SAFETY: the program passes the address of a mutex to the C library's function, which
        // would read it as well.
        _ if unsafe { (mutex as *const c_int).byte_add(KIND).read() } == DESTROYED => {
            "a mutex is used that was destroyed before (pthread_mutex_destroy)"
        }
        _ => return true,
    };
    if is_up {
        report::program_error("lock", problem);
    }
    mutex != 0
}

pub(crate) fn lock(mutex: usize, is_up: bool) -> c_int {
    if !is_mutex(mutex, is_up) {
        return libc::EINVAL;
    }
    locks::mutex_lock(mutex);
    0
}

pub(crate) fn try_lock(mutex: usize, is_up: bool) -> c_int {
    match is_mutex(mutex, is_up) {
        true => try_lock_any(mutex),
        false => libc::EINVAL,
    }
}

/// As [`try_lock`], for locks of the C library that are no mutexes.
pub(crate) fn try_lock_any(lock: usize) -> c_int {
    if locks::mutex_try_lock(lock) { 0 } else { libc::EBUSY }
}

pub(crate) fn unlock(mutex: usize, is_up: bool) -> c_int {
    if !is_mutex(mutex, is_up) {
        return libc::EINVAL;
    }
    locks::mutex_unlock(mutex);
    0
}

pub(crate) fn destroy(mutex: usize, is_up: bool) -> c_int {
    if !is_mutex(mutex, is_up) {
        return libc::EINVAL;
    }
    if is_up {
        if locks::mutex_is_held(mutex) {
            report::program_error("lock", "a mutex is destroyed while it is held");
        }
        locks::mutex_destroy(mutex);
    }
    // SAFETY: as in `is_mutex`. Whoever initialises it again overwrites this.
    unsafe { (mutex as *mut c_int).byte_add(KIND).write(DESTROYED) };
    0
}

/// Waits at a condition variable: lets the others run, without the mutex, and returns.
pub(crate) fn wait(mutex: usize) {
    locks::mutex_unlock(mutex);
    if sched::job().is_some() {
        sched::pass();
    }
    locks::mutex_lock(mutex);
}
