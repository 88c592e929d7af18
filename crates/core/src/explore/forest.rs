//! The exploration as subtrees that are searched apart from each other.
//!
//! *Rounds.* The exploration goes on in rounds. A round takes some subtrees ([`Forest::round`]),
//! each of which is searched for a while by whoever has time, on its own and without looking at the
//! others. Then the results are put together ([`Forest::merge`]), in the order of the subtrees.
//! Which subtrees a round takes, and how far each is searched, depends on the executions so far and
//! on nothing else. So what is explored, in which order it counts, and what is found first are the
//! same for any number of workers, on one machine or several.
//!
//! *The trunk* has the nodes that subtrees share: those above the root of each subtree, and the
//! root itself. A subtree is what is behind one task that is explored from a node of the trunk. If
//! there are too few subtrees, one is [split](Tree::split) at its first open node, which becomes a
//! node of the trunk: what is being explored behind it is a subtree, and the next task that it owes
//! is another.
//!
//! *Why this explores what a depth-first search does.* A task that is begun at a node sleeps behind
//! the tasks that are begun there later, whether what is behind it is complete or not: sleep sets
//! need to know what the task does there, and that somebody explores what is behind it. A reversal
//! that a subtree finds at a node of the trunk is owed there as it would be by a search of one
//! subtree after the other. With one difference: there all that is found behind a task is known
//! before the next one is begun. Here it may turn up when the next one has been begun, and it is
//! handed down to that one if it begins the sequence, as it would have been when that was begun. If
//! all behind that one is complete by then, it was explored without. (One that was begun *before*
//! gets nothing handed down in either search.)

use super::node::{Node, Owed};
use super::sequence::{Part, Sequence};
use super::tree::{Export, Kept, Tree, check_sequences};
use super::{Class, Statistics, TaskName, stored};
use crate::ids::TaskId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Forest {
    #[serde(with = "stored")]
    trunk: Vec<Node>,
    /// For each node of the trunk the names of the tasks there are.
    names: Vec<Vec<TaskName>>,
    spare: Vec<usize>,
    /// The nodes of the trunk that owe something, the deepest last.
    open: Vec<usize>,
    subtrees: Vec<Subtree>,
    started: bool,
    /// The classes seen, where nothing sleeps and these distinguish executions.
    classes: Option<BTreeSet<Class>>,
    pub statistics: Statistics,
}

/// What is behind a task that is explored from a node of the trunk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subtree {
    at: usize,
    task: TaskId,
    pub tree: Tree,
}

const ROOT: usize = 0;

/// What is behind each task that is explored from a node of the trunk, while nodes and subtrees
/// stay where they are.
struct Behind(FxHashMap<(usize, TaskId), Where>);

#[derive(Clone, Copy)]
enum Where {
    Trunk(usize),
    Subtree(usize),
}

impl Behind {
    fn new(forest: &Forest) -> Self {
        let subtrees = forest.subtrees.iter().enumerate();
        let subtrees = subtrees.map(|(number, subtree)| ((subtree.at, subtree.task), Where::Subtree(number)));
        let nodes = forest.trunk.iter().enumerate().skip(1);
        let nodes = nodes.map(|(at, node)| ((node.parent, node.task), Where::Trunk(at)));
        // Nodes last: a node of the trunk takes precedence.
        Behind(subtrees.chain(nodes).collect())
    }

    fn get(&self, at: usize, task: TaskId) -> Option<Where> {
        self.0.get(&(at, task)).copied()
    }
}

impl Default for Forest {
    fn default() -> Self {
        // The root stays.
        let root = Node { uses: 1, ..Node::new(ROOT, 0, TaskId::MAIN, Vec::new()) };
        let (spare, open, subtrees, statistics) = Default::default();
        let (trunk, names) = (vec![root], vec![Vec::new()]);
        Forest { trunk, names, spare, open, subtrees, started: false, classes: None, statistics }
    }
}

impl Forest {
    /// One in which nothing sleeps, where what depends on what is a matter of the whole execution.
    pub fn sleepless() -> Self {
        Forest { classes: Some(BTreeSet::new()), ..Forest::default() }
    }

    pub fn is_sleepless(&self) -> bool {
        self.classes.is_some()
    }

    pub fn is_done(&self) -> bool {
        self.started && self.subtrees.is_empty() && self.open.is_empty()
    }

