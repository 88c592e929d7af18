//! The entry points of threads of the C library, of POSIX and of C11: one line each into
//! [`threads`].

use crate::abi::entry::{CALLER, caller, entry};
use crate::abi::is_up;
use crate::abi::tsan::write_range;
use crate::detect::callers;
use crate::process::{is_shared, real};
use crate::tasks::monitors::Patience;
use crate::tasks::threads::unwind;
use crate::tasks::{sched, threads, waits};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

entry! {
    pthread_create => create;
    pthread_join => join;
    pthread_tryjoin_np => try_join;
    pthread_timedjoin_np => timed_join;
    pthread_clockjoin_np => clock_join;
    pthread_detach => detach;
    thrd_create => create_c11;
    thrd_join => join_c11;
    thrd_detach => detach_c11;
}

/// Where the program asks for it: a library may do so for it.
pub(super) fn site() -> usize {
    if is_shared() { callers::of_program(caller()) } else { caller() }
}

unsafe extern "C" fn create(
    thread: *mut usize,
    attributes: *const libc::pthread_attr_t,
    routine: threads::Routine,
    argument: *mut c_void,
) -> c_int {
    if !is_up() {
        return before_main(thread, attributes, routine, argument);
    }
    let mut state = 0;
    if !attributes.is_null() {
        // SAFETY: the program's attributes; the function reads one of them.
        unsafe { libc_attributes::pthread_attr_getdetachstate(attributes, &mut state) };
    }
    let announce = |handle| {
        write_range(thread as usize, size_of::<usize>(), 0, caller());
        // SAFETY: the program's variable, which the handle is for.
        unsafe { *thread = handle };
    };
    let is_detached = state == libc::PTHREAD_CREATE_DETACHED;
    match threads::create(is_detached, routine, argument, site(), announce) {
        Ok(()) => 0,
        Err(error) => error,
    }
}

mod libc_attributes {
    unsafe extern "C" {
        pub(super) fn pthread_attr_getdetachstate(
            attributes: *const libc::pthread_attr_t,
            state: *mut std::ffi::c_int,
        ) -> std::ffi::c_int;
    }
}

/// A thread of a library's constructor, before the runtime is set up: an OS thread, that runs beside
/// all that is checked.
fn before_main(
    thread: *mut usize,
    attributes: *const libc::pthread_attr_t,
    routine: threads::Routine,
    argument: *mut c_void,
) -> c_int {
    type Create =
        unsafe extern "C" fn(*mut usize, *const libc::pthread_attr_t, threads::Routine, *mut c_void) -> c_int;
    let found = real(c"pthread_create");
    if found.is_null() {
        return libc::EAGAIN;
    }
    // SAFETY: that is the type of the function of this name; the arguments are the program's.
    unsafe { transmute::<*mut c_void, Create>(found)(thread, attributes, routine, argument) }
}

/// A function of C11's threads.
type RoutineC11 = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;

/// Results of C11's functions.
pub(super) mod c11 {
    use std::ffi::c_int;

    const BUSY: c_int = 1;
    const ERROR: c_int = 2;
    const NO_MEMORY: c_int = 3;
    const TIMED_OUT: c_int = 4;

    /// What C11 calls an error of POSIX.
    pub(in super::super) fn result(error: c_int) -> c_int {
        match error {
            0 => 0,
            libc::EBUSY => BUSY,
            libc::ENOMEM | libc::EAGAIN => NO_MEMORY,
            libc::ETIMEDOUT => TIMED_OUT,
            _ => ERROR,
        }
    }
}

unsafe extern "C" fn create_c11(thread: *mut usize, routine: RoutineC11, argument: *mut c_void) -> c_int {
    // SAFETY: a function that returns an `int` leaves it in the register of a pointer; the rest is
    // the program's. `thrd_join` takes the `int` out of it.
    let error = unsafe {
        create(thread, std::ptr::null(), transmute::<RoutineC11, threads::Routine>(routine), argument)
    };
    c11::result(error)
}

/// Joins a thread, and writes what it has returned.
unsafe fn join_into(handle: usize, result: *mut usize, patience: Patience) -> c_int {
    match threads::join(handle, patience) {
        Ok(value) => {
            if !result.is_null() {
                write_range(result as usize, size_of::<usize>(), 0, caller());
                // SAFETY: the program's variable, to be written.
                unsafe { *result = value };
            }
            0
        }
        Err(error) => error,
    }
}

