//! Waiting in Rust's standard library, which calls the system for it: `futex`, through the C
//! library's `syscall`.
//!
//! The standard library is not instrumented. The first attempt at a lock, a cell that is set once
//! or a channel is compiled with the program and observed as an atomic operation; what follows if
//! it fails is not. All of that ends here, where a task that would wait lets others run. A task
//! that has waited comes after what was released at the address before, and one that wakes others
//! releases there, in place of the operations in between, which the runtime cannot observe. What
//! the program calls by name does not end here ([`standard`]).

use crate::detect::detector;
use crate::process;
use crate::process::call_site::caller;
use crate::tasks;
use crate::tasks::atomics::{self, unobserved};
use crate::tasks::explorer::{self, WaitEvent};
use crate::tasks::waits::{self, What};
use crate::tasks::{sched, standard};
use raceproof_core::event::AccessKind;
use std::time::{Duration, Instant};

/// Until when an operation waits.
pub(crate) fn limit(time: libc::timespec, operation: i32) -> Option<Instant> {
    let duration =
        |time: libc::timespec| Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32 % 1_000_000_000);
    let mut left = duration(time);
    if operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) == libc::FUTEX_WAIT_BITSET {
        // The limit is a time of day, or since the system has started.
        let is_of_day = operation & libc::FUTEX_CLOCK_REALTIME != 0;
        let clock = if is_of_day { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC };
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes the time.
        unsafe { libc::clock_gettime(clock, &mut now) };
        left = left.saturating_sub(duration(now));
    }
    waits::after(left)
}

/// How many tasks wait at an address, and how many of them were woken and have not resumed yet.
#[derive(Default)]
pub(crate) struct Waiters {
    waiting: u32,
    woken: u32,
}

/// Waits until another task has changed the word, or wakes this one.
pub(crate) fn wait(address: usize, expected: u32, limit: Option<Option<Instant>>) -> i64 {
    if standard::is_probe(address) {
        return -i64::from(libc::ETIMEDOUT);
    }
    // SAFETY: the program waits for a change of this word, which is there.
    let is_other = || unsafe { (address as *const u32).read_volatile() } != expected;
    if is_other() {
        return -i64::from(libc::EAGAIN);
    }
    waiters(address).waiting += 1;
    let in_time = blocking(|| wait_for(address, limit, || is_other() || waiters(address).woken > 0));
    let here = waiters(address);
    here.waiting -= 1;
    here.woken = here.woken.saturating_sub(1);
    if here.waiting == 0 {
        tasks::state().waiters.remove(&address);
    }
    if !in_time {
        return -i64::from(libc::ETIMEDOUT);
    }
    // The library tries again to take the lock, unseen: an operation on it, among those of others.
    if let Some(lock) = waits::awaited(What::RwLock) {
        explorer::atomic(lock, size_of::<u32>(), AccessKind::Write, caller());
    }
    atomics::acquired(address);
    unobserved::waited();
    0
}

/// The running task does something that may wait, and keeps its thread from other jobs.
pub(super) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    detector().exclusive = true;
    let thread = crate::tasks::omp::thread().virtual_thread;
    tasks::state().workers.blocks(thread, Some(detector().identity()));
    let done = work();
    tasks::state().workers.blocks(thread, None);
    done
}

/// Whether a task waits at an address.
pub(super) fn has_waiters(address: usize) -> bool {
    tasks::state().waiters.contains_key(&address)
}

fn waiters(address: usize) -> &'static mut Waiters {
    tasks::state().waiters.entry(address).or_default()
}

/// Waits for a condition; whether it came true in time.
fn wait_for(address: usize, limit: Option<Option<Instant>>, is_so: impl Fn() -> bool) -> bool {
    let limit = limit.flatten();
    if explorer::is_on() {
        if limit.is_some() && !is_harness() {
            explorer::unexplored("a task waits with a limit on the time");
            return false;
        }
        sched::wait_until("a lock, a channel or a condition", WaitEvent::of(address), is_so);
        return true;
    }
    waits::until(What::Futex, address, limit, is_so)
}

/// Whether the running task is `main` of Rust's test harness. It waits for its test with a limit
/// on the time, after which it prints that the test is slow and waits on.
pub(super) fn is_harness() -> bool {
    process::state().options.harness && crate::tasks::omp::thread().virtual_thread == 0
}

/// Wakes up to so many at an address, and up to so many more that the system would have wait at
/// another address: that is allowed, since whoever waits has to expect to be woken for nothing. Not
/// if the word is expected to have another value.
pub(crate) fn wake_all(address: usize, most: u32, more: u32, expected: Option<u32>) -> i64 {
    // SAFETY: the program passes the address of a word.
    let now = || unsafe { (address as *const u32).read_volatile() };
    if expected.is_some_and(|expected| expected != now()) {
        return -i64::from(libc::EAGAIN);
    }
    wake(address, most.saturating_add(more))
}

/// Changes the word at `second` as the operation says, and wakes up to so many at `first`, and those
/// at `second` if the value that was there compares as the operation says.
pub(crate) fn change_and_wake(
    first: usize,
    most: u32,
    second: usize,
    most_there: u32,
    operation: u32,
) -> i64 {
    // Four bits each, the highest of which says that the argument is the number of a bit, and twelve
    // bits each, with a sign.
    let (change, compare) = (operation >> 28, operation >> 24 & 15);
    let number = |bits: u32| (bits << 20) as i32 >> 20;
    let (mut argument, other) = (number(operation >> 12 & 0xfff), number(operation & 0xfff));
    if change & 8 != 0 {
        argument = 1i32.wrapping_shl(argument as u32);
    }
    let word = second as *mut i32;
    // SAFETY: the program passes the address of a word, to be changed.
    let before = unsafe { word.read_volatile() };
    let after = match change & 7 {
        0 => argument,
        1 => before.wrapping_add(argument),
        2 => before | argument,
        3 => before & !argument,
        4 => before ^ argument,
        _ => return -i64::from(libc::ENOSYS),
    };
    let is_so = match compare {
        0 => before == other,
        1 => before != other,
        2 => before < other,
        3 => before <= other,
        4 => before > other,
        5 => before >= other,
        _ => return -i64::from(libc::ENOSYS),
    };
    // SAFETY: the program passes the address of a word, to be changed. No task has run since it was
    // read.
    unsafe { word.write_volatile(after) };
    wake(first, most) + if is_so { wake(second, most_there) } else { 0 }
}

/// Wakes up to so many; how many there were.
pub(crate) fn wake(address: usize, most: u32) -> i64 {
    detector().exclusive = true;
    atomics::released_more(address);
    let woken = match tasks::state().waiters.get_mut(&address) {
        Some(here) => {
            let woken = most.min(here.waiting - here.woken);
            here.woken += woken;
            woken
        }
        None => 0,
    };
    waits::notify(address);
    woken.into()
}
