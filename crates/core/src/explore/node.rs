//! A state of the exploration: what sleeps there, what was explored from it, and what it owes.

use super::sequence::Sequence;
use super::{Content, TaskName};
use crate::ids::TaskId;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// A transition that has been explored from a state: a task and what it does there. (Tasks are
/// numbered as they are spawned; in all executions that lead to a state by the same transitions,
/// the same number is the same task.)
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sleeper {
    pub task: TaskId,
    pub content: Arc<Content>,
}

/// One execution to run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The tasks whose transitions lead to the node, and the one to run there.
    pub prefix: Vec<TaskId>,
    /// What sleeps at the node.
    pub asleep: Vec<Sleeper>,
    /// The tasks to run after the prefix, as long as they can.
    pub hint: Vec<TaskName>,
    /// Whether all its transitions are asked for.
    pub whole: bool,
    /// What decides behind the prefix and the hint, if chance does.
    pub pick: Option<Pick>,
    pub(super) node: usize,
}

/// How an execution of a random search chooses who runs next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pick {
    /// Two executions with the same seed of a deterministic program are the same.
    pub seed: u64,
    /// By priorities that change so many times, rather than anew before each transition.
    pub changes: Option<u32>,
    /// About how many transitions an execution has.
    pub length: u64,
}

impl Job {
    /// The first execution of all.
    pub fn first() -> Self {
        let (asleep, hint) = Default::default();
        Job { prefix: vec![TaskId::MAIN], asleep, hint, whole: false, pick: None, node: 0 }
    }

    /// An execution in which chance decides.
    pub fn picked(pick: Pick) -> Self {
        Job { pick: Some(pick), ..Job::first() }
    }

    /// How many transitions lead to the node.
    pub fn depth(&self) -> usize {
        self.prefix.len() - 1
    }
}

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Node {
    pub(super) parent: usize,
    /// How many transitions lead here.
    pub(super) depth: usize,
    /// The task by which it is reached.
    pub(super) task: TaskId,
    /// What sleeps here, tasks explored from here included: these come last, as they were begun.
    pub(super) asleep: Vec<Sleeper>,
    /// How many tasks have been explored from here, those that are being included.
    pub(super) begun: usize,
    /// Tasks that could not be explored from here, whatever the reason.
    pub(super) given_up: Vec<TaskId>,
    /// The sequences that no task explored from here begins for certain. The first one decides
    /// which task is next.
    pub(super) owed: VecDeque<Owed>,
    /// Children that are kept.
    pub(super) uses: usize,
}

/// A sequence to be run from a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Owed {
    pub(super) sequence: Sequence,
    /// The first of the tasks that can begin it and are not explored.
    pub(super) task: TaskId,
    pub(super) name: TaskName,
}

impl Node {
    /// One that owes nothing.
    pub(super) fn new(parent: usize, depth: usize, task: TaskId, asleep: Vec<Sleeper>) -> Self {
        let (given_up, owed) = Default::default();
        Node { parent, depth, task, asleep, begun: 0, given_up, owed, uses: 0 }
    }

    pub(super) fn sequences(&self) -> impl Iterator<Item = &Sequence> {
        self.owed.iter().map(|owed| &owed.sequence)
    }

    pub(super) fn sequences_mut(&mut self) -> impl Iterator<Item = &mut Sequence> {
        self.owed.iter_mut().map(|owed| &mut owed.sequence)
    }

    pub(super) fn explored(&self, task: TaskId) -> Option<&Sleeper> {
        self.asleep.iter().find(|sleeper| sleeper.task == task)
    }

    /// How many tasks are known to be explored from here yet.
    pub(super) fn left(&self) -> usize {
        let mut tasks: Vec<TaskId> = self.owed.iter().map(|owed| owed.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks.len()
    }

    /// The next execution that it owes. `path` are the tasks whose transitions lead to it.
    pub(super) fn job(&self, path: &[TaskId], node: usize, sleepless: bool) -> Option<Job> {
        let Owed { sequence, task, name } = self.owed.front()?;
        let prefix = path.iter().copied().chain([*task]).collect();
        let asleep = if sleepless { Vec::new() } else { self.asleep.clone() };
        let (hint, whole) = (sequence.hint(*name), self.owed.len() > 1);
        Some(Job { prefix, asleep, hint, whole, pick: None, node })
    }

    /// Adds a sequence that no task begins for certain, unless all tasks that can begin it have
    /// been explored: then one did. Whether it was added. `names` are those of the tasks.
    pub(super) fn owe(&mut self, sequence: Sequence, names: &[TaskName]) -> bool {
        let task = |name| names.iter().position(|&other| other == name).map(|at| TaskId(at as u32));
        let named = |name| Some((task(name)?, name));
        let is_new = |task: TaskId| self.explored(task).is_none() && !self.given_up.contains(&task);
        let next = sequence.beginning().filter_map(named).find(|&(task, _)| is_new(task));
        let Some((task, name)) = next else { return false };
        if self.owed.iter().any(|owed| owed.sequence.is_like(&sequence)) {
            return false;
        }
        self.owed.push_back(Owed { sequence, task, name });
        true
    }

    /// The execution of a task that it owed could not be run: goes on without.
    pub(super) fn give_up(&mut self, task: TaskId) {
        self.given_up.push(task);
        self.owed.retain(|owed| owed.task != task);
    }
}
