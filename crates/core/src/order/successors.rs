//! Which tasks have directly joined others before they did anything: what `depend` orders.
//!
//! A task that waits for older siblings only before it begins ([`GraphOrder::join_sibling`]) comes,
//! with all that it does, after the step at which each of them ended. Of tasks that have joined
//! others at some other time nothing is said.
//!
//! Cost: linear in the tasks, and in the joins of each, up to [`NEAR`]; a lookup is a binary search.
//! What it leaves out: joins by other joins, those that were evident, and those of tasks that had
//! ended at the last [compaction](super::compact).

use super::graph::{GraphOrder, Known, NONE, TaskState};
use crate::ids::{StepId, TaskId};

/// The joins of one task that are looked at.
const NEAR: usize = 16;

/// See the module.
#[derive(Debug)]
pub struct Successors {
    /// For each join the task that was joined, its step, and the task that comes after; sorted.
    joins: Vec<(u32, u32, u32)>,
}

impl Successors {
    pub fn is_empty(&self) -> bool {
        self.joins.is_empty()
    }

    /// Tasks all of whose steps come after a step of `task`.
    pub fn of(&self, task: TaskId, step: StepId) -> impl Iterator<Item = TaskId> + '_ {
        let from = self.joins.partition_point(|&join| join < (task.0, step.0, 0));
        let joins = self.joins[from..].iter().take_while(move |join| join.0 == task.0);
        joins.map(|&(_, _, after)| TaskId(after))
    }
}

impl GraphOrder {
    /// The direct joins of tasks that have joined others before they began only. For an order that
    /// [folds](GraphOrder::folding).
    pub fn successors(&self) -> Successors {
        let mut joins = Vec::new();
        let Some(folds) = &self.folds else { return Successors { joins } };
        for (at, node) in self.tree.tasks.iter().enumerate().skip(1) {
            let TaskState { known, inherited, .. } = node.data;
            if folds.tasks[at].outward {
                continue;
            }
            let mut next = known;
            for _ in 0..NEAR {
                if next == inherited || next == NONE {
                    break;
                }
                let Known { source, right, .. } = self.known[next as usize];
                if source == NONE {
                    break;
                }
                joins.push((self.steps[source as usize].0, source, at as u32));
                next = right;
            }
        }
        joins.sort_unstable();
        Successors { joins }
    }
}
