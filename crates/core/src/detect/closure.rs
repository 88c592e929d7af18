//! The computation graph's transitive closure, and every unordered pair of its nodes intersected.
//!
//! Paper: R. Nakade, *Data Race Detection Algorithm*, 2015 (Algorithm 3), the "CG" column of the
//! Zipper paper. Slow and obviously right: it is the oracle of the other detectors, so it stays
//! naive.
//!
//! Cost: N·E/64 words for the closure, N²/8 bytes, and one merge of two sorted access lists for
//! each of the N²/2 pairs that no path orders. More than [`MAX_NODES`] nodes are refused.
//!
//! Departures: the paper collects the tasks of each finish scope and compares within; here all
//! pairs of nodes are compared, because promises and futures order, or fail to order, nodes of
//! different scopes. It stops at the first race; here all are reported.
//!
//! It misses nothing and raises no false alarm with respect to the graph. With mutual exclusion the
//! graph is that of the observed order of sections: a race hidden by that order is not seen.

use super::{Access, Detector, Pair, Races};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::graph::{Graph, GraphBuilder, NodeAccess};
use crate::ids::{Location, NodeId, ScopeId, SiteId, SyncId, TaskId};
use std::fmt;

/// The largest graph the closure is computed for: 50 MB of bits, 2·10⁸ pairs, about a second.
pub const MAX_NODES: usize = 20_000;

/// The graph has more than [`MAX_NODES`] nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge {
    pub nodes: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = self.nodes;
        write!(
            f,
            "the closure detector takes at most {MAX_NODES} graph nodes and this run has {nodes}; \
             use another detector or a smaller input"
        )
    }
}

/// Which nodes are reached from which, as a bit matrix.
pub struct Reachability {
    words: usize,
    /// Row `b` has bit `a` set if a path leads from `a` to `b`.
    before: Vec<u64>,
}

impl Reachability {
    pub fn new(graph: &Graph) -> Result<Self, TooLarge> {
        let nodes = graph.nodes.len();
        if nodes > MAX_NODES {
            return Err(TooLarge { nodes });
        }
        let words = nodes.div_ceil(64);
        let mut before = vec![0u64; nodes * words];
        // Node ids are a topological order and edges stand in the order of their targets: the row
        // of `from` is complete when an edge out of it comes up.
        for edge in &graph.edges {
            let (earlier, later) = before.split_at_mut(edge.to.index() * words);
            let from = &earlier[edge.from.index() * words..][..words];
            for (to, from) in later[..words].iter_mut().zip(from) {
                *to |= from;
            }
            later[edge.from.index() / 64] |= 1 << (edge.from.index() % 64);
        }
        Ok(Reachability { words, before })
    }

    /// Whether a path leads from `a` to `b`.
    pub fn precedes(&self, a: NodeId, b: NodeId) -> bool {
        self.before[b.index() * self.words + a.index() / 64] >> (a.index() % 64) & 1 == 1
    }

    pub fn concurrent(&self, a: NodeId, b: NodeId) -> bool {
        a != b && !self.precedes(a, b) && !self.precedes(b, a)
    }
}

/// Calls `found` for every two conflicting accesses of unordered nodes of different tasks.
pub fn for_each_race(
    graph: &Graph,
    mut found: impl FnMut((NodeId, &NodeAccess), (NodeId, &NodeAccess)),
) -> Result<(), TooLarge> {
    let order = Reachability::new(graph)?;
    for b in graph.ids() {
        for a in (0..b.index()).map(NodeId::at) {
            if graph.nodes[a.index()].task == graph.nodes[b.index()].task || !order.concurrent(a, b) {
                continue;
            }
            intersect(graph.accesses(a), graph.accesses(b), |x, y| found((a, x), (b, y)));
        }
    }
    Ok(())
}

/// Merges two lists in the order of location and calls `found` for every conflict.
fn intersect(mut a: &[NodeAccess], mut b: &[NodeAccess], mut found: impl FnMut(&NodeAccess, &NodeAccess)) {
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        if x.location < y.location {
            a = &a[1..];
        } else if x.location > y.location {
            b = &b[1..];
        } else {
            let location = x.location;
            let a_end = a.iter().take_while(|x| x.location == location).count();
            let b_end = b.iter().take_while(|y| y.location == location).count();
            for x in &a[..a_end] {
                for y in b[..b_end].iter().filter(|y| x.kind.conflicts(y.kind)) {
                    found(x, y);
                }
            }
            (a, b) = (&a[a_end..], &b[b_end..]);
        }
    }
}

/// The races of `graph`.
pub fn races(graph: &Graph) -> Result<Vec<Pair>, TooLarge> {
    let mut races = Races::default();
    for_each_race(graph, |a, b| add_race(&mut races, graph, a, b))?;
    Ok(races.into_vec())
}

/// Notes a race of two nodes, the earlier access first.
pub(super) fn add_race(
    races: &mut Races,
    graph: &Graph,
    (a, x): (NodeId, &NodeAccess),
    (b, y): (NodeId, &NodeAccess),
) {
    let side = |node: NodeId, access: &NodeAccess| Access {
        task: graph.nodes[node.index()].task,
        kind: access.kind,
        site: access.site,
    };
    let (a, b) = (side(a, x), side(b, y));
    let (first, second) = if x.time < y.time { (a, b) } else { (b, a) };
    races.add(x.location, first, second);
}

/// The detector: builds the graph and judges it at the end.
#[derive(Default)]
pub struct Closure {
    graph: GraphBuilder,
}

impl Detector for Closure {
    fn finish(self) -> Vec<Pair> {
        races(&self.graph.finish()).unwrap_or_default()
    }

    fn refusal(&self) -> Option<String> {
        let nodes = self.graph.node_count();
        (nodes > MAX_NODES).then(|| TooLarge { nodes }.to_string())
    }
}

impl Observer for Closure {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.graph.spawn(parent, child, scope, site);
    }
    fn end(&mut self, task: TaskId) {
        self.graph.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.graph.finish_begin(task, scope);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.graph.finish_end(task, scope);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.graph.signal(task, sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.graph.join(task, sync, kind);
    }
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.graph.access(task, kind, location, site);
    }
}
