//! What Rust's standard library does in functions that come compiled: how threads park, locks that
//! are contended, condition variables, barriers, the end of a scope.
//!
//! The linker has the program call the runtime in their place (`abi/standard.rs`). Some of them are
//! done here, on the library's own words, by which its inlined parts go on:
//!
//! - *Parking*: a thread that parks takes the token of its parker, or waits for it. The word of the
//!   parker is found by a probe: `park_timeout` of no time at all, which either waits for the word,
//!   where the wait is answered, or has taken the token from it, which is then put back.
//! - *A mutex* that is held: the thread waits until the word is free.
//! - *Condition variables*, which nothing that is inlined touches: those of [`monitors`]. So a
//!   notification wakes one that waited, and which one is the schedule's choice.
//!
//! The others are called, between what makes them known:
//!
//! - *A barrier*: who leaves comes after all who have come to it since somebody has left. If more
//!   threads use a barrier than it lets pass at once, one of those left over may count among the
//!   former: a race with what it did before it came is *missed* in that schedule.
//! - *The end of a thread in a scope* is an atomic operation that releases, on the number of running
//!   threads, which the scope loads.
//! - *Reader-writer locks*: what they wait for has a name.
//! - *Standard streams* are locked in a function that comes compiled, and unlocked by inlined code:
//!   who locks one comes after those who have unlocked it.
//!
//! A token that the library itself has put where no parked thread waits for it (the end of the last
//! thread of a scope) is not known: who takes it counts as having woken up for no reason, which
//! `park` may do; what the scope comes after, it sees by the number.

use crate::detect::detector;
use crate::process::call_site::{CALLER, caller};
use crate::tasks::atomics::{self, unobserved};
use crate::tasks::explorer::WaitEvent;
use crate::tasks::waits::{self, What};
use crate::tasks::{explorer, futex, monitors, state};
use raceproof_core::event::AccessKind;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The states of a parker.
const PARKED: u32 = u32::MAX;
const EMPTY: u32 = 0;
const NOTIFIED: u32 = 1;

/// The states of a mutex.
const UNLOCKED: u32 = 0;
const LOCKED: u32 = 1;
const CONTENDED: u32 = 2;

/// Words that are remembered as set to one.
const MOST: usize = 64;

/// Words of a scope, among which is the number of its running threads.
const SCOPE: usize = 3;

/// The lock of a standard stream is among so many bytes: one of its words is what unlocks it.
const STREAM: usize = 64;

#[derive(Default)]
pub(crate) struct Standard {
    /// Words that an exchange has set to one and released by: parkers with a token among them.
    notified: Vec<usize>,
    probe: Probe,
    /// Who has taken a lock, by its word and the task's unique number.
    holders: FxHashMap<usize, u64>,
    barriers: FxHashMap<usize, Barrier>,
    /// Where in a scope the number of its running threads is.
    running: Option<usize>,
}

/// Whether the word of a parker is asked for.
#[derive(Default, Clone, Copy)]
enum Probe {
    #[default]
    Off,
    Asked,
    At(usize),
}

#[derive(Default)]
struct Barrier {
    /// Where this phase releases.
    phase: usize,
    /// Threads that have come in it.
    arrived: usize,
}

fn standard() -> &'static mut Standard {
    &mut state().standard
}

fn load(word: usize) -> u32 {
    // SAFETY: the library's own word, aligned, which is there as long as somebody uses it.
    unsafe { (word as *const u32).read_volatile() }
}

fn store(word: usize, value: u32) {
    // SAFETY: the library's own word, aligned, which is there as long as somebody uses it. One OS
    // thread runs all tasks, so that nobody reads it meanwhile.
    unsafe { (word as *mut u32).write_volatile(value) }
}

// ---- what inlined parts of the library do ----

/// A word is exchanged for a value, by one that releases or not.
pub(super) fn exchanged(word: usize, value: u64, releases: bool) {
    let standard = standard();
    match value {
        0 => drop(standard.holders.remove(&word)),
        1 if releases && !standard.notified.contains(&word) => {
            if standard.notified.len() == MOST {
                standard.notified.remove(0);
            }
            standard.notified.push(word);
        }
        _ => {}
    }
}

/// A word was zero and is so no more: a lock, if it is one, is taken.
pub(super) fn taken(word: usize) {
    standard().holders.insert(word, detector().identity());
}

/// Something is subtracted from a word: a reader-writer lock, if it is one, is released.
pub(super) fn released(word: usize) {
    let holders = &mut standard().holders;
    if !holders.is_empty() {
        holders.remove(&word);
    }
}

/// The task that holds a lock, as far as is known: its unique number.
pub(super) fn holder(word: usize) -> Option<u64> {
    standard().holders.get(&word).copied()
}

/// The program frees memory.
pub(super) fn freed(address: usize, size: usize) {
    let standard = standard();
    standard.notified.retain(|word| !(address..address + size).contains(word));
    forget(&mut standard.holders, address, size);
    forget(&mut standard.barriers, address, size);
}

/// Forgets what is known of the words of a block.
fn forget<T>(of: &mut FxHashMap<usize, T>, address: usize, size: usize) {
    const WORD: usize = size_of::<u32>();
    if of.is_empty() {
    } else if size / WORD < of.len() {
        (address..address + size).step_by(WORD).for_each(|word| drop(of.remove(&word)));
    } else {
        of.retain(|word, _| !(address..address + size).contains(word));
    }
}

// ---- parking ----

