//! Representative readers: when one reader subsumes those that come after it.
//!
//! A detector has to keep all readers of a location that are parallel to each other, since a later
//! write may come after one of them and not after another. But consider a task that has ended, and
//! whose own tasks have all been joined. What it did after it last signalled another task becomes
//! known in one way only: by the end of the finish that the task belongs to. Whoever runs inside
//! that finish comes before its end as well. So whatever comes after such a reader comes after
//! every later reader inside its finish, and a write that races with one of these races with it: it
//! is their representative, and subsumes them.
//!
//! Inside a finish is also what its owner does, and what runs inside of other finishes that the
//! owner begins and ends meanwhile. The order knows of the latter if these finishes are
//! [nested](GraphOrder::nested_finish_begin).
//!
//! This is the pseudo-transitivity that lets SP-bags (Feng and Leiserson, SPAA 1997) and ESP-bags
//! (Raman et al., RV 2010) keep one reader a location. There it holds for every two tasks, since
//! programs are fork-join and run depth-first. Departure: joins, locks and any order of execution
//! are allowed here, so it is asked for each reader anew.
//!
//! The same argument holds for tasks that have ended and were created by one task into one finish
//! of its own. Of each, others learn only by the end of the finish, or, if the finish is left, by
//! their ends, which their creator then joins all at once. Nobody who runs now comes after one of
//! them, and whoever comes after one comes after all: the accesses of one may count as those of
//! another ([`GraphOrder::sibling`]), long before they are joined.
//!
//! And it holds for the steps of one task, which others come after up to where the task has created
//! a task, or signalled. If none of those it has created between two of its steps is alive, nor any
//! of their descendants, and it has signalled nobody since, whoever comes after one step comes
//! after the other ([`Branches`]): so a task that creates a million others, each of which soon
//! ends, does not need its million steps.
//!
//! What the user of the order must ensure: that nobody joins the end of the task
//! ([`GraphOrder::join`], [`GraphOrder::join_sibling`]), and that the finish is not left with its
//! tasks joined one by one.
//!
//! Cost: O(log depth) a query.

use super::graph::{GraphOrder, NONE, Signalled};
use super::tree::Tree;
use crate::ids::{ScopeId, StepId, SyncId, TaskId};
use crate::marks::Marks;

/// A representative reader: its task, or the one that has joined it, and the finish whose end alone
/// makes it known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Representative {
    pub task: TaskId,
    pub scope: ScopeId,
}

/// A task that has ended and was not joined: its creator and the finish it was created into, which
/// it shares with all tasks that nobody will distinguish from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sibling {
    pub parent: TaskId,
    pub created_in: ScopeId,
}

/// Where the tasks that are alive, and those they come from, have been created.
#[derive(Debug)]
pub struct Branches {
    /// For each a creator and the first step of the task it created, sorted.
    at: Vec<(u32, u32)>,
}

/// A stretch of the steps of a task that nobody will distinguish.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stretch {
    pub task: TaskId,
    after: u32,
}

impl Branches {
    /// Whether any task that is alive comes from this one.
    pub fn has(&self, task: TaskId) -> bool {
        let next = self.at.partition_point(|&(from, _)| from < task.0);
        self.at.get(next).is_some_and(|&(from, _)| from == task.0)
    }

    fn before(&self, task: TaskId, step: StepId) -> u32 {
        self.at.partition_point(|&branch| branch < (task.0, step.0)) as u32
    }
}

impl GraphOrder {
    /// Where these tasks, all that have not ended, and those they come from were created.
    pub fn branches(&self, live: impl IntoIterator<Item = TaskId>) -> Branches {
        let mut seen = Marks::none(self.tree.tasks());
        let mut at = Vec::new();
        for mut task in live {
            while task != TaskId::MAIN && seen.add(task.index()) {
                let (parent, first) = self.tree.parent(task);
                at.push((parent.0, first));
                task = parent;
            }
        }
        at.sort_unstable();
        Branches { at }
    }

    /// The stretch that a step is in, if there may be more than itself in it. The step is its own
    /// [representative](GraphOrder::stand_in).
    #[inline]
    pub fn stretch(&self, step: StepId, branches: &Branches) -> Option<Stretch> {
        let task = self.task_of(step);
        let told = self.folds.as_ref()?.tasks[task.index()].told;
        (step.0 >= told).then(|| Stretch { task, after: branches.before(task, step) })
    }

