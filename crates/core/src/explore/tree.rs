//! A subtree of the exploration: what is being explored, what is still to be, and what sleeps
//! where.
//!
//! A node is a state, reached from its parent by one transition. Only nodes below which something
//! is left to explore are kept. The search of a subtree is depth first: it completes everything
//! below a task before it begins the next task of the same node. So the open nodes are all on one
//! path.
//!
//! *The border.* The root is a state that other subtrees share ([`forest`](super::forest)). One of
//! its tasks is this subtree's; what else has to be begun there, or above, is exported.
//!
//! *Sequences are handed down.* With source sets (POPL 2014) it is enough that from the state where
//! a sequence is to be run some task is explored that can begin it. That assumes that the
//! dependence of two transitions does not depend on those before them. Sections whose accesses
//! depend on what they read violate this: a section may depend on the very transition that is
//! asleep, unless another one comes first, and every task that could reveal it sleeps as well. So
//! each node keeps the sequences that are to be run from it. The next task that begins one hands
//! the rest down to the node behind, and so on. (Wakeup trees do the same in optimal DPOR, for
//! transitions whose dependences are known before they run.) A sequence that no task has begun
//! decides which task is next.
//!
//! *Of equivalent sequences one is kept.* Every execution below a node may find that the same pair
//! has to be reversed there, and its sequence holds all else in the order of that execution. But
//! two sequences of the same transitions that lead to the last one by the same way differ only in
//! the order of what the last one does not need. What of that can be reordered is found again by
//! the executions to which either of them leads. (Abdulla, Atig, Das, Jonsson and Sagonas,
//! *Parsimonious optimal dynamic partial order reduction*, CAV 2024, reverse a race once for the
//! same reason.) So what is kept does not grow with the number of executions: a node owes a
//! sequence for each transition and way to it ([`Tree::kept`] counts them). Coarser equivalences
//! were tried and miss classes: the same way to the last one, whatever else there is, or the same
//! transitions in any order.
//!
//! *Executions that are given up* come from sequences whose last transition turns out not to depend
//! on a task that sleeps. What a section does after a given past can be remembered from other
//! executions, and such a sequence dropped before it is run. That was tried: findmax with 8 tasks
//! gives up none instead of 2,238, and two of 1,300 generated programs (`branches`, seeds 1776 and
//! 1909) lose classes. Which part of the argument fails there is not known, so they are run.

use super::estimate::{self, Fork};
pub use super::node::{Job, Pick, Sleeper};
use super::node::{Node, Owed};
use super::reversal::Reversal;
use super::sequence::{Part, Sequence};
use super::{Class, Statistics, TaskName, stored};
use crate::ids::TaskId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// What an execution showed of its transitions beyond the node it started from.
#[derive(Debug)]
pub struct ExecutionSummary {
    /// Its transitions from the node on: all, or at least up to the last one before which something
    /// else is to begin.
    pub transitions: Vec<Sleeper>,
    /// The names of its tasks.
    pub names: Vec<TaskName>,
    /// For each of the job's sleepers how many transitions had run when it woke.
    pub woke: Vec<usize>,
    pub reversals: Vec<Reversal>,
    /// Where nothing sleeps and these distinguish executions.
    pub class: Option<Class>,
    /// What is known instead of an execution that no tree takes in.
    pub sampled: Option<Sampled>,
    /// Whether it came to an end; otherwise everything that could go on was asleep.
    pub complete: bool,
}

/// What a search without a tree has to know of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sampled {
    /// The same for executions that differ only in the order of what is independent.
    pub class: u64,
    pub transitions: usize,
}

/// What an exploration keeps in memory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Kept {
    pub nodes: usize,
    pub sequences: usize,
    /// The transitions of all sequences.
    pub transitions: usize,
    /// The transitions that sleep at all nodes.
    pub sleepers: usize,
}

impl Kept {
    pub(super) fn add(&mut self, node: &Node) {
        self.nodes += 1;
        self.sequences += node.owed.len();
        self.transitions += node.sequences().map(Sequence::len).sum::<usize>();
        self.sleepers += node.asleep.len();
    }
}

