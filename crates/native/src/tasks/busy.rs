//! Busy-waiting in a search: tasks that wait by looking at variables again and again.
//!
//! A search cannot follow such a loop round after round: there is no last round. But an iteration
//! that began as the one before, read no new value and changed nothing is followed by one that does
//! the same. The pass marks the iterations of loops of which it knows all that they do
//! (`crates/pass/plugin/Spins.cpp`). At such a mark the task waits until one of the variables that the
//! iteration has accessed has another value (compare the *assume* that GenMC makes of such loops:
//! Kokologiannakis, Ren, Vafeiadis, *Dynamic partial order reductions for spinloops*, FMCAD 2021). No
//! execution is lost: those in which the loop goes round more often differ in iterations without
//! effect only. If no task is left that could change them, that is a livelock, reported as a deadlock
//! is.
//!
//! - What an iteration leaves to the next one in registers and local variables is compared by a hash
//!   of it. A loop that leaves nothing may wait after its first iteration, others after the second.
//! - An iteration that has changed an atomic variable, if only for a moment, does not wait: another
//!   task may have seen that. So that is noted when the operation is done. Other memory is compared
//!   when the iteration is over: what was changed for a moment in a section, and is as before, nobody
//!   has seen; outside of one it is a race.
//! - What it has written of the stack below its frame is gone.
//! - A test of a lock that has failed is a look at the lock.
//! - An atomic operation that has changed what others look at notifies them right after it. Other
//!   changes are seen when the task next does anything by which another one could run.
//! - A signal handler, or another process, may change what is looked at. Where one could, the end of
//!   an execution in which tasks wait like this is no livelock, but not explored.
//! - What waiting tasks look at is compared by value. A variable that has its old value again would
//!   be read alike.

use crate::detect::detector;
use crate::report::signals;
use crate::tasks::atomics::atomics;
use crate::tasks::explorer::{self, WaitEvent};
use crate::tasks::sched::{self, kernel};
use crate::tasks::{repeats, state};
use raceproof_core::ids::{SyncId, TaskId};
use rustc_hash::FxHashMap;

/// A variable that was accessed, and the value it had.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    address: usize,
    size: usize,
    value: [u8; SIZE],
    /// A lock that was held; not a variable then.
    lock: Option<SyncId>,
}

/// Larger variables are no part of an iteration that waits.
const SIZE: usize = 16;

/// What an iteration may access. If it is more, the task does not wait.
const LOOKS: usize = 32;

/// An iteration of a marked loop that is under way.
struct Iteration {
    /// The loop, by function and number.
    of: usize,
    looks: Vec<Look>,
    /// What the one before has left to it; none if it is the first.
    left: Option<u64>,
    /// Locks that the task held when it began.
    held: usize,
    /// It has done more than to access a few variables.
    has_effect: bool,
}

/// A task that waits.
struct Waiting {
    task: TaskId,
    event: WaitEvent,
    looks: Vec<Look>,
}

#[derive(Default)]
pub(crate) struct Busy {
    /// The innermost last. Those of loops that were left stay until there are too many.
    iterations: FxHashMap<TaskId, Vec<Iteration>>,
    waiting: Vec<Waiting>,
    /// What the iteration that ends leaves to the next one, as far as it was said.
    leaves: u64,
}

/// Loops around each other that are all marked, and some that were left.
const NESTED: usize = 8;

impl Look {
    /// Of a variable that the program accesses now.
    fn at(address: usize, size: usize) -> Look {
        let mut value = [0; SIZE];
        // SAFETY: the program accesses these bytes itself in the operation that is under way.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, value.as_mut_ptr(), size) };
        Look { address, size, value, lock: None }
    }

    /// By a call of the system: the program may have given back the memory since.
    fn is_as_before(&self) -> bool {
        if let Some(lock) = self.lock {
            return kernel().is_held(lock);
        }
        let mut value = [0; SIZE];
        let to = libc::iovec { iov_base: value.as_mut_ptr().cast(), iov_len: self.size };
        let from = libc::iovec { iov_base: self.address as *mut _, iov_len: self.size };
        // SAFETY: documented uses; `value` has room for `size` bytes, and the error of the running
        // thread stays what it was.
        let read = unsafe {
            let error = libc::__errno_location();
            let before = *error;
            let read = libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0);
            *error = before;
            read
        };
        read == self.size as isize && value == self.value
    }

    fn is_in(&self, address: usize, size: usize) -> bool {
        self.lock.is_none() && self.address < address + size && address < self.address + self.size
    }
}

