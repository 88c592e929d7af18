//! The entry points of mutexes of the C and C++ libraries ([`mutexes`]), and of the guards of local
//! statics ([`guards`]).

use super::fortran;
use crate::abi::is_up;
use crate::abi::kmpc::{caller, entry};
use crate::tasks::{guards, locks, mutexes};
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

extern "C" fn mutex_lock(mutex: usize) -> c_int {
    if fortran::is_library(caller()) { 0 } else { mutexes::lock(mutex, is_up()) }
}

extern "C" fn mutex_try_lock(mutex: usize) -> c_int {
    mutexes::try_lock(mutex, is_up())
}

extern "C" fn mutex_unlock(mutex: usize) -> c_int {
    if fortran::is_library(caller()) { 0 } else { mutexes::unlock(mutex, is_up()) }
}

extern "C" fn mutex_destroy(mutex: usize) -> c_int {
    mutexes::destroy(mutex, is_up())
}

extern "C" fn lock(lock: usize) -> c_int {
    locks::mutex_lock(lock);
    0
}

extern "C" fn try_lock(lock: usize) -> c_int {
    mutexes::try_lock_any(lock)
}

extern "C" fn unlock(lock: usize) -> c_int {
    locks::mutex_unlock(lock);
    0
}

extern "C" fn cond_wait(_condition: usize, mutex: usize) -> c_int {
    mutexes::wait(mutex);
    0
}

/// Whether the caller has to initialise a local static.
///
/// # Safety
/// The guard is the compiler's own variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_acquire(guard: *mut u8) -> c_int {
    // SAFETY: the caller's promise.
    i32::from(unsafe { guards::acquire(guard, caller()) })
}

/// # Safety
/// The guard is the compiler's own variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_release(guard: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { guards::release(guard, caller()) };
}

/// # Safety
/// The guard is the compiler's own variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_guard_abort(guard: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { guards::abort(guard) };
}
