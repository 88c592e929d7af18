//! The entry points of mutexes of the C and C++ libraries ([`mutexes`]), of what else threads wait
//! at ([`monitors`]), and of the guards of local statics ([`guards`]).

use super::threads::c11::result;
use super::{clock, fortran};
use crate::abi::entry::{caller, entry};
use crate::abi::is_up;
use crate::process::call_site::{CALLER, FRAME, NOTES_REGISTERS, STACK};
use crate::process::real;
use crate::report::coverage;
use crate::tasks::explorer::WaitEvent;
use crate::tasks::monitors::{self, Patience};
use crate::tasks::waits::{self, What};
use crate::tasks::{atomics, explorer, guards, locks, mutexes, sched, threads};
use raceproof_core::event::AccessKind;
use std::arch::naked_asm;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::transmute;

type Time = *const libc::timespec;

entry! {
    pthread_mutex_init => mutex_init;
    pthread_mutex_lock => mutex_lock;
    pthread_mutex_trylock => mutex_try_lock;
    pthread_mutex_timedlock => mutex_timed_lock;
    pthread_mutex_clocklock => mutex_clock_lock;
    pthread_mutex_unlock => mutex_unlock;
    pthread_mutex_destroy => mutex_destroy;
    pthread_mutex_consistent => mutex_consistent;
    pthread_rwlock_init => rwlock_init;
    pthread_rwlock_destroy => forget;
    pthread_rwlock_rdlock => read_lock;
    pthread_rwlock_wrlock => write_lock;
    pthread_rwlock_tryrdlock => try_read_lock;
    pthread_rwlock_trywrlock => try_write_lock;
    pthread_rwlock_timedrdlock => timed_read_lock;
    pthread_rwlock_timedwrlock => timed_write_lock;
    pthread_rwlock_clockrdlock => clock_read_lock;
    pthread_rwlock_clockwrlock => clock_write_lock;
    pthread_rwlock_unlock => rwlock_unlock;
    pthread_spin_init => spin_init;
    pthread_spin_destroy => spin_destroy;
    pthread_spin_lock => spin_lock;
    pthread_spin_trylock => spin_try_lock;
    pthread_spin_unlock => spin_unlock;
    pthread_cond_init => condition_init;
    pthread_cond_destroy => condition_destroy;
    pthread_cond_wait => condition_wait;
    pthread_cond_timedwait => condition_timed_wait;
    pthread_cond_clockwait => condition_clock_wait;
    pthread_cond_signal => condition_signal;
    pthread_cond_broadcast => condition_broadcast;
    pthread_barrier_init => barrier_init;
    pthread_barrier_destroy => barrier_destroy;
    pthread_barrier_wait => barrier_wait;
    __raceproof_barrier_meet => barrier_meet;
    sem_init => semaphore_init;
    sem_destroy => forget;
    sem_wait => semaphore_wait;
    sem_trywait => semaphore_try_wait;
    sem_timedwait => semaphore_timed_wait;
    sem_clockwait => semaphore_clock_wait;
    sem_post => semaphore_post;
    sem_getvalue => semaphore_value;
    pthread_once => once;
    call_once => once_c11;
    mtx_init => mtx_init_noted;
    mtx_lock => mtx_lock_noted;
    mtx_trylock => mtx_try_lock;
    mtx_timedlock => mtx_timed_lock;
    mtx_unlock => mtx_unlock_noted;
    mtx_destroy => mutex_destroy;
    cnd_init => cnd_init_noted;
    cnd_destroy => condition_destroy;
    cnd_wait => condition_wait;
    cnd_timedwait => cnd_timed_wait;
    cnd_signal => condition_signal;
    cnd_broadcast => condition_broadcast;
}

/// Who yields notes that as others do, except in a search that looks whether a task has called
/// anything: others do not notice that it has yielded.
macro_rules! yields {
    ($($name:ident)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                "cmp byte ptr [rip + {is_search}], 0",
                "jne 2f",
                "mov rax, [rsp]",
                "mov [rip + {caller}], rax",
                "mov [rip + {frame}], rbp",
                "mov [rip + {stack}], rsp",
                "2:",
                "jmp {target}",
                is_search = sym NOTES_REGISTERS,
                caller = sym CALLER,
                frame = sym FRAME,
                stack = sym STACK,
                target = sym give_way,
            )
        }
    )* };
}
yields! { sched_yield pthread_yield thrd_yield }

extern "C" fn give_way() -> c_int {
    if is_up() {
        sched::give_way();
    }
    0
}