    /// If what was done by `step` may count as done by any other task with the same answer here:
    /// the task, or that which has waited for it, and the answer. For an order that
    /// [folds](GraphOrder::folding).
    pub fn sibling(&mut self, step: StepId) -> Option<(TaskId, Sibling)> {
        let (step, task) = self.resolve(step, self.task_of(step));
        let fold = self.folds.as_ref()?.tasks[task.index()];
        if !fold.ended || step.0 < fold.told || fold.detached {
            return None;
        }
        let (created_in, (parent, _)) = (self.tree.scope_of(task), self.tree.parent(task));
        // Tasks of others are not joined with its own.
        let is_own = self.tree.owner(created_in) == parent;
        (is_own && self.is_open(self.tree.stands_for(created_in)))
            .then_some((task, Sibling { parent, created_in }))
    }

    /// Drops what tasks that `may` be dropped add to what others know: nothing they, or any task
    /// they have joined, have done will be asked about. Their ends are joined by their younger
    /// siblings and their creator only ([`GraphOrder::signal_end`]), who come after all that was
    /// before such a task began; what the task itself has joined stays in the sets below. Keeps
    /// those that have signalled others. An end goes as well unless its task knows more than its
    /// creator: whoever joins that learns something else.
    pub fn forget_ends(&mut self, may: impl Fn(TaskId) -> bool) {
        let Some(folds) = &self.folds else { return };
        let tree = &self.tree;
        let mut idle = Marks::none(tree.tasks());
        for (at, fold) in folds.tasks.iter().enumerate().skip(1) {
            let task = TaskId::at(at);
            let is_own = || tree.owner(tree.scope_of(task)) == tree.parent(task).0;
            if fold.ended && fold.told == 0 && !fold.detached && is_own() && may(task) {
                idle.add(at);
            }
        }
        self.drop_sources_of(&idle);
        let (tree, steps) = (&self.tree, &self.steps);
        for sync in self.syncs.iter_mut().filter(|sync| sync.step != NONE && sync.more == NONE) {
            let task = steps[sync.step as usize];
            let knows_no_more = sync.known == NONE || sync.known == tree.task(task).inherited;
            if knows_no_more && idle.has(task.index()) {
                *sync = Signalled::NOTHING;
            }
        }
    }

    /// Whether a join of the sync would order nothing: its end was dropped, or not signalled yet.
    pub fn is_sync_forgotten(&self, sync: SyncId) -> bool {
        self.signalled(sync).step == NONE
    }

    /// The task whose end signalled the sync.
    pub fn signaller(&self, sync: SyncId) -> Option<TaskId> {
        let step = self.signalled(sync).step;
        (step != NONE).then(|| self.steps[step as usize])
    }

    /// The step that signalled the sync, if one has.
    pub fn signalled_at(&self, sync: SyncId) -> Option<StepId> {
        let step = self.signalled(sync).step;
        (step != NONE).then_some(StepId(step))
    }

    /// The finish to which a task belongs by now.
    pub fn finish_of(&self, task: TaskId) -> ScopeId {
        self.tree.stands_for(self.tree.scope_of(task))
    }

    /// Whether an access by `step` subsumes the same access by the step that runs now: whoever will
    /// come after it will come after both. For an order that [folds](GraphOrder::folding).
    pub fn representative(&mut self, step: StepId) -> Option<Representative> {
        let (step, task) = self.resolve(step, self.task_of(step));
        let fold = self.folds.as_ref()?.tasks[task.index()];
        if !fold.ended || step.0 < fold.told || fold.detached {
            return None;
        }
        let scope = self.tree.stands_for(self.tree.scope_of(task));
        self.is_inside(scope).then_some(Representative { task, scope })
    }

    /// Whether the step that runs now is inside a finish.
    pub fn is_inside(&self, scope: ScopeId) -> bool {
        self.tree.is_inside(scope, self.now.task)
    }

    /// Whether a finish was begun as a [nested](GraphOrder::nested_finish_begin) one.
    #[inline]
    pub fn is_nested(&self, scope: ScopeId) -> bool {
        self.tree.scopes[scope.index()].is_nested
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

    /// Whether a finish has neither ended nor been left.
    #[inline]
    pub fn is_open(&self, scope: ScopeId) -> bool {
        self.tree.scopes[scope.index()].is_open()
    }
}

impl<T: Copy, S: Copy> Tree<T, S> {
    /// Whether `task`, where it is now, is inside a finish: as its owner, or as a task of a task of
    /// … its tasks, or of those of a nested finish inside of it.
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
