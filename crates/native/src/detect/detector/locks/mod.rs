//! The locks that tasks hold: sections, who is in which, and how they end.
//!
//! A *section* is one critical section of one lock. A task is in the sections of the locks it
//! holds; a step is in those of its task when it began, so that a step has one set of locks.

mod held;
mod leaks;

use held::Held;
pub(super) use held::Hold;
use leaks::{Leaks, Section};
use raceproof_core::ids::{StepId, SyncId, TaskId};
use raceproof_core::marks::give_back;
use raceproof_core::order::compact::Renumbering;
use rustc_hash::FxHashMap;

/// What a thread holds at a barrier: the task that ends there gives it up, the one that continues
/// the thread takes it.
#[derive(Debug)]
pub(super) struct Parted {
    pub(super) task: TaskId,
    pub(super) locks: Vec<SyncId>,
    pub(super) holds: Vec<Hold>,
}

#[derive(Default)]
pub(super) struct Locks {
    /// The sections that tasks are in. Invariant: no list is empty.
    holds: FxHashMap<TaskId, Vec<Hold>>,
    /// The sections of steps that are in any.
    steps: Held,
    /// The threads at barriers, by the serial of the task that ended there.
    parted: FxHashMap<u64, Parted>,
    sections: Vec<Section>,
    /// Sections that have ended and that some task may know in part.
    leaks: Leaks,
}

impl Locks {
    /// Whether any task holds a lock.
    #[inline(always)]
    pub(super) fn is_any_held(&self) -> bool {
        !self.holds.is_empty()
    }

    #[inline]
    pub(super) fn is_held_by(&self, task: TaskId) -> bool {
        self.is_any_held() && self.holds.contains_key(&task)
    }

    /// The sections that a task is in.
    pub(super) fn of_task(&self, task: TaskId) -> &[Hold] {
        self.holds.get(&task).map_or(&[], Vec::as_slice)
    }

    /// The sections that a step is in.
    #[inline]
    pub(super) fn of_step(&self, step: StepId) -> &[Hold] {
        self.steps.of(step)
    }

    #[inline]
    pub(super) fn is_in_section(&self, step: StepId) -> bool {
        self.steps.is_any(step)
    }

    /// Tasks that hold locks.
    pub(super) fn holders(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.holds.keys().copied()
    }

    /// Tasks that have ended at a barrier their thread still is at.
    pub(super) fn parted(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.parted.values().map(|parted| parted.task)
    }

    /// How many sections there are entries for.
    pub(super) fn len(&self) -> usize {
        self.sections.len()
    }

    /// A step of the task begins.
    #[inline(always)]
    pub(super) fn begin_step(&mut self, task: TaskId, step: StepId) {
        if self.is_any_held()
            && let Some(holds) = self.holds.get(&task)
        {
            self.steps.set(step, holds);
        }
    }

    /// The task enters a section of a lock, with the step `begin`.
    pub(super) fn enter(&mut self, task: TaskId, lock: usize, begin: StepId) {
        let section = self.sections.len() as u32;
        self.sections.push(Section { end: None, begin, leaks: false });
        self.holds.entry(task).or_default().push(Hold { lock, section });
    }

    /// The task leaves its innermost section of a lock; which that is.
    pub(super) fn leave(&mut self, task: TaskId, lock: usize) -> Option<u32> {
        let holds = self.holds.get_mut(&task)?;
        let at = holds.iter().rposition(|hold| hold.lock == lock)?;
        let hold = holds.remove(at);
        if holds.is_empty() {
            self.holds.remove(&task);
        }
        Some(hold.section)
    }

    /// The sync that the end of a section has signalled, once it has ended.
    pub(super) fn end_of(&self, section: u32) -> Option<SyncId> {
        self.sections[section as usize].end
    }

    pub(super) fn set_end(&mut self, section: u32, end: SyncId) {
        self.sections[section as usize].end = Some(end);
    }

    /// `to` continues in the sections of `from`.
    pub(super) fn hand_over(&mut self, from: TaskId, to: TaskId) {
        if let Some(holds) = self.holds.remove(&from) {
            self.holds.insert(to, holds);
        }
    }

    /// The task has ended. A lock that it has not released stays taken, but nobody is in its
    /// section.
    #[inline]
    pub(super) fn end_task(&mut self, task: TaskId) {
        if self.is_any_held() {
            self.holds.remove(&task);
        }
    }

    /// The thread of a task is at a barrier, which ends the task.
    pub(super) fn part(&mut self, task: TaskId, serial: u64, locks: Vec<SyncId>) {
        let holds = self.holds.remove(&task).unwrap_or_default();
        self.parted.insert(serial, Parted { task, locks, holds });
    }

    /// The thread that was at a barrier continues.
    pub(super) fn rejoin(&mut self, serial: u64) -> Option<Parted> {
        self.parted.remove(&serial)
    }

    /// It continues as this task, at this step.
    pub(super) fn take_over(&mut self, task: TaskId, step: StepId, holds: Vec<Hold>) {
        if !holds.is_empty() {
            self.steps.set(step, &holds);
            self.holds.insert(task, holds);
        }
    }

    /// The task that held a lock when its thread came to a barrier.
    pub(super) fn parted_holder(&self, lock: SyncId) -> Option<TaskId> {
        self.parted.values().find(|parted| parted.locks.contains(&lock)).map(|parted| parted.task)
    }

    /// Forgets the sections that neither a step that `is_named` nor a task is in: nobody will ask
    /// about them. `retire` gets the syncs of their ends, which would keep a step each in the order.
    pub(super) fn drop_unnamed(&mut self, is_named: impl Fn(StepId) -> bool, mut retire: impl FnMut(SyncId)) {
        self.steps.renumber(|step| is_named(step).then_some(step));
        let mut used = vec![u32::MAX; self.sections.len()];
        let parted = self.parted.values().flat_map(|parted| &parted.holds);
        let all = self.steps.all().iter().chain(self.holds.values().flatten()).chain(parted);
        all.for_each(|hold| used[hold.section as usize] = 0);
        let leaks = self.leaks.values().flatten().flat_map(|task| &task.leaks);
        leaks.for_each(|leak| used[leak.section as usize] = 0);
        let (mut next, mut at, before) = (0, 0, self.sections.len());
        self.sections.retain(|section| {
            at += 1;
            let keep = used[at - 1] == 0;
            if keep {
                used[at - 1] = next;
                next += 1;
            } else if let Some(end) = section.end {
                retire(end);
            }
            keep
        });
        give_back(&mut self.sections, before);
        let parted = self.parted.values_mut().flat_map(|parted| &mut parted.holds);
        let all = self.steps.all_mut().iter_mut().chain(self.holds.values_mut().flatten());
        for hold in all.chain(parted) {
            hold.section = used[hold.section as usize];
        }
        for leak in self.leaks.values_mut().flatten().flat_map(|task| &mut task.leaks) {
            leak.section = used[leak.section as usize];
        }
    }

    /// The order has renumbered tasks and steps.
    pub(super) fn renumber(&mut self, task: impl Fn(TaskId) -> TaskId, new: &Renumbering) {
        self.holds = self.holds.drain().map(|(of, holds)| (task(of), holds)).collect();
        self.parted.values_mut().for_each(|parted| parted.task = task(parted.task));
        self.renumber_leaks(|step| new.step(step).expect("a step of a section under way is kept"));
        self.steps.renumber(|step| new.step(step));
    }
}
