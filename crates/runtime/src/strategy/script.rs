//! A schedule written down: turns of tasks named by their spawn path, in order.
//!
//! Two uses. `replay` follows a witness to the letter. To show that a race is real, the observed
//! schedule is followed except that some tasks are *held* at a given number of actions: whoever
//! depends on what they did not do stays behind, everyone else goes on as observed.

use super::{Last, Strategy, Turn};
use crate::kernel::{Action, Kernel};
use crate::task::State;
use raceproof_core::event::Observer;
use raceproof_core::ids::TaskId;
use std::collections::HashMap;

/// A schedule over the tasks of an earlier run, which need not have the same ids in this one.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    /// For each task of the earlier run but main: its parent and which child it was, in the order
    /// of spawning.
    pub spawned: Vec<(TaskId, u32)>,
    pub turns: Vec<(TaskId, u64)>,
}

/// A task (by its id in the schedule) that must not take more than so many actions.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    pub task: TaskId,
    pub actions: u64,
    /// Where it is to stand in the end: once the turns have been taken, the holds are lifted one
    /// after the other up to here.
    pub then: u64,
}

/// Follows [`Turns`]. See the module.
#[derive(Debug)]
pub struct Script<'a> {
    schedule: &'a Turns,
    /// The turns not yet taken.
    left: std::slice::Iter<'a, (TaskId, u64)>,
    /// The task of the turn that was taken last.
    at: Option<TaskId>,
    held: Vec<Hold>,
    /// How many of the holds have been lifted, once the turns have been taken.
    lifted: usize,
    /// For each task of the schedule: the id it has in this run, once it is known.
    here: Vec<Option<TaskId>>,
    /// For each task of the schedule: how many actions it should have taken by now.
    due: Vec<u64>,
    /// This run's tasks by parent and ordinal; the first `seen` are in it.
    children: HashMap<(TaskId, u32), TaskId>,
    seen: usize,
    /// Tasks that have been brought up to their first action: a task without any has ended then.
    begun: usize,
    /// What each task that used up its turn is about to do, by its id in this run.
    pending: HashMap<TaskId, Action>,
}

impl<'a> Script<'a> {
    /// Follows the first `length` turns, with the tasks of `held` held back. Every task stands
    /// before its next action in the end, or waits, or has ended.
    pub fn new(schedule: &'a Turns, length: usize, held: Vec<Hold>) -> Self {
        let tasks = schedule.spawned.len() + 1;
        let mut here = vec![None; tasks];
        here[TaskId::MAIN.index()] = Some(TaskId::MAIN);
        Script {
            schedule,
            left: schedule.turns[..length.min(schedule.turns.len())].iter(),
            at: None,
            held,
            lifted: 0,
            here,
            due: vec![0; tasks],
            children: HashMap::new(),
            seen: 1,
            begun: 0,
            pending: HashMap::new(),
        }
    }

    /// The id in this run of a task of the schedule, if it has been spawned.
    pub fn here(&self, task: TaskId) -> Option<TaskId> {
        self.here.get(task.index()).copied().flatten()
    }

    /// What a task (by its id in this run) is about to do, if its turn ended because it had taken
    /// all its actions.
    pub fn pending(&self, task: TaskId) -> Option<Action> {
        self.pending.get(&task).copied()
    }

    fn resolve<B, O: Observer>(&mut self, task: TaskId, kernel: &Kernel<B, O>) -> Option<TaskId> {
        let tasks = kernel.tasks();
        for id in (self.seen..tasks.len()).map(TaskId::at) {
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

    /// Finds all tasks that have been spawned: those without a turn are asked about, too.
    fn resolve_all<B, O: Observer>(&mut self, kernel: &Kernel<B, O>) {
        self.resolve(TaskId::MAIN, kernel);
        for (task, (parent, ordinal)) in (1..).zip(&self.schedule.spawned) {
            let parent = self.here[parent.index()];
            self.here[task] = parent.and_then(|parent| self.children.get(&(parent, *ordinal)).copied());
        }
    }

    /// A turn that brings a task of the schedule to where it should be by now, if it can go on.
    fn turn<B, O: Observer>(&mut self, task: TaskId, kernel: &Kernel<B, O>) -> Option<Turn> {
        let here = self.resolve(task, kernel)?;
        let due = self.due[task.index()].min(self.limit(task));
        let entry = kernel.tasks().get(here);
        if entry.state != State::Ready || entry.taken() >= due {
            return None;
        }
        self.pending.remove(&here);
        Some(Turn::actions(here, due - entry.taken()))
    }

    fn limit(&self, task: TaskId) -> u64 {
        let held = self.held.iter().position(|hold| hold.task == task);
        held.map_or(u64::MAX, |at| if at < self.lifted { self.held[at].then } else { self.held[at].actions })
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
        if self.begun < kernel.tasks().len() {
            self.begun += 1;
            return Some(Turn::actions(TaskId::at(self.begun - 1), 0));
        }
        loop {
            // A task may have waited for tasks without actions, which have ended meanwhile: its
            // turn goes on.
            if let Some(turn) = self.at.and_then(|task| self.turn(task, kernel)) {
                return Some(turn);
            }
            if let Some(&(task, actions)) = self.left.next() {
                self.due[task.index()] += actions;
                self.at = Some(task);
            } else if let Some(hold) = self.held.get(self.lifted).copied() {
                self.lifted += 1;
                self.due[hold.task.index()] = hold.then;
                self.at = Some(hold.task);
            } else {
                self.resolve_all(kernel);
                return None;
            }
        }
    }
}
