//! Mutexes of the C and C++ libraries, and the guards of local statics, used by OpenMP programs.
//!
//! All tasks run on one OS thread: one that waited in the C library would wait for ever. So a mutex is a lock of the kernel, by
//! its address. A condition variable wakes its waiters at once, which the specification allows.

use super::fortran;
use crate::abi::kmpc::{caller, entry};
use crate::abi::tsan::atomic;
use crate::abi::world::is_up;
use crate::report;
use crate::search::{self, Bell};
use crate::tasks::locks;
use crate::tasks::{explorer, sched};
use raceproof_core::event::AccessKind;
use std::ffi::c_int;

entry! {
    pthread_mutex_lock => mutex_lock;
    pthread_mutex_trylock => mutex_try_lock;
    pthread_mutex_unlock => mutex_unlock;
    pthread_mutex_destroy => mutex_destroy;
    pthread_rwlock_rdlock => lock;
    pthread_rwlock_wrlock => lock;
    pthread_rwlock_tryrdlock => try_lock;
    pthread_rwlock_trywrlock => try_lock;
    pthread_rwlock_unlock => unlock;
    pthread_spin_lock => lock;
    pthread_spin_trylock => try_lock;
    pthread_spin_unlock => unlock;
    pthread_cond_wait => cond_wait;
    pthread_cond_timedwait => cond_wait;
}

/// Whether there can be a mutex: the pointer is not null, and the one there was not destroyed. If not, that is said.
fn is_mutex(mutex: usize) -> bool {
    let problem = match mutex {
        0 => "a null pointer is used as a mutex",
        // SAFETY: the program passes the address of a mutex.
        _ if unsafe { (mutex as *const c_int).byte_add(KIND).read() } == DESTROYED => {
            "a mutex is used that was destroyed before (pthread_mutex_destroy)"
        }
        _ => return true,
    };
    if is_up() {
        report::program_error("lock", problem);
    }
    mutex != 0
}

/// Where the C library keeps the kind of a mutex, and what it writes there when the mutex is destroyed.
const KIND: usize = 16;
const DESTROYED: c_int = -1;

extern "C" fn mutex_lock(mutex: usize) -> c_int {
    if fortran::is_library(caller()) {
        return 0;
    }
    if is_mutex(mutex) { lock(mutex) } else { libc::EINVAL }
}

extern "C" fn mutex_try_lock(mutex: usize) -> c_int {
    if is_mutex(mutex) { try_lock(mutex) } else { libc::EINVAL }
}

extern "C" fn mutex_unlock(mutex: usize) -> c_int {
    if fortran::is_library(caller()) {
        return 0;
    }
    if is_mutex(mutex) { unlock(mutex) } else { libc::EINVAL }
}

extern "C" fn mutex_destroy(mutex: usize) -> c_int {
    if !is_mutex(mutex) {
        return libc::EINVAL;
    }
    if is_up() {
        if locks::mutex_is_held(mutex) {
            report::program_error("lock", "a mutex is destroyed while it is held");
        }
        locks::mutex_destroy(mutex);
    }
    // SAFETY: as in `is_mutex`. Whoever initialises it again overwrites this.
    unsafe { (mutex as *mut c_int).byte_add(KIND).write(DESTROYED) };
    0
}

extern "C" fn lock(mutex: usize) -> c_int {
    locks::mutex_lock(mutex);
    0
}

extern "C" fn try_lock(mutex: usize) -> c_int {
    if locks::mutex_try_lock(mutex) { 0 } else { libc::EBUSY }
}

extern "C" fn unlock(mutex: usize) -> c_int {
    locks::mutex_unlock(mutex);
    0
}

extern "C" fn cond_wait(_condition: usize, mutex: usize) -> c_int {
    locks::mutex_unlock(mutex);
    if sched::job().is_some() {
        sched::pass();
    }
    locks::mutex_lock(mutex);
    0
}

/// Whether a local static has to be initialised, by the caller. Its first byte is set once it is, and is looked at without us.
///
/// # Safety
/// The guard is the compiler's own variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_acquire(guard: *mut u8) -> c_int {
    search::atomic(guard as usize, 1, AccessKind::Write, caller());
    // SAFETY: as said above; the second byte says that somebody is at it.
    let (is_done, is_busy) = unsafe { (guard.read_volatile() != 0, guard.add(1)) };
    if is_done {
        atomic::acquired(guard as usize);
        return 0;
    }
    // SAFETY: as above.
    let is_free = || unsafe { is_busy.read_volatile() } == 0;
    while !is_free() && sched::job().is_some() {
        match search::is_on() {
            true => explorer::listen(Bell::of(guard as usize)),
            false => sched::pass(),
        }
    }
    explorer::heard(Bell::of(guard as usize));
    // SAFETY: as above.
    unsafe {
        if guard.read_volatile() != 0 {
            atomic::acquired(guard as usize);
            return 0;
        }
        is_busy.write_volatile(1);
    }
    1
}

/// # Safety
/// The guard is the compiler's own variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_release(guard: *mut u8) {
    search::atomic(guard as usize, 1, AccessKind::Write, caller());
    atomic::released(guard as usize);
    // SAFETY: as said above.
    unsafe {
        guard.write_volatile(1);
        guard.add(1).write_volatile(0);
    }
    search::ring(Bell::of(guard as usize));
}

/// # Safety
/// The guard is the compiler's own variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_abort(guard: *mut u8) {
    // SAFETY: as said above.
    unsafe { guard.add(1).write_volatile(0) };
    search::ring(Bell::of(guard as usize));
}
