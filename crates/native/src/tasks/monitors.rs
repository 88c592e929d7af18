//! What threads wait at beside mutexes: reader-writer locks, condition variables, semaphores,
//! barriers. Each is a small state by its address, and its operations are atomic, since one task
//! runs at a time.
//!
//! A task that cannot go on waits at the address ([`waits`]). In a search every operation, and every
//! look of a task that waits, is an atomic operation on the address, so that the search explores the
//! orders of all of them: who is woken, who comes first, which notification is lost.
//!
//! What an operation comes after, in the order of the detector:
//!
//! - a reader after the last writer, a writer after all readers and writers before it;
//! - a task that takes a semaphore's token after the task that put it, tokens being taken in the
//!   order in which they were put;
//! - whoever leaves a barrier after all who have come to it;
//! - whoever is woken at a condition variable after who has notified it. (The standards allow a
//!   waiter to wake up without a notification, which no schedule here does.)

use crate::detect::detector;
use crate::process::call_site::caller;
use crate::report;
use crate::tasks::explorer;
use crate::tasks::waits::{self, What};
use crate::tasks::{atomics, locks, sched, state};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::SyncId;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_int;
use std::time::Instant;

#[derive(Default)]
pub(crate) struct Monitors(BTreeMap<usize, Monitor>);

enum Monitor {
    RwLock(RwLock),
    Condition(Condition),
    Semaphore(Semaphore),
    Barrier(Barrier),
}

/// Who holds a reader-writer lock, by unique numbers of tasks.
#[derive(Default)]
struct RwLock {
    writer: Option<u64>,
    readers: Vec<u64>,
}

#[derive(Default)]
struct Condition {
    /// Tasks that have come to wait so far, and those of them that have not been woken, by how many
    /// came before them.
    came: u64,
    waiting: Vec<u64>,
    /// Notifications that nobody has taken: each is for one of those that had come before it.
    notified: Vec<u64>,
}

impl Condition {
    /// Whether one that waits may be woken.
    fn takes(&mut self, ticket: u64) -> bool {
        let found = self.notified.iter().position(|&before| ticket < before);
        found.map(|at| self.notified.remove(at)).is_some()
    }

    /// Adds a notification, unless all who wait are woken already.
    fn notify(&mut self) {
        if self.notified.len() < self.waiting.len() {
            self.notified.push(self.came);
        }
    }
}

#[derive(Default)]
struct Semaphore {
    /// Tokens that were there from the beginning.
    initial: u64,
    /// Those that were put, by what their putting has signalled.
    tokens: VecDeque<SyncId>,
}

#[derive(Default)]
struct Barrier {
    count: usize,
    arrived: usize,
    phase: usize,
    /// The tasks that have ever come, as long as they are no more than those of one phase.
    members: Vec<u64>,
}

macro_rules! monitor {
    ($name:ident, $kind:ident) => {
        /// The state of what is at an address; a new one if something else was there.
        fn $name(address: usize) -> &'static mut $kind {
            let monitor =
                state().monitors.0.entry(address).or_insert_with(|| Monitor::$kind($kind::default()));
            if !matches!(monitor, Monitor::$kind(_)) {
                *monitor = Monitor::$kind($kind::default());
            }
            match monitor {
                Monitor::$kind(monitor) => monitor,
                _ => unreachable!("it was made one above"),
            }
        }
    };
}

monitor!(rwlock, RwLock);
monitor!(condition, Condition);
monitor!(semaphore, Semaphore);
monitor!(barrier, Barrier);

fn is_running() -> bool {
    sched::job().is_some()
}

/// What is at an address is initialised or destroyed.
pub(crate) fn forget(address: usize) {
    if let Some(Monitor::Semaphore(semaphore)) = state().monitors.0.remove(&address) {
        semaphore.tokens.into_iter().for_each(|token| detector().retire_sync(token));
    }
}

/// A block of memory of the program is freed.
pub(crate) fn freed(address: usize, size: usize) {
    while let Some((&at, _)) = state().monitors.0.range(address..address + size).next() {
        forget(at);
    }
}

