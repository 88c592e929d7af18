//! `omp_*_lock`, nested locks, and the locks behind critical sections and mutexes.
//!
//! A lock of OpenMP is an entry of [`Locks`], made when it is initialised. Its variable holds the
//! entry's number, as that of libomp holds a pointer, so that a lock the program has moved (a
//! growing `std::vector<omp_lock_t>`) is still the same lock. Critical sections and mutexes need no
//! initialisation: their entries are made when they are first met.
//!
//! What must not be done to a lock is a program error, with where it is done; the run goes on as if
//! the lock were there: to use one that was never initialised, was destroyed, is of the other kind
//! or a null pointer; to use one in memory that is gone; to release one without holding it; to
//! destroy one that is held.
//!
//! Memory is known to be gone if it is of a block that was freed and is not in use again, of the
//! running stack below the frame of the caller, or of one of the stacks that tasks have given back
//! last ([`gone`]). It is neither read nor written.

use crate::detect::detector;
use crate::detect::detector::Site;
use crate::process::call_site::{STACK, caller};
use crate::report::{self, Left};
use crate::tasks::busy;
use crate::tasks::explorer as explored;
use crate::tasks::monitors::Patience;
use crate::tasks::polls;
use crate::tasks::sched::{self, kernel, wait};
use crate::tasks::state;
use crate::tasks::waits::{self, What};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::SyncId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ffi::c_int;
use std::sync::atomic::Ordering;

/// What a lock is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Simple,
    Nested,
    /// A critical section, or a mutex of the C library.
    Implicit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Ready,
    Destroyed,
}

/// A lock of the program.
struct Lock {
    /// Where it was initialised, or is.
    address: usize,
    /// That of the kernel, once it was taken.
    sync: Option<SyncId>,
    kind: Kind,
    state: State,
    /// How often its holder has taken it, for nested locks.
    depth: i32,
    /// Where its holder took it, and on which virtual thread.
    taken: Option<Site>,
    thread: u32,
    /// The name of its holder, if that has ended without releasing it.
    left_by: Option<String>,
    /// Tasks wait for its release that do not wait in the kernel.
    is_watched: bool,
    robustness: Robustness,
}

/// What comes of a mutex whose holder ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Robustness {
    /// Nobody gets it any more.
    None,
    /// The next one gets it, and is told.
    Robust,
    /// The next one is the next to be told.
    OwnerDied,
}

impl Lock {
    fn new(address: usize, kind: Kind) -> Self {
        Lock {
            address,
            sync: None,
            kind,
            state: State::Ready,
            depth: 0,
            taken: None,
            thread: 0,
            left_by: None,
            is_watched: false,
            robustness: Robustness::None,
        }
    }
}

/// All locks of the program.
#[derive(Default)]
pub(crate) struct Locks {
    all: Vec<Lock>,
    by_address: FxHashMap<usize, u32>,
    /// The addresses of those in blocks of memory that may not have been freed yet.
    in_blocks: BTreeSet<usize>,
}

/// What the variable of an initialised lock holds: its number, mixed so that other values are
/// hardly ever one.
mod token {
    const FACTOR: u32 = 0x9e37_79b1;
    const INVERSE: u32 = 0x0e8b_2f51;
    const MARK: u32 = 0x52ac_e001;

    pub(super) fn of(number: u32) -> u32 {
        number.wrapping_mul(FACTOR) ^ MARK
    }

    pub(super) fn number(token: u32) -> u32 {
        (token ^ MARK).wrapping_mul(INVERSE)
    }

    const _: () = assert!(FACTOR.wrapping_mul(INVERSE) == 1);
}

impl Locks {
    fn add(&mut self, address: usize, kind: Kind) -> u32 {
        let number = self.all.len() as u32;
        self.all.push(Lock::new(address, kind));
        self.by_address.insert(address, number);
        number
    }

    /// A new lock at an address. One that was there and is not destroyed may have been moved, and
    /// keeps its entry.
    fn init(&mut self, address: usize, kind: Kind) -> u32 {
        let here = self.by_address.get(&address).copied();
        let Some(number) = here.filter(|&number| self.all[number as usize].state == State::Destroyed) else {
            return self.add(address, kind);
        };
        self.all[number as usize] = Lock::new(address, kind);
        number
    }

    /// The entry of what the program says is a lock of OpenMP.
    fn find(&self, address: usize) -> Option<u32> {
        // SAFETY: the program passes the address of a variable of the lock's type, which is no
        // smaller.
        let number = token::number(unsafe { (address as *const u32).read_unaligned() });
        match self.all.get(number as usize) {
            Some(lock) if lock.kind != Kind::Implicit && lock.state == State::Ready => Some(number),
            // Destroyed, or overwritten.
            _ => self.by_address.get(&address).copied(),
        }
    }

