//! The happens-before watermark: a few ranges of time in which only tasks ran whose steps happen
//! before the running task.
//!
//! Most queries of a detector are about what was done long ago, or by tasks that have been joined.
//! Runs are depth-first more often than not, so that these steps are contiguous: all before a
//! region began, all since a finish began that has ended. A comparison of times then answers what a
//! search would.
//!
//! Time is the number of steps begun, and the query is about a step; or it is the user's own
//! ([`GraphOrder::set_time`]): a number that grows with what the user asks about, so that a query
//! needs no lookup.
//!
//! Every range is a fact that stays true: what happens before a task happens before all that the
//! task does later, and before the tasks it spawns. Where facts do not fit into the ranges there
//! are, the smaller is dropped; an answer "no" means nothing.
//!
//! Counting shows that all that was done since the beginning of a finish was done inside it, by its
//! owner or by tasks that its end waits for: as many steps have begun since, and as many tasks have
//! resumed, as among those. So nothing is assumed of the order in which tasks run.

use super::graph::GraphOrder;
use crate::ids::{ScopeId, StepId, TaskId};

/// What was done before `before`, from `from` up to `to`, and from `since` on precedes the present
/// step of a task, or is its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    pub(super) before: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) since: u32,
}

/// Nothing is done from here on.
const NEVER: u32 = u32::MAX;

impl Past {
    /// Of a task that begins when nothing has been done.
    pub(super) const NOTHING: Past = Past { before: 0, from: 0, to: 0, since: NEVER };

    #[inline(always)]
    pub(super) fn has(&self, time: u32) -> bool {
        time < self.before || time >= self.since || time.wrapping_sub(self.from) < self.to - self.from
    }

    /// The same when from `next` on something is done that may not precede.
    #[inline]
    pub(super) fn closed(self, next: u32) -> Past {
        let Past { mut before, mut from, mut to, since } = self;
        if since < next {
            if since <= to && from <= next {
                (from, to) = (since.min(from), next.max(to));
            } else if next - since > to - from {
                (from, to) = (since, next);
            }
            if from <= before {
                before = before.max(to);
            }
        }
        Past { before, from, to, since: NEVER }
    }

    /// Renumbers the bounds; `new` keeps their order.
    pub(super) fn renumber(&mut self, new: impl Fn(u32) -> u32) {
        for bound in [&mut self.before, &mut self.from, &mut self.to, &mut self.since] {
            *bound = if *bound == NEVER { NEVER } else { new(*bound) };
        }
    }
}

/// What a finish needs to know whether all since its beginning was done inside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    /// What those of its tasks count that have ended.
    pub(super) ended: u32,
    /// When it began: what its owner counted, less the count of all.
    balance: u32,
    /// When it began: what was done from here on preceded its owner.
    since: u32,
}

impl Inside {
    /// Of a finish that nobody queries.
    pub(super) const NOBODY: Inside = Inside { ended: 0, balance: 0, since: NEVER };

    pub(super) fn renumber(&mut self, new: impl Fn(u32) -> u32) {
        self.since = if self.since == NEVER { NEVER } else { new(self.since) };
    }
}

impl GraphOrder {
    /// From now on the user keeps the time: `time` is no less than any set before. The user must
    /// set it before another task resumes or is spawned, if something was done meanwhile.
    #[inline]
    pub fn set_time(&mut self, time: u32) {
        self.time = Some(time);
    }

    #[inline]
    pub(super) fn time(&self) -> u32 {
        self.time.unwrap_or(self.steps.len() as u32)
    }

    /// Whether a step evidently happens before the step that runs now, by its id alone. A "no"
    /// means nothing.
    #[inline(always)]
    pub fn is_past(&self, step: StepId) -> bool {
        self.time.is_none() && self.now.past.has(step.0)
    }

    /// The same of what was done at `time`, which is the user's.
    #[inline(always)]
    pub fn is_below_watermark(&self, time: u32) -> bool {
        self.now.past.has(time)
    }

    /// The happens-before watermark: what was done before this time, which is the user's, happens
    /// before the step that runs now.
    #[inline(always)]
    pub fn watermark(&self) -> u32 {
        self.now.past.before
    }

    /// Renumbers the user's times, in the same order: nothing that will be asked about was done at
    /// another.
    pub fn renumber_times(&mut self, new: impl Fn(u32) -> u32) {
        self.time = self.time.map(&new);
        self.now.past.renumber(&new);
        for task in &mut self.tree.tasks {
            task.data.past.renumber(&new);
        }
        for scope in &mut self.tree.scopes {
            scope.data.inside.renumber(&new);
        }
    }

    /// The running task begins a finish.
    pub(super) fn inside(&self) -> Inside {
        let total = self.tree.task(self.now.task).total;
        Inside { ended: 0, balance: total.wrapping_sub(self.begun), since: self.now.past.since }
    }

    /// A task has ended: what it has done is inside the finish it belongs to.
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
