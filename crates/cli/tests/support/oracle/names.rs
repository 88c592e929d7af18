//! Names that do not depend on the schedule: a task is the n-th child of its parent, an array or a
//! promise the n-th one its task made. States that differ only in the order of allocation are then
//! equal.

use super::state::{ArrayId, PromiseId, TaskId};
use rustc_hash::FxHashMap;

/// Numbers the pairs (task, n) in the order of their first mention.
#[derive(Default)]
struct Numbering {
    numbers: FxHashMap<(TaskId, u32), u32>,
    pairs: Vec<(TaskId, u32)>,
}

impl Numbering {
    fn number(&mut self, task: TaskId, nth: u32) -> u32 {
        *self.numbers.entry((task, nth)).or_insert_with(|| {
            self.pairs.push((task, nth));
            self.pairs.len() as u32 - 1
        })
    }
}

#[derive(Default)]
pub struct Names {
    /// Of task number n + 1; the root is number 0.
    tasks: Numbering,
    /// Of array number n + `vars.len()`; the `var`s come first.
    arrays: Numbering,
    promises: Numbering,
    pub vars: Vec<Var>,
}

pub struct Var {
    pub name: String,
    pub is_scalar: bool,
}

impl Names {
    pub const ROOT: TaskId = TaskId(0);

    pub fn child(&mut self, parent: TaskId, nth: u32) -> TaskId {
        TaskId(self.tasks.number(parent, nth) + 1)
    }

    pub fn array(&mut self, task: TaskId, nth: u32) -> ArrayId {
        ArrayId(self.arrays.number(task, nth) + self.vars.len() as u32)
    }

    pub fn promise(&mut self, task: TaskId, nth: u32) -> PromiseId {
        PromiseId(self.promises.number(task, nth))
    }

    /// `main`, `main/1`, `main/1/2`.
    pub fn task_path(&self, task: TaskId) -> String {
        match task.0.checked_sub(1) {
            None => "main".to_string(),
            Some(number) => {
                let (parent, nth) = self.tasks.pairs[number as usize];
                format!("{}/{nth}", self.task_path(parent))
            }
        }
    }

    /// The name of the `var`, or `main/1:new2` for the second array that task `main/1` made.
    pub fn array_name(&self, array: ArrayId) -> String {
        match self.vars.get(array.0 as usize) {
            Some(var) => var.name.clone(),
            None => {
                let (task, nth) = self.arrays.pairs[array.0 as usize - self.vars.len()];
                format!("{}:new{nth}", self.task_path(task))
            }
        }
    }

    /// `main:promise1`; futures are counted with the promises of the task that started them.
    pub fn promise_name(&self, promise: PromiseId) -> String {
        let (task, nth) = self.promises.pairs[promise.0 as usize];
        format!("{}:promise{nth}", self.task_path(task))
    }

    pub fn is_scalar(&self, array: ArrayId) -> bool {
        self.vars.get(array.0 as usize).is_some_and(|var| var.is_scalar)
    }
}