fn busy() -> &'static mut Busy {
    &mut state().busy
}

/// The running task's iterations of marked loops, if there are any in a search.
fn iterations() -> Option<&'static mut Vec<Iteration>> {
    if !explorer::is_on() || sched::job().is_none() || busy().iterations.is_empty() {
        return None;
    }
    busy().iterations.get_mut(&kernel().current())
}

impl Iteration {
    fn new(of: usize, left: Option<u64>) -> Self {
        let held = kernel().locks_held(kernel().current()).count();
        Iteration { of, looks: Vec::new(), left, held, has_effect: false }
    }

    fn note(&mut self, look: impl FnOnce() -> Look, size: usize) {
        if size > SIZE || self.looks.len() == LOOKS {
            self.has_effect = true;
        }
        if !self.has_effect {
            self.looks.push(look());
        }
    }
}

/// A marked loop begins.
pub(crate) fn begins(of: usize) {
    if !explorer::is_on() || sched::job().is_none() {
        return;
    }
    let all = busy().iterations.entry(kernel().current()).or_default();
    all.retain(|iteration| iteration.of != of);
    if all.len() == NESTED {
        all.remove(0);
    }
    all.push(Iteration::new(of, None));
    // Accesses that are the running step's again count as well.
    detector().renumber();
}

/// The loop of a Rust program that the task is in: no function is there. Its registers, its stack and
/// what it writes are compared elsewhere ([`repeats`]).
const UNMARKED: usize = 0;

/// The running task is at the beginning of an iteration of that loop.
pub(super) fn begin_iteration() {
    begins(UNMARKED);
}

/// An iteration of that loop is over, as the one before.
pub(super) fn looked_again() {
    looked(UNMARKED, false, 0);
}

