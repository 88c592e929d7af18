//! Drops sources of known sets that say nothing the tree does not say.
//!
//! A task knows of a source since it has joined it: what the source's task did before happens
//! before what the task does now. When a finish around the source has ended, the tree says so as
//! well, and of a program that waits for promises inside of its finishes every source becomes such
//! a one. Each would keep its step and its task: the sets of a task that goes on for ever would
//! grow for ever.
//!
//! *Why it changes no answer.* A set belongs to a place: to what a task does now, to what a sync
//! has signalled, or to the owner of a finish, who gets it when that ends. A source that precedes
//! the place in the tree is dropped from the set. Whatever precedes the source in the tree precedes
//! the place in the tree then, since the tree's order is transitive; what precedes it by joins is
//! in the sets below the source, which stay. Who gets the set later comes after the place. Sets
//! share their nodes, so a source goes only if it precedes the places of all sets that it is in.
//!
//! Cost: a visit for each node of each set, up to [`VISITS`] times the number of nodes there are;
//! beyond that nothing is dropped. That happens if many tasks are under way, or promises alive,
//! that know of many sources.

use super::graph::{GraphOrder, Known, NONE, Signalled};
use crate::ids::{StepId, TaskId};
use crate::marks::Marks;

/// Visits for each node.
const VISITS: usize = 8;
/// And as many in any case.
const FEW: usize = 1 << 10;

/// A set, and the place it belongs to.
struct Root {
    known: u32,
    task: TaskId,
    step: StepId,
}

impl GraphOrder {
    /// Drops what the sets of the tasks under way, of the open finishes and of the syncs need not
    /// have.
    pub(super) fn prune(&mut self, under_way: &Marks) {
        if self.known.is_empty() {
            return;
        }
        if let Some(needed) = self.needed(under_way) {
            self.drop_others(&needed);
        }
    }

    /// Drops the sources that are steps of these tasks.
    pub(super) fn drop_sources_of(&mut self, tasks: &Marks) {
        let mut needed = Marks::none(self.known.len());
        for (at, node) in self.known.iter().enumerate() {
            if node.source != NONE && !tasks.has(self.steps[node.source as usize].index()) {
                needed.add(at);
            }
        }
        self.drop_others(&needed);
    }

    /// Where a task is.
    fn place(&self, task: TaskId) -> StepId {
        StepId(self.tree.task(task).step)
    }

    fn roots(&self, under_way: &Marks) -> Vec<Root> {
        let mut roots = Vec::new();
        let mut add = |known: u32, task: TaskId, step: StepId| {
            if known != NONE {
                roots.push(Root { known, task, step });
            }
        };
        under_way.each(|task| {
            let task = TaskId::at(task);
            let state = self.tree.task(task);
            add(state.known, task, self.place(task));
            add(state.inherited, task, self.place(task));
        });
        for scope in self.tree.scopes.iter().filter(|scope| scope.end == NONE) {
            let owner = TaskId(scope.owner);
            add(scope.data.known, owner, self.place(owner));
        }
        for &Signalled { step, known, more } in self.syncs.iter().filter(|sync| sync.step != NONE) {
            let task = self.steps[step as usize];
            add(known, task, StepId(step));
            // What others have signalled, of which the task knew nothing: nothing is dropped.
            add(more, TaskId::MAIN, StepId(0));
        }
        roots
    }

    /// The nodes whose source is needed; none if looking takes too long.
    fn needed(&mut self, under_way: &Marks) -> Option<Marks> {
        let mut left = FEW + VISITS * self.known.len();
        let mut needed = Marks::none(self.known.len());
        // By node: the last root that has led there.
        let mut seen = vec![0u32; self.known.len()];
        let mut stack = Vec::new();
        for (root, number) in self.roots(under_way).into_iter().zip(1..) {
            stack.push(root.known);
            while let Some(at) = stack.pop() {
                if at == NONE || std::mem::replace(&mut seen[at as usize], number) == number {
                    continue;
                }
                left = left.checked_sub(1)?;
                let Known { source, left, right, .. } = self.known[at as usize];
                if source != NONE && !needed.has(at as usize) {
                    let (step, of) = self.resolve(StepId(source), self.steps[source as usize]);
                    if step.0 >= self.tree.before(of, root.task, root.step) {
                        needed.add(at as usize);
                    }
                }
                stack.extend([left, right]);
            }
        }
        Some(needed)
    }