/// A task waits at a word; whether that was a probe.
pub(super) fn is_probe(word: usize) -> bool {
    let is_probe = matches!(standard().probe, Probe::Asked);
    if is_probe {
        standard().probe = Probe::At(word);
    }
    is_probe
}

/// The word of the running thread's parker; none if it had a token whose origin is not known, and
/// now has none.
fn parker(probe: impl FnOnce()) -> Option<usize> {
    let set: Vec<usize> =
        standard().notified.iter().copied().filter(|&word| load(word) == NOTIFIED).collect();
    let pc = caller();
    standard().probe = Probe::Asked;
    probe();
    CALLER.store(pc, Ordering::Relaxed);
    match std::mem::take(&mut standard().probe) {
        Probe::At(word) => Some(word),
        _ => {
            let word = set.into_iter().find(|&word| load(word) == EMPTY)?;
            store(word, NOTIFIED);
            Some(word)
        }
    }
}

/// The running thread parks. `probe` has the library park it for no time.
pub(crate) fn park(probe: impl FnOnce(), limit: Option<Instant>) {
    let Some(word) = parker(probe) else { return };
    let limit = limit.filter(|_| !(explorer::is_on() && futex::is_harness()));
    let takes_token = || {
        let state = load(word);
        store(word, if state == NOTIFIED { EMPTY } else { PARKED });
        state == NOTIFIED
    };
    let has_token = futex::blocking(|| waits::until(What::Unpark, word, limit, takes_token));
    store(word, EMPTY);
    unobserved::stored(word);
    if has_token {
        atomics::acquired(word);
    }
}

// ---- mutexes and condition variables ----

/// Waits until a mutex is free, and takes it. If the program `has_tried`, the mutex is held.
///
/// In a search, a look that finds it held only reads: marks that it is waited for commute with each
/// other, and with nothing else.
pub(crate) fn lock(mutex: usize, has_tried: bool) {
    let mut to = LOCKED;
    let mut takes = || {
        let is_free = load(mutex) == UNLOCKED;
        store(mutex, if is_free { to } else { CONTENDED });
        to = CONTENDED;
        is_free
    };
    futex::blocking(|| {
        if !explorer::is_on() {
            waits::until(What::Mutex, mutex, None, takes);
            return;
        }
        let pc = caller();
        let kind = || atomics::writes(load(mutex) == UNLOCKED);
        let look = || explorer::atomic_as(mutex, size_of::<u32>(), pc, kind);
        inside(What::Mutex, mutex, || {
            if !has_tried {
                look();
            }
            while !takes() {
                explorer::wait(WaitEvent::of(mutex));
                look();
            }
        });
    });
    unobserved::stored(mutex);
    atomics::acquired(mutex);
    taken(mutex);
}

fn unlock(mutex: usize) {
    atomics::releases(mutex, size_of::<u32>(), caller());
    standard().holders.remove(&mutex);
    let state = load(mutex);
    store(mutex, UNLOCKED);
    if state == CONTENDED {
        futex::wake(mutex, 1);
    }
}

/// Waits at a condition variable, without the mutex; whether it was notified in time.
pub(crate) fn wait(condition: usize, mutex: usize, limit: Option<Option<Instant>>) -> bool {
    futex::blocking(|| monitors::wait_with(condition, limit, || unlock(mutex), || lock(mutex, false)))
}

// ---- what is called ----

/// The running task does something that may wait, in the library: what reports say it waits for.
pub(crate) fn inside<T>(what: What, address: usize, work: impl FnOnce() -> T) -> T {
    let outer = waits::enter(what, address);
    let done = work();
    waits::left(outer);
    done
}

/// The running task comes to a barrier; in which phase.
pub(crate) fn come(barrier: usize) -> usize {
    // Who is the last to come is up to the schedule, and so is who of too many.
    detector().exclusive = true;
    explorer::atomic(barrier, 1, AccessKind::Write, caller());
    let here = standard().barriers.entry(barrier).or_default();
    if here.arrived == 0 {
        here.phase = monitors::new_phase();
    }
    here.arrived += 1;
    atomics::released_more(here.phase);
    here.phase
}

/// The running task leaves a barrier.
pub(crate) fn leave(barrier: usize, phase: usize) {
    let here = standard().barriers.entry(barrier).or_default();
    if here.phase == phase {
        let here = std::mem::take(here);
        monitors::begin_to_leave(phase, here.arrived);
    }
    atomics::acquired(phase);
    monitors::leave_phase(phase);
}

/// The running task has locked a standard stream: `of` is the lock with the stream in it.
pub(crate) fn locked_stream(of: usize) {
    (of..of + STREAM).step_by(size_of::<u32>()).for_each(atomics::acquired_by_schedule);
}

/// The words of a scope.
fn words(scope: usize) -> [usize; SCOPE] {
    // SAFETY: the library's own structure, which is there and has at least so many.
    unsafe { (scope as *const [usize; SCOPE]).read_volatile() }
}

/// A thread begins in a scope: `begin` counts it. That is no choice of a search's: who loads the
/// number asks whether it is zero, which it is not before the thread ends.
pub(crate) fn enter_scope(scope: usize, begin: impl FnOnce()) {
    if let Some(running) = standard().running {
        atomics::stores(scope + running);
        return begin();
    }
    let before = words(scope);
    begin();
    let counted = words(scope).iter().zip(before).position(|(&after, before)| after == before + 1);
    standard().running = counted.map(|word| word * size_of::<usize>());
}

/// A thread of a scope is about to end.
pub(crate) fn leave_scope(scope: usize) {
    if let Some(running) = standard().running {
        atomics::releases(scope + running, size_of::<usize>(), caller());
    }
}
