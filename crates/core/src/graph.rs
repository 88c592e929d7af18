//! The computation graph of a run: its steps, what orders them, and what each of them accessed.
//!
//! After Nakade (*Data Race Detection Algorithm*, 2015) and Storey et al. (*Zipper*, 2019), with
//! the edges of promises, futures, events, named locks and semaphores added. The number of nodes is
//! 3 + 4·finish + 2·async + 2·(isolated or lock section) + 3·(future got once), one more for each
//! further `get`, and one for each promise `set`, `P`, `V`, `post` and `wait`:
//!
//! | event | nodes it adds |
//! | --- | --- |
//! | the run | `Entry`, main's first step, `Exit` |
//! | `Spawn` | the child's first step, the parent's continuation |
//! | `FinishBegin`, `FinishEnd` | the `FinishBegin` or `FinishEnd` node and the step after it |
//! | `Signal`, `Join` | the step after it; the end of a future adds none, because nothing follows it |
//!
//! A run that stopped early (deadlock, program error) gives a graph as well: what did not end has
//! no edge to its finish or to `Exit`.
//!
//! Cost: O(1) an event and O(log) an access, amortised; memory is linear in the nodes, the edges
//! and the distinct (kind, location, site) of each node.

use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, NodeId, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHashMap;
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    Entry,
    Exit,
    Step,
    FinishBegin,
    FinishEnd,
    /// A step inside an isolated or lock section.
    Isolated,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    /// To the next node of the same task.
    Continue,
    /// To the first step of a child.
    Spawn,
    /// From the last node of a task to the end of its finish, or to the exit.
    Join,
    /// Promise set to get, end of a future to get, post to wait.
    Promise,
    /// Release to the next acquisition of an isolated section or lock, `V` to the `P` that takes
    /// its token.
    Isolation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub kind: EdgeKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncOp {
    Signal,
    Join,
}

/// A synchronisation of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sync {
    pub op: SyncOp,
    pub kind: SyncKind,
    pub sync: SyncId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    pub kind: NodeKind,
    pub task: TaskId,
    /// The signal or join that began this step, if one did.
    pub sync: Option<Sync>,
    /// The innermost isolated or lock section around this step: sections count from 0 in the order
    /// in which they were entered.
    pub section: Option<u32>,
    /// Into [`Graph::all_accesses`].
    first_access: u32,
    end_access: u32,
}

/// The first of possibly many equal accesses of one node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NodeAccess {
    pub location: Location,
    pub kind: AccessKind,
    pub site: SiteId,
    /// Whether it is an atomic access of a native program, which races with no other atomic one.
    pub atomic: bool,
    /// When it happened: accesses of the run count from 0.
    pub time: u64,
}

