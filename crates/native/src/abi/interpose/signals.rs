//! Signals: handlers of the program, threads that wait for signals, and signals for one thread.
//!
//! One OS thread runs all virtual threads, so the system knows neither which of them a signal is for nor
//! which of them waits for it:
//!
//! - `sigwait` and its like, `pause` and `sigsuspend` let the others go on, as other calls that wait in
//!   the system do ([`descriptors`](super::descriptors)).
//! - A handler of the program runs through [`dispatch`], which notes that one has run, so that the calls
//!   that a handler interrupts return `EINTR`: those of the thread that `pthread_kill` names, or those of
//!   `main`, by which the system prefers to handle what is for the process.
//! - `pthread_kill` has another thread that sleeps wake up and handle the signal itself.
//!
//! A mask of signals is that of all threads.

use super::descriptors::is_in_search;
use super::syscall::answer;
use super::threads::duration;
use crate::abi::is_up;
use crate::process::{self, system_call};
use crate::tasks::{explorer, threads, waits};
use raceproof_core::event::AccessKind;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// As the kernel has a set of signals.
const SIZE: usize = 8;
/// To a search, what all signals go through: no variable is there.
const SIGNALS: usize = 24;

/// What the program has installed.
struct Installed {
    handler: AtomicUsize,
    flags: AtomicUsize,
}

static INSTALLED: [Installed; 65] =
    [const { Installed { handler: AtomicUsize::new(0), flags: AtomicUsize::new(0) } }; 65];

/// Those by which code fails, and is to be handled where it does.
const FAULTS: [c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT];

/// Calls the program's handler.
extern "C-unwind" fn dispatch(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Installed { handler, flags } = &INSTALLED[signal as usize];
    let (handler, flags) = (handler.load(Ordering::Relaxed), flags.load(Ordering::Relaxed) as c_int);
    threads::signals::handled(flags & libc::SA_RESTART != 0);
    // SAFETY: the program has installed it as a handler of this form.
    unsafe {
        if flags & libc::SA_SIGINFO != 0 {
            let handler: extern "C-unwind" fn(c_int, *mut libc::siginfo_t, *mut c_void) = transmute(handler);
            handler(signal, info, context);
        } else {
            let handler: extern "C-unwind" fn(c_int) = transmute(handler);
            handler(signal);
        }
    }
}

/// # Safety
/// As `sigaction`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let is_known = (1..INSTALLED.len() as c_int).contains(&signal) && !FAULTS.contains(&signal);
    // SAFETY: the caller's promise: null, or the program's variable.
    let Some(mut wanted) = unsafe { new.as_ref() }.copied().filter(|_| is_known) else {
        // SAFETY: as above.
        let error = unsafe { process::sigaction(signal, new, old) };
        if error == 0 && is_known {
            // SAFETY: as above.
            unsafe { old.as_mut() }.map(reveal(signal));
        }
        return error;
    };
    let is_handler = !matches!(wanted.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
    let (handler, flags) = (wanted.sa_sigaction, wanted.sa_flags);
    if is_handler {
        wanted.sa_sigaction = dispatch as *const () as usize;
        wanted.sa_flags |= libc::SA_SIGINFO;
    }
    // SAFETY: a value that is zero throughout is one; it is written before it is read.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: documented uses, on values that live here.
    let error = unsafe { process::sigaction(signal, &wanted, &mut before) };
    if error == 0 {
        reveal(signal)(&mut before);
        if is_handler {
            let installed = &INSTALLED[signal as usize];
            installed.handler.store(handler, Ordering::Relaxed);
            installed.flags.store(flags as usize, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise: null, or the program's variable.
        if let Some(old) = unsafe { old.as_mut() } {
            *old = before;
        }
    }
    error
}

/// Shows the program its own handler in place of ours.
fn reveal(signal: c_int) -> impl Fn(&mut libc::sigaction) {
    move |action| {
        if action.sa_sigaction == dispatch as *const () as usize {
            let Installed { handler, flags } = &INSTALLED[signal as usize];
            action.sa_sigaction = handler.load(Ordering::Relaxed);
            action.sa_flags = flags.load(Ordering::Relaxed) as c_int;
        }
    }
}

/// # Safety
/// As `signal`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn signal(number: c_int, handler: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: documented uses, on values that live here; the handler is the caller's promise.
    unsafe {
        let (mut new, mut old): (libc::sigaction, libc::sigaction) = std::mem::zeroed();
        new.sa_sigaction = handler;
        new.sa_flags = libc::SA_RESTART;
        libc::sigaddset(&mut new.sa_mask, number);
        if sigaction(number, &new, &mut old) == 0 { old.sa_sigaction } else { libc::SIG_ERR }
    }
}

// ---- waiting for signals ----

/// Takes a signal of the set that is pending; the error if there is none.
fn take(set: usize, info: usize, time: Option<libc::timespec>) -> i64 {
    let time = time.as_ref().map_or(0, |time| std::ptr::from_ref(time) as usize);
    system_call(libc::SYS_rt_sigtimedwait, [set, info, time, SIZE, 0, 0])
}

const NOW: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 0 };

