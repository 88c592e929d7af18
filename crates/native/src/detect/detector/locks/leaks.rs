//! Sections of one lock that are ordered as wholes: a lock used as a signal.
//!
//! If the acquire of a lock happens before a later acquire of it, by whatever orders the two, then
//! in every schedule the first section ends before the second begins: its release happens before
//! that acquire. The same holds for the release of the second section if the first acquire happens
//! before that release. (Rule (b) of WCP, Kini, Mathur and Viswanathan, PLDI 2017, and of DC,
//! Roemer, Genç and Bond, PLDI 2018; as the core's orders have it in `order/sections.rs`, and by
//! the acquire as well.) So a lock that is acquired before a barrier and released after it makes
//! whoever acquires it after the barrier wait for what was done in between.
//!
//! Only sections that *leak* matter: those in which the task has published its progress (it passed
//! a barrier, created a task, left another lock, released by an atomic operation), so that another
//! task can come after the beginning and not after the end. The sections of one lock that one task
//! has left are in program order, so at most one of them is half known: bisection finds it.
//!
//! Cost: nothing for sections that do not leak. For a lock with others, a query or two for each
//! task that has left some, at every acquire and release; at most [`TASKS`] of them.
//!
//! What it can miss: no race. A false alarm remains where more than [`TASKS`] tasks, or one task
//! more than [`SECTIONS`] times, have left leaking sections of a lock and an older one of these is
//! half known.

use super::*;
use crate::detect::detector::Detector;
use raceproof_core::event::SyncKind;
use raceproof_core::order::graph::GraphOrder;

/// Tasks whose sections of one lock are remembered, the newest.
const TASKS: usize = 64;
/// Sections of one lock and task that are remembered, the newest.
const SECTIONS: usize = 256;

/// A section of a lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// The sync that its end signals, once it has ended.
    pub(super) end: Option<SyncId>,
    /// Its first step; of no interest once it has ended.
    pub(super) begin: StepId,
    /// Its task has published its progress since it began.
    pub(super) leaks: bool,
}

/// A section that leaks and has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leak {
    pub(super) section: u32,
    begin: StepId,
    last: StepId,
}

/// Those of one task, oldest first.
#[derive(Debug)]
pub(super) struct OfTask {
    serial: u64,
    pub(super) leaks: Vec<Leak>,
}

/// By lock; the tasks that have left one last are at the end.
pub(super) type Leaks = FxHashMap<usize, Vec<OfTask>>;

impl OfTask {
    /// The section that begins before the step that runs now and does not end before it.
    fn half_known(&self, order: &mut GraphOrder) -> Option<u32> {
        let newest = self.leaks.last()?;
        if order.precedes_now(newest.last) {
            return None;
        }
        let begun = self.leaks.partition_point(|leak| order.precedes_now(leak.begin));
        let leak = self.leaks[begun.checked_sub(1)?];
        (!order.precedes_now(leak.last)).then_some(leak.section)
    }
}

impl Detector {
    /// The task of the order publishes its progress.
    #[inline]
    pub(in crate::detect::detector) fn leak(&mut self, task: TaskId) {
        if self.locks.is_any_held() {
            self.locks.leak_sections(task);
        }
    }

    /// The running task acquires or releases a lock: orders it after the sections of the lock whose
    /// beginning happens before it.
    pub(in crate::detect::detector) fn follow_leaks(&mut self, lock: usize) {
        if self.locks.leaks.is_empty() {
            return;
        }
        let Some(tasks) = self.locks.leaks.remove(&lock) else { return };
        for task in tasks.iter().rev() {
            if let Some(section) = task.half_known(&mut self.order)
                && let Some(end) = self.locks.end_of(section)
            {
                self.order.join(self.current, end, SyncKind::Lock);
                self.begin_step();
            }
        }
        self.locks.leaks.insert(lock, tasks);
    }
}

impl Locks {
    #[cold]
    fn leak_sections(&mut self, task: TaskId) {
        for hold in self.holds.get(&task).into_iter().flatten() {
            self.sections[hold.section as usize].leaks = true;
        }
    }

    /// A section of a lock has ended, with this step.
    pub(in crate::detect::detector) fn note_leak(
        &mut self,
        lock: usize,
        section: u32,
        serial: u64,
        last: StepId,
    ) {
        let Section { begin, leaks: true, .. } = self.sections[section as usize] else { return };
        let tasks = self.leaks.entry(lock).or_default();
        let at = tasks.iter().rposition(|task| task.serial == serial);
        let mut task = at.map_or_else(|| OfTask { serial, leaks: Vec::new() }, |at| tasks.remove(at));
        if task.leaks.len() == SECTIONS {
            task.leaks.drain(..SECTIONS / 2);
        }
        task.leaks.push(Leak { section, begin, last });
        if tasks.len() == TASKS {
            tasks.drain(..TASKS / 2);
        }
        tasks.push(task);
    }

    /// Drops sections that nobody can half know any more, and returns the steps that the others are
    /// known by.
    pub(in crate::detect::detector) fn settle_leaks(&mut self, order: &mut GraphOrder) -> Vec<StepId> {
        let mut steps = Vec::new();
        for section in self.sections.iter_mut().filter(|section| section.end.is_none()) {
            section.begin = order.stand_in(section.begin);
            steps.push(section.begin);
        }
        for task in self.leaks.values_mut().flatten() {
            task.leaks.retain_mut(|leak| {
                (leak.begin, leak.last) = (order.stand_in(leak.begin), order.stand_in(leak.last));
                leak.begin != leak.last
            });
            steps.extend(task.leaks.iter().flat_map(|leak| [leak.begin, leak.last]));
        }
        self.leaks.retain(|_, tasks| {
            tasks.retain(|task| !task.leaks.is_empty());
            !tasks.is_empty()
        });
        steps
    }

    /// The collector has renumbered the steps.
    pub(super) fn renumber_leaks(&mut self, step: impl Fn(StepId) -> StepId) {
        for section in self.sections.iter_mut().filter(|section| section.end.is_none()) {
            section.begin = step(section.begin);
        }
        for leak in self.leaks.values_mut().flatten().flat_map(|task| &mut task.leaks) {
            (leak.begin, leak.last) = (step(leak.begin), step(leak.last));
        }
    }
}
