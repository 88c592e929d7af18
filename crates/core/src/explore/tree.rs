//! The exploration tree: what is being explored, what is still to be, and what sleeps where.
//!
//! A node is a state, reached from its parent by one transition; the root is the start of the program. Only nodes below
//! which something is left to explore are kept. The tree hands out [`Job`]s (a schedule up to a node and the task
//! to run there), an execution of each is reported back, in the order in which they were handed out, and its
//! reversals become new tasks at the nodes on its way. All decisions are taken here, one after the other, so that the
//! result does not depend on how many executions run at the same time.

use super::reversal::Reversal;
use super::{Content, Dependence, Statistics, TaskName};
use crate::ids::TaskId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A transition that has been explored from a state: a task and what it does there. (Tasks are numbered as they are spawned; in
/// all executions that lead to a state by the same transitions, the same number is the same task.)
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
    node: usize,
}

impl Job {
    /// How many transitions lead to the node.
    pub fn depth(&self) -> usize {
        self.prefix.len().saturating_sub(1)
    }
}

/// What an execution showed of its transitions beyond the node it started from.
#[derive(Debug)]
pub struct Run {
    /// Its transitions from the node on, up to the last one before which something else is to begin.
    pub transitions: Vec<Sleeper>,
    /// For each of the job's sleepers how many transitions had run when it woke.
    pub woke: Vec<usize>,
    pub reversals: Vec<Reversal>,
    /// Whether it came to an end; otherwise everything that could go on was asleep.
    pub complete: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Node {
    parent: usize,
    /// The task by which it is reached.
    task: TaskId,
    /// What sleeps here, siblings explored from here included.
    asleep: Vec<Sleeper>,
    /// The tasks explored from here or waiting to be.
    taken: Vec<TaskId>,
    /// The tasks still to be explored from here, with what to run after them.
    pending: Vec<(TaskId, Vec<TaskName>)>,
    /// Executions below this node that are under way, and children that are kept.
    uses: usize,
}

const ROOT: usize = 0;

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tree {
    nodes: Vec<Node>,
    spare: Vec<usize>,
    /// The nodes that have something pending, the deepest last.
    open: Vec<usize>,
    started: bool,
    pub statistics: Statistics,
}

impl Default for Tree {
    fn default() -> Self {
        let root = Node {
            parent: ROOT,
            task: TaskId::MAIN,
            asleep: Vec::new(),
            taken: Vec::new(),
            pending: Vec::new(),
            // The root stays.
            uses: 1,
        };
        Tree {
            nodes: vec![root],
            spare: Vec::new(),
            open: Vec::new(),
            started: false,
            statistics: Statistics::default(),
        }
    }
}

impl Tree {
    /// Takes out up to `most` executions that can run at the same time, at most one from each node: what a task does there
    /// is known only once it has run, and its siblings have to know it.
    pub fn jobs(&mut self, most: usize) -> Vec<Job> {
        if !self.started {
            self.started = true;
            self.nodes[ROOT].uses += 1;
            return vec![Job { prefix: Vec::new(), asleep: Vec::new(), hint: Vec::new(), node: ROOT }];
        }
        let mut jobs = Vec::new();
        let mut later = Vec::new();
        while jobs.len() < most
            && let Some(at) = self.open.pop()
        {
            let node = &mut self.nodes[at];
            let Some((task, hint)) = node.pending.pop() else { continue };
            if !node.pending.is_empty() {
                later.push(at);
            }
            node.uses += 1;
            let asleep = node.asleep.clone();
            let mut prefix = vec![task];
            let mut up = at;
            while up != ROOT {
                prefix.push(self.nodes[up].task);
                up = self.nodes[up].parent;
            }
            prefix.reverse();
            jobs.push(Job { prefix, asleep, hint, node: at });
        }
        // Shallow nodes first, as before.
        self.open.extend(later.into_iter().rev());
        jobs
    }

    /// Whether a tree that was read from outside can be explored: nodes refer to nodes there are, and to the root in the end.
    pub fn check(&self) -> Result<(), &'static str> {
        let mut children = vec![0usize; self.nodes.len()];
        if self.nodes.is_empty() {
            return Err("there is no root");
        }
        let mut spare = vec![false; self.nodes.len()];
        for &at in &self.spare {
            *spare.get_mut(at).ok_or("a spare node does not exist")? = true;
        }
        if spare[ROOT] {
            return Err("the root is spare");
        }
        for (at, node) in self.nodes.iter().enumerate().filter(|&(at, _)| at != ROOT && !spare[at]) {
            let mut up = node.parent;
            let mut steps = 0;
            while up != ROOT {
                let parent = self.nodes.get(up).filter(|_| !spare[up]).ok_or("a node has no parent")?;
                steps += 1;
                if steps > self.nodes.len() {
                    return Err("nodes are their own parents");
                }
                up = parent.parent;
            }
            children[node.parent] += 1;
            if node.uses == 0 && node.pending.is_empty() {
                return Err("a node is kept for nothing");
            }
            let _ = at;
        }
        for (at, node) in self.nodes.iter().enumerate().filter(|&(at, _)| !spare[at]) {
            if node.uses != children[at] + usize::from(at == ROOT) {
                return Err("the uses of a node are miscounted");
            }
            if !node.pending.is_empty() && !self.open.contains(&at) {
                return Err("a node with something pending is not open");
            }
        }
        if self.open.iter().any(|&at| at >= self.nodes.len() || spare[at]) {
            return Err("an open node does not exist");
        }
        Ok(())
    }

