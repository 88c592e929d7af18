//! The exploration tree: what is being explored, what is still to be, and what sleeps where.
//!
//! A node is a state, reached from its parent by one transition; the root is the start of the
//! program. Only nodes below which something is left to explore are kept. The search is depth
//! first: it completes everything below a task before it begins the next task of the same node. So
//! the open nodes are all on one path, and what is known when a task is begun does not depend on
//! how many executions run at the same time. The tree knows what it will run next at the open nodes
//! ([`Tree::ahead`]), so other cores can run that meanwhile.
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

use super::estimate::{self, Fork};
use super::reversal::Reversal;
use super::sequence::{Part, Sequence};
use super::{Class, Content, Statistics, TaskName, stored};
use crate::ids::TaskId;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// A transition that has been explored from a state: a task and what it does there. (Tasks are
/// numbered as they are spawned; in all executions that lead to a state by the same transitions,
/// the same number is the same task.)
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sleeper {
    pub task: TaskId,
    pub content: Arc<Content>,
}

/// One execution to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The tasks whose transitions lead to the node, and the one to run there.
    pub prefix: Vec<TaskId>,
    /// What sleeps at the node.
    pub asleep: Vec<Sleeper>,
    /// The tasks to run after the prefix, as long as they can.
    pub hint: Vec<TaskName>,
    /// Whether all its transitions are asked for.
    pub whole: bool,
    node: usize,
}

impl Job {
    /// How many transitions lead to the node.
    pub fn depth(&self) -> usize {
        self.prefix.len() - 1
    }

    /// What distinguishes it from all other jobs there are at the time.
    pub fn key(&self) -> (usize, TaskId) {
        (self.node, self.prefix[self.depth()])
    }
}

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
    /// See [`Tree::sleepless`].
    pub class: Option<Class>,
    /// Whether it came to an end; otherwise everything that could go on was asleep.
    pub complete: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Node {
    parent: usize,
    /// How many transitions lead here.
    depth: usize,
    /// The task by which it is reached.
    task: TaskId,
    /// What sleeps here, tasks explored from here included.
    asleep: Vec<Sleeper>,
    /// How many tasks have been explored from here, the one that is being included.
    begun: usize,
    /// Tasks that could not be explored from here, whatever the reason.
    given_up: Vec<TaskId>,
    /// The sequences that no task explored from here begins for certain. The first one decides
    /// which task is next.
    owed: VecDeque<Owed>,
    /// Children that are kept.
    uses: usize,
}

/// A sequence to be run from a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Owed {
    sequence: Sequence,
    /// The first of the tasks that can begin it and are not explored.
    task: TaskId,
    name: TaskName,
}

impl Node {
    pub(super) fn sequences(&self) -> impl Iterator<Item = &Sequence> {
        self.owed.iter().map(|owed| &owed.sequence)
    }

    pub(super) fn sequences_mut(&mut self) -> impl Iterator<Item = &mut Sequence> {
        self.owed.iter_mut().map(|owed| &mut owed.sequence)
    }

    fn explored(&self, task: TaskId) -> Option<&Sleeper> {
        self.asleep.iter().find(|sleeper| sleeper.task == task)
    }

    /// How many tasks are known to be explored from here yet.
    fn left(&self) -> usize {
        let mut tasks: Vec<TaskId> = self.owed.iter().map(|owed| owed.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks.len()
    }
}

/// What a tree keeps in memory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Kept {
    pub nodes: usize,
    pub sequences: usize,
    /// The transitions of all sequences.
    pub transitions: usize,
    /// The transitions that sleep at all nodes.
    pub sleepers: usize,
}

const ROOT: usize = 0;

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tree {
    #[serde(with = "stored")]
    nodes: Vec<Node>,
    spare: Vec<usize>,
    /// The nodes that owe something, the deepest last.
    open: Vec<usize>,
    started: bool,
    /// The classes seen, where nothing sleeps and these distinguish executions.
    classes: Option<BTreeSet<Class>>,
    pub statistics: Statistics,
}

impl Default for Tree {
    fn default() -> Self {
        let root = Node {
            parent: ROOT,
            depth: 0,
            task: TaskId::MAIN,
            asleep: Vec::new(),
            begun: 0,
            given_up: Vec::new(),
            owed: VecDeque::new(),
            // The root stays.
            uses: 1,
        };
        let statistics = Statistics::default();
        Tree {
            nodes: vec![root],
            spare: Vec::new(),
            open: Vec::new(),
            started: false,
            classes: None,
            statistics,
        }
    }
}