const ROOT: usize = 0;

/// A sequence to be run from a state above a subtree, or at its border: from the one behind the
/// first `depth` transitions that lead to the subtree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Export {
    pub(super) depth: usize,
    pub(super) sequence: Sequence,
}

impl stored::Owner for Export {
    fn sequences(&self) -> impl Iterator<Item = &Sequence> {
        std::iter::once(&self.sequence)
    }

    fn sequences_mut(&mut self) -> impl Iterator<Item = &mut Sequence> {
        std::iter::once(&mut self.sequence)
    }
}

/// What the executions of a subtree have brought about outside of it since it was last asked.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// Of those for the same state that are [alike](Sequence::is_like) one.
    #[serde(with = "stored")]
    pub(super) exports: Vec<Export>,
    /// Where they may be, by depth and [kind](Sequence::kind).
    #[serde(skip)]
    places: FxHashMap<(usize, u64), Vec<u32>>,
    /// The classes of its executions, where these distinguish them.
    pub(super) classes: Vec<Class>,
    pub(super) statistics: Statistics,
}

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tree {
    /// The tasks whose transitions lead to the root.
    pub(super) base: Vec<TaskId>,
    /// All on one path, but for those that are spare.
    #[serde(with = "stored")]
    nodes: Vec<Node>,
    spare: Vec<usize>,
    /// The nodes that owe something, the deepest last.
    open: Vec<usize>,
    /// The names of the tasks of the last execution: it went through all nodes that are kept.
    pub(super) names: Vec<TaskName>,
    started: bool,
    /// Whether nothing sleeps.
    sleepless: bool,
    /// Empty in a checkpoint; another process that has searched it sends it along.
    outcome: Outcome,
}

impl Outcome {
    /// Every execution behind a state may find the same pair to be reversed above it. A node of a
    /// tree keeps one of the sequences that are alike, and so does the border: otherwise what a
    /// round keeps would grow with its executions.
    fn export(&mut self, depth: usize, sequence: Sequence) {
        let places = self.places.entry((depth, sequence.kind())).or_default();
        // What was taken back is not there any more, or something else is.
        let is_there = |&at: &u32| {
            let export = self.exports.get(at as usize);
            export.is_some_and(|export| export.depth == depth && export.sequence.is_like(&sequence))
        };
        if !places.iter().any(is_there) {
            places.push(self.exports.len() as u32);
            self.exports.push(Export { depth, sequence });
        }
    }
}

/// What taking in an execution has changed so far.
struct Changes<'a> {
    /// Whether anything had been taken in, the statistics, the open nodes and what the job's node
    /// owed.
    was: (bool, Statistics, Vec<usize>, VecDeque<Owed>),
    /// How many exports and classes there were.
    exports: usize,
    classes: usize,
    /// Nodes at which a task more sleeps, nodes that were made, and nodes that owe one more
    /// sequence.
    grown: Vec<usize>,
    made: Vec<usize>,
    owing: Vec<usize>,
    looks: u64,
    stop: &'a dyn Fn() -> bool,
}

impl Changes<'_> {
    /// Nothing if it is to be given up.
    fn go_on(&mut self) -> Option<()> {
        const LOOK: u64 = 64;
        self.looks += 1;
        (!self.looks.is_multiple_of(LOOK) || !(self.stop)()).then_some(())
    }
}

/// The way an execution went through the tree.
#[derive(Clone, Copy)]
struct Way<'a> {
    /// The nodes from the root on, which is at depth `base`.
    nodes: &'a [usize],
    base: usize,
    /// The task it ran at each depth.
    ran: &'a [TaskId],
    /// Up to here it only repeated what had been run before.
    known: usize,
    names: &'a [TaskName],
}

impl Way<'_> {
    fn node(&self, depth: usize) -> Option<usize> {
        self.nodes.get(depth.checked_sub(self.base)?).copied()
    }

    /// The task whose exploration the execution began at a depth.
    fn begun(&self, depth: usize) -> Option<TaskId> {
        self.ran.get(depth).copied().filter(|_| depth >= self.known)
    }
}