/// What the iteration that ends leaves to the next one: part of it.
pub(crate) fn leaves(value: u64) {
    let leaves = &mut busy().leaves;
    *leaves = (leaves.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
}

/// The same for bytes of a local variable.
pub(crate) fn leaves_at(address: usize, size: usize) {
    if explorer::is_on() {
        // SAFETY: a variable of the function that says so; some of it may not have been written yet.
        (0..size).for_each(|at| leaves(u64::from(unsafe { ((address + at) as *const u8).read_volatile() })));
    }
}

/// The running task looks at an atomic variable, or is about to change it. Its turn has come: no
/// other task runs before the operation.
pub(crate) fn looks(address: usize, size: usize) {
    if !explorer::is_on() || sched::job().is_none() {
        return;
    }
    repeats::resumed();
    for iteration in iterations().into_iter().flatten() {
        iteration.note(|| Look::at(address, size), size);
    }
}

/// The running task is about to access other memory.
pub(crate) fn accesses(address: usize, size: usize) {
    for iteration in iterations().into_iter().flatten() {
        let is_unmarked = iteration.of == UNMARKED;
        if !is_unmarked && !iteration.looks.iter().any(|look| (look.address, look.size) == (address, size)) {
            iteration.note(|| Look::at(address, size), size);
        }
    }
}

/// The running task has found that a lock is held.
pub(crate) fn found_held(address: usize, lock: SyncId) {
    let look = Look { address, size: 0, value: [0; SIZE], lock: Some(lock) };
    for iteration in iterations().into_iter().flatten() {
        iteration.note(|| look, 0);
    }
}

/// An iteration of a marked loop is over: waits if it was for nothing. The frame of the loop's
/// function ends at `stack`. If the loop `has` anything to leave to the next iteration, that was said.
pub(crate) fn looked(of: usize, has: bool, stack: usize) {
    let leaves = std::mem::take(&mut busy().leaves);
    if !explorer::is_on() || sched::job().is_none() {
        return;
    }
    let task = kernel().current();
    let all = busy().iterations.entry(task).or_default();
    let before = all.iter().position(|iteration| iteration.of == of).map(|at| all.remove(at));
    let next = Iteration::new(of, Some(leaves));
    let held = next.held;
    all.push(next);
    detector().renumber();
    let Some(Iteration { mut looks, left, held: held_before, has_effect: false, .. }) = before else {
        return;
    };
    if has && left != Some(leaves) {
        return;
    }
    // What waits here does not wait by being slow.
    atomics().spins.forget();
    if let Some(own) = detector().stack_of(stack) {
        looks.retain(|look| look.lock.is_some() || !(own.start..stack).contains(&look.address));
    }
    if held != held_before || looks.is_empty() || !looks.iter().all(Look::is_as_before) {
        return;
    }
    let event = WaitEvent::of_all(looks.iter().map(|look| look.address));
    busy().waiting.push(Waiting { task, event, looks });
    explorer::wait(event);
    busy().waiting.retain(|waiting| waiting.task != task);
}

/// The running task has changed the variable that it looked at last, if it is at this address: its
/// iteration has an effect, and others look again.
pub(crate) fn wrote(address: usize) {
    for iteration in iterations().into_iter().flatten() {
        let last = iteration.looks.last().filter(|last| last.address == address);
        iteration.has_effect |= last.is_some_and(|last| *last != Look::at(address, last.size));
        if iteration.has_effect {
            repeats::acted();
        }
    }
    changed();
}

/// The running task is about to do something by which another one may run: those who wait for what
/// it has changed look again.
#[inline]
pub(crate) fn changed() {
    if explorer::is_on() && sched::job().is_some() && !busy().waiting.is_empty() {
        notify(|waiting| !waiting.looks.iter().all(Look::is_as_before));
    }
}

/// The running task ends.
pub(crate) fn ended() {
    if explorer::is_on() {
        changed();
        busy().iterations.remove(&kernel().current());
        repeats::ended();
    }
}

/// Whether a signal handler of the program, or another process, may yet change what a waiting task
/// looks at.
pub(crate) fn are_outside() -> bool {
    let waiting = &busy().waiting;
    !waiting.is_empty() && (signals::are_handled_by_program() || waiting.iter().any(Waiting::is_shared))
}

impl Waiting {
    /// Whether it looks at memory that other processes may have, too.
    fn is_shared(&self) -> bool {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let shared = maps.lines().filter_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (from, to) = range.split_once('-').filter(|_| rest.as_bytes().get(3) == Some(&b's'))?;
            let number = |text| usize::from_str_radix(text, 16).ok();
            Some(number(from)?..number(to)?)
        });
        shared.into_iter().any(|range| self.looks.iter().any(|look| range.contains(&look.address)))
    }
}

/// Memory is freed, and not to be looked at any more.
pub(crate) fn freed(address: usize, size: usize) {
    let is_in = |look: &Look| look.is_in(address, size);
    for iteration in busy().iterations.values_mut().flatten() {
        iteration.has_effect |= iteration.looks.iter().any(is_in);
        iteration.looks.retain(|look| !is_in(look));
    }
    if sched::job().is_some() {
        notify(|waiting| waiting.looks.iter().any(is_in));
    }
}

fn notify(is_due: impl Fn(&Waiting) -> bool) {
    let due: Vec<Waiting> = busy().waiting.extract_if(.., |waiting| is_due(waiting)).collect();
    let mut events: Vec<WaitEvent> = due.iter().map(|waiting| waiting.event).collect();
    events.dedup();
    events.into_iter().for_each(explorer::notify);
}

/// Whether what a waiting task looks at has another value, and nobody has said so: code has changed it
/// that is not instrumented.
pub(crate) fn has_missed() -> bool {
    !busy().waiting.iter().all(|waiting| waiting.looks.iter().all(Look::is_as_before))
}

/// What a task looks at that waits like this.
pub(crate) fn looks_at(task: TaskId) -> Option<usize> {
    let found = busy().waiting.iter().find(|waiting| waiting.task == task)?;
    found.looks.first().map(|look| look.address)
}