    /// Takes out the subtrees to be searched next, up to `most`: those there are, and those behind
    /// what nodes of the trunk owe. Splits some if there are fewer.
    pub fn round(&mut self, most: usize) -> Vec<Subtree> {
        let most = most.max(1);
        if !self.started {
            let tree = Tree::behind(&self.trunk[ROOT], Vec::new(), self.is_sleepless());
            return vec![Subtree { at: ROOT, task: TaskId::MAIN, tree }];
        }
        let mut before = std::mem::take(&mut self.subtrees).into_iter();
        while let Some(subtree) = before.next() {
            let all = self.subtrees.len() + 1 + before.len() + self.open.len();
            match all < most && subtree.tree.can_split() {
                true => self.split(subtree),
                false => self.subtrees.push(subtree),
            }
        }
        let rest = self.subtrees.split_off(self.subtrees.len().min(most));
        let mut round = std::mem::replace(&mut self.subtrees, rest);
        let more = most - round.len();
        round.extend(self.open.iter().rev().take(more).filter_map(|&at| self.behind(at)));
        round
    }

    /// What is behind the first task that a node of the trunk owes.
    fn behind(&self, at: usize) -> Option<Subtree> {
        let node = &self.trunk[at];
        let task = node.owed.front()?.task;
        Some(Subtree { at, task, tree: Tree::behind(node, self.path_to(at), self.is_sleepless()) })
    }

    /// The tasks whose transitions lead to a node of the trunk.
    fn path_to(&self, mut at: usize) -> Vec<TaskId> {
        let mut path = Vec::with_capacity(self.trunk[at].depth);
        while at != ROOT {
            path.push(self.trunk[at].task);
            at = self.trunk[at].parent;
        }
        path.reverse();
        path
    }

    /// Shares what a subtree has at its first open node, and above.
    fn split(&mut self, Subtree { at, tree, .. }: Subtree) {
        let names = tree.names.clone();
        let (shared, left) = tree.split();
        let mut parent = at;
        for node in shared {
            // The first one counts for its parent as the subtree did, the last one's subtree for
            // that one.
            parent = self.add(Node { parent, uses: 1, ..node }, names.clone());
        }
        if !self.trunk[parent].owed.is_empty() {
            self.opened(parent);
        }
        match left {
            Some(tree) => self.subtrees.push(Subtree { at: parent, task: tree.first_task(), tree }),
            None => self.trunk[parent].uses = 0,
        }
    }

    fn add(&mut self, node: Node, names: Vec<TaskName>) -> usize {
        match self.spare.pop() {
            Some(at) => {
                (self.trunk[at], self.names[at]) = (node, names);
                at
            }
            None => {
                self.trunk.push(node);
                self.names.push(names);
                self.trunk.len() - 1
            }
        }
    }

    /// A node of the trunk owes something from now on.
    fn opened(&mut self, at: usize) {
        let depth = self.trunk[at].depth;
        let place = self.open.partition_point(|&other| self.trunk[other].depth <= depth);
        self.open.insert(place, at);
    }

    /// Puts the results of a round together: all that [`Forest::round`] has taken out, in that
    /// order, whatever became of each. `seen` is called after each with the statistics up to there.
    pub fn merge(&mut self, round: Vec<Subtree>, mut seen: impl FnMut(Statistics)) {
        let mut exported = Vec::with_capacity(round.len());
        let rest = std::mem::take(&mut self.subtrees);
        for mut subtree in round {
            let outcome = subtree.tree.take_outcome();
            self.statistics.executions += outcome.statistics.executions;
            self.statistics.pruned += outcome.statistics.pruned;
            if let Some(classes) = &mut self.classes {
                let old = outcome.classes.iter().filter(|&&class| !classes.insert(class)).count() as u64;
                self.statistics.executions -= old;
                self.statistics.pruned += old;
            }
            seen(self.statistics);
            exported.push((subtree.at, subtree.task, outcome.exports));
            self.attach(subtree);
        }
        self.subtrees.extend(rest);
        let behind = Behind::new(self);
        for (at, task, exports) in exported {
            for Export { depth, sequence } in exports {
                self.owe(&behind, (at, task), depth, sequence);
            }
        }
        for at in 0..self.subtrees.len() {
            if self.subtrees[at].tree.is_done() {
                let node = self.subtrees[at].at;
                self.trunk[node].uses -= 1;
                self.release(node);
            }
        }
        self.subtrees.retain(|subtree| !subtree.tree.is_done());
    }