unsafe extern "C-unwind" fn join(handle: usize, result: *mut usize) -> c_int {
    threads::test_cancel();
    if is_up() {
        let site = if is_shared() { site() } else { callers::called_by_program(caller()) };
        CALLER.store(site, Ordering::Relaxed);
    }
    // SAFETY: the program's arguments.
    unsafe { join_into(handle, result, Patience::Endless) }
}

unsafe extern "C" fn try_join(handle: usize, result: *mut usize) -> c_int {
    // SAFETY: the program's arguments: a thread of its own, and where the result goes, or null.
    unsafe { join_into(handle, result, Patience::None) }
}

unsafe extern "C-unwind" fn timed_join(
    handle: usize,
    result: *mut usize,
    limit: *const libc::timespec,
) -> c_int {
    // SAFETY: the caller passes the program's arguments on; the limit is null or the program's.
    unsafe { clock_join(handle, result, libc::CLOCK_REALTIME, limit) }
}

unsafe extern "C-unwind" fn clock_join(
    handle: usize,
    result: *mut usize,
    clock: c_int,
    limit: *const libc::timespec,
) -> c_int {
    threads::test_cancel();
    // SAFETY: the caller's promise: `limit` is the program's, or null, which is no limit.
    unsafe {
        if limit.as_ref().is_some_and(|limit| !(0..1_000_000_000).contains(&limit.tv_nsec)) {
            return libc::EINVAL;
        }
        join_into(handle, result, Patience::Until(super::clock::limit(clock, limit)))
    }
}

unsafe extern "C-unwind" fn join_c11(handle: usize, result: *mut c_int) -> c_int {
    match threads::join(handle, Patience::Endless) {
        Ok(value) => {
            if !result.is_null() {
                write_range(result as usize, size_of::<c_int>(), 0, caller());
                // SAFETY: the program's variable, to be written.
                unsafe { *result = value as c_int };
            }
            0
        }
        Err(error) => c11::result(error),
    }
}

extern "C" fn detach(handle: usize) -> c_int {
    threads::detach(handle)
}

extern "C" fn detach_c11(handle: usize) -> c_int {
    c11::result(threads::detach(handle))
}

/// # Safety
/// As `pthread_exit`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn pthread_exit(value: usize) -> ! {
    // SAFETY: the caller's promise.
    unsafe { unwind::exit(value) }
}

/// # Safety
/// As `thrd_exit`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn thrd_exit(value: c_int) -> ! {
    // SAFETY: the caller's promise.
    unsafe { unwind::exit(value as usize) }
}

// ---- cancellation and cleanup handlers ----

#[unsafe(no_mangle)]
pub extern "C-unwind" fn pthread_cancel(handle: usize) -> c_int {
    let error = threads::cancel(handle);
    if handle == threads::own() && threads::unwinding().is_asynchronous {
        threads::test_cancel();
    }
    error
}

#[unsafe(no_mangle)]
pub extern "C-unwind" fn pthread_testcancel() {
    threads::test_cancel();
}

/// # Safety
/// As `pthread_setcancelstate`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int {
    if !matches!(state, 0 | 1) {
        return libc::EINVAL;
    }
    let unwinding = threads::unwinding();
    let old = std::mem::replace(&mut unwinding.is_disabled, state == 1);
    if !before.is_null() {
        // SAFETY: the caller's promise.
        unsafe { *before = old.into() };
    }
    0
}

/// # Safety
/// As `pthread_setcanceltype`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn pthread_setcanceltype(kind: c_int, before: *mut c_int) -> c_int {
    if !matches!(kind, 0 | 1) {
        return libc::EINVAL;
    }
    let unwinding = threads::unwinding();
    let old = std::mem::replace(&mut unwinding.is_asynchronous, kind == 1);
    if !before.is_null() {
        // SAFETY: the caller's promise.
        unsafe { *before = old.into() };
    }
    if kind == 1 {
        threads::test_cancel();
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn __pthread_register_cancel(buffer: usize) {
    threads::unwinding().push(buffer);
}

#[unsafe(no_mangle)]
pub extern "C" fn __pthread_unregister_cancel(buffer: usize) {
    threads::unwinding().pop(buffer);
}

/// # Safety
/// Called by the C library's macro, at the end of a cleanup handler.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __pthread_unwind_next(_: usize) -> ! {
    // SAFETY: the caller's promise.
    unsafe { unwind::next() }
}