/// What taking in an execution has changed so far.
struct Changes<'a> {
    /// Whether anything had been taken in, the statistics, the open nodes and what the job's node
    /// owed.
    was: (bool, Statistics, Vec<usize>, VecDeque<Owed>),
    /// The class that is new.
    class: Option<Class>,
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
    nodes: &'a [usize],
    /// The task it ran at each of them.
    ran: &'a [TaskId],
    /// Up to here it only repeated what had been run before.
    known: usize,
    names: &'a [TaskName],
}

impl Way<'_> {
    fn task(&self, name: TaskName) -> Option<TaskId> {
        self.names.iter().position(|&other| other == name).map(|at| TaskId(at as u32))
    }

    /// The task whose exploration the execution began at a depth.
    fn begun(&self, depth: usize) -> Option<TaskId> {
        self.ran.get(depth).copied().filter(|_| depth >= self.known)
    }
}

impl Tree {
    /// One in which nothing sleeps, where what depends on what is a matter of the whole execution.
    pub fn sleepless() -> Self {
        Tree { classes: Some(BTreeSet::new()), ..Tree::default() }
    }

    pub fn is_sleepless(&self) -> bool {
        self.classes.is_some()
    }

    /// The next execution, then those that come next at the nodes above, up to `most`. Whatever the
    /// first one shows, the others will still have to be run.
    pub fn ahead(&self, most: usize) -> Vec<Job> {
        let next = self.next();
        let above = self.open.iter().rev().skip(1).take(most.saturating_sub(1));
        next.into_iter().chain(above.filter_map(|&at| self.job(at))).collect()
    }

    /// The next execution.
    pub fn next(&self) -> Option<Job> {
        if !self.started {
            let (asleep, hint) = Default::default();
            return Some(Job { prefix: vec![TaskId::MAIN], asleep, hint, whole: false, node: ROOT });
        }
        self.job(*self.open.last()?)
    }

    fn job(&self, at: usize) -> Option<Job> {
        let node = &self.nodes[at];
        let Owed { sequence, task, name } = node.owed.front()?;
        let mut prefix = vec![*task];
        let mut up = at;
        while up != ROOT {
            prefix.push(self.nodes[up].task);
            up = self.nodes[up].parent;
        }
        prefix.reverse();
        let asleep = if self.is_sleepless() { Vec::new() } else { node.asleep.clone() };
        let hint = sequence.hint(*name);
        Some(Job { prefix, asleep, hint, whole: node.owed.len() > 1, node: at })
    }