    /// Takes a subtree back. If it is a new one, its node learns what its task does.
    fn attach(&mut self, subtree: Subtree) {
        let Subtree { at, task, ref tree } = subtree;
        if !tree.is_started() {
            // It did not come to it.
            return;
        }
        self.started = true;
        let node = &mut self.trunk[at];
        if node.explored(task).is_none() {
            node.uses += 1;
            let Some(sleeper) = tree.begun(task).cloned() else {
                node.give_up(task);
                self.closed(at);
                self.subtrees.push(subtree);
                return;
            };
            if self.names[at].is_empty() {
                // The root: all tasks of a later state are numbered behind those there are here.
                self.names[at].clone_from(&tree.names);
            }
            node.asleep.push(sleeper.clone());
            node.begun += 1;
            let owed = std::mem::take(&mut node.owed);
            let content = sleeper.content.view();
            for (number, Owed { sequence, name, .. }) in owed.into_iter().enumerate() {
                let Some(&begun) = self.names[at].get(task.index()) else { continue };
                let part = sequence.part(task, begun, content);
                let is_run = number == 0 && sequence.is_begun_by(task, name, content);
                // The subtree has handed down what it begins.
                if !is_run && !matches!(part, Part::Begins | Part::Aside) {
                    self.trunk[at].owe(sequence, &self.names[at]);
                }
            }
            self.closed(at);
        }
        self.subtrees.push(subtree);
    }

    /// Notes if a node owes nothing any more.
    fn closed(&mut self, at: usize) {
        if self.trunk[at].owed.is_empty() {
            self.open.retain(|&other| other != at);
        }
    }

    /// Sees to it that a sequence is run from the node of the trunk at a depth, which was found
    /// behind a task of a node below.
    fn owe(
        &mut self,
        behind: &Behind,
        (mut at, mut branch): (usize, TaskId),
        depth: usize,
        sequence: Sequence,
    ) {
        while self.trunk[at].depth > depth {
            (at, branch) = (self.trunk[at].parent, self.trunk[at].task);
        }
        let position = self.trunk[at].asleep.iter().position(|sleeper| sleeper.task == branch);
        self.owe_at(behind, at, position.map_or(usize::MAX, |position| position + 1), sequence);
    }

    /// Sees to it that a sequence is run from a node of the trunk. It was not known when the tasks
    /// from the one numbered `from` on were begun, of those that sleep there.
    fn owe_at(&mut self, behind: &Behind, at: usize, from: usize, sequence: Sequence) {
        let node = &self.trunk[at];
        let inherited = node.asleep.len() - node.begun;
        let sleepers: Vec<_> = node.asleep.clone();
        for (number, sleeper) in sleepers.iter().enumerate() {
            let Some(&name) = self.names[at].get(sleeper.task.index()) else { continue };
            let content = sleeper.content.view();
            if number < from.max(inherited) {
                if sequence.is_begun_by(sleeper.task, name, content) {
                    return;
                }
                continue;
            }
            let part = sequence.part(sleeper.task, name, content);
            if part == Part::No {
                continue;
            }
            let left = sequence.after(sleeper.task, name, content.choice);
            let alive = left.is_some_and(|left| self.hand_down(behind, at, sleeper.task, left));
            match part {
                Part::Begins => return,
                Part::Aside if alive => return,
                _ => {}
            }
        }
        let node = &mut self.trunk[at];
        if node.owe(sequence, &self.names[at]) && node.owed.len() == 1 {
            self.opened(at);
        }
    }

    /// Hands a sequence down to what is behind a task of a node; false if that is complete.
    fn hand_down(&mut self, behind: &Behind, at: usize, task: TaskId, sequence: Sequence) -> bool {
        match behind.get(at, task) {
            Some(Where::Trunk(child)) => {
                self.owe_at(behind, child, 0, sequence);
                true
            }
            Some(Where::Subtree(number)) => self.subtrees[number].tree.hand_down(sequence),
            None => false,
        }
    }

    /// Drops a node of the trunk that nothing refers to any more, and its parents likewise.
    fn release(&mut self, mut at: usize) {
        while at != ROOT && self.trunk[at].uses == 0 && self.trunk[at].owed.is_empty() {
            let parent = std::mem::replace(&mut self.trunk[at].parent, usize::MAX);
            self.trunk[at].asleep = Vec::new();
            self.names[at] = Vec::new();
            self.spare.push(at);
            self.trunk[parent].uses -= 1;
            at = parent;
        }
    }

    /// How many executions are left at least.
    pub fn pending(&self) -> usize {
        usize::from(!self.started)
            + self.open.iter().map(|&at| self.trunk[at].left()).sum::<usize>()
            + self.subtrees.iter().map(|subtree| subtree.tree.pending()).sum::<usize>()
    }

