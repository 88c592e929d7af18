//! Zipper: the races of a computation graph without its transitive closure.
//!
//! Paper: K. Storey et al., *Optimized Sound and Complete Data Race Detection in Structured
//! Parallel Programs*, 2019. The order it asks, with the zippers themselves and their proof, is
//! [`order::zippers`](crate::order::zippers).
//!
//! As in the paper, every two nodes that the zippers find parallel have their access sets
//! intersected: M² intersections for M nodes with accesses, which nothing forces
//! ([`last_access`](super::last_access) shows how to do without). Departures: what the tree orders
//! is passed over before anything else is asked; two sets whose locations lie apart are not walked;
//! and the zippers are asked last, about pairs that conflict, since most do not.
//!
//! Cost: O(M²) pairs, each a comparison of four ranks and of the ends of two lists, and O(A + B)
//! for each pair that mingles. More than [`MAX_NODES`] nodes are refused.
//!
//! It misses nothing and raises no false alarm with respect to the graph: the same pairs of nodes
//! as the closure detector. With mutual exclusion the graph is that of the observed order of
//! sections.

use super::closure::add_race;
use super::{Detector, Pair, Races};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::graph::{Graph, GraphBuilder, NodeAccess};
use crate::ids::{Location, NodeId, ScopeId, SiteId, SyncId, TaskId};
use crate::order::zippers::Zippers;

/// The largest graph that is judged: 5·10⁹ pairs take about a quarter of a minute.
pub const MAX_NODES: usize = 100_000;

/// Calls `found` for every two conflicting accesses of unordered nodes.
pub fn for_each_race(graph: &Graph, mut found: impl FnMut((NodeId, &NodeAccess), (NodeId, &NodeAccess))) {
    let ends = |node: NodeId| match graph.accesses(node) {
        [] => None,
        [first, .., last] => Some((node, first.location, last.location)),
        [only] => Some((node, only.location, only.location)),
    };
    let nodes: Vec<(NodeId, Location, Location)> = graph.ids().filter_map(ends).collect();
    let mut order = Zippers::new(graph);
    for (at, &(b, b_first, b_last)) in nodes.iter().enumerate() {
        for &(a, a_first, a_last) in &nodes[..at] {
            if !order.in_series(a, b) && a_first <= b_last && b_first <= a_last {
                intersect(graph, &mut order, a, b, &mut found);
            }
        }
    }
}

/// Calls `found` for the conflicting accesses of two nodes, if the zippers do not order them.
fn intersect(
    graph: &Graph,
    order: &mut Zippers,
    a: NodeId,
    b: NodeId,
    found: &mut impl FnMut((NodeId, &NodeAccess), (NodeId, &NodeAccess)),
) {
    let mut known = false;
    let (mut left, mut right) = (graph.accesses(a), graph.accesses(b));
    while let (Some(x), Some(y)) = (left.first(), right.first()) {
        if x.location < y.location {
            left = skip_to(left, y.location);
        } else if x.location > y.location {
            right = skip_to(right, x.location);
        } else {
            let location = x.location;
            let same = right.iter().take_while(|y| y.location == location);
            for y in same.filter(|y| x.kind.conflicts(y.kind)) {
                if !known && order.precedes(a, b) {
                    return;
                }
                known = true;
                found((a, x), (b, y));
            }
            // The next access of the left node may be to the same location.
            left = &left[1..];
        }
    }
}

/// The rest of a list in the order of location that begins at `location` or after it: a search in
/// steps that double, because lists that lie apart are long and lists that mingle have little to
/// skip.
fn skip_to(list: &[NodeAccess], location: Location) -> &[NodeAccess] {
    let mut step = 1;
    while list.get(step).is_some_and(|access| access.location < location) {
        step *= 2;
    }
    let near = &list[step / 2..list.len().min(step)];
    &list[step / 2 + near.partition_point(|access| access.location < location)..]
}

/// The races of `graph`.
pub fn races(graph: &Graph) -> Vec<Pair> {
    let mut races = Races::default();
    for_each_race(graph, |a, b| add_race(&mut races, graph, a, b));
    races.into_vec()
}

/// The detector: builds the graph and judges it at the end.
#[derive(Default)]
pub struct Zipper {
    graph: GraphBuilder,
}

impl Detector for Zipper {
    fn finish(self) -> Vec<Pair> {
        if self.refusal().is_some() { Vec::new() } else { races(&self.graph.finish()) }
    }

    fn refusal(&self) -> Option<String> {
        let nodes = self.graph.node_count();
        (nodes > MAX_NODES).then(|| {
            format!("the graph has {nodes} nodes, and comparing every two takes too long beyond {MAX_NODES}; use the default detector, or a smaller input")
        })
    }
}

impl Observer for Zipper {
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
