//! The order of a finished computation graph, answered from zippers.
//!
//! Paper: K. Storey et al., *Optimized Sound and Complete Data Race Detection in Structured
//! Parallel Programs* (Zipper), 2019. Rebuilt from the text and Table 2; the printed pseudo-code
//! has slips.
//!
//! What it computes, in three layers, each exact for the edges it is about:
//!
//! 1. **Tree.** Without other edges, async and finish make a series-parallel graph, and that is the
//!    intersection of two linear orders: children before continuations, and continuations before
//!    children. `a` precedes `b` just when it does in both. (The paper finds these pairs by a
//!    recursive traversal with bags of branches; two ranks a node answer the same question in O(1)
//!    and without recursion.)
//! 2. **Zippers.** The sections of one lock are a chain s0 → s1 → …. For each node, Z↓ is the first
//!    section with an outgoing edge that the node reaches, Z↑ the last section with an incoming
//!    edge that reaches the node. A path from `a` to `b` that uses an edge of the chain exists just
//!    when Z↓(a) < Z↑(b): it leaves `a` for a section i ≥ Z↓(a), runs down the chain to some j > i,
//!    and goes on to `b`, so that j ≤ Z↑(b); and conversely Z↓(a) reaches Z↑(b) along the chain. A
//!    node with neither is in the λ zipper. Z↓ and Z↑ are taken over *all* edges, so one column for
//!    each lock covers paths that use several locks, and promises between them: pick any chain edge
//!    on the path.
//! 3. **Cross edges.** What is left are paths of tree edges and promise, future, event and
//!    semaphore edges. They are searched backwards from `b`, hopping from one node with an incoming
//!    cross edge to the next one above it in the tree, never below `a` in the topological order;
//!    the answers are remembered.
//!
//! Every path either uses an edge of some chain with a column (2), or uses tree and cross edges
//! only (1, 3).
//!
//! Departures from the paper. It enters a node into Z↓ at the next section *of its own branch*, so
//! a node before a nested async whose child enters a section is filed too late and compared with
//! nodes that it precedes: a false alarm. Here Z↓ is a minimum over everything reachable. `checkUp`
//! skips `i <= slider↑` where the text, rightly, counts smaller indices only. Futures, promises,
//! events, semaphores and several locks are not in the paper.
//!
//! Cost: O(N + E) for the tree, O((N + E)·L) for L locks, as long as N·L is at most
//! [`MAX_COLUMN_CELLS`] (the chains of further locks are treated as cross edges, exactly but more
//! slowly); a query is O(1) without cross edges, O(L) with L locks, and at worst linear in the
//! cross edges between the two nodes.

use crate::event::SyncKind;
use crate::graph::{Adjacency, EdgeKind, Graph, NodeKind};
use crate::ids::{NodeId, SyncId};
use rustc_hash::FxHashMap;

/// The most entries of the zippers, 4 bytes each in both directions.
pub const MAX_COLUMN_CELLS: usize = 1 << 26;

const NONE: u32 = u32::MAX;

/// The order of one graph. Node ids that are not of this graph panic.
pub struct Zippers<'g> {
    graph: &'g Graph,
    /// Rank of each node with children before continuations, and the other way round.
    ranks: Vec<(u32, u32)>,
    columns: usize,
    /// `columns` entries a node: Z↓, `NONE` being λ.
    down: Vec<u32>,
    /// `columns` entries a node: Z↑, 0 being λ (the first section of a chain has no incoming edge).
    up: Vec<u32>,
    /// Edges that are neither in the tree nor in a chain with a column.
    has_cross: bool,
    /// Made for the first pair that needs it.
    cross: Option<Cross>,
    /// For each edge, whether it is in a chain with a column; empty if none is.
    in_chain: Vec<bool>,
}

impl<'g> Zippers<'g> {
    pub fn new(graph: &'g Graph) -> Self {
        Self::within(graph, MAX_COLUMN_CELLS)
    }

    /// With at most `cells` entries in the zippers; with none, all but the tree is searched.
    pub fn within(graph: &'g Graph, cells: usize) -> Self {
        let mut zippers = Zippers {
            graph,
            ranks: tree_ranks(graph),
            columns: 0,
            down: Vec::new(),
            up: Vec::new(),
            has_cross: graph.edges.iter().any(|e| !is_tree(e.kind)),
            cross: None,
            in_chain: Vec::new(),
        };
        if graph.edges.iter().any(|e| e.kind == EdgeKind::Isolation) {
            zippers.zip(cells);
        }
        zippers
    }