// ---- what is due at the end of a thread ----

type Destructor = unsafe extern "C-unwind" fn(*mut c_void);

/// # Safety
/// Called by the C++ library, or Rust's standard library, for an object of the running thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __cxa_thread_atexit_impl(
    destructor: Destructor,
    object: *mut c_void,
    module: *mut c_void,
) -> c_int {
    if is_up() && threads::at_end(destructor, object) {
        return 0;
    }
    type AtExit = unsafe extern "C" fn(Destructor, *mut c_void, *mut c_void) -> c_int;
    let found = real(c"__cxa_thread_atexit_impl");
    if found.is_null() {
        return -1;
    }
    // SAFETY: that is the type of the function of this name; the rest is the caller's promise.
    unsafe { transmute::<*mut c_void, AtExit>(found)(destructor, object, module) }
}

type Create = unsafe extern "C" fn(*mut u32, Option<Destructor>) -> c_int;

/// Creates a key whose destructor only the runtime knows: the C library would call it for the OS
/// threads that lend their storage.
unsafe fn create_key(key: *mut u32, destructor: Option<Destructor>) -> c_int {
    let found = real(c"pthread_key_create");
    if found.is_null() {
        return libc::EAGAIN;
    }
    if !is_up() {
        // SAFETY: that is the type of the function of this name.
        return unsafe { transmute::<*mut c_void, Create>(found)(key, destructor) };
    }
    // SAFETY: `found` is the function of the C library with that name, which has this type.
    let error = unsafe { transmute::<*mut c_void, Create>(found)(key, None) };
    if error == 0 {
        // SAFETY: the function has written it.
        threads::key_created(unsafe { *key }, destructor);
    }
    error
}

/// # Safety
/// As `pthread_key_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_key_create(key: *mut u32, destructor: Option<Destructor>) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { create_key(key, destructor) }
}

/// # Safety
/// As `tss_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tss_create(key: *mut u32, destructor: Option<Destructor>) -> c_int {
    // SAFETY: the caller's promise.
    c11::result(unsafe { create_key(key, destructor) })
}

fn delete_key(key: u32, name: &CStr) -> c_int {
    if is_up() {
        threads::key_deleted(key);
    }
    type Delete = unsafe extern "C" fn(u32) -> c_int;
    let found = real(name);
    if found.is_null() {
        return libc::EINVAL;
    }
    // SAFETY: that is the type of the function of this name.
    unsafe { transmute::<*mut c_void, Delete>(found)(key) }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_key_delete(key: u32) -> c_int {
    delete_key(key, c"pthread_key_delete")
}

#[unsafe(no_mangle)]
pub extern "C" fn tss_delete(key: u32) {
    delete_key(key, c"pthread_key_delete");
}

// ---- names, and what the system knows of a thread ----

/// The length of a name, with its end.
const NAME: usize = 16;

/// # Safety
/// As `pthread_setname_np`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_setname_np(handle: usize, name: *const c_char) -> c_int {
    // SAFETY: the caller's promise: a string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    if name.len() >= NAME {
        return libc::ERANGE;
    }
    if is_up() {
        threads::set_name(handle, name);
    }
    0
}

/// # Safety
/// As `pthread_getname_np`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getname_np(handle: usize, buffer: *mut c_char, size: usize) -> c_int {
    let own = is_up().then(|| threads::name(handle)).flatten().map(|name| name.as_bytes().to_vec());
    let name = own.unwrap_or_else(|| {
        let name = std::fs::read("/proc/self/comm").unwrap_or_default();
        name.trim_ascii_end().to_vec()
    });
    if size <= name.len() {
        return libc::ERANGE;
    }
    // SAFETY: the caller's promise: room for so many bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(name.as_ptr(), buffer.cast(), name.len());
        *buffer.add(name.len()) = 0;
    }
    0
}

