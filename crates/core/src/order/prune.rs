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
//! in the sets below the source, which stay. Who gets the set later comes after the place.
//!
//! A source is dropped as well if nobody can ask about what it tells: if each step that may be asked
//! about and precedes the source in the tree also precedes the place in the tree. These are the
//! steps that the user names, and those that a sync has signalled. So of a task that has set a
//! promise nothing is kept when its accesses have been superseded ([`Content`]).
//!
//! And a source is dropped if the set has a later one of the same task. Whatever precedes the
//! earlier step of the task in the tree precedes the later one, and what precedes it by joins is in
//! the sets below it, which stay. The later one is kept, or it is dropped for a reason that holds
//! for the earlier one as well: what precedes it precedes the place, or nobody can ask about it. So
//! of two tasks that wait for each other again and again, a set has the last source of each.
//!
//! Sets share their nodes, so a source goes only if it can be dropped from all sets that it is in.
//!
//! Cost: a visit for each node of each set, and for each ancestor of its source that is none of the
//! place, up to [`VISITS`] times the number of nodes there are; beyond that nothing is dropped. That
//! happens if many tasks are under way, or promises alive, that know of many sources. Besides, time
//! and memory are linear in the steps that may be asked about.

use super::graph::{GraphOrder, Known, NONE, Signalled};
use super::tree::Bound;
use crate::ids::{StepId, TaskId};
use crate::marks::Marks;
use std::ops::Range;

/// Visits for each node.
const VISITS: usize = 24;
/// And as many in any case.
const FEW: usize = 1 << 10;

/// A set, and the place it belongs to.
struct Root {
    known: u32,
    task: TaskId,
    step: StepId,
}

/// For each task, the steps of it that may be asked about, and those from which on the tree orders
/// others of them: the first after a finish whose tasks have some. Sorted.
struct Content(Vec<(u32, u32)>);

impl Content {
    /// Whether a task has any among these steps.
    fn has(&self, task: TaskId, steps: Range<Bound>) -> bool {
        let next = self.0.partition_point(|&at| at < (task.0, steps.start));
        self.0.get(next).is_some_and(|&(of, step)| of == task.0 && step < steps.end)
    }
}

