//! The order of the computation graph: does an earlier step precede the one that runs now?
//!
//! What the question is. A run is a graph of steps; `a` precedes `b` iff there is a path. Detectors only ever ask
//! about a step that has run and the step that runs now, and that is what makes the answer cheap.
//!
//! How it is answered, in two parts.
//!
//! 1. *The tree part*, what spawn and finish order. Steps lie on strands (a strand ends at a spawn or at the end of a
//!    finish), and strands are kept in two total orders: one in which a child comes before what its parent does
//!    next, one in which it comes after, and in both the step after a finish comes after everything inside
//!    it. A strand precedes another iff it does so in both (Mellor-Crummey's English-Hebrew labels, kept by
//!    order maintenance as in Bender et al., SPAA 2004, here for async-finish and for runs that are not
//!    depth-first). Cost: two comparisons of labels.
//! 2. *The joins outside the tree*: promise and future gets, events, and, as observed, lock sections and semaphores.
//!    Every task knows a set of sources (the steps that did the signals it has joined). The sets are
//!    persistent: a join adds one node in front, a child starts with its parent's node, the end of a finish merges the
//!    nodes its tasks ended with. `a` precedes now iff it precedes in the tree, or precedes in the tree some
//!    source known, directly or through what the source's task knew. The search goes newest source first,
//!    passes no node twice, and leaves out every node whose newest source is older than `a`: what ran
//!    before `a` cannot be after it. A positive answer holds for the task from then on and is cached.
//!
//! Cost: O(1) for what the tree orders and for what is in the cache; a search visits at most the joins since
//! `a`, and in practice one or two. Memory: 32 bytes a strand (two a task, one a finish), 4 a step, 24 a task,
//! 8 a finish, 8 a sync, 16 a join.
//!
//! What it can miss: nothing of the graph of this run; it is exact in both directions. For locks and semaphores the
//! graph is that of the observed order.

use super::labels::{Element, Labels};
use crate::event::SyncKind;
use crate::ids::{ScopeId, StepId, SyncId, TaskId};

/// An index into `GraphOrder::known`, or `NONE` for "nothing".
type KnownId = u32;

const NONE: u32 = u32::MAX;

/// A set of sources, as a node of a persistent graph.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The newest source of the whole set.
    newest: u32,
    /// The source this node adds, or `NONE` for the mere union of the two sets.
    source: u32,
    /// For a source, what its task knew then.
    left: KnownId,
    right: KnownId,
}

#[derive(Clone, Copy, Debug)]
struct TaskState {
    strand: Element,
    step: u32,
    known: KnownId,
    /// What it knew when it was spawned: part of what its parent knows.
    inherited: KnownId,
    scope: ScopeId,
}

#[derive(Clone, Copy, Debug)]
struct Signalled {
    step: u32,
    known: KnownId,
}

/// "All steps of `strand` up to `step` precede `task` from some moment on."
#[derive(Clone, Copy, Debug)]
struct Proven {
    task: u32,
    strand: Element,
    step: u32,
}

const PROVEN: usize = 1 << 10;

/// See the module.
#[derive(Debug)]
pub struct GraphOrder {
    english: Labels,
    hebrew: Labels,
    /// The strand of every step.
    steps: Vec<Element>,
    tasks: Vec<TaskState>,
    /// For every finish: the strand after it, and what the tasks of it that have ended knew.
    scopes: Vec<(Element, KnownId)>,
    syncs: Vec<Signalled>,
    known: Vec<Known>,
    /// The number of the search that last visited each node of `known`.
    visited: Vec<u32>,
    searches: u32,
    stack: Vec<KnownId>,
    proven: Box<[Proven]>,
    now: Now,
}

/// The running task, with the labels of its strand at hand.
#[derive(Clone, Copy, Debug)]
struct Now {
    task: TaskId,
    state: TaskState,
    english: u64,
    hebrew: u64,
}

