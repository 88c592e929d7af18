//! When one reader stands for those that come after it.
//!
//! Of readers of a location that are parallel to each other all have to be remembered, since a later write may come after one of
//! them and not after another. But what a task that has ended, and whose own tasks have all been waited for, did after it last told somebody how
//! far it was, can be known in one way only: by the end of the finish the task belongs to. Whoever runs inside that finish comes before its end as well. So
//! whatever comes after such a reader comes after every later reader inside its finish, and a write that races with one
//! of these races with it: it stands for them, and they need not be remembered.
//!
//! This is the pseudo-transitivity that lets SP-bags (Feng and Leiserson, SPAA 1997) and ESP-bags (Raman et al., RV 2010) keep one reader a
//! location. There it holds for every two tasks, since programs are fork-join and run depth-first; here
//! joins, locks and any order of execution are allowed, and it is asked for each reader anew.
//!
//! What the user of the order has to see to: that the end of the task is joined by nobody ([`GraphOrder::join`],
//! [`GraphOrder::join_sibling`]), and that the finish is not left with its tasks joined one by one.
//!
//! Cost: O(log depth) a question.

use super::graph::GraphOrder;
use super::tree::Tree;
use crate::ids::{ScopeId, StepId, TaskId};

/// A reader that stands for later ones: its task, or that which has waited for it, and the finish whose end alone tells of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    pub task: TaskId,
    pub scope: ScopeId,
}

impl GraphOrder {
    /// Whether what was done by `step` stands for the same done by the step that runs now: whoever will come after it will come after
    /// both. For an order that [folds](GraphOrder::folding).
    pub fn stands(&mut self, step: StepId) -> Option<Standing> {
        let (step, task) = self.resolve(step, self.task_of(step));
        let fold = self.folds.as_ref()?.tasks[task.index()];
        if !fold.ended || step.0 < fold.told || fold.loose {
            return None;
        }
        let scope = self.tree.stands_for(self.tree.scope_of(task));
        self.is_inside(scope).then_some(Standing { task, scope })
    }

    /// Whether the step that runs now is inside a finish.
    pub fn is_inside(&self, scope: ScopeId) -> bool {
        self.tree.is_inside(scope, self.now.task)
    }

    /// Whose finish it is.
    #[inline]
    pub fn owner(&self, scope: ScopeId) -> TaskId {
        self.tree.owner(scope)
    }

    /// Whether a task has ended. For an order that folds.
    #[inline]
    pub fn has_ended(&self, task: TaskId) -> bool {
        self.folds.as_ref().is_some_and(|folds| folds.tasks[task.index()].ended)
    }

    /// Whether a finish is neither over nor left.
    #[inline]
    pub fn is_open(&self, scope: ScopeId) -> bool {
        self.tree.scopes[scope.index()].is_open()
    }
}

impl<T: Copy, S: Copy> Tree<T, S> {
    /// Whether `task`, where it is now, is inside a finish: as its owner, or as a task of a task of … its tasks.
    fn is_inside(&self, finish: ScopeId, task: TaskId) -> bool {
        let around = &self.scopes[finish.index()];
        if !around.is_open() {
            return false;
        }
        if around.owner == task.0 {
            return true;
        }
        let mut at = self.stands_for(self.scope_of(task)).0;
        loop {
            let scope = &self.scopes[at as usize];
            if at == finish.0 || scope.depth <= around.depth {
                return at == finish.0;
            }
            let far = &self.scopes[scope.jump as usize];
            at = if far.depth >= around.depth { scope.jump } else { scope.outer };
        }
    }
}