impl NodeAccess {
    /// What makes two accesses of one node the same.
    fn key(&self) -> (Location, AccessKind, SiteId, bool) {
        (self.location, self.kind, self.site, self.atomic)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphTask {
    /// The parent and the site of the spawn; none for main.
    pub spawned: Option<(TaskId, SiteId)>,
    pub scope: ScopeId,
    pub first: NodeId,
    /// The last node so far of a task that has not ended.
    pub last: NodeId,
    pub ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scope {
    pub begin: NodeId,
    /// Missing if the run stopped before.
    pub end: Option<NodeId>,
}

/// The graph of a run. Every edge leads from a lower to a higher node id.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    /// In the order of `to`: the edges into one node stand together.
    pub edges: Vec<Edge>,
    pub tasks: Vec<GraphTask>,
    /// The finish scopes; that of the whole program begins at the entry and ends at the exit.
    pub scopes: FxHashMap<ScopeId, Scope>,
    accesses: Vec<NodeAccess>,
}

impl Graph {
    /// What `node` accessed, in the order of location, kind and site, each once.
    pub fn accesses(&self, node: NodeId) -> &[NodeAccess] {
        let node = &self.nodes[node.index()];
        &self.accesses[node.first_access as usize..node.end_access as usize]
    }

    /// The accesses of all nodes, node by node in no particular order.
    pub fn all_accesses(&self) -> &[NodeAccess] {
        &self.accesses
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::at)
    }

    /// Whether every task ended.
    pub fn is_complete(&self) -> bool {
        self.tasks.iter().all(|task| task.ended)
    }

    /// The edges into each node.
    pub fn predecessors(&self) -> Adjacency {
        let mut starts = vec![0; self.nodes.len() + 1];
        for edge in &self.edges {
            starts[edge.to.index() + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Adjacency { starts }
    }
}

/// For each node, where its incoming edges stand in [`Graph::edges`].
#[derive(Clone, Debug)]
pub struct Adjacency {
    starts: Vec<u32>,
}

impl Adjacency {
    pub fn range(&self, node: NodeId) -> Range<usize> {
        self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize
    }
}

/// Fewer accesses than this are not deduplicated before their step ends.
const COMPACT_FROM: usize = 1024;

/// What the builder knows of a task beyond its [`GraphTask`]; empty once the task has ended.
#[derive(Default)]
struct Running {
    accesses: Vec<NodeAccess>,
    /// The length of `accesses` at which they are deduplicated, so that a loop in one step takes
    /// memory for its distinct accesses only.
    compact_at: usize,
    /// The sections the task is in, innermost last.
    sections: Vec<(SyncId, u32)>,
    /// A future has signalled its end: only if anything follows does that take a step of its own.
    split: Option<Sync>,
}

impl Running {
    fn push(&mut self, access: NodeAccess) {
        if self.accesses.last().is_some_and(|last| last.key() == access.key()) {
            return;
        }
        self.accesses.push(access);
        if self.accesses.len() >= self.compact_at.max(COMPACT_FROM) {
            self.compact();
            self.compact_at = 2 * self.accesses.len();
        }
    }

    fn compact(&mut self) {
        self.accesses.sort_unstable();
        self.accesses.dedup_by_key(|access| access.key());
    }
}

/// Builds the graph of the run it observes.
pub struct GraphBuilder {
    graph: Graph,
    running: Vec<Running>,
    /// The tasks of each finish scope that is open: a list through `sibling`, newest first.
    newest: FxHashMap<ScopeId, TaskId>,
    sibling: Vec<Option<TaskId>>,
    /// The node that ended with the latest signal on each sync.
    signals: FxHashMap<SyncId, NodeId>,
    sections: u32,
    time: u64,
}

impl Default for GraphBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl GraphBuilder {
    pub fn new() -> Self {
        let mut builder = GraphBuilder {
            graph: Graph::default(),
            running: Vec::new(),
            newest: FxHashMap::default(),
            sibling: Vec::new(),
            signals: FxHashMap::default(),
            sections: 0,
            time: 0,
        };
        let entry = builder.add_node(NodeKind::Entry, TaskId::MAIN, None);
        builder.graph.scopes.insert(ScopeId::PROGRAM, Scope { begin: entry, end: None });
        builder.add_task(None, ScopeId::PROGRAM, entry);
        builder
    }

    /// How many nodes the graph will have if nothing else happens.
    pub fn node_count(&self) -> usize {
        self.graph.nodes.len() + 1
    }

    /// Whether a task has ended; none that is not known has.
    pub fn has_ended(&self, task: TaskId) -> bool {
        self.graph.tasks.get(task.index()).is_some_and(|task| task.ended)
    }

    /// Ends the graph with its exit, whether or not every task has ended.
    pub fn finish(mut self) -> Graph {
        for task in 0..self.running.len() {
            self.flush(TaskId::at(task));
        }
        let main = self.graph.tasks[0];
        let exit = self.add_node(NodeKind::Exit, TaskId::MAIN, None);
        if main.ended {
            self.add_edge(main.last, exit, EdgeKind::Continue);
        }
        self.add_joins(ScopeId::PROGRAM, exit);
        self.graph.scopes.get_mut(&ScopeId::PROGRAM).expect("the program's scope").end = Some(exit);
        self.graph
    }

    fn add_node(&mut self, kind: NodeKind, task: TaskId, sync: Option<Sync>) -> NodeId {
        let node = NodeId::at(self.graph.nodes.len());
        let section = self.running.get(task.index()).and_then(|r| r.sections.last()).map(|&(_, index)| index);
        let kind = if kind == NodeKind::Step && section.is_some() { NodeKind::Isolated } else { kind };
        self.graph.nodes.push(Node { kind, task, sync, section, first_access: 0, end_access: 0 });
        node
    }

    fn add_edge(&mut self, from: NodeId, to: NodeId, kind: EdgeKind) {
        self.graph.edges.push(Edge { from, to, kind });
    }

    fn add_task(&mut self, spawned: Option<(TaskId, SiteId)>, scope: ScopeId, from: NodeId) {
        let task = TaskId::at(self.graph.tasks.len());
        let first = self.add_node(NodeKind::Step, task, None);
        let kind = if spawned.is_some() { EdgeKind::Spawn } else { EdgeKind::Continue };
        self.add_edge(from, first, kind);
        self.graph.tasks.push(GraphTask { spawned, scope, first, last: first, ended: false });
        self.running.push(Running::default());
        // Main belongs to no list: its end is a continuation, not a join.
        self.sibling.push(spawned.and_then(|_| self.newest.insert(scope, task)));
    }

    /// Ends the current node of `task` and begins its next one.
    fn next_node(&mut self, task: TaskId, kind: NodeKind, sync: Option<Sync>) -> NodeId {
        self.flush(task);
        self.running[task.index()].split = None;
        let last = self.graph.tasks[task.index()].last;
        let node = self.add_node(kind, task, sync);
        self.add_edge(last, node, EdgeKind::Continue);
        self.graph.tasks[task.index()].last = node;
        node
    }

    /// Gives the current node of `task` the accesses seen since it began.
    fn flush(&mut self, task: TaskId) {
        let running = &mut self.running[task.index()];
        if running.accesses.is_empty() {
            return;
        }
        running.compact();
        running.compact_at = 0;
        let all = &mut self.graph.accesses;
        let node = &mut self.graph.nodes[self.graph.tasks[task.index()].last.index()];
        node.first_access = access_index(all.len());
        all.append(&mut running.accesses);
        node.end_access = access_index(all.len());
    }

    /// Joins every ended task of `scope` to `end`.
    fn add_joins(&mut self, scope: ScopeId, end: NodeId) {
        let mut next = self.newest.remove(&scope);
        while let Some(task) = next {
            let GraphTask { last, ended, .. } = self.graph.tasks[task.index()];
            if ended {
                self.add_edge(last, end, EdgeKind::Join);
            }
            next = self.sibling[task.index()];
        }
    }
}

/// Panics past 2³² − 1 accesses, as [`NodeId::at`] does past as many nodes: they take 128 GB.
fn access_index(index: usize) -> u32 {
    u32::try_from(index).expect("more than 2^32 accesses in one graph")
}

impl Observer for GraphBuilder {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        debug_assert_eq!(child.index(), self.graph.tasks.len(), "task ids are dense");
        self.flush(parent);
        let from = self.graph.tasks[parent.index()].last;
        self.add_task(Some((parent, site)), scope, from);
        self.next_node(parent, NodeKind::Step, None);
    }

    fn end(&mut self, task: TaskId) {
        self.flush(task);
        self.running[task.index()] = Running::default();
        self.graph.tasks[task.index()].ended = true;
    }

    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        let begin = self.next_node(task, NodeKind::FinishBegin, None);
        self.graph.scopes.insert(scope, Scope { begin, end: None });
        self.next_node(task, NodeKind::Step, None);
    }

    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        let end = self.next_node(task, NodeKind::FinishEnd, None);
        self.add_joins(scope, end);
        if let Some(scope) = self.graph.scopes.get_mut(&scope) {
            scope.end = Some(end);
        }
        self.next_node(task, NodeKind::Step, None);
    }

    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.signals.insert(sync, self.graph.tasks[task.index()].last);
        let running = &mut self.running[task.index()];
        if is_section(kind) {
            running.sections.retain(|&(held, _)| held != sync);
        }
        let began = Sync { op: SyncOp::Signal, kind, sync };
        if kind == SyncKind::Future {
            running.split = Some(began);
        } else {
            self.next_node(task, NodeKind::Step, Some(began));
        }
    }

    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if is_section(kind) {
            self.running[task.index()].sections.push((sync, self.sections));
            self.sections += 1;
        }
        let node = self.next_node(task, NodeKind::Step, Some(Sync { op: SyncOp::Join, kind, sync }));
        if let Some(&from) = self.signals.get(&sync) {
            let kind = if kind.is_exclusive() { EdgeKind::Isolation } else { EdgeKind::Promise };
            self.add_edge(from, node, kind);
        }
    }

    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.add_access(task, kind, location, site, false);
    }

    fn atomic(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.add_access(task, kind, location, site, true);
    }
}

impl GraphBuilder {
    #[inline]
    fn add_access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId, atomic: bool) {
        if let Some(signal) = self.running[task.index()].split {
            self.next_node(task, NodeKind::Step, Some(signal));
        }
        let time = self.time;
        self.time += 1;
        self.running[task.index()].push(NodeAccess { location, kind, site, atomic, time });
    }
}

/// Whether a join enters and a signal leaves a section.
fn is_section(kind: SyncKind) -> bool {
    matches!(kind, SyncKind::Isolated | SyncKind::Lock)
}