    /// Drops the other sources, and the nodes that are left without one and with a single set.
    fn drop_others(&mut self, needed: &Marks) {
        // What stands before a node is there already: sets are made of older ones.
        let mut instead: Vec<u32> = Vec::with_capacity(self.known.len());
        for at in 0..self.known.len() {
            let now = |known: u32| if known == NONE { NONE } else { instead[known as usize] };
            let node = &mut self.known[at];
            (node.left, node.right) = (now(node.left), now(node.right));
            if !needed.has(at) {
                node.source = NONE;
            }
            let (left, right) = (node.left, node.right);
            instead.push(match (node.source, left, right) {
                (NONE, NONE, only) | (NONE, only, NONE) => only,
                (NONE, left, right) if left == right => left,
                _ => at as u32,
            });
        }
        let now = |known: &mut u32| {
            if *known != NONE {
                *known = instead[*known as usize];
            }
        };
        for task in &mut self.tree.tasks {
            now(&mut task.data.known);
            now(&mut task.data.inherited);
        }
        self.tree.scopes.iter_mut().for_each(|scope| now(&mut scope.data.known));
        for sync in &mut self.syncs {
            now(&mut sync.known);
            now(&mut sync.more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::SyncKind;
    use crate::ids::{ScopeId, SyncId};

    /// A thousand times a finish with ten tasks, each of which sets a promise that main waits for
    /// before it goes on: what is kept does not grow.
    #[test]
    fn promises_inside_of_finishes_are_given_back() {
        let mut order = GraphOrder::folding();
        let mut sizes = Vec::new();
        let mut step = order.step();
        for _ in 0..1000 {
            let scope = ScopeId::at(order.tree.scopes());
            order.finish_begin(TaskId::MAIN, scope);
            for promise in 1..=10 {
                let child = TaskId::at(order.tree.tasks());
                order.spawn(TaskId::MAIN, child, scope);
                order.enter(child);
                step = order.step();
                order.signal(child, SyncId(promise), SyncKind::Promise);
                order.end(child);
                order.join(TaskId::MAIN, SyncId(promise), SyncKind::Promise);
                assert!(order.precedes_now(step));
                order.forget(SyncId(promise));
            }
            order.finish_end(TaskId::MAIN, scope);
            step = order.stand_in(step);
            step = order.compact([step], [], []).step(step).expect("it was named");
            assert!(order.precedes_now(step));
            sizes.push(order.size());
        }
        assert_eq!(sizes.first(), sizes.last(), "{sizes:?}");
    }

    /// A chain of siblings, each of which waits for the one before: what is kept of those that
    /// nobody asks about does not grow, though nobody has waited for them all.
    #[test]
    fn a_chain_of_siblings_is_given_back() {
        let mut order = GraphOrder::folding();
        let (mut sizes, mut scope, mut step) = (Vec::new(), ScopeId::at(order.tree.scopes()), order.step());
        order.finish_begin(TaskId::MAIN, scope);
        let mut ends = 0;
        for _ in 0..100 {
            for _ in 0..10 {
                let child = TaskId::at(order.tree.tasks());
                order.spawn(TaskId::MAIN, child, scope);
                order.join_sibling(child, SyncId(ends), SyncKind::Future);
                assert!(order.precedes_now(step));
                step = order.step();
                ends += 1;
                order.signal_end(child, SyncId(ends), SyncKind::Future);
                order.end(child);
                order.enter(TaskId::MAIN);
                assert!(!order.precedes_now(step));
            }
            let named = order.task_of(step);
            order.forget_ends(|task| task != named);
            let new = order.compact([step], [], [scope]);
            (step, scope) = (new.step(step).expect("it was named"), new.scope(scope).expect("it is open"));
            sizes.push(order.size());
        }
        assert_eq!(sizes.first(), sizes.last(), "{sizes:?}");
    }
}
