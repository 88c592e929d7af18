//! The tree of tasks and finish scopes: what spawn and finish alone order.
//!
//! Steps are numbered in the order in which they begin, so a position in a task is a number. A step
//! of task `a` precedes a step of task `b` by spawns and finishes
//!
//! - if `a` is `b`, and it has the smaller number;
//! - if `a` is an ancestor of `b`, and the step came before the spawn of the child that leads to
//!   `b`;
//! - if neither, and `a` belongs (as a task of a task of … its tasks) to a finish of `b` or of an
//!   ancestor of `b` that had ended by then. Of these finishes only the innermost counts: while `b`
//!   runs, those around it cannot end.
//!
//! A finish can also be *left* without waiting for its tasks: from then on they belong to another
//! one around it.
//!
//! So the order is a question about ancestors. It is answered with jump pointers (Myers, *An
//! applicative random-access stack*, 1983): beside its parent every node knows one far ancestor,
//! chosen by its depth so that any depth is reached in O(log depth) hops. The same is done for the
//! finishes: from a finish to that which its owner belongs to. A task may also have *nested*
//! finishes, which end in the reverse order in which they have begun: there the way out leads from
//! one to the one before it first. An inner one that has not ended has outer ones that have not, so
//! that this makes no difference to the order, and the innermost finish on the way is the same.
//!
//! Cost: O(1) a spawn or finish, and nothing is ever renumbered (order maintenance, as in Bender et
//! al., SPAA 2004, answers in two comparisons but pays for it at every spawn); a question is O(1)
//! for what is near, a parent, a child's finish, a sibling's, and O(log² depth) at worst. Memory:
//! 24 bytes a task, 28 a finish, and what the user of the tree keeps with each (`T` and `S`). Runs
//! need not be depth-first.

use crate::ids::{ScopeId, StepId, TaskId};
use std::cell::Cell;

const NONE: u32 = u32::MAX;
/// The end of a finish that was left.
pub(super) const LEFT: u32 = u32::MAX - 1;

/// Steps of a task up to but not including this one.
pub(super) type Bound = u32;

/// No step of the task.
pub(super) const NO_STEP: Bound = 0;
/// All steps of the task.
pub(super) const ALL_STEPS: Bound = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct TaskNode<T> {
    pub(super) parent: u32,
    pub(super) jump: u32,
    pub(super) depth: u32,
    /// Its first step.
    pub(super) first: u32,
    /// The finish it belongs to.
    pub(super) scope: u32,
    /// The innermost open nested finish that it owns, or `NONE`.
    pub(super) nested: u32,
    pub(super) data: T,
}

#[derive(Clone, Debug)]
pub(super) struct Scope<S> {
    pub(super) owner: u32,
    /// The nested finish of its owner that it is inside of, if it is nested itself and there is one,
    /// or the finish its owner belongs to.
    pub(super) outer: u32,
    pub(super) jump: u32,
    pub(super) depth: u32,
    /// The owner's first step after it, or `NONE`, or `LEFT`.
    pub(super) end: u32,
    /// If it was left: the finish its tasks belong to instead, or one that is nearer to it.
    pub(super) instead: Cell<u32>,
    /// Its owner ends it after all nested ones that it begins later, and never leaves it.
    pub(super) is_nested: bool,
    pub(super) data: S,
}

impl<S> Scope<S> {
    /// Neither over nor left.
    pub(super) fn is_open(&self) -> bool {
        self.end == NONE
    }
}

#[derive(Debug)]
pub(super) struct Tree<T, S> {
    pub(super) tasks: Vec<TaskNode<T>>,
    pub(super) scopes: Vec<Scope<S>>,
}

/// Room to begin with, so that small programs do not spend their time growing tables.
const ROOM: usize = 16;

impl<T: Copy, S: Copy> Tree<T, S> {
    /// Main, whose first step is 0, and the scope of the program, which never ends.
    pub(super) fn new(main: T, program: S) -> Self {
        let mut tree = Tree { tasks: Vec::with_capacity(ROOM), scopes: Vec::with_capacity(ROOM / 4) };
        tree.tasks.push(TaskNode {
            parent: 0,
            jump: 0,
            depth: 0,
            first: 0,
            scope: 0,
            nested: NONE,
            data: main,
        });
        tree.scopes.push(Scope {
            owner: 0,
            outer: 0,
            jump: 0,
            depth: 0,
            end: NONE,
            instead: Cell::new(0),
            is_nested: false,
            data: program,
        });
        tree
    }

