//! Busy-waiting in a search: tasks that wait by looking at atomic variables again and again.
//!
//! A search cannot follow such a loop round after round: there is no last round. But an iteration
//! that read no new value and wrote nothing is followed by one that does the same. The pass marks
//! the end of the iterations of loops of which nothing else is left (`crates/pass/plugin/Spins.cpp`).
//! There the task waits until one of the variables that the iteration has looked at has another
//! value (compare the *assume* that GenMC makes of such loops: Kokologiannakis, Ren, Vafeiadis,
//! *Dynamic partial order reductions for spinloops*, FMCAD 2021). No execution is lost: those in
//! which the loop goes round more often differ in iterations without effect only. If no task is left
//! that could change them, that is a livelock, reported as a deadlock is.
//!
//! - An iteration begins where the last one was marked. What the task looked at before the loop
//!   counts for its first iteration as well, which may wake it up once too often.
//! - An iteration that has changed a variable, if only for a moment, does not wait: another task may
//!   have changed it back before the iteration ends. So that is noted when the operation is done.
//! - An atomic operation that has changed what others look at notifies them right after it. Other
//!   changes (by a plain store, which races) are seen when the task next does anything by which
//!   another one could run.
//! - A signal handler, or another process, may change what is looked at. Where one could, the end of
//!   an execution in which tasks wait like this is no livelock, but not explored.
//! - What waiting tasks look at is compared by value. A variable that has its old value again would
//!   be read alike.

use crate::report::signals;
use crate::tasks::atomics::atomics;
use crate::tasks::explorer::{self, WaitEvent};
use crate::tasks::sched::{self, kernel};
use crate::tasks::{repeats, state};
use raceproof_core::ids::TaskId;
use rustc_hash::FxHashMap;

/// A variable that was looked at, and the value it had.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    address: usize,
    size: usize,
    value: [u8; SIZE],
}

/// Larger variables are no part of an iteration that waits.
const SIZE: usize = 16;

/// What a task has looked at since its last mark. Of more, the iteration does not wait.
const LOOKS: usize = 16;

#[derive(Default)]
struct Iteration {
    looks: Vec<Look>,
    /// It has done more than to look at a few variables.
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
    iterations: FxHashMap<TaskId, Iteration>,
    waiting: Vec<Waiting>,
}

impl Look {
    /// Of a variable that the program accesses now.
    fn at(address: usize, size: usize) -> Look {
        let mut value = [0; SIZE];
        // SAFETY: the program accesses these bytes itself in the operation that is under way.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, value.as_mut_ptr(), size) };
        Look { address, size, value }
    }

    /// By a call of the system: the program may have given back the memory since.
    fn is_as_before(&self) -> bool {
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
        self.address < address + size && address < self.address + self.size
    }
}

fn busy() -> &'static mut Busy {
    &mut state().busy
}

/// The running task looks at a variable, or is about to change it by a read-modify-write. Its turn
/// has come: no other task runs before the operation.
pub(crate) fn looks(address: usize, size: usize) {
    if !explorer::is_on() || sched::job().is_none() {
        return;
    }
    repeats::resumed();
    let iteration = busy().iterations.entry(kernel().current()).or_default();
    if size > SIZE || iteration.looks.len() == LOOKS {
        iteration.has_effect = true;
    }
    if !iteration.has_effect {
        iteration.looks.push(Look::at(address, size));
    }
}

/// The running task is at the beginning of an iteration.
pub(super) fn begin_iteration() {
    busy().iterations.remove(&kernel().current());
}

/// An iteration of a loop that only looks is over: waits if it was for nothing.
pub(crate) fn looked() {
    if !explorer::is_on() || sched::job().is_none() {
        return;
    }
    // What waits here does not wait by being slow.
    atomics().spins.forget();
    let task = kernel().current();
    let Some(Iteration { looks, has_effect: false }) = busy().iterations.remove(&task) else { return };
    if looks.is_empty() || !looks.iter().all(Look::is_as_before) {
        return;
    }
    let event = WaitEvent::of_all(looks.iter().map(|look| look.address));
    busy().waiting.push(Waiting { task, event, looks });
    explorer::wait(event);
    busy().waiting.retain(|waiting| waiting.task != task);
}

/// The running task has changed the variable that it looked at last, if it is at this address, or
/// stored to it: its iteration has an effect, and others look again.
pub(crate) fn wrote(address: usize) {
    if !explorer::is_on() || sched::job().is_none() {
        return;
    }
    if let Some(own) = busy().iterations.get_mut(&kernel().current()) {
        let last = own.looks.last().filter(|last| last.address == address);
        own.has_effect |= last.is_some_and(|last| *last != Look::at(address, last.size));
        if own.has_effect {
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
    for iteration in busy().iterations.values_mut() {
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
