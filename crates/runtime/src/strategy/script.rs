//! A schedule written down: turns of tasks named by their spawn path, in order.
//!
//! Two uses. `replay` follows a witness to the letter. To show that a race is real, the observed schedule is
//! followed except that some tasks are *held* at a given number of actions: whoever depends on
//! what they did not do stays behind, everyone else goes on as observed.

use super::{Last, Strategy, Turn};
use crate::kernel::{Action, Kernel};
use crate::task::State;
use raceproof_core::event::Observer;
use raceproof_core::ids::TaskId;
use std::collections::HashMap;

/// A schedule over the tasks of an earlier run, which need not have the same ids in this one.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    /// For each task of the earlier run but main: its parent and which child it was, in the order of spawning.
    pub spawned: Vec<(TaskId, u32)>,
    pub turns: Vec<(TaskId, u64)>,
}

/// Follows [`Turns`]. See the module.
#[derive(Debug)]
pub struct Script<'a> {
    schedule: &'a Turns,
    /// The turns not yet taken.
    left: std::slice::Iter<'a, (TaskId, u64)>,
    /// Tasks of the schedule that must not take more than so many actions.
    held: Vec<(TaskId, u64)>,
    /// For each task of the schedule: the id it has in this run, once it is known.
    here: Vec<Option<TaskId>>,
    /// For each task of the schedule: how many actions it should have taken by now.
    due: Vec<u64>,
    /// This run's tasks by parent and ordinal; the first `seen` are in it.
    children: HashMap<(TaskId, u32), TaskId>,
    seen: usize,
    /// What each task that used up its turn is about to do, by its id in this run.
    pending: HashMap<TaskId, Action>,
}

impl<'a> Script<'a> {
    /// Follows the first `length` turns, with no task of `held` (by its id in the schedule) taking more
    /// actions than stated; then brings the held tasks up to their next action, without taking it.
    pub fn new(schedule: &'a Turns, length: usize, held: Vec<(TaskId, u64)>) -> Self {
        let tasks = schedule.spawned.len() + 1;
        let mut here = vec![None; tasks];
        here[TaskId::MAIN.index()] = Some(TaskId::MAIN);
        Script {
            schedule,
            left: schedule.turns[..length.min(schedule.turns.len())].iter(),
            held,
            here,
            due: vec![0; tasks],
            children: HashMap::new(),
            seen: 1,
            pending: HashMap::new(),
        }
    }

    /// The id in this run of a task of the schedule, if it has been spawned.
    pub fn here(&self, task: TaskId) -> Option<TaskId> {
        self.here.get(task.index()).copied().flatten()
    }

    /// What a task (by its id in this run) is about to do, if its turn ended because it had taken all its actions.
    pub fn pending(&self, task: TaskId) -> Option<Action> {
        self.pending.get(&task).copied()
    }

    fn resolve<B, O: Observer>(&mut self, task: TaskId, kernel: &Kernel<B, O>) -> Option<TaskId> {
        let tasks = kernel.tasks();
        for id in tasks.ids().skip(self.seen) {
            let entry = tasks.get(id);
            if let Some(parent) = entry.parent() {
                self.children.insert((parent, entry.ordinal), id);
            }
        }
        self.seen = tasks.len();
        // Up to the first ancestor that is known, then down again: chains of tasks can be long.
        let mut unknown = Vec::new();
        let mut at = task;
        while self.here[at.index()].is_none() {
            unknown.push(at);
            at = self.schedule.spawned[at.index() - 1].0;
        }
        for task in unknown.into_iter().rev() {
            let (parent, ordinal) = self.schedule.spawned[task.index() - 1];
            let id = *self.children.get(&(self.here[parent.index()]?, ordinal))?;
            self.here[task.index()] = Some(id);
        }
        self.here[task.index()]
    }

    fn limit(&self, task: TaskId) -> u64 {
        self.held.iter().filter(|&&(held, _)| held == task).map(|&(_, limit)| limit).min().unwrap_or(u64::MAX)
    }
}

impl<B, O: Observer> Strategy<B, O> for Script<'_> {
    fn eager(&self) -> bool {
        false
    }

    fn next(&mut self, kernel: &Kernel<B, O>, last: Last) -> Option<Turn> {
        if let (Last::Spent(task), Some(action)) = (last, kernel.refused()) {
            self.pending.insert(task, action);
        }
        while let Some(&(task, actions)) = self.left.next() {
            self.due[task.index()] += actions;
            let due = self.due[task.index()].min(self.limit(task));
            let Some(here) = self.resolve(task, kernel) else { continue };
            let entry = kernel.tasks().get(here);
            if entry.state == State::Ready && entry.taken() < due {
                self.pending.remove(&here);
                return Some(Turn { task: here, actions: due - entry.taken() });
            }
        }
        for at in 0..self.held.len() {
            let Some(here) = self.resolve(self.held[at].0, kernel) else { continue };
            if kernel.tasks().get(here).state == State::Ready && !self.pending.contains_key(&here) {
                return Some(Turn { task: here, actions: 0 });
            }
        }
        None
    }
}
