//! Functions of Rust's standard library in whose place the linker has the program call us
//! (`crates/cli/src/cargo/standard.rs`): [`standard`] says what they do.
//!
//! Rust's calling convention is that of C for these arguments: pointers and numbers, and durations
//! as two numbers. The sixth argument is the library's function: of two that park, the one with a
//! limit.

use super::is_up;
use crate::abi::entry::entry;
use crate::tasks::waits::{self, What};
use crate::tasks::{monitors, sched, standard};
use std::time::{Duration, Instant};

entry! {
    __raceproof_std_park => park;
    __raceproof_std_park_timeout => park_timeout;
    __raceproof_std_thread_park => thread_park;
    __raceproof_std_thread_park_timeout => thread_park_timeout;
    __raceproof_std_scope_enter => scope_enter;
    __raceproof_std_scope_leave => scope_leave;
    __raceproof_std_barrier_wait => barrier_wait;
    __raceproof_std_mutex_lock => mutex_lock;
    __raceproof_std_rwlock_lock => rwlock_lock;
    __raceproof_std_stream_lock => stream_lock;
    __raceproof_std_condition_wait => condition_wait;
    __raceproof_std_condition_wait_timeout => condition_wait_timeout;
    __raceproof_std_condition_notify_one => condition_notify_one;
    __raceproof_std_condition_notify_all => condition_notify_all;
}

/// The library's function, with the most arguments that one of them has.
type Real = extern "C-unwind" fn(usize, usize, usize, usize) -> usize;

/// Whether it is a task that calls.
fn is_task() -> bool {
    is_up() && sched::job().is_some()
}

/// A duration as it is passed.
type Seconds = u64;
type Nanoseconds = u32;

/// No duration is longer.
const EVER: (usize, usize) = (usize::MAX, 999_999_999);

fn limit(seconds: Seconds, nanoseconds: Nanoseconds) -> Option<Instant> {
    waits::after(Duration::new(seconds, nanoseconds))
}

// ---- parking: by the running thread's handle, or without ----

extern "C-unwind" fn park(_: usize, _: usize, _: usize, _: usize, _: usize, real: Real) {
    if !is_task() {
        real(EVER.0, EVER.1, 0, 0);
        return;
    }
    standard::park(
        || {
            real(0, 0, 0, 0);
        },
        None,
    );
}

extern "C-unwind" fn park_timeout(
    seconds: Seconds,
    nanoseconds: Nanoseconds,
    _: usize,
    _: usize,
    _: usize,
    real: Real,
) {
    if !is_task() {
        real(seconds as usize, nanoseconds as usize, 0, 0);
        return;
    }
    standard::park(
        || {
            real(0, 0, 0, 0);
        },
        limit(seconds, nanoseconds),
    );
}

extern "C-unwind" fn thread_park(thread: usize, _: usize, _: usize, _: usize, _: usize, real: Real) {
    if !is_task() {
        real(thread, EVER.0, EVER.1, 0);
        return;
    }
    standard::park(
        || {
            real(thread, 0, 0, 0);
        },
        None,
    );
}

extern "C-unwind" fn thread_park_timeout(
    thread: usize,
    seconds: Seconds,
    nanoseconds: Nanoseconds,
    _: usize,
    _: usize,
    real: Real,
) {
    if !is_task() {
        real(thread, seconds as usize, nanoseconds as usize, 0);
        return;
    }
    standard::park(
        || {
            real(thread, 0, 0, 0);
        },
        limit(seconds, nanoseconds),
    );
}

// ---- scopes ----

extern "C-unwind" fn scope_enter(scope: usize, _: usize, _: usize, _: usize, _: usize, real: Real) {
    let begin = || {
        real(scope, 0, 0, 0);
    };
    if is_task() { standard::enter_scope(scope, begin) } else { begin() }
}

extern "C-unwind" fn scope_leave(
    scope: usize,
    has_panicked: usize,
    _: usize,
    _: usize,
    _: usize,
    real: Real,
) {
    if is_task() {
        standard::leave_scope(scope);
    }
    real(scope, has_panicked, 0, 0);
}

// ---- barriers and locks ----

extern "C-unwind" fn barrier_wait(
    barrier: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    real: Real,
) -> usize {
    if !is_task() {
        return real(barrier, 0, 0, 0);
    }
    let phase = standard::come(barrier);
    let is_leader = standard::inside(What::Barrier, barrier, || real(barrier, 0, 0, 0));
    standard::leave(barrier, phase);
    is_leader
}

extern "C-unwind" fn mutex_lock(mutex: usize, _: usize, _: usize, _: usize, _: usize, real: Real) {
    if is_task() {
        standard::lock(mutex, true);
    } else {
        real(mutex, 0, 0, 0);
    }
}

extern "C-unwind" fn rwlock_lock(lock: usize, _: usize, _: usize, _: usize, _: usize, real: Real) {
    if is_task() {
        standard::inside(What::RwLock, lock, || real(lock, 0, 0, 0));
    } else {
        real(lock, 0, 0, 0);
    }
}

/// What is returned in two registers.
#[repr(C)]
struct Pair(usize, usize);

extern "C-unwind" fn stream_lock(
    stream: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    real: extern "C-unwind" fn(usize) -> Pair,
) -> Pair {
    let guard = real(stream);
    if is_task() {
        standard::locked_stream(guard.0);
    }
    guard
}

// ---- condition variables ----

extern "C-unwind" fn condition_wait(
    condition: usize,
    mutex: usize,
    _: usize,
    _: usize,
    _: usize,
    real: Real,
) {
    if is_task() {
        standard::wait(condition, mutex, None);
    } else {
        real(condition, mutex, 0, 0);
    }
}

extern "C-unwind" fn condition_wait_timeout(
    condition: usize,
    mutex: usize,
    seconds: Seconds,
    nanoseconds: Nanoseconds,
    _: usize,
    real: Real,
) -> usize {
    if !is_task() {
        return real(condition, mutex, seconds as usize, nanoseconds as usize);
    }
    standard::wait(condition, mutex, Some(limit(seconds, nanoseconds))).into()
}

extern "C-unwind" fn condition_notify_one(
    condition: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    real: Real,
) {
    if is_task() {
        monitors::notify(condition, false);
    } else {
        real(condition, 0, 0, 0);
    }
}

extern "C-unwind" fn condition_notify_all(
    condition: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    real: Real,
) {
    if is_task() {
        monitors::notify(condition, true);
    } else {
        real(condition, 0, 0, 0);
    }
}