    pub(super) fn tasks(&self) -> usize {
        self.tasks.len()
    }

    pub(super) fn scopes(&self) -> usize {
        self.scopes.len()
    }

    #[inline]
    pub(super) fn task(&self, task: TaskId) -> &T {
        &self.tasks[task.index()].data
    }

    #[inline]
    pub(super) fn task_mut(&mut self, task: TaskId) -> &mut T {
        &mut self.tasks[task.index()].data
    }

    pub(super) fn scope_mut(&mut self, scope: ScopeId) -> &mut S {
        &mut self.scopes[scope.index()].data
    }

    /// The finish a task belongs to.
    pub(super) fn scope_of(&self, task: TaskId) -> ScopeId {
        ScopeId(self.tasks[task.index()].scope)
    }

    pub(super) fn owner(&self, scope: ScopeId) -> TaskId {
        TaskId(self.scopes[scope.index()].owner)
    }

    /// The parent of a task, and which of its steps precede the task.
    #[inline]
    pub(super) fn parent(&self, task: TaskId) -> (TaskId, Bound) {
        let task = &self.tasks[task.index()];
        (TaskId(task.parent), task.first)
    }

    /// Adds the next task.
    #[inline]
    pub(super) fn spawn(&mut self, parent: TaskId, scope: ScopeId, first: StepId, data: T) {
        let up = &self.tasks[parent.index()];
        let far = &self.tasks[up.jump as usize];
        // Two jumps of one length are joined to one: jumps double like the digits of a skew binary
        // number.
        let jump = if up.depth - far.depth == far.depth - self.tasks[far.jump as usize].depth {
            far.jump
        } else {
            parent.0
        };
        let depth = up.depth + 1;
        let (parent, first, scope) = (parent.0, first.0, scope.0);
        self.tasks.push(TaskNode { parent, jump, depth, first, scope, nested: NONE, data });
    }

    /// Adds the next finish.
    pub(super) fn finish_begin(&mut self, owner: TaskId, is_nested: bool, data: S) {
        let number = self.scopes.len() as u32;
        let task = &mut self.tasks[owner.index()];
        let outer = if is_nested && task.nested != NONE { task.nested } else { task.scope };
        if is_nested {
            task.nested = number;
        }
        let up = &self.scopes[outer as usize];
        let far = &self.scopes[up.jump as usize];
        let jump = if up.depth - far.depth == far.depth - self.scopes[far.jump as usize].depth {
            far.jump
        } else {
            outer
        };
        let depth = up.depth + 1;
        self.scopes.push(Scope {
            owner: owner.0,
            outer,
            jump,
            depth,
            end: NONE,
            instead: Cell::new(0),
            is_nested,
            data,
        });
    }

    /// The finish has ended; its owner continues with the step `after`.
    pub(super) fn finish_end(&mut self, scope: ScopeId, after: StepId) {
        let ended = &mut self.scopes[scope.index()];
        ended.end = after.0;
        let (owner, outer) = (ended.owner, ended.outer);
        if ended.is_nested {
            let around = &self.scopes[outer as usize];
            let is_own = around.is_nested && around.owner == owner;
            self.tasks[owner as usize].nested = if is_own { outer } else { NONE };
        }
    }

    /// The finish is left: its tasks belong to `instead`, which is open around it.
    pub(super) fn finish_leave(&mut self, scope: ScopeId, instead: ScopeId) {
        let instead = self.stands_for(instead);
        let left = &mut self.scopes[scope.index()];
        left.end = LEFT;
        left.instead.set(instead.0);
    }

    /// The finish to which the tasks of `scope` belong by now. Tasks deep inside each other leave
    /// theirs one after the other, so that the way there is halved whenever it is gone.
    pub(super) fn stands_for(&self, scope: ScopeId) -> ScopeId {
        let mut at = &self.scopes[scope.index()];
        let mut number = scope.0;
        while at.end == LEFT {
            number = at.instead.get();
            let next = &self.scopes[number as usize];
            if next.end == LEFT {
                at.instead.set(next.instead.get());
            }
            at = next;
        }
        ScopeId(number)
    }

