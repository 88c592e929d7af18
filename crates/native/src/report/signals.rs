//! Being interrupted: by the user, who then gets what is known so far, and by ourselves, when a
//! task runs long.
//!
//! A task that waits for another by looking at a variable, without anything that says so, would
//! wait for ever: all tasks run on one OS thread. So after some time of its own, without anything a
//! task can wait by, a running task is made to let the others go first, at its next access. (Such a
//! program has a race; it should be reported, not hang.) And a signal that ends the program can
//! come at any moment, also in the middle of our own work: what has to be done is done at the next
//! access too, or when the program next asks the scheduler for something. A handler only notes it.
//! Whoever waits in the system is woken; code that is not instrumented gets some seconds.
//!
//! How an access notices: the handler makes every number of an access smaller than the first of the
//! running step, so that the fast paths fail and the detector is asked.

use crate::detect::now;
use crate::process::{self, channel};
use crate::report::{self, state};
use raceproof::remote::TOO_LONG;
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Something is to be done at the next access.
pub(crate) static PENDING: AtomicBool = AtomicBool::new(false);
/// The running task's share of time is over.
pub(crate) static PREEMPT: AtomicBool = AtomicBool::new(false);
/// The signal that ends the program, and whether it came before.
static ENDING: AtomicI32 = AtomicI32::new(0);
/// This execution of a search has taken too long.
static LATE: AtomicBool = AtomicBool::new(false);
/// One of the two.
static ENDS: AtomicBool = AtomicBool::new(false);

/// Seconds of its own that a task gets before others go first.
const SHARE: i64 = 1;
/// Seconds until an ending that no access has noticed is forced.
const PATIENCE: u32 = 2;
/// Seconds that the end may take when it was forced.
const LAST: u32 = 30;

/// The signals by which the program is asked to end, and the one of the share of time.
const ASKED: [c_int; 4] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGVTALRM];

/// The others that end a program unless it handles them, crashes aside. A program that `raceproof
/// run` watches is left to them: what was found is known there.
const OTHERS: [c_int; 13] = [
    libc::SIGQUIT,
    libc::SIGTRAP,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGSTKFLT,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSYS,
];

fn action_of(signal: c_int) -> libc::sighandler_t {
    // SAFETY: a documented use, on a value that lives here.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        process::sigaction(signal, std::ptr::null(), &mut action);
        action.sa_sigaction
    }
}

/// Whether the program handles a signal itself, crashes aside.
pub(crate) fn are_handled_by_program() -> bool {
    let ours = [libc::SIG_DFL, libc::SIG_IGN, handle as *const () as usize, late as *const () as usize];
    let others = [libc::SIGCHLD, libc::SIGURG, libc::SIGWINCH, libc::SIGCONT, libc::SIGTSTP, libc::SIGALRM];
    let signals = ASKED.into_iter().chain(OTHERS).chain(others).chain(libc::SIGRTMIN()..=libc::SIGRTMAX());
    signals.into_iter().any(|signal| !ours.contains(&action_of(signal)))
}