/// Waits for a signal of the set: its number, or the error.
fn wait_for(set: usize, info: usize, time: Option<libc::timespec>) -> i64 {
    if !(is_up() && waits::has_others()) {
        return take(set, info, time);
    }
    threads::test_cancel();
    crate::detect::detector().exclusive = true;
    let limit = match &time {
        Some(time) => match duration(time) {
            Some(time) => waits::after(time),
            None => return -i64::from(libc::EINVAL),
        },
        None => None,
    };
    let mut result = 0;
    let mut is_so = || {
        result = take(set, info, Some(NOW));
        result != -i64::from(libc::EAGAIN)
    };
    if waits::until_outside(Some(SIGNALS), limit, &mut is_so) || time.is_some() {
        // Who has sent it did so before.
        crate::tasks::atomics::acquired(SIGNALS);
        return result;
    }
    take(set, info, time)
}

/// # Safety
/// As `sigwait`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn sigwait(set: usize, signal: *mut c_int) -> c_int {
    loop {
        let result = wait_for(set, 0, None);
        if result == -i64::from(libc::EINTR) {
            continue;
        }
        if result < 0 {
            return -result as c_int;
        }
        // SAFETY: the caller's promise.
        unsafe { *signal = result as c_int };
        return 0;
    }
}

/// # Safety
/// As `sigwaitinfo`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn sigwaitinfo(set: usize, info: usize) -> c_int {
    answer(wait_for(set, info, None)) as c_int
}

/// # Safety
/// As `sigtimedwait`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn sigtimedwait(set: usize, info: usize, time: *const libc::timespec) -> c_int {
    // SAFETY: the caller's promise: null, or the program's variable.
    answer(wait_for(set, info, unsafe { time.as_ref() }.copied())) as c_int
}

/// Waits until a handler has run; then `EINTR`.
fn until_handled(in_system: impl Fn() -> i64) -> c_int {
    if is_up() && waits::has_others() {
        threads::test_cancel();
        let before = threads::signals::of_own().any;
        let is_so = || threads::signals::of_own().any != before;
        if waits::until_outside(Some(SIGNALS), None, is_so) {
            return answer(-i64::from(libc::EINTR)) as c_int;
        }
    }
    answer(in_system()) as c_int
}

#[unsafe(no_mangle)]
pub extern "C-unwind" fn pause() -> c_int {
    until_handled(|| system_call(libc::SYS_pause, [0; 6]))
}

/// # Safety
/// As `sigsuspend`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn sigsuspend(set: usize) -> c_int {
    let mask = |new: usize, old: usize| {
        system_call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as usize, new, old, SIZE, 0, 0])
    };
    let mut before = 0u64;
    // A handler may run as soon as the mask is that of the call.
    let handled = threads::signals::of_own().any;
    mask(set, &raw mut before as usize);
    let result = match threads::signals::of_own().any != handled {
        true => answer(-i64::from(libc::EINTR)) as c_int,
        false => until_handled(|| system_call(libc::SYS_rt_sigsuspend, [set, SIZE, 0, 0, 0, 0])),
    };
    mask(&raw const before as usize, 0);
    result
}

// ---- sending signals ----

/// Has the running task send a signal; what waits for signals looks again.
fn send(how: impl FnOnce() -> i64) -> i64 {
    if is_up() {
        if is_in_search() {
            explorer::atomic(SIGNALS, 1, AccessKind::Write, process::call_site::caller());
        }
        crate::detect::detector().exclusive |= waits::has_others();
        crate::tasks::atomics::released_more(SIGNALS);
    }
    let result = how();
    if is_in_search() {
        waits::notify(SIGNALS);
    }
    result
}

#[unsafe(no_mangle)]
pub extern "C" fn kill(process: c_int, signal: c_int) -> c_int {
    answer(send(|| system_call(libc::SYS_kill, [process as usize, signal as usize, 0, 0, 0, 0]))) as c_int
}

/// A signal for a thread: there is one OS thread to take it. Another thread that the program has a
/// handler for it in takes it when it next runs.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_kill(handle: usize, signal: c_int) -> c_int {
    if is_up() && !threads::is_thread(handle) {
        return libc::ESRCH;
    }
    if signal == 0 {
        return 0;
    }
    let raised = send(|| {
        // SAFETY: a value that is zero throughout is one; written by the call.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: a documented use.
        unsafe { process::sigaction(signal, std::ptr::null(), &mut action) };
        let is_handled = action.sa_sigaction == dispatch as *const () as usize;
        if is_handled && is_up() && handle != threads::own() && threads::signals::leave(handle, signal) {
            return 0;
        }
        threads::signals::raise(signal)
    });
    if raised == 0 { 0 } else { libc::EINVAL }
}

/// Whether the call that the running task waits in returns because a handler has run, which did so
/// after `before` was asked for.
pub(super) fn is_interrupted(before: threads::signals::Handled) -> bool {
    threads::signals::of_own().without_restart != before.without_restart
}

/// The time that is left until a limit.
pub(super) fn left(limit: Instant) -> libc::timespec {
    let left = limit.saturating_duration_since(Instant::now());
    libc::timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() }
}