    /// Which steps of `task` precede the step `at` of the task `to`, or are it.
    #[inline]
    pub(super) fn before(&self, task: TaskId, to: TaskId, at: StepId) -> Bound {
        if task == to {
            return at.0 + 1;
        }
        let to_task = &self.tasks[to.index()];
        if to_task.parent == task.0 {
            return to_task.first;
        }
        self.before_distant(task, to, at)
    }

    fn before_distant(&self, task: TaskId, to: TaskId, at: StepId) -> Bound {
        if let Some(bound) = self.before_branch(task.0, to, at) {
            return bound;
        }
        let mut scope = &self.scopes[self.tasks[task.index()].scope as usize];
        if scope.end >= LEFT {
            if scope.end == NONE {
                return NO_STEP;
            }
            scope = &self.scopes[self.stands_for(ScopeId(scope.instead.get())).index()];
            if scope.end == NONE {
                return NO_STEP;
            }
        }
        // The innermost finish around `task` that `to` or an ancestor of it owns; main owns the
        // outermost.
        let bound = loop {
            if let Some(bound) = self.before_branch(scope.owner, to, at) {
                if scope.end != LEFT {
                    break bound;
                }
                // Those around it have owners around this one's.
                scope = &self.scopes[self.stands_for(ScopeId(scope.instead.get())).index()];
                continue;
            }
            let far = &self.scopes[scope.jump as usize];
            let reached = self.before_branch(far.owner, to, at).is_some();
            scope = &self.scopes[if reached { scope.outer } else { scope.jump } as usize];
        };
        // A finish that has not ended is above all bounds.
        if scope.end < bound { ALL_STEPS } else { NO_STEP }
    }