/// A child of the process has nothing to report.
pub(crate) fn uninstall() {
    for signal in ASKED.into_iter().chain(OTHERS) {
        if action_of(signal) == handle as *const () as usize {
            // SAFETY: back to what the system does.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

pub(crate) fn install() {
    let others = if channel::is_on() { &[][..] } else { &OTHERS };
    for &signal in ASKED.iter().chain(others) {
        // What the program's starter chose to ignore stays ignored.
        if action_of(signal) != libc::SIG_DFL {
            continue;
        }
        // Who waits in the system is to go on, and to see that it is over; of the share of time it
        // is to see nothing.
        set(signal, handle, if signal == libc::SIGVTALRM { libc::SA_RESTART } else { 0 });
    }
    wake();
}

/// Shares of time begin. (A child of the process has no timers of its own at first.)
pub(crate) fn wake() {
    share_out(SHARE);
}

/// There are no shares of time.
pub(crate) fn rest() {
    share_out(0);
}

fn share_out(seconds: i64) {
    let share = libc::timeval { tv_sec: seconds, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: share, it_value: share };
    // SAFETY: a documented use, on a value that lives here.
    unsafe { setitimer(ITIMER_VIRTUAL, &timer, std::ptr::null_mut()) };
}

const ITIMER_REAL: c_int = 0;
const ITIMER_VIRTUAL: c_int = 1;
unsafe extern "C" {
    fn setitimer(which: c_int, new: *const libc::itimerval, old: *mut libc::itimerval) -> c_int;
}

/// Has a function of ours handle a signal.
fn set(signal: c_int, handler: Handler, flags: c_int) {
    // SAFETY: a documented use, on a value that lives here.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = flags | libc::SA_SIGINFO | libc::SA_ONSTACK;
        process::sigaction(signal, &action, std::ptr::null_mut());
    }
}

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Notes what is to be done at the next access, or when the program next asks the scheduler for
/// something. It may have come in the middle of our own work.
extern "C" fn handle(signal: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    match signal {
        libc::SIGVTALRM => PREEMPT.store(true, Ordering::Relaxed),
        // Patience is at an end.
        libc::SIGALRM if ENDING.load(Ordering::Relaxed) != 0 => return give_up(context),
        // `raceproof run` asks again in its own way if the user's terminal has asked before.
        _ if ENDING.swap(signal, Ordering::Relaxed) == signal => return give_up(context),
        _ => {
            set(libc::SIGALRM, handle, 0);
            // SAFETY: a documented use.
            unsafe { libc::alarm(PATIENCE) };
            ENDS.store(true, Ordering::Relaxed);
        }
    }
    note();
}

/// Makes the next access look.
fn note() {
    PENDING.store(true, Ordering::Relaxed);
    now::force_miss();
}

/// Whether a task's share of time is over; asked once.
pub(crate) fn take_preemption() -> bool {
    PREEMPT.swap(false, Ordering::Relaxed)
}

/// Whether a signal ends the program.
pub(crate) fn is_ending() -> bool {
    ENDING.load(Ordering::Relaxed) != 0
}

/// The program has not noticed: it is in code that is not instrumented. If another process knows
/// what was found, it simply ends; if not, it ends as soon as the handler has returned.
fn give_up(context: *mut c_void) {
    let signal = ENDING.load(Ordering::Relaxed);
    if !channel::is_on() {
        return divert(context, end);
    }
    // SAFETY: documented uses. The signal is blocked until its handler returns. It is sent to the
    // process: the C library may take this thread for another.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        // The system call: the function is the program's, and does what a handler must not.
        process::system_call(libc::SYS_kill, [libc::getpid() as usize, signal as usize, 0, 0, 0, 0]);
    }
}

/// Lets the interrupted code go on as a function, once the handler has returned: what needs memory,
/// locks or files must not be done in a handler. What was interrupted may be work of our own, and
/// the function not come to an end; then an alarm ends the process.
fn divert(context: *mut c_void, to: extern "C" fn() -> !) {
    const RED_ZONE: i64 = 128;
    // SAFETY: documented uses; the system passes the registers, which it sets when the handler
    // returns. The function finds the stack as if it had been called.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(LAST);
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let stack = &mut registers[libc::REG_RSP as usize];
        *stack = ((*stack - RED_ZONE) & !15) - 8;
        registers[libc::REG_RIP as usize] = to as *const () as i64;
    }
}

/// Ends the program, if that is wanted. The caller is a task, in the middle of nothing.
#[inline]
pub(crate) fn check() {
    if ENDS.load(Ordering::Relaxed) {
        ends();
    }
}

#[cold]
fn ends() {
    if LATE.load(Ordering::Relaxed) {
        too_late();
    }
    if !state().found.is_done() {
        end();
    }
}

/// Reports, and ends by the signal that came.
extern "C" fn end() -> ! {
    let signal = ENDING.load(Ordering::Relaxed);
    // SAFETY: the system's text for a signal it knows.
    let text = unsafe { CStr::from_ptr(libc::strsignal(signal)) }.to_string_lossy();
    report::limit(&format!("the run was ended by a signal ({text}): what comes after that is not known"));
    report::finish();
    process::state().threads.switch(0);
    // SAFETY: the signal gets the handling that it would have had without the runtime, and is
    // unblocked: the process ends by it. In its handler it is blocked.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        let mut signals = std::mem::zeroed();
        libc::sigemptyset(&mut signals);
        libc::sigaddset(&mut signals, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &signals, std::ptr::null_mut());
        libc::raise(signal);
        libc::_exit(128 + signal)
    }
}

/// The program ends by itself. If a signal came that would have ended it before, it ends by that.
pub(crate) fn end_if_asked() {
    if ENDING.load(Ordering::Relaxed) != 0 && !report::is_search() && !state().found.is_done() {
        end();
    }
}

/// This is an execution of a search: every access that is not the running step's again is looked
/// at, and after so many seconds it is over.
pub(crate) fn explore(seconds: f64) {
    PENDING.store(true, Ordering::Relaxed);
    let whole = libc::timeval { tv_sec: seconds as i64, tv_usec: (seconds.fract() * 1e6) as i64 + 1 };
    let timer = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: whole };
    // SAFETY: documented uses, on values that live here.
    unsafe {
        set(libc::SIGALRM, late, libc::SA_NODEFER);
        setitimer(ITIMER_REAL, &timer, std::ptr::null_mut());
    }
}

/// The execution has taken too long: notes it, and if nobody has noticed after some more time, has
/// it noticed.
extern "C" fn late(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    if LATE.swap(true, Ordering::Relaxed) {
        return divert(context, too_late);
    }
    ENDS.store(true, Ordering::Relaxed);
    note();
    // SAFETY: a documented use.
    unsafe { libc::alarm(PATIENCE) };
}

/// Answers with what is known.
extern "C" fn too_late() -> ! {
    report::limit(TOO_LONG);
    report::finish();
    process::end(0)
}
