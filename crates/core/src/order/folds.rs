//! Finished tasks folded into the one that has joined them.
//!
//! When a finish ends, all that its tasks did happens before what its owner does next. No later
//! step can tell their steps from the owner's first step after the finish: it comes after one of
//! theirs iff it comes after that one. So a task that has been joined needs no node of its own in
//! the order: a query about it is one about the owner at that step.
//!
//! The exception is a task that has signalled others outside the finish (it left a section of a
//! lock, posted an event), or that has a descendant that did, or whose end was joined by one that
//! did: these may come after some of its steps and not after the end of the finish. Of such a task
//! the steps after the last signal are folded, and the others when nobody else is alive.
//!
//! Cost: O(1) a task, amortised (the forest of a union-find with path compression). Memory: 20
//! bytes a task, 8 a finish.

use crate::ids::{StepId, TaskId};
use crate::marks::Numbers;

pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct Fold {
    /// The step the task is folded into, or `NONE`.
    pub(super) into: u32,
    /// The first of its steps that are folded, if any are.
    from: u32,
    /// The next member of its finish.
    pub(super) next: u32,
    /// Somebody outside its finish may come after its steps before this one: it has signalled them,
    /// or one of its tasks or somebody it has signalled has. 0 if there are none.
    pub(super) told: u32,
    /// What it knows came from outside its finish, in part.
    pub(super) outward: bool,
    /// Some of its tasks may outlive it: it has left a finish, or they never were in one of its
    /// own.
    pub(super) detached: bool,
    pub(super) ended: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Members {
    pub(super) first: u32,
    pub(super) last: u32,
}

const EMPTY: Members = Members { first: NONE, last: NONE };

#[derive(Default, Debug)]
pub(super) struct Folds {
    pub(super) tasks: Vec<Fold>,
    pub(super) scopes: Vec<Members>,
    /// Tasks that were waited for, but could not be folded.
    pub(super) kept: Vec<u32>,
    /// The sets of sources that were signalled to somebody.
    pub(super) told: Vec<bool>,
    pub(super) live: usize,
}

impl Folds {
    /// For a run in which main is the only task so far.
    pub(super) fn new() -> Self {
        let mut folds = Folds::default();
        folds.add_scope();
        folds.add_task(0);
        folds
    }

    pub(super) fn add_scope(&mut self) {
        self.scopes.push(EMPTY);
    }

    /// Adds the next task, a member of the finish `scope`.
    pub(super) fn add_task(&mut self, scope: u32) {
        let task = self.tasks.len() as u32;
        self.tasks.push(Fold {
            into: NONE,
            from: 0,
            next: NONE,
            told: 0,
            outward: false,
            detached: false,
            ended: false,
        });
        self.append(scope, Members { first: task, last: task });
        self.live += 1;
    }

    fn append(&mut self, scope: u32, more: Members) {
        if more.first == NONE {
            return;
        }
        let members = &mut self.scopes[scope as usize];
        match members.last {
            NONE => members.first = more.first,
            last => self.tasks[last as usize].next = more.first,
        }
        members.last = more.last;
    }

    /// The members of `scope` belong to `instead` from now on.
    pub(super) fn leave(&mut self, scope: u32, instead: u32) {
        let members = std::mem::replace(&mut self.scopes[scope as usize], EMPTY);
        self.append(instead, members);
    }

    /// The finish has ended; its owner continues with the step `after`.
    pub(super) fn finish_end(&mut self, scope: u32, after: u32) {
        let mut at = std::mem::replace(&mut self.scopes[scope as usize], EMPTY).first;
        while at != NONE {
            let fold = &mut self.tasks[at as usize];
            if fold.told > 0 {
                self.kept.push(at);
            }
            // The tasks of a detached one may continue, and signal more of its steps.
            if fold.told == 0 || !fold.detached {
                (fold.into, fold.from) = (after, fold.told);
            }
            at = fold.next;
        }
    }

    /// Only a task that continues with the step `after` is alive: folds also the kept tasks whose
    /// signals it has received, if `over` says that they happen before it.
    pub(super) fn alone(&mut self, after: u32, over: impl Fn(TaskId) -> bool) {
        self.kept.retain(|&task| {
            let over = over(TaskId(task));
            if over {
                let fold = &mut self.tasks[task as usize];
                (fold.into, fold.from) = (after, 0);
            }
            !over
        });
    }

    /// The step that a step of a task is folded into, if it is.
    pub(super) fn step_for(&self, step: StepId, task: TaskId) -> Option<u32> {
        let Fold { into, from, .. } = self.tasks[task.index()];
        (into != NONE && step.0 >= from).then_some(into)
    }

    /// The step that some steps of a task, or all, are folded into.
    pub(super) fn folded_into(&self, task: TaskId) -> Option<u32> {
        let into = self.tasks[task.index()].into;
        (into != NONE).then_some(into)
    }

    /// Renumbers tasks, finishes and steps.
    pub(super) fn renumber(&mut self, tasks: &Numbers, scopes: &Numbers, steps: &Numbers) {
        let all = &mut self.tasks;
        // A finish that goes has no members that are kept.
        scopes.gather(&mut self.scopes, |_, members| {
            let (mut at, mut kept, mut last) = (members.first, EMPTY, NONE);
            while at != NONE {
                let next = all[at as usize].next;
                let new = tasks.of(at);
                if new != NONE {
                    match last {
                        NONE => kept.first = new,
                        // By its old id: its entry has not moved yet.
                        last => all[last as usize].next = new,
                    }
                    (last, kept.last) = (at, new);
                    all[at as usize].next = NONE;
                }
                at = next;
            }
            kept
        });
        self.told.clear();
        let bound = |old: u32| if old == 0 { 0 } else { steps.before(old) };
        tasks.gather(&mut self.tasks, |_, fold| Fold {
            into: if fold.into == NONE { NONE } else { steps.of(fold.into) },
            from: bound(fold.from),
            told: bound(fold.told),
            ..fold
        });
        self.kept.retain_mut(|task| {
            *task = tasks.of(*task);
            *task != NONE
        });
    }
}