impl GraphOrder {
    /// Drops what the sets of the tasks under way, of the open finishes and of the syncs need not
    /// have.
    /// `named` are the steps that the user may ask about.
    pub(super) fn prune(&mut self, under_way: &Marks, named: &[StepId]) {
        if self.known.is_empty() {
            return;
        }
        let content = self.content(named);
        if let Some(needed) = self.needed(under_way, &content) {
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

    fn content(&mut self, named: &[StepId]) -> Content {
        let mut at = Vec::new();
        let mut climbed = Marks::none(self.tree.tasks());
        let signalled: Vec<StepId> =
            self.syncs.iter().filter(|sync| sync.step != NONE).map(|sync| StepId(sync.step)).collect();
        for &step in named.iter().chain(&signalled) {
            let (step, mut task) = self.resolve(step, self.steps[step.index()]);
            at.push((task.0, step.0));
            // Up through the finishes that have ended: whoever comes after one comes after all of it.
            while climbed.add(task.index()) {
                let scope = &self.tree.scopes[self.tree.stands_for(self.tree.scope_of(task)).index()];
                if scope.is_open() {
                    break;
                }
                at.push((scope.owner, scope.end));
                task = TaskId(scope.owner);
            }
        }
        at.sort_unstable();
        at.dedup();
        Content(at)
    }

    /// Whether a set at `root` is needed to know that something comes before a source: a step that
    /// may be asked about precedes the source, and not the place of the set, by the tree alone.
    /// None if looking takes too long.
    fn tells(
        &self,
        content: &Content,
        source: (StepId, TaskId),
        root: &Root,
        visits: &mut usize,
    ) -> Option<bool> {
        // Which steps of `task`, the source's or an ancestor of it, precede the source.
        let (StepId(step), mut task) = source;
        let mut bound = step + 1;
        loop {
            *visits = visits.checked_sub(1)?;
            let also = self.tree.before_branch(task.0, root.task, root.step);
            if content.has(task, also.unwrap_or(0)..bound) {
                return Some(true);
            }
            // The steps of those above precede both, or neither.
            if also.is_some() {
                return Some(false);
            }
            (task, bound) = self.tree.parent(task);
        }
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
            if state.inherited != state.known {
                add(state.inherited, task, self.place(task));
            }
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
    fn needed(&mut self, under_way: &Marks, content: &Content) -> Option<Marks> {
        let mut visits = FEW + VISITS * self.known.len();
        let mut needed = Marks::none(self.known.len());
        // By node: the last root that has led there. By task: the last root in whose set it has a
        // source, and the newest of these.
        let mut seen = vec![0u32; self.known.len()];
        let mut newest = vec![(0u32, 0); self.tree.tasks()];
        let mut stack = Vec::new();
        for (root, number) in self.roots(under_way).into_iter().zip(1..) {
            stack.push(root.known);
            while let Some(at) = stack.pop() {
                if at == NONE || std::mem::replace(&mut seen[at as usize], number) == number {
                    continue;
                }
                visits = visits.checked_sub(1)?;
                let Known { source, left, right, .. } = self.known[at as usize];
                // A join has put its source before those that the task knew of.
                stack.extend([left, right]);
                if source == NONE {
                    continue;
                }
                let of = self.steps[source as usize];
                let of_task = &mut newest[of.index()];
                if *of_task >= (number, source) {
                    continue;
                }
                *of_task = (number, source);
                if !needed.has(at as usize) {
                    let (step, of) = self.resolve(StepId(source), of);
                    if step.0 >= self.tree.before(of, root.task, root.step)
                        && self.tells(content, (step, of), &root, &mut visits)?
                    {
                        needed.add(at as usize);
                    }
                }
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

    /// A task for each promise, which main waits for before it goes on, without a finish: of those
    /// whose accesses nobody can ask about nothing is kept. The setter is still under way then, and
    /// ends when main waits for the next one.
    #[test]
    fn promises_outside_of_finishes_are_given_back() {
        let mut order = GraphOrder::folding();
        let (mut sizes, mut setter) = (Vec::new(), None);
        for at in 0..20_000 {
            let child = TaskId::at(order.tree.tasks());
            order.spawn(TaskId::MAIN, child, ScopeId::PROGRAM);
            if let Some(setter) = setter.replace(child) {
                order.enter(setter);
                order.end(setter);
            }
            order.enter(child);
            let step = order.step();
            order.signal(child, SyncId(1), SyncKind::Promise);
            order.join(TaskId::MAIN, SyncId(1), SyncKind::Promise);
            order.forget(SyncId(1));
            assert!(order.precedes_now(step));
            if at % 1000 == 999 {
                let new = order.compact([step], [child], []);
                let step = new.step(step).expect("it was named");
                assert!(order.precedes_now(step));
                setter = new.task(child);
                sizes.push(order.size());
            }
        }
        assert!(sizes.iter().all(|&size| size < 100), "{sizes:?}");
    }

    /// Main and a task wait for each other a thousand times. The first steps of both may be asked
    /// about all the time, and each set tells of them: what is kept does not grow.
    #[test]
    fn of_tasks_that_wait_for_each_other_the_last_sources_are_kept() {
        let mut order = GraphOrder::folding();
        let (mut sizes, mut child) = (Vec::new(), TaskId(1));
        order.spawn(TaskId::MAIN, child, ScopeId::PROGRAM);
        let mut main = order.step();
        order.enter(child);
        let mut other = order.step();
        for at in 0..1000 {
            order.signal(child, SyncId(2), SyncKind::Promise);
            assert_eq!(order.precedes_now(main), at > 0);
            order.join(TaskId::MAIN, SyncId(2), SyncKind::Promise);
            order.forget(SyncId(2));
            assert!(order.precedes_now(other));
            order.signal(TaskId::MAIN, SyncId(1), SyncKind::Promise);
            order.join(child, SyncId(1), SyncKind::Promise);
            order.forget(SyncId(1));
            if at % 10 == 9 {
                let new = order.compact([main, other], [child], []);
                (main, other) = (new.step(main).expect("named"), new.step(other).expect("named"));
                child = new.task(child).expect("under way");
                sizes.push(order.size());
            }
        }
        assert_eq!(sizes.first(), sizes.last(), "{sizes:?}");
    }

    /// A chain: each task waits for the promise of the one before, and main for none.
    #[test]
    fn of_a_chain_of_promises_only_the_last_is_kept() {
        let mut order = GraphOrder::folding();
        let mut sizes = Vec::new();
        let mut first = None;
        for at in 0..1000 {
            let child = TaskId::at(order.tree.tasks());
            order.spawn(TaskId::MAIN, child, ScopeId::PROGRAM);
            let (before, own) = (SyncId(1 + at % 2), SyncId(1 + (at + 1) % 2));
            if at > 0 {
                order.join(child, before, SyncKind::Promise);
                order.forget(before);
            }
            order.enter(child);
            let step = order.step();
            if let Some(first) = first {
                assert!(order.precedes_now(first), "{at}");
            }
            order.signal(child, own, SyncKind::Promise);
            order.end(child);
            order.enter(TaskId::MAIN);
            assert!(!order.precedes_now(step));
            let first_of_all = *first.get_or_insert(step);
            let new = order.compact([first_of_all, step], [], []);
            first = new.step(first_of_all);
            sizes.push(order.size());
        }
        assert!(sizes.last() < Some(&(sizes[2] + 50)), "{sizes:?}");
    }
}