    /// A block of memory is freed. A lock in it that was not destroyed may have been moved, but is
    /// not what is initialised at its address.
    fn freed(&mut self, from: usize, to: usize) {
        while let Some(&address) = self.in_blocks.range(from..to).next() {
            self.in_blocks.remove(&address);
            let number = self.by_address.get(&address).copied();
            if number.is_some_and(|number| self.all[number as usize].state == State::Ready) {
                self.by_address.remove(&address);
            }
        }
    }

    fn by_sync(&mut self, sync: SyncId) -> Option<&mut Lock> {
        self.all.iter_mut().rev().find(|lock| lock.sync == Some(sync))
    }
}

fn locks() -> &'static mut Locks {
    &mut state().omp.locks
}

fn lock(number: u32) -> &'static mut Lock {
    &mut locks().all[number as usize]
}

fn error(message: &str) {
    report::program_error("lock", message);
}

/// The lock that one of OpenMP's routines is given; none if that cannot be one.
fn given(address: usize, kind: Kind, what: &str) -> Option<u32> {
    if address == 0 {
        error(&format!("a null pointer is {what} as a lock"));
        return None;
    }
    let nestable = if kind == Kind::Nested { "nestable " } else { "" };
    if let Some(gone) = gone(address) {
        error(&format!("a {nestable}lock is {what} {gone}"));
        // The run goes on with what was there, or another one.
        let known = locks().by_address.get(&address).copied();
        let known = known.filter(|&number| (lock(number).kind, lock(number).state) == (kind, State::Ready));
        return known.or_else(|| Some(locks().add(address, kind)));
    }
    let found = locks().find(address);
    let problem = match found.map(lock) {
        None | Some(Lock { kind: Kind::Implicit, .. }) => {
            "was never initialised (omp_init_lock, omp_init_nest_lock)"
        }
        Some(Lock { state: State::Destroyed, .. }) => "was destroyed before",
        Some(lock) if lock.kind != kind => {
            "was initialised as one of the other kind (omp_init_lock, omp_init_nest_lock)"
        }
        Some(_) => return found,
    };
    error(&format!("a {nestable}lock is {what} that {problem}"));
    // The run goes on as if it had been.
    match found.map(lock) {
        Some(lock) if lock.kind != Kind::Implicit && lock.state == State::Ready => lock.kind = kind,
        _ => init(address, kind),
    }
    locks().find(address)
}

/// Whether the memory at an address is known to be gone, in words.
fn gone(address: usize) -> Option<&'static str> {
    let detector = detector();
    if detector.memory.was_freed(address) {
        return Some("whose memory was freed");
    }
    let stack = STACK.load(Ordering::Relaxed);
    let is_below =
        address < stack && detector.stack_of(stack).is_some_and(|running| running.contains(&address));
    (is_below || detector.stacks.is_idle(address))
        .then_some("that was a local variable of a function that has returned")
}

/// A block of memory of the program is freed.
pub(crate) fn freed(address: usize, size: usize) {
    if !locks().in_blocks.is_empty() {
        locks().freed(address, address + size);
    }
}

/// The lock that needs no initialisation at an address: a critical section's, by the compiler's
/// variable for it, or a mutex.
fn implicit(address: usize) -> u32 {
    let known = locks().by_address.get(&address).copied();
    known.unwrap_or_else(|| locks().add(address, Kind::Implicit))
}

fn sync(number: u32) -> SyncId {
    let lock = lock(number);
    *lock.sync.get_or_insert_with(|| {
        let sync = explored::new_lock(lock.address);
        // Reports name it, also when it is destroyed.
        report::state().locks.insert(sync, lock.address);
        sync
    })
}

/// Who has ended without releasing a lock.
pub(crate) fn left(sync: SyncId) -> Option<Left> {
    let lock = locks().by_sync(sync)?;
    Some(Left { task: lock.left_by.clone()?, taken: lock.taken? })
}

/// Where a lock was taken last.
pub(crate) fn taken(sync: SyncId) -> Option<Site> {
    locks().by_sync(sync)?.taken
}

/// The running thread has ended: the robust mutexes that it holds are free, and whoever takes one of
/// them next is told.
pub(crate) fn leave_robust() {
    let held: Vec<SyncId> = kernel().locks_held(kernel().current()).collect();
    for sync in held {
        let all = &locks().all;
        let found = all.iter().rposition(|lock| lock.sync == Some(sync));
        if let Some(number) = found.filter(|&number| all[number].robustness == Robustness::Robust) {
            lock(number as u32).robustness = Robustness::OwnerDied;
            release(number as u32);
        }
    }
}