    /// About how many complete executions are left; see [`estimate`](super::estimate). Not known
    /// before the first.
    pub fn estimate(&self) -> Option<f64> {
        if !self.started {
            return None;
        }
        let done = self.part_done();
        Some(super::estimate::left(self.statistics.executions, done).max(self.pending() as f64))
    }

    /// The part of the exploration that is complete.
    fn part_done(&self) -> f64 {
        // What is missing of the branches of each node that have been begun.
        let mut missing = vec![0.0; self.trunk.len()];
        for Subtree { at, tree, .. } in &self.subtrees {
            missing[*at] += 1.0 - tree.part_done();
        }
        let mut nodes: Vec<usize> = (0..self.trunk.len()).collect();
        let spare: FxHashSet<usize> = self.spare.iter().copied().collect();
        nodes.retain(|at| !spare.contains(at));
        nodes.sort_by_key(|&at| std::cmp::Reverse(self.trunk[at].depth));
        let mut done = 0.0;
        for at in nodes {
            let node = &self.trunk[at];
            let all = (node.begun + node.left()).max(1) as f64;
            done = (node.begun as f64 - missing[at]) / all;
            if at != ROOT {
                missing[node.parent] += 1.0 - done;
            }
        }
        done.clamp(0.0, 1.0)
    }

    /// What it keeps at the moment.
    pub fn kept(&self) -> Kept {
        let mut kept = Kept::default();
        let spare: FxHashSet<usize> = self.spare.iter().copied().collect();
        let used = self.trunk.iter().enumerate().filter(|(at, _)| !spare.contains(at));
        used.for_each(|(_, node)| kept.add(node));
        self.subtrees.iter().for_each(|subtree| subtree.tree.add_kept(&mut kept));
        kept
    }

    /// Whether one that was read from outside can be explored: nodes refer to nodes there are, and
    /// to the root in the end.
    pub fn check(&self) -> Result<(), &'static str> {
        let mut uses = vec![0usize; self.trunk.len()];
        if self.trunk.is_empty() || self.names.len() != self.trunk.len() {
            return Err("there is no root");
        }
        uses[ROOT] = 1;
        let mut spare = vec![false; self.trunk.len()];
        for &at in &self.spare {
            *spare.get_mut(at).ok_or("a spare node does not exist")? = true;
        }
        if spare[ROOT] || self.trunk[ROOT].depth != 0 {
            return Err("the root is none");
        }
        let mut checked = FxHashSet::default();
        let mut children = FxHashSet::default();
        for (at, node) in self.trunk.iter().enumerate().filter(|&(at, _)| !spare[at]) {
            if at != ROOT {
                // Depths that go up one by one lead to the root.
                let parent = self.trunk.get(node.parent).filter(|_| !spare[node.parent]);
                if parent.ok_or("a node has no parent")?.depth.checked_add(1) != Some(node.depth) {
                    return Err("a node is at another depth than its parent says");
                }
                uses[node.parent] += 1;
                if !children.insert((node.parent, node.task)) {
                    return Err("a task leads to two states");
                }
            }
            if node.begun > node.asleep.len() {
                return Err("more is explored than sleeps");
            }
            check_sequences(node, &mut checked)?;
        }
        for Subtree { at, task, tree } in &self.subtrees {
            if *at >= self.trunk.len() || spare[*at] {
                return Err("a subtree has no root");
            }
            uses[*at] += 1;
            if tree.base != self.path_to(*at) || !children.insert((*at, *task)) {
                return Err("a subtree is elsewhere");
            }
            if self.trunk[*at].explored(*task).is_none() {
                return Err("a subtree has not been begun");
            }
            tree.check()?;
            if tree.is_done() {
                return Err("a subtree is kept for nothing");
            }
        }
        let mut open: Vec<usize> = self.open.clone();
        open.sort_unstable();
        let owes = |&at: &usize| !spare[at] && !self.trunk[at].owed.is_empty();
        if open != (0..self.trunk.len()).filter(owes).collect::<Vec<_>>() {
            return Err("open nodes are those that owe something");
        }
        if !self.open.is_sorted_by_key(|&at| self.trunk[at].depth) {
            return Err("the open nodes are in disorder");
        }
        for (at, node) in self.trunk.iter().enumerate().filter(|&(at, _)| !spare[at]) {
            if node.uses != uses[at] {
                return Err("the uses of a node are miscounted");
            }
            if at != ROOT && node.uses == 0 && node.owed.is_empty() {
                return Err("a node is kept for nothing");
            }
        }
        if !self.started && self.trunk.len() > 1 { Err("it has not begun") } else { Ok(()) }
    }
}
