//! Which thread a handler of the program has run for: its calls that wait in the system return.

use super::{own, threads};
use crate::process;
use crate::tasks::{sched, waits};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// How many handlers have run: all, and those after which calls are not restarted.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Handled {
    pub(crate) any: u64,
    pub(crate) without_restart: u64,
}

/// Of `main`, which what is for the process counts for.
static ANY: AtomicU64 = AtomicU64::new(0);
static WITHOUT_RESTART: AtomicU64 = AtomicU64::new(0);

/// The thread that raises what was left for it; zero: none.
static TARGET: AtomicUsize = AtomicUsize::new(0);
/// And how many of its handlers have run meanwhile.
static OF_TARGET: AtomicU64 = AtomicU64::new(0);
static OF_TARGET_WITHOUT_RESTART: AtomicU64 = AtomicU64::new(0);

/// A handler has run that sleeping threads have not looked for.
static HAS_COME: AtomicBool = AtomicBool::new(false);

/// A handler begins. Called by the handler, at any moment.
pub(crate) fn handled(restarts: bool) {
    let is_targeted = TARGET.load(Ordering::Relaxed) != 0;
    let (any, without) = match is_targeted {
        true => (&OF_TARGET, &OF_TARGET_WITHOUT_RESTART),
        false => (&ANY, &WITHOUT_RESTART),
    };
    any.fetch_add(1, Ordering::Relaxed);
    without.fetch_add(u64::from(!restarts), Ordering::Relaxed);
    HAS_COME.store(true, Ordering::Relaxed);
}

/// Whether a handler has run since this was asked last: those who sleep look again.
pub(crate) fn take_arrival() -> bool {
    HAS_COME.load(Ordering::Relaxed) && HAS_COME.swap(false, Ordering::Relaxed)
}

/// The handlers that have run for the running thread.
pub(crate) fn of_own() -> Handled {
    let handle = own();
    if handle == process::state().threads.base(0) {
        let without_restart = WITHOUT_RESTART.load(Ordering::Relaxed);
        return Handled { any: ANY.load(Ordering::Relaxed), without_restart };
    }
    threads().all.get(&handle).map_or(Handled::default(), |thread| thread.handled)
}

/// Leaves a signal for another thread, which raises it when it next runs; false if that is `main`, or it
/// has ended.
pub(crate) fn leave(handle: usize, signal: c_int) -> bool {
    let Some(thread) = threads().all.get_mut(&handle).filter(|thread| !thread.job.is_null()) else {
        return false;
    };
    thread.signals.push(signal);
    // SAFETY: the job of a thread that has not ended.
    let sleeps = unsafe { &*thread.job }.sleeps;
    waits::interrupt(sleeps);
    true
}

/// Sends the running OS thread a signal.
pub(crate) fn raise(signal: c_int) -> i64 {
    let number = |call| process::system_call(call, [0; 6]) as usize;
    let (process, thread) = (number(libc::SYS_getpid), number(libc::SYS_gettid));
    process::system_call(libc::SYS_tgkill, [process, thread, signal as usize, 0, 0, 0])
}

/// The running thread handles what was left for it.
#[inline]
pub(crate) fn raise_left() {
    if sched::job().is_some_and(|job| job.started != 0) && !threads().all.is_empty() {
        raise_all();
    }
}

fn raise_all() {
    let handle = own();
    let Some(thread) = threads().all.get_mut(&handle).filter(|thread| !thread.signals.is_empty()) else {
        return;
    };
    for signal in std::mem::take(&mut thread.signals) {
        TARGET.store(handle, Ordering::Relaxed);
        let [any, without] = [&OF_TARGET, &OF_TARGET_WITHOUT_RESTART];
        any.store(0, Ordering::Relaxed);
        without.store(0, Ordering::Relaxed);
        raise(signal);
        TARGET.store(0, Ordering::Relaxed);
        if let Some(thread) = threads().all.get_mut(&handle) {
            thread.handled.any += any.load(Ordering::Relaxed);
            thread.handled.without_restart += without.load(Ordering::Relaxed);
        }
    }
}