    /// How many executions are known to be left.
    pub fn pending(&self) -> usize {
        self.open.iter().map(|&at| self.nodes[at].pending.len()).sum()
    }

    pub fn is_done(&self) -> bool {
        self.started && self.open.is_empty()
    }

    /// Puts back executions that were taken out but not run.
    pub fn put_back(&mut self, jobs: Vec<Job>) {
        for job in jobs.into_iter().rev() {
            if job.prefix.is_empty() {
                self.started = false;
                self.nodes[ROOT].uses -= 1;
                continue;
            }
            let node = &mut self.nodes[job.node];
            node.uses -= 1;
            let task = job.prefix[job.prefix.len() - 1];
            node.pending.push((task, job.hint));
            if !self.open.contains(&job.node) {
                self.open.push(job.node);
            }
        }
    }

    /// Takes in what an execution showed.
    pub fn report(&mut self, job: &Job, run: Run) {
        if run.complete {
            self.statistics.executions += 1;
        } else {
            self.statistics.pruned += 1;
        }
        // The nodes along the execution: those of the prefix, then new ones, as far as there is something to do at them.
        let mut path = Vec::with_capacity(job.prefix.len() + run.transitions.len());
        let mut up = job.node;
        while up != ROOT {
            path.push(up);
            up = self.nodes[up].parent;
        }
        path.push(ROOT);
        path.reverse();
        let steps = run.transitions.len();
        for (step, ran) in run.transitions.into_iter().enumerate() {
            let at = path[path.len() - 1];
            let task = ran.task;
            let node = &mut self.nodes[at];
            // From now on it sleeps here for its siblings.
            node.asleep.push(ran);
            if !node.taken.contains(&task) {
                node.taken.push(task);
            }
            if step + 1 < steps {
                let depth = path.len();
                let asleep = job.asleep.iter().zip(&run.woke).filter(|&(_, &woke)| woke > depth);
                let asleep = asleep.map(|(sleeper, _)| sleeper.clone()).collect();
                let (taken, pending) = (Vec::new(), Vec::new());
                let child = self.add(Node { parent: at, task, asleep, taken, pending, uses: 0 });
                self.nodes[at].uses += 1;
                path.push(child);
            }
        }
        for reversal in run.reversals {
            self.reverse(&path, reversal);
        }
        // What has nothing pending below it is not needed again.
        self.nodes[job.node].uses -= 1;
        for &at in path.iter().rev() {
            self.release(at);
        }
    }

    fn reverse(&mut self, path: &[usize], reversal: Reversal) {
        let at = path[reversal.before];
        let node = &mut self.nodes[at];
        let covered = |task: &TaskId| {
            node.taken.contains(task) || node.asleep.iter().any(|sleeper| sleeper.task == *task)
        };
        let mut initials = reversal.initials.as_slice();
        if reversal.later_begins && !reversal.rivals.is_empty() && covered(&initials[0]) {
            // What is known to be explored is what the later one does here. If that depends on something before it in the
            // sequence, or is not known yet, it does not stand for the sequence.
            let known = node.asleep.iter().find(|sleeper| sleeper.task == initials[0]);
            let free = |rival: &Content| {
                known
                    .is_some_and(|known| !known.content.view().depends_on(rival.view(), Dependence::Conflict))
            };
            if !reversal.rivals.iter().all(free) {
                initials = &initials[1..];
            }
        }
        if initials.iter().any(covered) {
            return;
        }
        let Some(&task) = initials.first() else { return };
        node.taken.push(task);
        let mut hint = reversal.sequence;
        if let Some(at) = hint.iter().position(|&(other, _)| other == task) {
            hint.remove(at);
        }
        node.pending.push((task, hint.into_iter().map(|(_, name)| name).collect()));
        if node.pending.len() == 1 {
            self.open.push(at);
        }
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
        while at != ROOT && self.nodes[at].uses == 0 && self.nodes[at].pending.is_empty() {
            if self.nodes[at].parent == usize::MAX {
                return;
            }
            let parent = std::mem::replace(&mut self.nodes[at].parent, usize::MAX);
            self.nodes[at].asleep = Vec::new();
            self.nodes[at].taken = Vec::new();
            self.spare.push(at);
            self.nodes[parent].uses -= 1;
            at = parent;
        }
    }
}