    /// Whether a tree that was read from outside can be explored: nodes refer to nodes there are,
    /// and to the root in the end.
    pub fn check(&self) -> Result<(), &'static str> {
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
        if spare[ROOT] || self.nodes[ROOT].depth != 0 {
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
            for sequence in node.sequences() {
                if checked.insert(Arc::as_ptr(sequence.record())) {
                    sequence.record().check()?;
                }
                sequence.check()?;
            }
        }
        for (at, node) in self.nodes.iter().enumerate().filter(|&(at, _)| !spare[at]) {
            if node.uses != children[at] + usize::from(at == ROOT) {
                return Err("the uses of a node are miscounted");
            }
            if node.owed.is_empty() == open.contains(&at) {
                return Err("open nodes are those that owe something");
            }
        }
        if self.open.iter().any(|&at| at >= self.nodes.len() || spare[at]) {
            return Err("an open node does not exist");
        }
        if !self.open.is_sorted_by(|&a, &b| self.nodes[a].depth < self.nodes[b].depth) {
            return Err("the open nodes are not on one path");
        }
        Ok(())
    }

    /// How many executions are left at least.
    pub fn pending(&self) -> usize {
        usize::from(!self.started) + self.open.iter().map(|&at| self.nodes[at].left()).sum::<usize>()
    }

    /// About how many complete executions are left; see [`estimate`]. Not known before the first.
    pub fn estimate(&self) -> Option<f64> {
        if !self.started {
            return None;
        }
        let done = estimate::part_done(self.path().map(|node| Fork { begun: node.begun, left: node.left() }));
        Some(estimate::left(self.statistics.executions, done).max(self.pending() as f64))
    }

    /// The path the search is on, the deepest open node first; nothing if the search has ended.
    fn path(&self) -> impl Iterator<Item = &Node> {
        let up = |&at: &usize| (at != ROOT).then(|| self.nodes[at].parent);
        std::iter::successors(self.open.last().copied(), up).map(|at| &self.nodes[at])
    }

    /// What it keeps at the moment.
    pub fn kept(&self) -> Kept {
        // Those that are spare are empty.
        let mut kept = Kept { nodes: self.nodes.len() - self.spare.len(), ..Kept::default() };
        for node in &self.nodes {
            kept.sequences += node.owed.len();
            kept.transitions += node.owed.iter().map(|owed| owed.sequence.len()).sum::<usize>();
            kept.sleepers += node.asleep.len();
        }
        kept
    }

    pub fn is_done(&self) -> bool {
        self.started && self.open.is_empty()
    }

    /// Takes in what the [next](Tree::next) execution showed. Asks `stop` now and then, since an
    /// execution may be long: if it says so, the tree is as it was, and the result false.
    pub fn report(&mut self, job: &Job, run: ExecutionSummary, stop: &dyn Fn() -> bool) -> bool {
        let mut changes = Changes {
            was: (self.started, self.statistics, self.open.clone(), self.nodes[job.node].owed.clone()),
            class: None,
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
        let Changes { was, class, grown, made, owing, .. } = changes;
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
        if let (Some(classes), Some(class)) = (&mut self.classes, class) {
            classes.remove(&class);
        }
        (self.started, self.statistics, self.open, self.nodes[job.node].owed) = was;
    }

    fn take_in(&mut self, job: &Job, run: ExecutionSummary, changes: &mut Changes<'_>) -> Option<()> {
        self.started = true;
        let fresh = match (&mut self.classes, run.class) {
            (Some(classes), Some(class)) => classes.insert(class),
            _ => true,
        };
        changes.class = run.class.filter(|_| fresh);
        if run.complete && fresh {
            self.statistics.executions += 1;
        } else {
            self.statistics.pruned += 1;
        }
        let owed = std::mem::take(&mut self.nodes[job.node].owed);
        self.open.retain(|&at| at != job.node);
        // The nodes along the execution: those of the prefix, then new ones, as far as there is
        // something to do at them.
        let mut nodes = Vec::with_capacity(job.prefix.len() + run.transitions.len());
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
                let depth = nodes.len();
                let asleep = job.asleep.iter().zip(&run.woke).filter(|&(_, &woke)| woke > depth);
                let asleep = asleep.map(|(sleeper, _)| sleeper.clone()).collect();
                let (owed, given_up) = (VecDeque::new(), Vec::new());
                let node = Node { parent: at, depth, task, asleep, begun: 0, given_up, owed, uses: 0 };
                let child = self.add(node);
                self.nodes[at].uses += 1;
                changes.made.push(child);
                nodes.push(child);
            }
        }
        let way = Way { nodes: &nodes, ran: &ran, known, names: &run.names };
        for (at, Owed { sequence, name, .. }) in owed.into_iter().enumerate() {
            // The first one is what the execution has run, if its task begins it.
            let begun = self.nodes[job.node].explored(job.prefix[known]);
            let hinted = |begun: &Sleeper| sequence.is_begun_by(begun.task, name, begun.content.view());
            if at > 0 || !begun.is_some_and(hinted) {
                self.owe(&way, known, sequence, changes)?;
            }
        }
        for Reversal { before, sequence, .. } in run.reversals {
            // Not behind the earlier one of the pair: that one does not begin it.
            let way = Way { known: known.max(before + 1), ..way };
            self.owe(&way, before, sequence, changes)?;
        }
        // What has nothing pending below it is not needed again.
        for &at in nodes.iter().rev() {
            self.release(at);
        }
        Some(())
    }

    /// The [next](Tree::next) execution could not be run: what its task would have done from the
    /// node stays unknown, and the search goes on without. It is then not complete, which is for
    /// the caller to say.
    pub fn give_up(&mut self, job: &Job) {
        self.started = true;
        let task = job.prefix[job.depth()];
        let node = &mut self.nodes[job.node];
        node.given_up.push(task);
        node.owed.retain(|owed| owed.task != task);
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
        let mut left = Some(sequence);
        while let Some(sequence) = left.take()
            && let Some(&at) = way.nodes.get(depth)
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
            if !begins && self.add_owed(way, at, sequence) {
                changes.owing.push(at);
            }
            depth += 1;
        }
        Some(())
    }

    /// Adds a sequence that no task begins for certain, unless all tasks that can begin it have
    /// been explored: then one did. Whether it was added.
    fn add_owed(&mut self, way: &Way<'_>, at: usize, sequence: Sequence) -> bool {
        let node = &mut self.nodes[at];
        let named = |name| Some((way.task(name)?, name));
        let is_new = |task: TaskId| node.explored(task).is_none() && !node.given_up.contains(&task);
        let next = sequence.beginning().filter_map(named).find(|&(task, _)| is_new(task));
        let Some((task, name)) = next else { return false };
        if node.owed.iter().any(|owed| owed.sequence.is_like(&sequence)) {
            return false;
        }
        node.owed.push_back(Owed { sequence, task, name });
        if node.owed.len() == 1 {
            let depth = node.depth;
            let place = self.open.partition_point(|&other| self.nodes[other].depth < depth);
            self.open.insert(place, at);
        }
        true
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