/// The task that holds what is at an address up, if one does: its unique number.
pub(crate) fn holder(address: usize) -> Option<u64> {
    match state().monitors.0.get(&address)? {
        Monitor::RwLock(lock) => lock.writer.or_else(|| lock.readers.first().copied()),
        _ => None,
    }
}

/// The running task is about to change what is at an address; the schedule chooses when.
fn change(address: usize) {
    detector().exclusive = true;
    explorer::atomic(address, 1, AccessKind::Write, caller());
}

// ---- reader-writer locks ----

/// Readers release by another address than writers: they do not come after each other.
const READERS: usize = 4;

/// How long to wait for a lock: for ever, not at all, or until then.
#[derive(Clone, Copy)]
pub(crate) enum Patience {
    Endless,
    None,
    Until(Option<Instant>),
}

/// Waits until it is so; the error if that takes too long.
fn wait(what: What, address: usize, patience: Patience, mut is_so: impl FnMut() -> bool) -> c_int {
    match patience {
        Patience::Endless => {
            waits::until(what, address, None, is_so);
            0
        }
        Patience::None => {
            change(address);
            match is_so() {
                true => 0,
                false => {
                    // Somebody may be spinning on it.
                    if !explorer::is_on() {
                        sched::pass();
                    }
                    libc::EBUSY
                }
            }
        }
        Patience::Until(limit) => match waits::until(what, address, limit, is_so) {
            true => 0,
            false => libc::ETIMEDOUT,
        },
    }
}

pub(crate) fn read_lock(address: usize, patience: Patience) -> c_int {
    if !is_running() {
        return 0;
    }
    let own = detector().identity();
    if rwlock(address).writer == Some(own) {
        return libc::EDEADLK;
    }
    let mut is_free = || rwlock(address).writer.is_none();
    detector().exclusive = true;
    let error = wait(What::RwLock, address, patience, &mut is_free);
    if error == 0 {
        rwlock(address).readers.push(own);
        atomics::acquired(address);
    }
    error
}

pub(crate) fn write_lock(address: usize, patience: Patience) -> c_int {
    if !is_running() {
        return 0;
    }
    let own = detector().identity();
    if rwlock(address).writer == Some(own) {
        return libc::EDEADLK;
    }
    let mut is_free = || rwlock(address).writer.is_none() && rwlock(address).readers.is_empty();
    detector().exclusive = true;
    let error = wait(What::RwLock, address, patience, &mut is_free);
    if error == 0 {
        rwlock(address).writer = Some(own);
        atomics::acquired(address);
        atomics::acquired(address + READERS);
    }
    error
}

pub(crate) fn unlock(address: usize) -> c_int {
    if !is_running() {
        return 0;
    }
    change(address);
    let own = detector().identity();
    let lock = rwlock(address);
    if lock.writer == Some(own) {
        lock.writer = None;
        atomics::released(address);
    } else if let Some(at) = lock.readers.iter().position(|&reader| reader == own) {
        lock.readers.remove(at);
        atomics::released_more(address + READERS);
    } else {
        report::program_error("lock", "a reader-writer lock is released by a thread that does not hold it");
        return libc::EPERM;
    }
    waits::notify(address);
    0
}

// ---- condition variables ----

/// Waits at a condition variable, without the mutex; whether it was notified in time. A canceled
/// thread has the mutex again, and ends where it next may.
pub(crate) fn wait_at(address: usize, mutex: usize, limit: Option<Option<Instant>>) -> bool {
    wait_with(address, limit, || locks::mutex_unlock(mutex), || locks::mutex_lock(mutex))
}