fn until(clock: c_int, time: Time) -> Patience {
    // SAFETY: the program's pointer to a time.
    Patience::Until(unsafe { clock::limit(clock, time) })
}

// ---- mutexes ----

/// The C library's function of an initialiser: it writes what kind of thing it is.
unsafe fn initialise(name: &CStr, at: usize, with: usize) -> c_int {
    let found = real(name);
    if found.is_null() {
        return libc::ENOSYS;
    }
    // SAFETY: these functions have two arguments that are pointers or numbers.
    unsafe { transmute::<*mut c_void, unsafe extern "C" fn(usize, usize) -> c_int>(found)(at, with) }
}

unsafe extern "C" fn mutex_init(mutex: usize, attributes: usize) -> c_int {
    if is_up() {
        mutexes::initialised(mutex);
    }
    // SAFETY: the program's arguments.
    unsafe { initialise(c"pthread_mutex_init", mutex, attributes) }
}

unsafe extern "C" fn mtx_init_noted(mutex: usize, kind: c_int) -> c_int {
    if is_up() {
        mutexes::initialised(mutex);
    }
    // SAFETY: the program's arguments.
    unsafe { initialise(c"mtx_init", mutex, kind as usize) }
}

extern "C" fn mutex_lock(mutex: usize) -> c_int {
    if fortran::is_library(caller()) { 0 } else { mutexes::lock(mutex, Patience::Endless, is_up()) }
}

extern "C" fn mtx_lock_noted(mutex: usize) -> c_int {
    result(mutex_lock(mutex))
}

extern "C" fn mutex_try_lock(mutex: usize) -> c_int {
    mutexes::lock(mutex, Patience::None, is_up())
}

extern "C" fn mtx_try_lock(mutex: usize) -> c_int {
    result(mutex_try_lock(mutex))
}

extern "C" fn mutex_timed_lock(mutex: usize, time: Time) -> c_int {
    mutexes::lock(mutex, until(libc::CLOCK_REALTIME, time), is_up())
}

extern "C" fn mtx_timed_lock(mutex: usize, time: Time) -> c_int {
    result(mutex_timed_lock(mutex, time))
}

extern "C" fn mutex_clock_lock(mutex: usize, clock: c_int, time: Time) -> c_int {
    mutexes::lock(mutex, until(clock, time), is_up())
}

extern "C" fn mutex_unlock(mutex: usize) -> c_int {
    if fortran::is_library(caller()) { 0 } else { mutexes::unlock(mutex, is_up()) }
}

extern "C" fn mtx_unlock_noted(mutex: usize) -> c_int {
    result(mutex_unlock(mutex))
}

extern "C" fn mutex_destroy(mutex: usize) -> c_int {
    mutexes::destroy(mutex, is_up())
}

extern "C" fn mutex_consistent(mutex: usize) -> c_int {
    mutexes::make_consistent(mutex)
}

// ---- spin locks: the program's variable says whether they are free ----

extern "C" fn spin_init(lock: usize, _: c_int) -> c_int {
    if is_up() {
        locks::mutex_destroy(lock);
    }
    0
}

extern "C" fn spin_destroy(lock: usize) -> c_int {
    if is_up() {
        locks::mutex_destroy(lock);
    }
    0
}

extern "C" fn spin_lock(lock: usize) -> c_int {
    locks::mutex_take(lock, Patience::Endless, false)
}

extern "C" fn spin_try_lock(lock: usize) -> c_int {
    locks::mutex_take(lock, Patience::None, false)
}

extern "C" fn spin_unlock(lock: usize) -> c_int {
    locks::mutex_unlock(lock);
    0
}

// ---- reader-writer locks ----

unsafe extern "C" fn rwlock_init(lock: usize, attributes: usize) -> c_int {
    forget(lock);
    // SAFETY: the program's arguments.
    unsafe { initialise(c"pthread_rwlock_init", lock, attributes) }
}

/// Also of what is destroyed.
extern "C" fn forget(monitor: usize) -> c_int {
    if is_up() {
        monitors::forget(monitor);
    }
    0
}

extern "C" fn read_lock(lock: usize) -> c_int {
    monitors::read_lock(lock, Patience::Endless)
}

extern "C" fn write_lock(lock: usize) -> c_int {
    monitors::write_lock(lock, Patience::Endless)
}

extern "C" fn try_read_lock(lock: usize) -> c_int {
    busy(monitors::read_lock(lock, Patience::None))
}

extern "C" fn try_write_lock(lock: usize) -> c_int {
    busy(monitors::write_lock(lock, Patience::None))
}