    /// If `task` is `to` or an ancestor of it: the steps of `task` before it leaves the way to the
    /// step `at` of `to`.
    #[inline]
    pub(super) fn before_branch(&self, task: u32, to: TaskId, at: StepId) -> Option<Bound> {
        if task == to.0 {
            return Some(at.0 + 1);
        }
        let depth = self.tasks[task as usize].depth;
        let mut branch = &self.tasks[to.index()];
        if branch.depth <= depth {
            return None;
        }
        while branch.depth > depth + 1 {
            let far = &self.tasks[branch.jump as usize];
            branch = if far.depth > depth { far } else { &self.tasks[branch.parent as usize] };
        }
        (branch.parent == task).then_some(branch.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

    /// What `before` has to give, by the definition: a graph of steps, searched.
    struct Naive {
        tree: Tree<(), ()>,
        /// Finishes are nested, and none is left.
        nested: bool,
        /// For each step its task and the steps directly before it.
        steps: Vec<(u32, Vec<usize>)>,
        /// For each task: its last step, the open finishes it owns, whether it has ended.
        tasks: Vec<(usize, Vec<u32>, bool)>,
        /// For each finish: the last steps of its ended tasks, and how many have not ended.
        scopes: Vec<(Vec<usize>, usize)>,
    }

    impl Naive {
        fn new() -> Self {
            Naive {
                tree: Tree::new((), ()),
                nested: false,
                steps: vec![(0, Vec::new())],
                tasks: vec![(0, Vec::new(), false)],
                scopes: vec![(Vec::new(), 0)],
            }
        }

        fn step(&mut self, task: usize, before: Vec<usize>) -> usize {
            self.steps.push((task as u32, before));
            self.steps.len() - 1
        }

        fn go_on(&mut self, task: usize, mut before: Vec<usize>) -> usize {
            before.push(self.tasks[task].0);
            self.tasks[task].0 = self.step(task, before);
            self.tasks[task].0
        }

        fn scope_of_children(&self, task: usize) -> u32 {
            let own = self.tree.tasks[task].scope;
            self.tasks[task].1.last().copied().unwrap_or(own)
        }

        fn spawn(&mut self, task: usize) {
            let (scope, child) = (self.scope_of_children(task), self.tasks.len());
            let first = self.step(child, vec![self.tasks[task].0]);
            self.tree.spawn(TaskId::at(task), ScopeId(scope), StepId::at(first), ());
            self.tasks.push((first, Vec::new(), false));
            self.scopes[self.tree.stands_for(ScopeId(scope)).index()].1 += 1;
            self.go_on(task, Vec::new());
        }

        fn finish_begin(&mut self, task: usize) {
            self.tree.finish_begin(TaskId::at(task), self.nested, ());
            self.tasks[task].1.push(self.scopes.len() as u32);
            self.scopes.push((Vec::new(), 0));
        }

        fn finish_end(&mut self, task: usize) {
            let scope = self.tasks[task].1.pop().expect("an open finish");
            let joined = self.scopes[scope as usize].0.clone();
            let after = self.go_on(task, joined);
            self.tree.finish_end(ScopeId(scope), StepId::at(after));
        }

        /// The innermost open finish of the task is left: its tasks belong to the next one around
        /// it.
        fn finish_leave(&mut self, task: usize) {
            let left = self.tasks[task].1.pop().expect("an open finish");
            let instead = self.scope_of_children(task);
            let (ends, pending) = std::mem::take(&mut self.scopes[left as usize]);
            self.tree.finish_leave(ScopeId(left), ScopeId(instead));
            let instead = self.tree.stands_for(ScopeId(instead)).index();
            self.scopes[instead].0.extend(ends);
            self.scopes[instead].1 += pending;
        }

        fn end(&mut self, task: usize) {
            self.tasks[task].2 = true;
            let scope = self.tree.stands_for(ScopeId(self.tree.tasks[task].scope)).index();
            self.scopes[scope].0.push(self.tasks[task].0);
            self.scopes[scope].1 -= 1;
        }

        /// One random thing that can happen.
        fn act(&mut self, mut random: impl FnMut(usize) -> usize) {
            let task = random(self.tasks.len());
            let (_, open, ended) = &self.tasks[task];
            let pending = open.last().map(|&scope| self.scopes[scope as usize].1);
            match random(9) {
                _ if *ended => {}
                0..=2 => self.spawn(task),
                3 => self.finish_begin(task),
                4 | 5 if pending == Some(0) => self.finish_end(task),
                6 | 7 if open.is_empty() && task != 0 => self.end(task),
                8 if !open.is_empty() && !self.nested => self.finish_leave(task),
                _ => {}
            }
        }

        fn precedes(&self, a: usize, b: usize) -> bool {
            let mut seen = vec![false; self.steps.len()];
            let mut stack = vec![b];
            while let Some(at) = stack.pop() {
                if at == a {
                    return true;
                }
                if at > a && !std::mem::replace(&mut seen[at], true) {
                    stack.extend(&self.steps[at].1);
                }
            }
            false
        }
    }

    #[test]
    fn agrees_with_the_paths_of_the_graph() {
        let mut random = random(0x9e37_79b9_7f4a_7c15u64);
        for round in 0..300 {
            let mut naive = Naive::new();
            naive.nested = round % 2 == 1;
            for _ in 0..20 + round {
                naive.act(&mut random);
            }
            for a in 0..naive.steps.len() {
                for b in a..naive.steps.len() {
                    let (task, to) = (TaskId(naive.steps[a].0), TaskId(naive.steps[b].0));
                    let before = (a as u32) < naive.tree.before(task, to, StepId::at(b));
                    assert_eq!(before, naive.precedes(a, b), "round {round}: steps {a} and {b}");
                }
            }
        }
    }

    /// A chain of a hundred thousand tasks, each the child of the one before and in a finish of its
    /// own.
    #[test]
    fn deep_trees_are_no_problem() {
        let mut tree = Tree::new((), ());
        let depth = 100_000;
        for task in 0..depth {
            tree.finish_begin(TaskId(task), false, ());
            tree.spawn(TaskId(task), ScopeId(task + 1), StepId(2 * task + 1), ());
        }
        let last = StepId(2 * depth + 1);
        for task in 0..depth {
            // Its steps up to the spawn: each has its first, and the one after the spawn.
            assert_eq!(tree.before(TaskId(task), TaskId(depth), last), 2 * task + 1);
            assert_eq!(tree.before(TaskId(depth), TaskId(task), last), NO_STEP);
        }
        for task in (0..depth).rev() {
            tree.finish_end(ScopeId(task + 1), StepId(4 * depth - task));
            assert_eq!(tree.before(TaskId(depth), TaskId(task), StepId(4 * depth)), ALL_STEPS);
        }
    }
}
