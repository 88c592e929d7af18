//! What threads wait at beside mutexes: reader-writer locks, condition variables, semaphores,
//! barriers. Each is a small state by its address, and its operations are atomic, since one task
//! runs at a time.
//!
//! A task that cannot go on waits at the address ([`waits`]). In a search every operation, and every
//! look of a task that waits, is an atomic operation on the address, so that the search explores the
//! orders of all of them: who is woken, who comes first, which notification is lost. Those that
//! commute count as reads, whose orders it does not explore:
//!
//! - what readers do to a reader-writer lock, among readers;
//! - a look of a task that goes on waiting, and one that finds that a barrier has opened;
//! - a look of one that was woken at a condition variable, if all who wait there are woken: each has
//!   a notification of its own.
//!
//! What an operation comes after, in the order of the detector:
//!
//! - a reader after the last writer, a writer after all readers and writers before it;
//! - a task that takes a semaphore's token after the task that put it, tokens being taken in the
//!   order in which they were put;
//! - whoever leaves a barrier after all who have come to it;
//! - whoever is woken at a condition variable after who has notified it. The standards allow a
//!   waiter to wake up without a notification. A search has the first wait of each task end like
//!   that if the user asks for it (`spurious=on`), and no other schedule has.

use crate::detect::detector;
use crate::process;
use crate::process::call_site::caller;
use crate::report;
use crate::tasks::explorer;
use crate::tasks::waits::{self, What};
use crate::tasks::{atomics, locks, mutexes, sched, state};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::SyncId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_int;
use std::time::Instant;

#[derive(Default)]
pub(crate) struct Monitors {
    all: BTreeMap<usize, Monitor>,
    /// Phases of barriers so far.
    phases: usize,
    /// Tasks that have not left a phase that is over.
    leaving: FxHashMap<usize, usize>,
    /// Tasks that have waited at a condition variable, if such a wait may end by itself.
    spurious: FxHashSet<u64>,
}

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
    /// Where the notification is by which one that waits may be woken.
    fn notification(&self, ticket: u64) -> Option<usize> {
        self.notified.iter().position(|&before| ticket < before)
    }

    /// Whether one that waits may be woken.
    fn takes(&mut self, ticket: u64) -> bool {
        self.notification(ticket).map(|at| self.notified.remove(at)).is_some()
    }

    /// What a look of one that waits does, as far as others can see.
    fn look(&self, ticket: u64) -> AccessKind {
        let is_choice = self.notified.len() < self.waiting.len() && self.notification(ticket).is_some();
        if is_choice { AccessKind::Write } else { AccessKind::Read }
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
    /// Where those who arrive release: another number for each phase, none before the first of them.
    /// Those of a phase may leave late, after others have come again or the barrier is destroyed.
    phase: usize,
    /// The tasks that have ever come, as long as they are no more than those of one phase.
    members: Vec<u64>,
}