/// The running task ends and holds these locks.
#[cold]
pub(crate) fn leave(held: Vec<SyncId>) {
    let name = report::name(detector().current());
    for sync in held {
        if let Some(lock) = locks().by_sync(sync) {
            lock.left_by = Some(name.clone());
        }
    }
}

fn is_running() -> bool {
    sched::job().is_some()
}

fn holds(sync: SyncId) -> bool {
    kernel().holder(sync) == Some(kernel().current())
}

/// Whether this is an execution of a search, of a program that tests locks. Then to take a lock, to
/// release it and to test it are atomic operations on it, so that the search explores their orders:
/// a test that comes between the two others fails.
fn are_tested() -> bool {
    explored::is_on() && tests_locks()
}

std::arch::global_asm!(".weak __raceproof_tests_locks");

/// Whether a unit of the program says that it tests locks (`crates/pass/plugin/Plugin.cpp`).
fn tests_locks() -> bool {
    let mark: *const u8;
    // SAFETY: reads an address that the linker has put there; null if there is no such symbol.
    unsafe { std::arch::asm!("mov {}, [rip + __raceproof_tests_locks@GOTPCREL]", out(reg) mark) };
    !mark.is_null()
}

/// In a search: the running task is about to test or release a lock.
fn touch(number: u32) {
    explored::atomic(lock(number).address, 1, AccessKind::Write, caller());
}

/// Takes a lock that the task does not hold.
fn take(number: u32) {
    polls::acquires();
    let site = report::here();
    let sync = sync(number);
    if are_tested() {
        waits::until(What::Mutex, lock(number).address, None, || !kernel().is_held(sync));
    }
    wait(|kernel| kernel.lock(sync));
    detector().collect_within_turn();
    let lock = lock(number);
    (lock.taken, lock.depth) = (Some(site), 0);
    lock.thread = crate::tasks::omp::thread().virtual_thread;
}

fn release(number: u32) {
    let sync = sync(number);
    if holds(sync) {
        let tested = are_tested();
        if tested {
            touch(number);
        }
        kernel().unlock(sync);
        if std::mem::take(&mut lock(number).is_watched) || tested {
            waits::notify(lock(number).address);
        }
        return;
    }
    let lock = lock(number);
    let left_by = lock.left_by.clone();
    match left_by {
        // A mutex belongs to a thread, which may have gone on as another task.
        Some(_)
            if lock.kind == Kind::Implicit && lock.thread == crate::tasks::omp::thread().virtual_thread =>
        {
            lock.left_by = None;
            kernel().reclaim(sync);
            wait(|kernel| kernel.lock(sync));
            kernel().unlock(sync);
        }
        Some(holder) => error(&format!(
            "a lock is released by a task that does not hold it: {holder} took it, and has ended without releasing it"
        )),
        None => error("a lock is released by a task that does not hold it"),
    }
}

/// The running task is about to test whether a lock is held.
fn test_now(number: u32) {
    match are_tested() {
        true => touch(number),
        false => explored::unexplored(TESTED),
    }
}

/// What whether the lock is held decides.
const TESTED: &str = "the program tests whether a lock is held";

pub(crate) fn init(address: usize, kind: Kind) {
    if address == 0 {
        return error("a null pointer is initialised as a lock");
    }
    let number = locks().init(address, kind);
    if detector().memory.find_live(address).is_some() {
        locks().in_blocks.insert(address);
    } else {
        // Memory that the program has got otherwise, where a block was that is freed.
        detector().memory.forget_freed(address);
    }
    // SAFETY: the program passes the address of a variable of the lock's type, which is no smaller.
    unsafe { (address as *mut u32).write_unaligned(token::of(number)) };
}

pub(crate) fn destroy(address: usize, kind: Kind) {
    let Some(number) = given(address, kind, "destroyed") else { return };
    let held = lock(number).sync.is_some_and(|sync| is_running() && kernel().is_held(sync));
    if held {
        error("a lock is destroyed while it is held");
    }
    lock(number).state = State::Destroyed;
    // SAFETY: `given` has found a lock at the address, whose type is no smaller than this.
    unsafe { (address as *mut u32).write_unaligned(0) };
}

pub(crate) fn set(address: usize, kind: Kind) {
    let Some(number) = given(address, kind, "set").filter(|_| is_running()) else { return };
    match kind {
        Kind::Nested => _ = nest(number),
        _ => take(number),
    }
}