    /// Whether a path leads from `a` to `b`.
    pub fn precedes(&mut self, a: NodeId, b: NodeId) -> bool {
        if a >= b {
            return false;
        }
        if tree_precedes(&self.ranks, a, b) {
            return true;
        }
        let down = &self.down[a.index() * self.columns..][..self.columns];
        let up = &self.up[b.index() * self.columns..][..self.columns];
        if down.iter().zip(up).any(|(down, up)| down < up) {
            return true;
        }
        if !self.has_cross {
            return false;
        }
        let (graph, in_chain) = (self.graph, &self.in_chain);
        let cross = self.cross.get_or_insert_with(|| Cross::new(graph, in_chain));
        cross.path(graph, in_chain, &self.ranks, (a, b))
    }

    /// Whether tree edges alone order the nodes, one way or the other.
    pub fn in_series(&self, a: NodeId, b: NodeId) -> bool {
        tree_precedes(&self.ranks, a.min(b), a.max(b))
    }

    pub fn concurrent(&mut self, a: NodeId, b: NodeId) -> bool {
        a != b && !self.precedes(a.min(b), a.max(b))
    }

    /// Z↓ for the chain that was entered first (the program's only one in the paper); none is λ.
    pub fn down(&self, node: NodeId) -> Option<u32> {
        self.down.get(node.index() * self.columns).copied().filter(|&i| i != NONE)
    }

    /// Z↑ for the chain that was entered first; none is λ.
    pub fn up(&self, node: NodeId) -> Option<u32> {
        self.up.get(node.index() * self.columns).copied().filter(|&i| i != 0)
    }

    /// Fills the zippers.
    fn zip(&mut self, cells: usize) {
        let graph = self.graph;
        let nodes = graph.nodes.len();
        let most = cells / nodes.max(1);
        // Of each lock: its column and the number of its edges so far.
        let mut locks: FxHashMap<SyncId, (usize, u32)> = FxHashMap::default();
        // Of each edge in a column: the edge, the column, and its place in the chain.
        let mut chained = Vec::new();
        self.in_chain = vec![false; graph.edges.len()];
        self.has_cross = false;
        for (at, edge) in graph.edges.iter().enumerate().filter(|(_, e)| !is_tree(e.kind)) {
            let lock = graph.nodes[edge.to.index()].sync.filter(|sync| {
                let columns = locks.len();
                matches!(sync.kind, SyncKind::Isolated | SyncKind::Lock)
                    && (columns < most || locks.contains_key(&sync.sync))
            });
            let Some(lock) = lock else {
                self.has_cross = true;
                continue;
            };
            let columns = locks.len();
            let (column, length) = locks.entry(lock.sync).or_insert((columns, 0));
            chained.push((edge, *column, *length));
            self.in_chain[at] = true;
            *length += 1;
        }
        self.columns = locks.len();
        self.down = vec![NONE; nodes * self.columns];
        self.up = vec![0; nodes * self.columns];
        for &(edge, column, place) in &chained {
            self.down[edge.from.index() * self.columns + column] = place;
            self.up[edge.to.index() * self.columns + column] = place + 1;
        }
        if self.columns > 0 {
            self.spread();
        }
    }

    /// Carries Z↑ along all edges and Z↓ against them: edges stand in a topological order of their
    /// targets.
    fn spread(&mut self) {
        for edge in &self.graph.edges {
            for column in 0..self.columns {
                let above = self.up[edge.from.index() * self.columns + column];
                let up = &mut self.up[edge.to.index() * self.columns + column];
                *up = (*up).max(above);
            }
        }
        for edge in self.graph.edges.iter().rev() {
            for column in 0..self.columns {
                let below = self.down[edge.to.index() * self.columns + column];
                let down = &mut self.down[edge.from.index() * self.columns + column];
                *down = (*down).min(below);
            }
        }
    }
}

fn is_tree(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Continue | EdgeKind::Spawn | EdgeKind::Join)
}

fn tree_precedes(ranks: &[(u32, u32)], a: NodeId, b: NodeId) -> bool {
    let (a, b) = (ranks[a.index()], ranks[b.index()]);
    a.0 < b.0 && a.1 < b.1
}