impl Default for GraphOrder {
    fn default() -> Self {
        let main = TaskState { strand: 0, step: 0, known: NONE, inherited: NONE, scope: ScopeId::PROGRAM };
        GraphOrder {
            english: Labels::new(),
            hebrew: Labels::new(),
            steps: vec![0],
            tasks: vec![main],
            scopes: vec![(NONE, NONE)],
            syncs: Vec::new(),
            known: Vec::new(),
            visited: Vec::new(),
            searches: 0,
            stack: Vec::new(),
            proven: vec![Proven { task: NONE, strand: NONE, step: 0 }; PROVEN].into_boxed_slice(),
            now: Now { task: TaskId::MAIN, state: main, english: 0, hebrew: 0 },
        }
    }
}

impl GraphOrder {
    /// Makes `task` the one that runs now; every event and access starts with this.
    #[inline]
    pub fn enter(&mut self, task: TaskId) {
        if task != self.now.task {
            self.switch(task);
        }
    }

    fn switch(&mut self, task: TaskId) {
        self.tasks[self.now.task.index()] = self.now.state;
        self.now.task = task;
        self.now.state = self.tasks[task.index()];
        self.look_up_labels();
    }

    fn look_up_labels(&mut self) {
        self.now.english = self.english.label(self.now.state.strand);
        self.now.hebrew = self.hebrew.label(self.now.state.strand);
    }

    /// The step that runs now.
    #[inline]
    pub fn step(&self) -> StepId {
        StepId(self.now.state.step)
    }