/// Who only tries is told that the lock is held, whoever holds it.
fn busy(error: c_int) -> c_int {
    if error == libc::EDEADLK { libc::EBUSY } else { error }
}

extern "C" fn timed_read_lock(lock: usize, time: Time) -> c_int {
    monitors::read_lock(lock, until(libc::CLOCK_REALTIME, time))
}

extern "C" fn timed_write_lock(lock: usize, time: Time) -> c_int {
    monitors::write_lock(lock, until(libc::CLOCK_REALTIME, time))
}

extern "C" fn clock_read_lock(lock: usize, clock: c_int, time: Time) -> c_int {
    monitors::read_lock(lock, until(clock, time))
}

extern "C" fn clock_write_lock(lock: usize, clock: c_int, time: Time) -> c_int {
    monitors::write_lock(lock, until(clock, time))
}

extern "C" fn rwlock_unlock(lock: usize) -> c_int {
    monitors::unlock(lock)
}

// ---- condition variables ----

/// The bit by which the C library marks a condition variable whose limits are of the monotonic
/// clock, and where.
const MONOTONIC: u32 = 2;
const FLAGS: usize = 36;

unsafe extern "C" fn condition_init(condition: usize, attributes: usize) -> c_int {
    forget(condition);
    // SAFETY: the program's arguments.
    unsafe { initialise(c"pthread_cond_init", condition, attributes) }
}

unsafe extern "C" fn cnd_init_noted(condition: usize) -> c_int {
    // SAFETY: the program's argument.
    unsafe { condition_init(condition, 0) }
}

extern "C" fn condition_destroy(condition: usize) -> c_int {
    if is_up() {
        monitors::destroy_condition(condition);
    }
    0
}

/// Waits at a condition variable, which is a cancellation point.
fn wait(condition: usize, mutex: usize, limit: Option<(c_int, Time)>) -> c_int {
    threads::test_cancel();
    // SAFETY: the program's pointer to a time.
    let limit = limit.map(|(clock, time)| unsafe { clock::limit(clock, time) });
    let error = monitors::wait_at(condition, mutex, limit);
    threads::test_cancel();
    error
}

extern "C-unwind" fn condition_wait(condition: usize, mutex: usize) -> c_int {
    wait(condition, mutex, None)
}

extern "C-unwind" fn condition_timed_wait(condition: usize, mutex: usize, time: Time) -> c_int {
    // SAFETY: the program's condition variable, as the C library has initialised it.
    let flags = unsafe { ((condition + FLAGS) as *const u32).read() };
    let clock = if flags & MONOTONIC != 0 { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME };
    wait(condition, mutex, Some((clock, time)))
}

extern "C-unwind" fn cnd_timed_wait(condition: usize, mutex: usize, time: Time) -> c_int {
    result(wait(condition, mutex, Some((libc::CLOCK_REALTIME, time))))
}

extern "C-unwind" fn condition_clock_wait(condition: usize, mutex: usize, clock: c_int, time: Time) -> c_int {
    wait(condition, mutex, Some((clock, time)))
}

extern "C" fn condition_signal(condition: usize) -> c_int {
    if is_up() {
        monitors::notify(condition, false);
    }
    0
}

extern "C" fn condition_broadcast(condition: usize) -> c_int {
    if is_up() {
        monitors::notify(condition, true);
    }
    0
}

// ---- barriers ----

extern "C" fn barrier_init(barrier: usize, _: usize, count: c_uint) -> c_int {
    if count == 0 || count > i32::MAX as c_uint {
        return libc::EINVAL;
    }
    monitors::set_barrier(barrier, count as usize);
    0
}

extern "C" fn barrier_destroy(barrier: usize) -> c_int {
    monitors::destroy_barrier(barrier);
    0
}

extern "C" fn barrier_wait(barrier: usize) -> c_int {
    if monitors::arrive(barrier, true) { libc::PTHREAD_BARRIER_SERIAL_THREAD } else { 0 }
}

/// The pass calls this where the program does not use the result.
extern "C" fn barrier_meet(barrier: usize) -> c_int {
    monitors::arrive(barrier, false);
    0
}

// ---- semaphores ----

