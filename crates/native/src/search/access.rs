//! Accesses in an execution of a search: recorded in sections, counted on the way to a race, or
//! actions of a replay.

use super::{Mode, execution, label};
use crate::detect::detector;
use crate::detect::detector::Site;
use crate::detect::search::Earlier;
use crate::report;
use crate::tasks::atomics::unobserved;
use crate::tasks::repeats;
use crate::tasks::sched::{self, kernel, wait};
use raceproof::remote::Point;
use raceproof_core::event::{AccessKind, Observer};
use raceproof_core::explore::{Choice, Moment};
use raceproof_core::ids::{Location, SiteId, StepId, TaskId};

pub(super) use raceproof_core::finding::Operation;

/// An access that a task makes, or is about to.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingAccess {
    pub(super) address: usize,
    pub(super) size: usize,
    pub(super) kind: AccessKind,
    pub(super) operation: Operation,
    pub(super) site: Site,
}

/// The running task is about to make an access, from a call that returns to `pc`. Returns when it
/// may.
pub(super) fn access(address: usize, size: usize, kind: AccessKind, operation: Operation, pc: usize) {
    let Some(execution) = execution() else { return };
    if sched::job().is_none() || size == 0 || report::state().found.is_done() {
        return;
    }
    if kind == AccessKind::Write && operation != Operation::Atomic {
        repeats::wrote(address);
    }
    let task = detector().running();
    match execution.mode {
        Mode::Explore => {
            unobserved::before_access();
            let Some(execution) = self::execution() else { return };
            if execution.trace.is_in_section() {
                let name = execution.names.of(address);
                for byte in 0..size as u64 {
                    let location = Location(name.wrapping_add(byte));
                    execution.trace.access(task, kind, location, SiteId(0));
                }
            }
        }
        Mode::Count(points) => {
            if points.iter().flatten().any(|point| execution.is_at(point, task, address, size, pc)) {
                return park(task);
            }
            execution.acted();
        }
        Mode::Replay => {
            let site = Site { pc, context: detector().contexts.now().context };
            let access = PendingAccess { address, size, kind, operation, site };
            execution.pending.insert(task, access);
            if let Some(played) = &mut execution.played {
                played.settle();
            }
            wait(|kernel| kernel.access(kind, Location(address as u64), SiteId(0)));
            // Other tasks have run.
            if let Some(execution) = self::execution() {
                execution.pending.remove(&task);
                if let Some(played) = &mut execution.played {
                    played.access(detector().current(), access);
                }
            }
        }
    }
}

/// An atomic operation: a section of its own, since the schedule chooses its position among the
/// others. Whether it writes is known only when its turn has come.
pub(super) fn atomic(address: usize, size: usize, pc: usize, kind: &dyn Fn() -> AccessKind) {
    let Some(execution) = execution() else { return };
    if sched::job().is_none() || detector().is_reducing() {
        return;
    }
    // A lock for each word, so that operations on parts of it know of each other.
    let name = execution.names.of(address & !7);
    let sync = *execution.atomics.entry(name).or_insert_with(|| kernel().new_lock());
    execution.labels.entry(sync).or_insert_with(|| label(!name));
    execution.hidden.insert(sync);
    // The section is for the search. Whoever stops before the access must not keep others from
    // theirs.
    let inside = execution.mode == Mode::Explore;
    if !inside {
        access(address, size, kind(), Operation::Atomic, pc);
    }
    wait(|kernel| kernel.lock(sync));
    if inside {
        access(address, size, kind(), Operation::Atomic, pc);
        // Others have run.
        if let Some(execution) = self::execution()
            && !execution.set_by.is_empty()
            && kind() == AccessKind::Write
        {
            execution.set_by.remove(&name);
        }
    }
    kernel().unlock(sync);
}

