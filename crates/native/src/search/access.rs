//! Accesses, in an execution of a search.

use super::{Mode, explored, label};
use crate::detect::detector;
use crate::detect::detector::Site;
use crate::detect::search::Earlier;
use crate::report;
use crate::tasks::sched::{self, kernel, wait};
use raceproof::remote::Point;
use raceproof_core::event::{AccessKind, Observer};
use raceproof_core::explore::{Choice, Moment};
use raceproof_core::ids::{Location, SiteId, StepId, TaskId};

pub(super) use raceproof_core::finding::Operation;

/// An access that a task makes, or is about to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) address: usize,
    pub(super) size: usize,
    pub(super) kind: AccessKind,
    pub(super) operation: Operation,
    pub(super) site: Site,
}

/// The running task is about to make an access, from a call that returns to `pc`. Returns when it may.
pub(super) fn access(address: usize, size: usize, kind: AccessKind, operation: Operation, pc: usize) {
    let Some(explored) = explored() else { return };
    if sched::job().is_none() || size == 0 || report::state().found.is_done() {
        return;
    }
    let task = detector().running();
    match explored.mode {
        Mode::Explore => {
            (explored.before_access)();
            let Some(explored) = self::explored() else { return };
            if explored.trace.is_in_section() {
                let name = explored.names.of(address);
                for byte in 0..size as u64 {
                    let location = Location(name.wrapping_add(byte));
                    explored.trace.access(task, kind, location, SiteId(0));
                }
            }
        }
        Mode::Count(points) => {
            if points.iter().flatten().any(|point| explored.is_at(point, task, address, size, pc)) {
                return park(task);
            }
            explored.acted();
        }
        Mode::Replay => {
            let site = Site { pc, context: detector().contexts.now().context };
            let access = Access { address, size, kind, operation, site };
            explored.pending.insert(task, access);
            wait(|kernel| kernel.access(kind, Location(address as u64), SiteId(0)));
            // Others have run.
            if let Some(explored) = self::explored() {
                explored.pending.remove(&task);
                explored.did(super::events::What::Access(access));
            }
        }
    }
}

/// An atomic operation: a section of its own, since its place among the others is the schedule's choice.
pub(crate) fn atomic(address: usize, size: usize, kind: AccessKind, pc: usize) {
    atomic_as(address, size, pc, || kind);
}

/// The same for one of which it is known only when its turn has come whether it writes.
pub(crate) fn atomic_as(address: usize, size: usize, pc: usize, kind: impl Fn() -> AccessKind) {
    let Some(explored) = explored() else { return };
    if sched::job().is_none() || detector().is_reducing() {
        return;
    }
    // A lock for each word, so that operations on parts of it know of each other.
    let name = explored.names.of(address & !7);
    let sync = *explored.atomics.entry(name).or_insert_with(|| kernel().new_lock());
    explored.labels.entry(sync).or_insert_with(|| label(!name));
    explored.hidden.insert(sync);
    // The section is for the search. Whoever stops before the access must not keep others from theirs.
    let inside = explored.mode == Mode::Explore;
    if !inside {
        access(address, size, kind(), Operation::Atomic, pc);
    }
    wait(|kernel| kernel.lock(sync));
    if inside {
        access(address, size, kind(), Operation::Atomic, pc);
        // Others have run.
        if let Some(explored) = self::explored()
            && !explored.set_by.is_empty()
            && kind() == AccessKind::Write
        {
            explored.set_by.remove(&name);
        }
    }
    kernel().unlock(sync);
}

/// Whether the search knows enough of a change that the running task, which stops, has made to a word in a library that is not
/// instrumented. It does if the transition that ends began with looking at the word: then it has written it as well. What the library
/// does from the look on is one operation to others, unless a choice is made in it, which ends the transition. And
/// it does if the task goes on with what it did so before: whoever looks in between waits for the end of it, which is seen.
pub(crate) fn set_unseen(address: usize, size: usize) -> bool {
    let Some(explored) = explored() else { return true };
    if explored.mode != Mode::Explore {
        return true;
    }
    let task = detector().running();
    let name = explored.names.of(address & !7);
    let sync = explored.atomics.get(&name).copied();
    let lock = sync.map(|sync| Choice::section(explored.label(sync)));
    let byte = explored.names.of(address);
    let looked = lock.is_some_and(|lock| explored.trace.wrote(lock, byte..byte + size as u64));
    let before = explored.set_by.insert(name, task);
    looked || before == Some(task)
}

/// The running task gives back memory, which counts as writing it.
pub(crate) fn freed(address: usize, size: usize, pc: usize) {
    access(address, size, AccessKind::Write, Operation::Free, pc);
}

/// The running task has got memory.
pub(super) fn allocated(address: usize, size: usize) {
    if let Some(explored) = explored() {
        let task = detector().running();
        // Once the answer is written, no names are needed.
        let Some(&name) = explored.trace.names.get(task.index()) else { return };
        let note = &mut explored.tasks[task.index()];
        note.blocks += 1;
        explored.names.block(address, size, name, note.blocks);
    }
}

/// The running task begins on a stack.
#[inline]
pub(super) fn stack(memory: std::ops::Range<usize>) {
    if let Some(explored) = explored() {
        let task = detector().running();
        explored.names.stack(memory.start, memory.end, explored.trace.names[task.index()]);
    }
}

/// Whether a race between these tasks of the order, between sites of which one is known, can be shown while the known one, between
/// chunks of one thread, cannot.
pub(super) fn is_shown_better(known: Option<usize>, takers: (TaskId, TaskId)) -> bool {
    let points = explored().and_then(|explored| explored.points.get(known?));
    takers.0 != takers.1 && points.is_some_and(|[first, second]| first.task == second.task)
}

/// The detector has found a race between an access of an earlier step, of `task` of the order, and the running one's. It is to take the
/// place of the `known` one, if there is one.
pub(super) fn raced(known: Option<usize>, earlier: Earlier, address: usize, pc: usize) {
    let Some(explored) = explored() else { return };
    let Earlier { task, step, pc: earlier_pc } = earlier;
    let task = explored.of_kernel.get(task.index()).copied().unwrap_or(task);
    let byte = explored.names.of(address);
    let point = |task: TaskId, (taken, position), pc| Point {
        task: explored.trace.names[task.index()],
        taken,
        moment: Moment { task, position },
        code: explored.names.of(pc),
        byte,
    };
    let now = detector().running();
    let taken = explored.tasks[now.index()].taken;
    let second = point(now, ((taken, taken), explored.trace.position()), pc);
    let first = point(task, explored.taken_in(task, step), earlier_pc);
    match known.and_then(|known| explored.points.get_mut(known)) {
        Some(known) => *known = [first, second],
        None => explored.points.push([first, second]),
    }
}

/// The running task goes no further.
fn park(task: TaskId) {
    let Some(explored) = explored() else { return };
    explored.met.push(task);
    let never = *explored.never.get_or_insert_with(|| kernel().new_promise());
    wait(|kernel| kernel.get(never));
}

impl super::Explored {
    /// How many actions a task may have taken when it was in a step, the least and the most, and how many events had been
    /// recorded when it began.
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