macro_rules! monitor {
    ($name:ident, $kind:ident) => {
        /// The state of what is at an address; a new one if something else was there.
        fn $name(address: usize) -> &'static mut $kind {
            let monitor =
                state().monitors.all.entry(address).or_insert_with(|| Monitor::$kind($kind::default()));
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
    if let Some(Monitor::Semaphore(semaphore)) = state().monitors.all.remove(&address) {
        semaphore.tokens.into_iter().for_each(|token| detector().retire_sync(token));
    }
}

/// A block of memory of the program is freed.
pub(crate) fn freed(address: usize, size: usize) {
    while let Some((&at, _)) = state().monitors.all.range(address..address + size).next() {
        forget(at);
    }
}

/// The task that holds what is at an address up, if one does: its unique number.
pub(crate) fn holder(address: usize) -> Option<u64> {
    match state().monitors.all.get(&address)? {
        Monitor::RwLock(lock) => lock.writer.or(match lock.readers[..] {
            [reader] => Some(reader),
            _ => None,
        }),
        _ => None,
    }
}

/// The running task is about to change what is at an address; the schedule chooses when.
fn change(address: usize) {
    change_as(address, || AccessKind::Write);
}

/// The same where the operation may commute with others.
fn change_as(address: usize, kind: impl Fn() -> AccessKind) {
    detector().exclusive = true;
    explorer::atomic_as(address, 1, caller(), kind);
    detector().collect_within_turn();
}

// ---- reader-writer locks ----

/// Readers release by another address than writers: they do not come after each other.
const READERS: usize = 4;

/// How long to wait: for ever, not at all, or until then. A time that never comes is none.
#[derive(Clone, Copy)]
pub(crate) enum Patience {
    Endless,
    None,
    Until(Option<Instant>),
}

/// Waits until it is so; the error if that takes too long. `look` says what the next look does.
fn wait(
    what: What,
    address: usize,
    patience: Patience,
    look: impl Fn() -> AccessKind,
    mut is_so: impl FnMut() -> bool,
) -> c_int {
    match patience {
        Patience::Endless => {
            waits::until_as(what, address, None, look, is_so);
            0
        }
        Patience::None => {
            change_as(address, look);
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
        Patience::Until(limit) => match waits::until_as(what, address, limit, look, is_so) {
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
    let is_free = || rwlock(address).writer.is_none();
    detector().exclusive = true;
    let error = wait(What::RwLock, address, patience, || AccessKind::Read, is_free);
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
    let is_free = || rwlock(address).writer.is_none() && rwlock(address).readers.is_empty();
    detector().exclusive = true;
    // Also if it is not free: what readers do counts as reads.
    let error = wait(What::RwLock, address, patience, || AccessKind::Write, is_free);
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
    let own = detector().identity();
    let is_reader = rwlock(address).writer != Some(own);
    change_as(address, || if is_reader { AccessKind::Read } else { AccessKind::Write });
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

/// Waits at a condition variable, without the mutex; the error if it was not notified in time, or
/// the mutex is not as before. A canceled thread has the mutex again, and ends where it next may.
pub(crate) fn wait_at(address: usize, mutex: usize, limit: Option<Option<Instant>>) -> c_int {
    let mut error = 0;
    let lock = || error = mutexes::retake(mutex);
    match wait_with(address, limit, || locks::mutex_unlock(mutex), lock) {
        false if error == 0 => libc::ETIMEDOUT,
        _ => error,
    }
}

/// The same with a mutex that is released and taken so; false if the limit was reached.
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
    let is_spurious = limit.is_none() && may_end_by_itself();
    let ends_only_so = explorer::is_on() && limit.is_none() && !process::state().options.spurious;
    report::state().no_spurious_wakeups |= ends_only_so;
    let limit = if is_spurious { Some(far()) } else { limit.map(|limit| limit.unwrap_or_else(far)) };
    let look = || self::condition(address).look(ticket);
    let notified = waits::until_as(What::Condition, address, limit, look, takes);
    let condition = self::condition(address);
    condition.waiting.retain(|&waiting| waiting != ticket);
    let most = condition.waiting.len();
    condition.notified.truncate(most);
    if notified {
        atomics::acquired(address);
    }
    lock();
    notified || is_spurious
}

/// Whether the running task's wait at a condition variable may end without a notification: in a
/// search, if the user asks for it, the first of each task. More of them would have no end in a loop
/// that waits again.
fn may_end_by_itself() -> bool {
    let is_asked = explorer::is_on() && process::state().options.spurious;
    is_asked && state().monitors.spurious.insert(detector().identity())
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
    matches!(state().monitors.all.get(&address), Some(Monitor::Semaphore(_)))
}

pub(crate) fn tokens(address: usize) -> u64 {
    let semaphore = semaphore(address);
    semaphore.initial + semaphore.tokens.len() as u64
}

pub(crate) fn take_token(address: usize, patience: Patience) -> c_int {
    detector().exclusive = true;
    let look = || if tokens(address) > 0 { AccessKind::Write } else { AccessKind::Read };
    let error = wait(What::Semaphore, address, patience, look, || tokens(address) > 0);
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

/// Waits for the others at a barrier; whether the task is the one of them that is told so. The
/// schedule decides which one that is, which makes no difference unless the program `asks`.
pub(crate) fn arrive(address: usize, asks: bool) -> bool {
    if !is_running() {
        return true;
    }
    explorer::atomic(address, 1, AccessKind::Write, caller());
    let own = detector().identity();
    let barrier = barrier(address);
    detector().exclusive |= asks && barrier.count > 1;
    if !barrier.members.contains(&own) {
        match barrier.members.len() < barrier.count {
            true => barrier.members.push(own),
            // Who meets whom is the schedule's choice.
            false => detector().exclusive = true,
        }
    }
    if barrier.arrived == 0 {
        barrier.phase = new_phase();
    }
    let phase = barrier.phase;
    barrier.arrived += 1;
    atomics::released_more(phase);
    let is_last = barrier.arrived >= barrier.count;
    if is_last {
        begin_to_leave(phase, barrier.arrived);
        (barrier.arrived, barrier.phase) = (0, 0);
        waits::notify(address);
    } else {
        let is_over = || self::barrier(address).phase != phase;
        waits::until_as(What::Barrier, address, None, || AccessKind::Read, is_over);
    }
    atomics::acquired(phase);
    leave_phase(phase);
    is_last
}

/// Where the next phase of a barrier releases: no variable is there.
pub(super) fn new_phase() -> usize {
    const PHASES: usize = 1 << 61;
    state().monitors.phases += 1;
    PHASES + READERS * state().monitors.phases
}

/// So many have met in a phase, and leave it now.
pub(super) fn begin_to_leave(phase: usize, count: usize) {
    state().monitors.leaving.insert(phase, count);
}

/// The running task leaves a phase; the last one gives back what was released there.
pub(super) fn leave_phase(phase: usize) {
    let leaving = &mut state().monitors.leaving;
    let Some(left) = leaving.get_mut(&phase) else { return };
    *left -= 1;
    if *left == 0 {
        leaving.remove(&phase);
        atomics::forget(phase);
    }
}

pub(crate) fn destroy_barrier(address: usize) {
    if is_running() && barrier(address).arrived > 0 {
        report::program_error("lock", "a barrier is destroyed while threads wait at it");
    }
    forget(address);
}
