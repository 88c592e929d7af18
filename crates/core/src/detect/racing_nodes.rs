//! The nodes of a computation graph that race, for drawing: which nodes have an access that is not
//! ordered with a conflicting one of another node.
//!
//! It is the question of [`zipper`](super::zipper), but for the pairs: these are as many as the
//! square of the nodes, and a graph of 100,000 tasks is not to wait for that. Location by location,
//! with its accesses in the order of their nodes, which is a topological one:
//!
//! 1. If each write comes after the write before it and after the reads since, and each read after
//!    the last write before it, then all conflicting accesses are ordered, since the order is
//!    transitive: nothing races there. If one of these does not, it races. So the locations without
//!    a race cost a question for each access.
//! 2. At the others each node looks for a partner, nearest first, until it has found one. Where
//!    much races that is the first.
//!
//! Cost: O(accesses) questions, and for each location with a race at most the square of its nodes.
//! After `most` questions, or if `stop` says so, which is asked now and then, the rest stays
//! unmarked and the result says that it is not whole.
//!
//! It misses nothing and marks nothing needlessly with respect to the graph, if it is whole.

use crate::event::AccessKind;
use crate::graph::Graph;
use crate::ids::{Location, NodeId};
use crate::order::zippers::Zippers;

/// By node, whether it races; and whether all questions were asked.
pub fn racing_nodes(graph: &Graph, most: u64, stop: &dyn Fn() -> bool) -> (Vec<bool>, bool) {
    let mut search =
        Search { order: Zippers::new(graph), racy: vec![false; graph.nodes.len()], left: most, stop };
    let mut accesses: Vec<(Location, NodeId, AccessKind)> = Vec::new();
    for node in graph.ids() {
        accesses.extend(graph.accesses(node).iter().map(|access| (access.location, node, access.kind)));
    }
    accesses.sort_unstable_by_key(|&(location, node, kind)| (location, node, kind == AccessKind::Read));
    // Of a node one access to a location, a write if there is one.
    accesses.dedup_by_key(|&mut (location, node, _)| (location, node));
    let mut whole = true;
    for here in accesses.chunk_by(|a, b| a.0 == b.0) {
        whole &= search.location(here).is_some();
        if !whole {
            break;
        }
    }
    (search.racy, whole)
}

struct Search<'g, 's> {
    order: Zippers<'g>,
    racy: Vec<bool>,
    /// Questions that may still be asked.
    left: u64,
    stop: &'s dyn Fn() -> bool,
}

type Access = (Location, NodeId, AccessKind);

impl Search<'_, '_> {
    /// Whether two nodes, the first with the smaller id, are ordered; nothing if there are no more
    /// questions.
    fn ordered(&mut self, first: NodeId, second: NodeId) -> Option<bool> {
        const LOOK: u64 = 1 << 14;
        self.left = self.left.checked_sub(1)?;
        if self.left.is_multiple_of(LOOK) && (self.stop)() {
            return None;
        }
        Some(self.order.precedes(first, second))
    }

    /// Marks the nodes that race at a location.
    fn location(&mut self, accesses: &[Access]) -> Option<()> {
        if accesses.len() < 2 || accesses.iter().all(|&(_, _, kind)| kind == AccessKind::Read) {
            return Some(());
        }
        if self.is_in_order(accesses)? {
            return Some(());
        }
        for at in 0..accesses.len() {
            if !self.racy[accesses[at].1.index()]
                && let Some(partner) = self.partner(accesses, at)?
            {
                self.racy[accesses[at].1.index()] = true;
                self.racy[partner.index()] = true;
            }
        }
        Some(())
    }

    fn is_in_order(&mut self, accesses: &[Access]) -> Option<bool> {
        let mut write = None;
        let mut reads: Vec<NodeId> = Vec::new();
        for &(_, node, kind) in accesses {
            if let Some(write) = write
                && !self.ordered(write, node)?
            {
                return Some(false);
            }
            if kind == AccessKind::Read {
                reads.push(node);
                continue;
            }
            for read in reads.drain(..) {
                if !self.ordered(read, node)? {
                    return Some(false);
                }
            }
            write = Some(node);
        }
        Some(true)
    }

    /// A node that the one at `at` races with, the nearest.
    fn partner(&mut self, accesses: &[Access], at: usize) -> Option<Option<NodeId>> {
        let (_, node, kind) = accesses[at];
        for distance in 1..accesses.len() {
            let sides = [at.checked_sub(distance), at.checked_add(distance)];
            for &(_, other, was) in sides.into_iter().flatten().filter_map(|side| accesses.get(side)) {
                if kind.conflicts(was) && !self.ordered(node.min(other), node.max(other))? {
                    return Some(Some(other));
                }
            }
        }
        Some(None)
    }
}