/// # Safety
/// As `prctl`, whose further arguments are passed as they come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prctl(what: c_int, a: usize, b: usize, c: usize, d: usize) -> c_int {
    let is_thread = is_up() && sched::job().is_some_and(|job| job.thread != 0);
    match what {
        libc::PR_SET_NAME if is_thread => {
            // SAFETY: the caller's promise: a string.
            let name = unsafe { CStr::from_ptr(a as *const c_char) }.to_bytes();
            threads::set_name(threads::own(), &name[..name.len().min(NAME - 1)]);
            return 0;
        }
        libc::PR_GET_NAME if is_thread => {
            // SAFETY: the caller's promise: room for a name.
            return unsafe { pthread_getname_np(threads::own(), a as *mut c_char, NAME) };
        }
        _ => {}
    }
    let result = crate::process::system_call(libc::SYS_prctl, [what as usize, a, b, c, d, 0]);
    super::syscall::answer(result) as c_int
}

// ---- time ----

/// Lets the others run until the time has come; whether it has, and no handler has interrupted that.
fn sleep_until(limit: Instant) -> bool {
    threads::test_cancel();
    let before = threads::signals::of_own();
    let is_whole = waits::sleep_until(limit, || threads::signals::of_own() != before);
    threads::test_cancel();
    is_whole
}

/// Whether there may be others that go on meanwhile.
fn has_others() -> bool {
    is_up() && sched::job().is_some() && sched::kernel().tasks().live() > 1
}

pub(super) fn duration(time: &libc::timespec) -> Option<Duration> {
    let is_time = time.tv_sec >= 0 && (0..1_000_000_000).contains(&time.tv_nsec);
    is_time.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// # Safety
/// As `nanosleep`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn nanosleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int {
    // SAFETY: the caller's promise.
    let wanted = unsafe { time.as_ref() }.and_then(duration);
    if has_others()
        && let Some(limit) = wanted.and_then(waits::after)
    {
        if sleep_until(limit) {
            return 0;
        }
        // SAFETY: the caller's promise: null, or the program's variable.
        if let Some(left) = unsafe { left.as_mut() } {
            *left = super::signals::left(limit);
        }
        return super::syscall::answer(-i64::from(libc::EINTR)) as c_int;
    }
    let result = crate::process::system_call(libc::SYS_nanosleep, [time as usize, left as usize, 0, 0, 0, 0]);
    super::syscall::answer(result) as c_int
}

/// # Safety
/// As `clock_nanosleep`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const libc::timespec,
    left: *mut libc::timespec,
) -> c_int {
    if has_others() && !time.is_null() {
        // SAFETY: the caller's promise.
        let limit = match flags & libc::TIMER_ABSTIME {
            // SAFETY: the caller's promise: `time` is the program's.
            0 => unsafe { duration(&*time) }.and_then(waits::after),
            // SAFETY: the caller's promise: `time` is the program's.
            _ => unsafe { super::clock::limit(clock, time) },
        };
        if let Some(limit) = limit {
            if sleep_until(limit) {
                return 0;
            }
            // SAFETY: the caller's promise: null, or the program's variable.
            if let Some(left) = unsafe { left.as_mut() }.filter(|_| flags & libc::TIMER_ABSTIME == 0) {
                *left = super::signals::left(limit);
            }
            return libc::EINTR;
        }
    }
    let arguments = [clock as usize, flags as usize, time as usize, left as usize, 0, 0];
    -crate::process::system_call(libc::SYS_clock_nanosleep, arguments) as c_int
}

#[unsafe(no_mangle)]
pub extern "C-unwind" fn usleep(time: u32) -> c_int {
    let time =
        libc::timespec { tv_sec: i64::from(time / 1_000_000), tv_nsec: i64::from(time % 1_000_000) * 1000 };
    // SAFETY: a value that lives here.
    unsafe { nanosleep(&time, std::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
pub extern "C-unwind" fn sleep(seconds: u32) -> u32 {
    let mut left = libc::timespec { tv_sec: i64::from(seconds), tv_nsec: 0 };
    let time = left;
    // SAFETY: values that live here.
    if unsafe { nanosleep(&time, &mut left) } == 0 { 0 } else { left.tv_sec as u32 }
}

/// # Safety
/// As `thrd_sleep`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn thrd_sleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { nanosleep(time, left) }
}