    /// The number of steps so far.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    fn begin_step(&mut self) {
        self.now.state.step = u32::try_from(self.steps.len()).expect("more than 2^32 steps in a run");
        self.steps.push(self.now.state.strand);
    }

    pub fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId) {
        self.enter(parent);
        debug_assert_eq!(child.index(), self.tasks.len(), "tasks come in the order of their ids");
        let strand = self.now.state.strand;
        // English: strand, child, continuation. Hebrew: strand, continuation, child.
        let child_strand = self.english.insert_after(strand);
        let continuation = self.english.insert_after(child_strand);
        let hebrew_child = self.hebrew.insert_after(strand);
        let hebrew_continuation = self.hebrew.insert_after(strand);
        debug_assert_eq!((child_strand, continuation), (hebrew_child, hebrew_continuation));
        let step = u32::try_from(self.steps.len()).expect("more than 2^32 steps in a run");
        self.steps.push(child_strand);
        let known = self.now.state.known;
        self.tasks.push(TaskState { strand: child_strand, step, known, inherited: known, scope });
        self.now.state.strand = continuation;
        self.begin_step();
        self.look_up_labels();
    }

    pub fn end(&mut self, task: TaskId) {
        self.enter(task);
        let TaskState { known, inherited, scope, .. } = self.now.state;
        if known != inherited {
            let gathered = self.scopes[scope.index()].1;
            self.scopes[scope.index()].1 = self.union(gathered, known);
        }
    }

    pub fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.enter(task);
        debug_assert_eq!(scope.index(), self.scopes.len(), "scopes come in the order of their ids");
        let after = self.english.insert_after(self.now.state.strand);
        let hebrew_after = self.hebrew.insert_after(self.now.state.strand);
        debug_assert_eq!(after, hebrew_after);
        self.scopes.push((after, NONE));
        self.look_up_labels();
    }

    pub fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.enter(task);
        let (after, gathered) = self.scopes[scope.index()];
        self.now.state.known = self.union(self.now.state.known, gathered);
        self.now.state.strand = after;
        self.begin_step();
        self.look_up_labels();
    }

    pub fn signal(&mut self, task: TaskId, sync: SyncId, _: SyncKind) {
        self.enter(task);
        if self.syncs.len() <= sync.index() {
            self.syncs.resize(sync.index() + 1, Signalled { step: NONE, known: NONE });
        }
        self.syncs[sync.index()] = Signalled { step: self.now.state.step, known: self.now.state.known };
        self.begin_step();
    }

    pub fn join(&mut self, task: TaskId, sync: SyncId, _: SyncKind) {
        self.enter(task);
        let source = self.syncs.get(sync.index()).copied().unwrap_or(Signalled { step: NONE, known: NONE });
        // A source that is known already (a lock taken again by the same task, a second get) adds nothing. Only an
        // evident one is left out: adding it twice does no harm, a search at every join might.
        if source.step != NONE && !self.precedes_now_evidently(StepId(source.step)) {
            let right = self.now.state.known;
            let newest = source.step.max(self.newest(right));
            self.now.state.known = self.add(Known { newest, source: source.step, left: source.known, right });
        }
        self.begin_step();
    }

    /// Whether `step`, which has run, precedes the step that runs now (or is it).
    #[inline]
    pub fn precedes_now(&mut self, step: StepId) -> bool {
        if self.precedes_in_tree(step) {
            return true;
        }
        self.now.state.known != NONE && self.precedes_by_joins(step, usize::MAX)
    }

    /// As [`GraphOrder::precedes_now`], but gives up, saying no, where the answer is not near at hand.
    #[inline]
    pub fn precedes_now_evidently(&mut self, step: StepId) -> bool {
        self.precedes_in_tree(step) || (self.now.state.known != NONE && self.precedes_by_joins(step, 16))
    }

    #[inline]
    fn precedes_in_tree(&self, step: StepId) -> bool {
        let strand = self.steps[step.index()];
        strand == self.now.state.strand
            || (self.english.label(strand) < self.now.english && self.hebrew.label(strand) < self.now.hebrew)
    }

    fn newest(&self, known: KnownId) -> u32 {
        if known == NONE { 0 } else { self.known[known as usize].newest }
    }

    fn add(&mut self, node: Known) -> KnownId {
        let id = self.known.len() as u32;
        self.known.push(node);
        self.visited.push(0);
        id
    }

    fn union(&mut self, left: KnownId, right: KnownId) -> KnownId {
        if right == NONE || left == right {
            return left;
        }
        if left == NONE {
            return right;
        }
        let newest = self.newest(left).max(self.newest(right));
        self.add(Known { newest, source: NONE, left, right })
    }

    #[inline(never)]
    fn precedes_by_joins(&mut self, step: StepId, budget: usize) -> bool {
        let strand = self.steps[step.index()];
        let slot = (strand as usize ^ (self.now.task.index() << 5)) % PROVEN;
        let proven = self.proven[slot];
        if proven.task == self.now.task.0 && proven.strand == strand && step.0 <= proven.step {
            return true;
        }
        let Some(up_to) = self.search(step, strand, budget) else { return false };
        self.proven[slot] = Proven { task: self.now.task.0, strand, step: up_to };
        true
    }

    /// Looks for a known source that `step` precedes in the tree or is; up to which step of its strand the same holds.
    fn search(&mut self, step: StepId, strand: Element, mut budget: usize) -> Option<u32> {
        let (english, hebrew) = (self.english.label(strand), self.hebrew.label(strand));
        self.searches += 1;
        self.stack.clear();
        self.stack.push(self.now.state.known);
        while let Some(at) = self.stack.pop() {
            if at == NONE || self.visited[at as usize] == self.searches {
                continue;
            }
            let node = self.known[at as usize];
            if node.newest < step.0 {
                continue;
            }
            self.visited[at as usize] = self.searches;
            budget = budget.checked_sub(1)?;
            if node.source != NONE && node.source >= step.0 {
                let source = self.steps[node.source as usize];
                if source == strand {
                    return Some(node.source);
                }
                if english < self.english.label(source) && hebrew < self.hebrew.label(source) {
                    // The whole strand precedes it: a strand is over before another follows it in the tree.
                    return Some(u32::MAX);
                }
            }
            // The newer half is looked at first.
            let (first, second) = if node.source != NONE || self.newest(node.left) >= self.newest(node.right)
            {
                (node.left, node.right)
            } else {
                (node.right, node.left)
            };
            self.stack.push(second);
            self.stack.push(first);
        }
        None
    }
}