/// The same with a mutex that is released and taken so.
pub(crate) fn wait_with(
    address: usize,
    limit: Option<Option<Instant>>,
    unlock: impl FnOnce(),
    lock: impl FnOnce(),
) -> bool {
    if !is_running() {
        return true;
    }
    change(address);
    let condition = condition(address);
    let ticket = condition.came;
    condition.came += 1;
    condition.waiting.push(ticket);
    unlock();
    let takes = || self::condition(address).takes(ticket);
    let limit = limit.map(|limit| limit.unwrap_or_else(far));
    let notified = waits::until(What::Condition, address, limit, takes);
    let condition = self::condition(address);
    condition.waiting.retain(|&waiting| waiting != ticket);
    let most = condition.waiting.len();
    condition.notified.truncate(most);
    if notified {
        atomics::acquired(address);
    }
    lock();
    notified
}

/// A limit that does not come.
fn far() -> Instant {
    Instant::now() + std::time::Duration::from_secs(1 << 30)
}

/// Wakes one that waits at a condition variable, or all.
pub(crate) fn notify(address: usize, all: bool) {
    if !is_running() {
        return;
    }
    change(address);
    let condition = condition(address);
    let waiting = condition.waiting.len();
    if waiting == 0 {
        return;
    }
    for _ in 0..if all { waiting } else { 1 } {
        condition.notify();
    }
    atomics::released_more(address);
    waits::notify(address);
}

pub(crate) fn destroy_condition(address: usize) {
    if is_running() && !condition(address).waiting.is_empty() {
        report::program_error("lock", "a condition variable is destroyed while threads wait at it");
    }
    forget(address);
}

// ---- semaphores ----

/// A semaphore has so many tokens.
pub(crate) fn set_semaphore(address: usize, value: u64) {
    forget(address);
    semaphore(address).initial = value;
}

pub(crate) fn has_semaphore(address: usize) -> bool {
    matches!(state().monitors.0.get(&address), Some(Monitor::Semaphore(_)))
}

pub(crate) fn tokens(address: usize) -> u64 {
    let semaphore = semaphore(address);
    semaphore.initial + semaphore.tokens.len() as u64
}

pub(crate) fn take_token(address: usize, patience: Patience) -> c_int {
    detector().exclusive = true;
    let error = wait(What::Semaphore, address, patience, || tokens(address) > 0);
    if error == 0 {
        let semaphore = semaphore(address);
        if semaphore.initial > 0 {
            semaphore.initial -= 1;
        } else if let Some(token) = semaphore.tokens.pop_front() {
            detector().join_sync(token);
            detector().retire_sync(token);
        }
    }
    error
}

pub(crate) fn put_token(address: usize) {
    if !is_running() {
        semaphore(address).initial += 1;
        return;
    }
    change(address);
    let token = detector().new_sync();
    detector().signal_sync(token);
    semaphore(address).tokens.push_back(token);
    waits::notify(address);
}

// ---- barriers ----

pub(crate) fn set_barrier(address: usize, count: usize) {
    forget(address);
    barrier(address).count = count;
}

/// Waits for the others at a barrier; whether the task is the one of them that is told so.
pub(crate) fn arrive(address: usize) -> bool {
    if !is_running() {
        return true;
    }
    explorer::atomic(address, 1, AccessKind::Write, caller());
    let own = detector().identity();
    let barrier = barrier(address);
    if !barrier.members.contains(&own) {
        match barrier.members.len() < barrier.count {
            true => barrier.members.push(own),
            // Who meets whom is the schedule's choice.
            false => detector().exclusive = true,
        }
    }
    // Those of the next phase may come before all of this one have left.
    let phase = barrier.phase;
    let side = address + READERS * (phase % 2);
    barrier.arrived += 1;
    match barrier.arrived {
        1 => atomics::released(side),
        _ => atomics::released_more(side),
    }
    let is_last = barrier.arrived >= barrier.count;
    if is_last {
        (barrier.arrived, barrier.phase) = (0, phase + 1);
        waits::notify(address);
    } else {
        waits::until(What::Barrier, address, None, || self::barrier(address).phase != phase);
    }
    atomics::acquired(side);
    is_last
}

pub(crate) fn destroy_barrier(address: usize) {
    if is_running() && barrier(address).arrived > 0 {
        report::program_error("lock", "a barrier is destroyed while threads wait at it");
    }
    forget(address);
}