/// Whether the search knows enough of a change that uninstrumented code of the running task, which
/// stops, has made to a word. It does if the transition that ends began with an access to the word:
/// then it has written it as well. What the library does from that access on is one operation to
/// others, unless it contains a choice, which ends the transition. It also does if the task has
/// changed the word like this before: a task that loads in between waits for the last change, which
/// is observed.
pub(super) fn knows_change(address: usize, size: usize) -> bool {
    let Some(execution) = execution() else { return true };
    if execution.mode != Mode::Explore {
        return true;
    }
    let task = detector().running();
    let name = execution.names.of(address & !7);
    let sync = execution.atomics.get(&name).copied();
    let lock = sync.map(|sync| Choice::section(execution.label(sync)));
    let byte = execution.names.of(address);
    let looked = lock.is_some_and(|lock| execution.trace.wrote(lock, byte..byte + size as u64));
    let before = execution.set_by.insert(name, task);
    looked || before == Some(task)
}

/// The running task frees memory, which counts as a write.
pub(super) fn freed(address: usize, size: usize, pc: usize) {
    access(address, size, AccessKind::Write, Operation::Free, pc);
}

/// The running task has got memory.
pub(super) fn allocated(address: usize, size: usize) {
    if let Some(execution) = execution() {
        let task = detector().running();
        // Once the answer is written, no names are needed.
        let Some(&name) = execution.trace.names.get(task.index()) else { return };
        let note = &mut execution.tasks[task.index()];
        note.blocks += 1;
        execution.names.block(address, size, name, note.blocks);
    }
}

/// The running task begins on a stack.
#[inline]
pub(super) fn stack(memory: std::ops::Range<usize>) {
    if let Some(execution) = execution() {
        let task = detector().running();
        execution.names.stack(memory.start, memory.end, execution.trace.names[task.index()]);
    }
}

/// Whether a race between these tasks of the order, between sites of which one is known, can be
/// shown while the known one, between chunks of one thread, cannot.
pub(super) fn is_shown_better(known: Option<usize>, takers: (TaskId, TaskId)) -> bool {
    let points = execution().and_then(|execution| execution.points.get(known?));
    takers.0 != takers.1 && points.is_some_and(|[first, second]| first.task == second.task)
}

/// The detector has found a race between an access of an earlier step, of `task` of the order, and
/// the running one's. It replaces the `known` one, if there is one.
pub(super) fn raced(known: Option<usize>, earlier: Earlier, address: usize, pc: usize) {
    let Some(execution) = execution() else { return };
    let Earlier { task, step, pc: earlier_pc } = earlier;
    let task = execution.of_kernel.get(task.index()).copied().unwrap_or(task);
    let byte = execution.names.of(address);
    let point = |task: TaskId, (taken, position), pc| Point {
        task: execution.trace.names[task.index()],
        taken,
        moment: Moment { task, position },
        code: execution.names.of(pc),
        byte,
    };
    let now = detector().running();
    let taken = execution.tasks[now.index()].taken;
    let second = point(now, ((taken, taken), execution.trace.position()), pc);
    let first = point(task, execution.taken_in(task, step), earlier_pc);
    match known.and_then(|known| execution.points.get_mut(known)) {
        Some(known) => *known = [first, second],
        None => execution.points.push([first, second]),
    }
}

/// The running task goes no further.
fn park(task: TaskId) {
    let Some(execution) = execution() else { return };
    execution.met.push(task);
    let never = *execution.never.get_or_insert_with(|| kernel().new_promise());
    wait(|kernel| kernel.get(never));
}

impl super::ExecutionState {
    /// How many actions a task may have taken when it was in a step, the least and the most, and
    /// how many events had been recorded when it began.
    fn taken_in(&self, task: TaskId, step: StepId) -> ((u64, u64), usize) {
        let notes = &self.tasks[task.index()].steps;
        let after = notes.partition_point(|&(noted, ..)| noted <= step.0);
        let Some(&(last, most, position)) = notes[..after].last() else { return ((0, 0), 0) };
        let first = notes.partition_point(|&(noted, ..)| noted < last);
        ((notes[first].1, most), position)
    }

    fn is_at(&self, point: &Point, task: TaskId, address: usize, size: usize, pc: usize) -> bool {
        let taken = self.tasks[task.index()].taken;
        point.task == self.trace.names[task.index()]
            && (point.taken.0..=point.taken.1).contains(&taken)
            && point.code == self.names.of(pc)
            && point.byte.wrapping_sub(self.names.of(address)) < size as u64
    }
}