pub(crate) fn unset(address: usize, kind: Kind) {
    let Some(number) = given(address, kind, "unset").filter(|_| is_running()) else { return };
    match kind {
        Kind::Nested => unnest(number),
        _ => release(number),
    }
}

pub(crate) fn test(address: usize, kind: Kind) -> i32 {
    let Some(number) = given(address, kind, "tested").filter(|_| is_running()) else { return 1 };
    try_take(number, kind == Kind::Nested)
}

/// Takes a lock once more. The error if its last holder has ended.
fn nest(number: u32) -> c_int {
    if !holds(sync(number)) {
        take(number);
    }
    let lock = lock(number);
    lock.depth += 1;
    if lock.robustness != Robustness::OwnerDied {
        return 0;
    }
    lock.robustness = Robustness::Robust;
    libc::EOWNERDEAD
}

fn unnest(number: u32) {
    if holds(sync(number)) && lock(number).depth > 1 {
        lock(number).depth -= 1;
    } else {
        release(number);
    }
}

/// The depth it is held with then; none if somebody holds it.
fn try_take(number: u32, nests: bool) -> i32 {
    let sync = sync(number);
    test_now(number);
    if kernel().is_held(sync) && !(nests && holds(sync)) {
        // Somebody may be spinning on it.
        match are_tested() {
            true => busy::found_held(lock(number).address, sync),
            false => sched::pass(),
        }
        return 0;
    }
    if nests {
        nest(number);
        return lock(number).depth;
    }
    take(number);
    1
}

// ---- critical sections and mutexes ----

/// Enters a section of the lock at an address; none before the program runs.
pub(crate) fn enter(address: usize) {
    if is_running() {
        take(implicit(address));
    }
}

pub(crate) fn exit(address: usize) {
    if is_running() {
        release(implicit(address));
    }
}

/// A mutex is locked. One that nests may be the running task's already; another then waits for
/// itself.
pub(crate) fn mutex_take(address: usize, patience: Patience, nests: bool) -> c_int {
    if !is_running() {
        return 0;
    }
    let number = implicit(address);
    let sync = mutex_sync(number);
    let is_own = holds(sync);
    let limit = match patience {
        Patience::Endless | Patience::Until(None) if is_own && !nests => {
            waits::until(What::Mutex, address, None, || !holds(sync));
            return 0;
        }
        Patience::Endless | Patience::Until(None) => return nest(number),
        Patience::Until(limit) => limit,
        Patience::None => None,
    };
    test_now(number);
    if kernel().is_held(sync) && !(nests && is_own) {
        detector().exclusive = true;
        let Some(limit) = limit else {
            // Somebody may be spinning on it.
            match are_tested() {
                true => busy::found_held(address, sync),
                false => sched::pass(),
            }
            return libc::EBUSY;
        };
        // A release notifies those who watch the lock, and each who wakes has to watch it again.
        let is_free = || {
            lock(number).is_watched = true;
            !kernel().is_held(sync)
        };
        if are_tested() || !waits::until(What::Mutex, address, Some(limit), is_free) {
            return libc::ETIMEDOUT;
        }
    }
    nest(number)
}

/// A mutex is robust: its next holder is told if this one ends.
pub(crate) fn mutex_is_robust(address: usize) {
    let lock = lock(implicit(address));
    if lock.robustness == Robustness::None {
        lock.robustness = Robustness::Robust;
    }
}

/// The kernel's lock of a mutex.
fn mutex_sync(number: u32) -> SyncId {
    let is_new = lock(number).sync.is_none();
    let sync = sync(number);
    if is_new {
        report::state().waited.insert(sync, What::Mutex.word());
    }
    sync
}

/// Whether the running task holds a mutex.
pub(crate) fn mutex_is_own(address: usize) -> bool {
    is_running() && lock(implicit(address)).sync.is_some_and(holds)
}

pub(crate) fn mutex_unlock(address: usize) {
    if is_running() {
        unnest(implicit(address));
    }
}

/// Whether a mutex is held.
pub(crate) fn mutex_is_held(address: usize) -> bool {
    let sync = lock(implicit(address)).sync;
    is_running() && sync.is_some_and(|sync| kernel().is_held(sync))
}

/// A mutex is destroyed: who initialises it has a new one.
pub(crate) fn mutex_destroy(address: usize) {
    let Some(&number) = locks().by_address.get(&address) else { return };
    *lock(number) = Lock::new(address, Kind::Implicit);
}
