//! Mutexes of the C and C++ libraries.
//!
//! All tasks run on one OS thread: one that waited in the C library would wait for ever. So a mutex
//! is a lock of the kernel, by its address. What kind of mutex it is, the C library's initialiser
//! has written into it.

use crate::report;
use crate::tasks::locks;
use crate::tasks::monitors::Patience;
use std::ffi::c_int;

/// Where the C library keeps the kind of a mutex, and what it writes there when the mutex is
/// destroyed.
const KIND: usize = 16;
const DESTROYED: c_int = -1;
/// The bits of a kind, and of it.
const TYPE: c_int = 3;
const RECURSIVE: c_int = 1;
const ERROR_CHECKING: c_int = 2;
const ROBUST: c_int = 16;

/// Where the runtime keeps, in the words that the C library has for itself, that the state a robust
/// mutex guards has to be made consistent, and that it never was.
const LOCK: usize = 0;
const INCONSISTENT: c_int = 0x7eaf_0001;
const NOT_RECOVERABLE: c_int = 0x7eaf_0002;

fn word(mutex: usize, at: usize) -> *mut c_int {
    (mutex + at) as *mut c_int
}

/// The kind of the mutex at an address; none if there cannot be one. A null pointer and a destroyed
/// mutex are program errors, which are reported once the runtime `is_up`; a destroyed mutex then
/// works as it does in the C library.
fn kind(mutex: usize, is_up: bool) -> Option<c_int> {
    if mutex == 0 {
        if is_up {
            report::program_error("lock", "a null pointer is used as a mutex");
        }
        return None;
    }
    // SAFETY: the program passes the address of a mutex to the C library's function, which would
    // read it as well.
    let kind = unsafe { word(mutex, KIND).read() };
    if kind != DESTROYED {
        return Some(kind);
    }
    if is_up {
        report::program_error("lock", "a mutex is used that was destroyed before (pthread_mutex_destroy)");
    }
    Some(0)
}

pub(crate) fn lock(mutex: usize, patience: Patience, is_up: bool) -> c_int {
    let Some(kind) = kind(mutex, is_up) else { return libc::EINVAL };
    let is_own = locks::mutex_is_own(mutex);
    match kind & TYPE {
        RECURSIVE if is_own => {}
        ERROR_CHECKING if is_own && !matches!(patience, Patience::None) => return libc::EDEADLK,
        _ if is_own && matches!(patience, Patience::None) => return libc::EBUSY,
        _ => {}
    }
    take(mutex, patience, kind)
}

/// Takes a mutex of a kind. That the last holder of a robust one has ended is known only then, and
/// so is that nobody has made consistent what it guards.
fn take(mutex: usize, patience: Patience, kind: c_int) -> c_int {
    if kind & ROBUST == 0 {
        return locks::mutex_take(mutex, patience, kind & TYPE == RECURSIVE);
    }
    locks::mutex_is_robust(mutex);
    let error = locks::mutex_take(mutex, patience, kind & TYPE == RECURSIVE);
    let state = word(mutex, LOCK);
    // SAFETY: the program's mutex, which `kind` has read; the C library's function would write it
    // as well.
    unsafe {
        match error {
            libc::EOWNERDEAD => state.write(INCONSISTENT),
            0 if state.read() == NOT_RECOVERABLE => {
                locks::mutex_unlock(mutex);
                return libc::ENOTRECOVERABLE;
            }
            _ => {}
        }
    }
    error
}

/// Takes a mutex again after a wait at a condition variable.
pub(crate) fn retake(mutex: usize) -> c_int {
    kind(mutex, false).map_or(libc::EINVAL, |kind| take(mutex, Patience::Endless, kind))
}

pub(crate) fn unlock(mutex: usize, is_up: bool) -> c_int {
    let Some(kind) = kind(mutex, is_up) else { return libc::EINVAL };
    if (kind & ROBUST != 0 || kind & TYPE == ERROR_CHECKING || kind & TYPE == RECURSIVE)
        && is_up
        && !locks::mutex_is_own(mutex)
    {
        return libc::EPERM;
    }
    // SAFETY: the program's mutex, which `kind` has read; the C library's function would write it
    // as well.
    unsafe {
        if kind & ROBUST != 0 && word(mutex, LOCK).read() == INCONSISTENT {
            word(mutex, LOCK).write(NOT_RECOVERABLE);
        }
    }
    locks::mutex_unlock(mutex);
    0
}

/// What a robust mutex guards is consistent again.
pub(crate) fn make_consistent(mutex: usize) -> c_int {
    // SAFETY: the program passes the address of a mutex, which the C library's function would read
    // and write as well.
    unsafe {
        if word(mutex, KIND).read() & ROBUST == 0 || word(mutex, LOCK).read() != INCONSISTENT {
            return libc::EINVAL;
        }
        word(mutex, LOCK).write(0);
    }
    0
}

/// A mutex is initialised: the runtime knows nothing of it.
pub(crate) fn initialised(mutex: usize) {
    locks::mutex_destroy(mutex);
}

pub(crate) fn destroy(mutex: usize, is_up: bool) -> c_int {
    if kind(mutex, is_up).is_none() {
        return libc::EINVAL;
    }
    if is_up {
        if locks::mutex_is_held(mutex) {
            report::program_error("lock", "a mutex is destroyed while it is held");
        }
        locks::mutex_destroy(mutex);
    }
    // SAFETY: the program's mutex, which `kind` has read. Whoever initialises it again overwrites
    // this.
    unsafe { word(mutex, KIND).write(DESTROYED) };
    0
}
