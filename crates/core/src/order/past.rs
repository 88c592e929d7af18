//! What is evidently over: a few ranges of steps that all precede the running task.
//!
//! Most questions of a detector are about what was done long ago, or by tasks that have been waited for. Steps are numbered in the order in
//! which they begin, and runs are depth-first more often than not, so that such steps stand together: all before a region began, all
//! since a finish began that has ended. A comparison of numbers then tells what a search would.
//!
//! Every range is a fact, which stays true: what precedes a task precedes all that the task does later, and the tasks it spawns. Where
//! facts do not fit into the ranges there are, the smaller is dropped; an answer "no" means nothing.
//!
//! That all steps since the beginning of a finish were made inside it, by its owner or by tasks that its end waits for, is
//! known by counting: as many have begun since as those have begun. So nothing is assumed of the order in which tasks run.

use super::graph::GraphOrder;
use crate::ids::{ScopeId, StepId, TaskId};

/// The steps before `before`, those from `from` up to `to`, and those from `since` on precede the present step of a task, or are it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    pub(super) before: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) since: u32,
}

/// No step is from here on.
const NEVER: u32 = u32::MAX;

impl Past {
    /// Of a task that begins when nothing has been done.
    pub(super) const NOTHING: Past = Past { before: 0, from: 0, to: 0, since: NEVER };

    #[inline(always)]
    pub(super) fn has(&self, step: StepId) -> bool {
        step.0 < self.before || step.0 >= self.since || step.0.wrapping_sub(self.from) < self.to - self.from
    }

    /// Steps begin that may not precede: the next is `next`.
    #[inline]
    pub(super) fn close(&mut self, next: u32) {
        let from = std::mem::replace(&mut self.since, NEVER);
        if from >= next {
            return;
        }
        if from <= self.to && self.from <= next {
            (self.from, self.to) = (from.min(self.from), next.max(self.to));
        } else if next - from > self.to - self.from {
            (self.from, self.to) = (from, next);
        }
        if self.from <= self.before {
            self.before = self.before.max(self.to);
        }
    }

    /// Goes over to new numbers, in the same order.
    pub(super) fn renumber(&mut self, new: impl Fn(u32) -> u32) {
        for bound in [&mut self.before, &mut self.from, &mut self.to, &mut self.since] {
            *bound = if *bound == NEVER { NEVER } else { new(*bound) };
        }
    }
}

/// What a finish needs to know whether all steps since its beginning were made inside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    /// Steps of those of its tasks that have ended, and of all they have waited for.
    pub(super) ended: u32,
    /// When it began: how many steps its owner had, less how many there were.
    balance: u32,
    /// When it began: the steps from here on preceded its owner.
    since: u32,
}

impl Inside {
    /// Of a finish that is not asked.
    pub(super) const NOBODY: Inside = Inside { ended: 0, balance: 0, since: NEVER };

    pub(super) fn renumber(&mut self, new: impl Fn(u32) -> u32) {
        self.since = if self.since == NEVER { NEVER } else { new(self.since) };
    }
}

impl GraphOrder {
    /// Whether a step evidently precedes the step that runs now, by its number alone. A "no" means nothing.
    #[inline(always)]
    pub fn is_past(&self, step: StepId) -> bool {
        self.now.past.has(step)
    }

    /// The running task begins a finish.
    pub(super) fn inside(&self) -> Inside {
        let total = self.tree.task(self.now.task).total;
        Inside { ended: 0, balance: total.wrapping_sub(self.begun), since: self.now.past.since }
    }

    /// A task has ended: its steps are inside the finish it belongs to.
    pub(super) fn count_ended(&mut self, task: TaskId) {
        let scope = self.tree.stands_for(self.tree.scope_of(task));
        let total = self.tree.task(task).total;
        let inside = &mut self.tree.scope_mut(scope).inside;
        inside.ended = inside.ended.wrapping_add(total);
    }

    /// A finish of the running task has ended.
    pub(super) fn close_inside(&mut self, scope: ScopeId) {
        let Inside { ended, balance, since } = self.tree.scope_mut(scope).inside;
        let begun = self.begun;
        let total = &mut self.tree.task_mut(self.now.task).total;
        *total = total.wrapping_add(ended);
        if total.wrapping_sub(begun) == balance {
            self.now.past.since = self.now.past.since.min(since);
        }
    }
}