impl Tree {
    /// What is behind the first task that `border` owes, or behind `main` at the start of the
    /// program.
    pub(super) fn behind(border: &Node, base: Vec<TaskId>, sleepless: bool) -> Self {
        let root = Node { parent: ROOT, depth: base.len(), uses: 1, ..border.clone() };
        let (spare, open, names, outcome) = Default::default();
        Tree { base, nodes: vec![root], spare, open, names, started: false, sleepless, outcome }
    }

    /// The next execution.
    pub fn next(&self) -> Option<Job> {
        if self.started {
            let at = *self.open.last()?;
            return self.nodes[at].job(&self.path_to(at), at, self.sleepless);
        }
        Some(self.nodes[ROOT].job(&self.base, ROOT, self.sleepless).unwrap_or_else(Job::first))
    }

    /// The tasks whose transitions lead to a node.
    fn path_to(&self, mut at: usize) -> Vec<TaskId> {
        let mut path = self.base.clone();
        while at != ROOT {
            path.push(self.nodes[at].task);
            at = self.nodes[at].parent;
        }
        path[self.base.len()..].reverse();
        path
    }

    /// The nodes that are kept, from the root on.
    fn kept_path(&self) -> Vec<usize> {
        let up = |&at: &usize| (at != ROOT).then(|| self.nodes[at].parent);
        let mut path: Vec<usize> =
            std::iter::successors(Some(self.open.last().copied().unwrap_or(ROOT)), up).collect();
        path.reverse();
        path
    }