/// Both ranks of every node. The exit of a run that stopped early counts as being after everything.
fn tree_ranks(graph: &Graph) -> Vec<(u32, u32)> {
    let nodes = graph.nodes.len();
    // What follows each node: the next of its task; and aside from it, the child that the end of a
    // step spawns, or the end of the finish (or program) that a node begins.
    let mut links = vec![Links { next: NONE, aside: NONE }; nodes];
    for edge in &graph.edges {
        match edge.kind {
            EdgeKind::Continue => links[edge.from.index()].next = edge.to.0,
            EdgeKind::Spawn => links[edge.from.index()].aside = edge.to.0,
            _ => (),
        }
    }
    let mut ranks = vec![(nodes as u32, nodes as u32); nodes];
    let mut stack = vec![0];

    let mut rank = 0;
    while let Some(mut at) = stack.pop() {
        while at != NONE {
            ranks[at as usize].0 = rank;
            rank += 1;
            let Links { next, aside: child } = links[at as usize];
            if child == NONE {
                at = next;
            } else {
                stack.push(next);
                at = child;
            }
        }
    }

    for scope in graph.scopes.values() {
        if let Some(end) = scope.end {
            links[scope.begin.index()].aside = end.0;
        }
    }
    rank = 0;
    stack.push(0);
    while let Some(mut at) = stack.pop() {
        // The children of a finish wait on the stack above its end, so a continuation stops there.
        loop {
            ranks[at as usize].1 = rank;
            rank += 1;
            let Links { next, aside } = links[at as usize];
            if aside != NONE {
                stack.push(aside);
            }
            if next == NONE || matches!(graph.nodes[next as usize].kind, NodeKind::FinishEnd | NodeKind::Exit)
            {
                break;
            }
            at = next;
        }
    }
    ranks
}

#[derive(Clone, Copy)]
struct Links {
    next: u32,
    aside: u32,
}

/// Paths over cross edges: backwards, from one node of interest to the next above it.
struct Cross {
    into: Adjacency,
    /// The nearest node of interest at or above each node in the tree: one with an incoming cross
    /// edge, or a finish end at which several such nodes come together.
    hop: Vec<u32>,
    /// The search that visited each node last.
    visited: Vec<u32>,
    search: u32,
    stack: Vec<u32>,
    known: FxHashMap<(NodeId, NodeId), bool>,
}

/// Whether an edge is one to search: of the edges in chains the zippers know all.
fn is_searched(in_chain: &[bool], at: usize) -> bool {
    !in_chain.get(at).is_some_and(|&chained| chained)
}

impl Cross {
    fn new(graph: &Graph, in_chain: &[bool]) -> Self {
        let nodes = graph.nodes.len();
        let into = graph.predecessors();
        let mut hops = vec![NONE; nodes];
        for node in graph.ids() {
            let mut above = NONE;
            for at in into.range(node).filter(|&at| is_searched(in_chain, at)) {
                let edge = &graph.edges[at];
                let hop = hops[edge.from.index()];
                if !is_tree(edge.kind) || (above != NONE && hop != NONE && hop != above) {
                    above = node.0;
                    break;
                }
                if hop != NONE {
                    above = hop;
                }
            }
            hops[node.index()] = above;
        }
        Cross {
            into,
            hop: hops,
            visited: vec![0; nodes],
            search: 0,
            stack: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// Whether a path with at least one cross edge leads from `a` to `b`.
    fn path(
        &mut self,
        graph: &Graph,
        in_chain: &[bool],
        ranks: &[(u32, u32)],
        (a, b): (NodeId, NodeId),
    ) -> bool {
        let start = self.hop[b.index()];
        // What is not above `a` in the topological order cannot be reached from it.
        if start == NONE || start <= a.0 {
            return false;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        self.search += 1;
        self.stack.clear();
        self.stack.push(start);
        let mut found = false;
        'search: while let Some(node) = self.stack.pop() {
            if std::mem::replace(&mut self.visited[node as usize], self.search) == self.search {
                continue;
            }
            for at in self.into.range(NodeId(node)).filter(|&at| is_searched(in_chain, at)) {
                let edge = &graph.edges[at];
                if !is_tree(edge.kind) && (edge.from == a || tree_precedes(ranks, a, edge.from)) {
                    found = true;
                    break 'search;
                }
                let hop = self.hop[edge.from.index()];
                if hop != NONE && hop > a.0 {
                    self.stack.push(hop);
                }
            }
        }
        self.known.insert((a, b), found);
        found
    }
}