/// Sets `errno`.
fn failed(error: c_int) -> c_int {
    if error == 0 {
        return 0;
    }
    // SAFETY: the running thread's own variable.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// A semaphore that the program has not initialised here, but opened: the C library has its value.
fn know(semaphore: usize) {
    if !monitors::has_semaphore(semaphore) {
        type GetValue = unsafe extern "C" fn(usize, *mut c_int) -> c_int;
        let (found, mut value) = (real(c"sem_getvalue"), 0);
        if !found.is_null() {
            // SAFETY: that is the type of the function of this name, and the program passes a
            // semaphore.
            unsafe { transmute::<*mut c_void, GetValue>(found)(semaphore, &mut value) };
        }
        monitors::set_semaphore(semaphore, value.max(0) as u64);
    }
}

unsafe extern "C" fn semaphore_init(semaphore: usize, shared: c_int, value: c_uint) -> c_int {
    if value > i32::MAX as c_uint {
        return failed(libc::EINVAL);
    }
    type Init = unsafe extern "C" fn(usize, c_int, c_uint) -> c_int;
    let found = real(c"sem_init");
    if !found.is_null() {
        // SAFETY: that is the type of the function of this name; the arguments are the program's.
        unsafe { transmute::<*mut c_void, Init>(found)(semaphore, shared, value) };
    }
    monitors::set_semaphore(semaphore, u64::from(value));
    0
}

fn take(semaphore: usize, patience: Patience) -> c_int {
    know(semaphore);
    threads::test_cancel();
    let error = monitors::take_token(semaphore, patience);
    threads::test_cancel();
    failed(error)
}

extern "C-unwind" fn semaphore_wait(semaphore: usize) -> c_int {
    take(semaphore, Patience::Endless)
}

extern "C" fn semaphore_try_wait(semaphore: usize) -> c_int {
    know(semaphore);
    match monitors::take_token(semaphore, Patience::None) {
        libc::EBUSY => failed(libc::EAGAIN),
        error => failed(error),
    }
}

extern "C-unwind" fn semaphore_timed_wait(semaphore: usize, time: Time) -> c_int {
    take(semaphore, until(libc::CLOCK_REALTIME, time))
}

extern "C-unwind" fn semaphore_clock_wait(semaphore: usize, clock: c_int, time: Time) -> c_int {
    take(semaphore, until(clock, time))
}

extern "C" fn semaphore_post(semaphore: usize) -> c_int {
    know(semaphore);
    monitors::put_token(semaphore);
    0
}

unsafe extern "C" fn semaphore_value(semaphore: usize, value: *mut c_int) -> c_int {
    know(semaphore);
    // SAFETY: the program's variable, to be written.
    unsafe { *value = monitors::tokens(semaphore) as c_int };
    0
}

// ---- what is done once ----

/// The states of `pthread_once_t`, as the C library has them.
const UNDER_WAY: c_int = 1;
const DONE: c_int = 2;

/// A call of the routine. If that leaves by an exception, it was not called, and the next one calls
/// it. Who comes next comes after the call either way.
struct Call {
    control: *mut c_int,
    /// What is true of the routine when the call is over.
    state: c_int,
}

impl Drop for Call {
    fn drop(&mut self) {
        let at = self.control as usize;
        // SAFETY: the program's variable, which `once` was called with.
        unsafe { self.control.write_volatile(self.state) };
        atomics::released(at);
        waits::notify(at);
    }
}

/// Calls the routine, unless that was done. Who calls it is the schedule's choice, so an order that
/// this adds holds in the observed schedule only.
unsafe extern "C-unwind" fn once(control: *mut c_int, routine: unsafe extern "C-unwind" fn()) -> c_int {
    let at = control as usize;
    // SAFETY: the program's variable.
    let state = || unsafe { control.read_volatile() } & 3;
    let look = || if state() == 0 { AccessKind::Write } else { AccessKind::Read };
    waits::until_as(What::Once, at, None, look, || state() != UNDER_WAY);
    // It could not have gone on before a call that is over.
    explorer::join_last(WaitEvent::of(at));
    // What a library of the system guards so is of code that is not instrumented, and so are the
    // accesses that this orders.
    if !coverage::is_of_system(at) {
        atomics::acquired_by_schedule(at);
    }
    if state() == DONE {
        return 0;
    }
    let mut call = Call { control, state: 0 };
    // SAFETY: the program's variable, which only its `once` functions write, and its routine, which
    // it passes to be called.
    unsafe {
        control.write_volatile(UNDER_WAY);
        routine();
    }
    call.state = DONE;
    0
}

unsafe extern "C-unwind" fn once_c11(control: *mut c_int, routine: unsafe extern "C-unwind" fn()) {
    // SAFETY: the program's arguments.
    unsafe { once(control, routine) };
}

// ---- guards of local statics ----

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