    /// Whether a tree that was read from outside can be explored: nodes refer to nodes there are,
    /// and to the root in the end.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let mut children = vec![0usize; self.nodes.len()];
        if self.nodes.is_empty() {
            return Err("there is no root");
        }
        // Many sequences share one.
        let mut checked = FxHashSet::default();
        let open: FxHashSet<usize> = self.open.iter().copied().collect();
        let mut spare = vec![false; self.nodes.len()];
        for &at in &self.spare {
            *spare.get_mut(at).ok_or("a spare node does not exist")? = true;
        }
        if spare[ROOT] || self.nodes[ROOT].depth != self.base.len() || !self.started {
            return Err("the root is none");
        }
        for (at, node) in self.nodes.iter().enumerate().filter(|&(at, _)| !spare[at]) {
            if at != ROOT {
                // Depths that go up one by one lead to the root.
                let parent = self.nodes.get(node.parent).filter(|_| !spare[node.parent]);
                if parent.ok_or("a node has no parent")?.depth.checked_add(1) != Some(node.depth) {
                    return Err("a node is at another depth than its parent says");
                }
                children[node.parent] += 1;
                if node.uses == 0 && node.owed.is_empty() {
                    return Err("a node is kept for nothing");
                }
            }
            check_sequences(node, &mut checked)?;
        }
        for (at, node) in self.nodes.iter().enumerate().filter(|&(at, _)| !spare[at]) {
            if children[at] > 1 || node.uses != children[at] + usize::from(at == ROOT) {
                return Err("the uses of a node are miscounted");
            }
            if node.owed.is_empty() == open.contains(&at) {
                return Err("open nodes are those that owe something");
            }
        }
        if self.open.iter().any(|&at| at == ROOT || at >= self.nodes.len() || spare[at]) {
            return Err("an open node does not exist");
        }
        if !self.open.is_sorted_by(|&a, &b| self.nodes[a].depth < self.nodes[b].depth) {
            return Err("the open nodes are not on one path");
        }
        Ok(())
    }

    /// How many executions are left at least.
    pub(super) fn pending(&self) -> usize {
        usize::from(!self.started) + self.open.iter().map(|&at| self.nodes[at].left()).sum::<usize>()
    }

    /// The part of it that is complete; see [`estimate`].
    pub(super) fn part_done(&self) -> f64 {
        let path = self.kept_path();
        let below = path.iter().skip(1).rev().map(|&at| &self.nodes[at]);
        estimate::part_done(below.map(|node| Fork { begun: node.begun, left: node.left() }))
    }

    /// Adds what it keeps at the moment.
    pub(super) fn add_kept(&self, kept: &mut Kept) {
        self.kept_path().iter().skip(1).for_each(|&at| kept.add(&self.nodes[at]));
    }

    pub fn is_done(&self) -> bool {
        self.started && self.open.is_empty()
    }

    /// What has happened since it was last asked.
    pub(super) fn take_outcome(&mut self) -> Outcome {
        std::mem::take(&mut self.outcome)
    }

    /// The complete executions and those given up, since the [outcome](Tree::take_outcome) was
    /// taken.
    pub fn statistics(&self) -> Statistics {
        self.outcome.statistics
    }

    /// What a task did at the border, if it was run there.
    pub(super) fn begun(&self, task: TaskId) -> Option<&Sleeper> {
        self.nodes[ROOT].explored(task)
    }

    pub(super) fn is_started(&self) -> bool {
        self.started
    }

    /// Whether there is something to share.
    pub(super) fn can_split(&self) -> bool {
        self.open.len() > 1 || self.open.first().is_some_and(|&at| self.nodes[at].left() > 1)
    }

    /// Takes in what the [next](Tree::next) execution showed. Asks `stop` now and then, since an
    /// execution may be long: if it says so, the tree is as it was, and the result false.
    pub fn report(&mut self, job: &Job, run: ExecutionSummary, stop: &dyn Fn() -> bool) -> bool {
        let mut changes = Changes {
            was: (
                self.started,
                self.outcome.statistics,
                self.open.clone(),
                self.nodes[job.node].owed.clone(),
            ),
            exports: self.outcome.exports.len(),
            classes: self.outcome.classes.len(),
            grown: Vec::new(),
            made: Vec::new(),
            owing: Vec::new(),
            looks: 0,
            stop,
        };
        let taken = self.take_in(job, run, &mut changes).is_some();
        if !taken {
            self.undo(job, changes);
        }
        taken
    }

    /// Rolls back to the state before.
    fn undo(&mut self, job: &Job, changes: Changes<'_>) {
        let Changes { was, exports, classes, grown, made, owing, .. } = changes;
        for at in owing.into_iter().rev() {
            self.nodes[at].owed.pop_back();
        }
        for &at in grown.iter().rev() {
            self.nodes[at].asleep.pop();
            self.nodes[at].begun -= 1;
        }
        for at in made.into_iter().rev() {
            let parent = std::mem::replace(&mut self.nodes[at].parent, usize::MAX);
            self.nodes[parent].uses -= 1;
            self.nodes[at].asleep = Vec::new();
            self.spare.push(at);
        }
        self.outcome.exports.truncate(exports);
        self.outcome.classes.truncate(classes);
        (self.started, self.outcome.statistics, self.open, self.nodes[job.node].owed) = was;
    }

    fn take_in(&mut self, job: &Job, run: ExecutionSummary, changes: &mut Changes<'_>) -> Option<()> {
        self.started = true;
        let Statistics { executions, pruned } = &mut self.outcome.statistics;
        *(if run.complete { executions } else { pruned }) += 1;
        self.outcome.classes.extend(run.class);
        let owed = std::mem::take(&mut self.nodes[job.node].owed);
        self.open.retain(|&at| at != job.node);
        // The nodes along the execution: those of the prefix, then new ones, as far as there is
        // something to do at them.
        let base = self.base.len();
        let mut nodes = Vec::with_capacity(job.prefix.len() - base + run.transitions.len());
        let mut up = job.node;
        while up != ROOT {
            nodes.push(up);
            up = self.nodes[up].parent;
        }
        nodes.push(ROOT);
        nodes.reverse();
        let known = job.depth();
        let mut ran = job.prefix.clone();
        ran.truncate(known);
        let steps = run.transitions.len();
        for (step, sleeper) in run.transitions.into_iter().enumerate() {
            let (at, task) = (nodes[nodes.len() - 1], sleeper.task);
            ran.push(task);
            // From now on it sleeps here for its siblings.
            self.nodes[at].asleep.push(sleeper);
            self.nodes[at].begun += 1;
            changes.grown.push(at);
            if step + 1 < steps {
                let depth = base + nodes.len();
                let asleep = job.asleep.iter().zip(&run.woke).filter(|&(_, &woke)| woke > depth);
                let asleep = asleep.map(|(sleeper, _)| sleeper.clone()).collect();
                let child = self.add(Node::new(at, depth, task, asleep));
                self.nodes[at].uses += 1;
                changes.made.push(child);
                nodes.push(child);
            }
        }
        let way = Way { nodes: &nodes, base, ran: &ran, known, names: &run.names };
        for (at, Owed { sequence, name, .. }) in owed.into_iter().enumerate() {
            // The first one is what the execution has run, if its task begins it.
            let begun = self.nodes[job.node].explored(job.prefix[known]);
            let hinted = |begun: &Sleeper| sequence.is_begun_by(begun.task, name, begun.content.view());
            if at > 0 || !begun.is_some_and(hinted) {
                self.owe(&way, known, sequence, changes)?;
            }
        }
        // What the border owed stays with the border.
        self.outcome.exports.truncate(changes.exports);
        for Reversal { before, sequence, .. } in run.reversals {
            // Not behind the earlier one of the pair: that one does not begin it.
            let way = Way { known: known.max(before + 1), ..way };
            self.owe(&way, before, sequence, changes)?;
        }
        // What has nothing pending below it is not needed again.
        for &at in nodes.iter().rev() {
            self.release(at);
        }
        self.names = run.names;
        Some(())
    }

    /// The [next](Tree::next) execution could not be run: what its task would have done from the
    /// node stays unknown, and the search goes on without. It is then not complete, which is for
    /// the caller to say.
    pub fn give_up(&mut self, job: &Job) {
        self.started = true;
        let node = &mut self.nodes[job.node];
        node.give_up(job.prefix[job.depth()]);
        if job.node == ROOT {
            node.owed.clear();
        }
        if node.owed.is_empty() {
            self.open.retain(|&at| at != job.node);
            self.release(job.node);
        }
    }

    /// Sees to it that a sequence is run from the node at a depth of the way.
    fn owe(
        &mut self,
        way: &Way<'_>,
        mut depth: usize,
        sequence: Sequence,
        changes: &mut Changes<'_>,
    ) -> Option<()> {
        if depth < way.base {
            changes.go_on()?;
            self.outcome.export(depth, sequence);
            return Some(());
        }
        let mut left = Some(sequence);
        while let Some(sequence) = left.take()
            && let Some(at) = way.node(depth)
        {
            changes.go_on()?;
            let begun = way.begun(depth);
            let mut begins = false;
            for sleeper in &self.nodes[at].asleep {
                let Some(&name) = way.names.get(sleeper.task.index()) else { continue };
                let content = sleeper.content.view();
                if begun != Some(sleeper.task) {
                    // What is explored, or sleeps, aside may have to come after something behind
                    // the sequence.
                    if sequence.is_begun_by(sleeper.task, name, content) {
                        return Some(());
                    }
                    continue;
                }
                let part = sequence.part(sleeper.task, name, content);
                if part != Part::No {
                    left = sequence.after(sleeper.task, name, content.choice);
                    begins = part != Part::PerhapsAside;
                }
            }
            match begins {
                true => {}
                false if at == ROOT => self.outcome.export(depth, sequence),
                false if self.add_owed(at, sequence, way.names) => changes.owing.push(at),
                false => {}
            }
            depth += 1;
        }
        Some(())
    }

    fn add_owed(&mut self, at: usize, sequence: Sequence, names: &[TaskName]) -> bool {
        let node = &mut self.nodes[at];
        if !node.owe(sequence, names) {
            return false;
        }
        if node.owed.len() == 1 {
            let depth = node.depth;
            let place = self.open.partition_point(|&other| self.nodes[other].depth < depth);
            self.open.insert(place, at);
        }
        true
    }

    /// Sees to it that a sequence is run behind the task at the border, as if it had been known
    /// when that was begun. Nothing of what is left to explore may be there any more: then the
    /// result is false.
    pub(super) fn hand_down(&mut self, sequence: Sequence) -> bool {
        let nodes = self.kept_path();
        if nodes.len() == 1 {
            return false;
        }
        let ran = self.path_to(nodes[nodes.len() - 1]);
        let names = std::mem::take(&mut self.names);
        let base = self.base.len();
        let way = Way { nodes: &nodes, base, ran: &ran, known: 0, names: &names };
        let was = (true, Statistics::default(), Vec::new(), VecDeque::new());
        let (grown, made, owing) = Default::default();
        let stop = || false;
        let mut changes = Changes { was, exports: 0, classes: 0, grown, made, owing, looks: 0, stop: &stop };
        let _ = self.owe(&way, base + 1, sequence, &mut changes);
        self.names = names;
        true
    }

    /// Takes off what is above the open nodes but the first, and that one: these nodes, from the
    /// one behind the root on, are for others to share. What is left is behind the last of them;
    /// nothing may be.
    pub(super) fn split(self) -> (Vec<Node>, Option<Tree>) {
        let path = self.kept_path();
        let Tree { base, mut nodes, open, names, started, sleepless, .. } = self;
        let first = open.first().map_or(0, |&at| nodes[at].depth) - base.len();
        let mut take =
            |at: usize| std::mem::replace(&mut nodes[at], Node::new(ROOT, 0, TaskId::MAIN, Vec::new()));
        let shared: Vec<Node> = path[1..=first].iter().map(|&at| take(at)).collect();
        let below: Vec<Node> = path[first + 1..].iter().map(|&at| take(at)).collect();
        let Some(border) = shared.last().filter(|_| !below.is_empty()) else { return (shared, None) };
        let base: Vec<TaskId> = base.into_iter().chain(shared.iter().map(|node| node.task)).collect();
        let root = Node { parent: ROOT, owed: VecDeque::new(), uses: 2, ..border.clone() };
        let below = below.into_iter().enumerate().map(|(at, node)| Node { parent: at, ..node });
        let nodes: Vec<Node> = [root].into_iter().chain(below).collect();
        let owes = |&at: &usize| !nodes[at].owed.is_empty();
        let open = (1..nodes.len()).filter(owes).collect();
        let (spare, outcome) = Default::default();
        (shared, Some(Tree { base, nodes, spare, open, names, started, sleepless, outcome }))
    }

    /// The task that is explored at the border.
    pub(super) fn first_task(&self) -> TaskId {
        self.nodes.get(1).map_or(TaskId::MAIN, |node| node.task)
    }

    fn add(&mut self, node: Node) -> usize {
        match self.spare.pop() {
            Some(at) => {
                self.nodes[at] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    /// Drops a node that nothing refers to any more, and its parents likewise.
    fn release(&mut self, mut at: usize) {
        while at != ROOT && self.nodes[at].uses == 0 && self.nodes[at].owed.is_empty() {
            if self.nodes[at].parent == usize::MAX {
                return;
            }
            let parent = std::mem::replace(&mut self.nodes[at].parent, usize::MAX);
            self.nodes[at].asleep = Vec::new();
            self.spare.push(at);
            self.nodes[parent].uses -= 1;
            at = parent;
        }
    }
}

/// Whether the sequences of a node that was read from outside can be used.
pub(super) fn check_sequences(
    node: &Node,
    checked: &mut FxHashSet<*const super::sequence::Record>,
) -> Result<(), &'static str> {
    for sequence in node.sequences() {
        if checked.insert(Arc::as_ptr(sequence.record())) {
            sequence.record().check()?;
        }
        sequence.check()?;
    }
    Ok(())
}
