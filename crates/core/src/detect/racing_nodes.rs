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
//!    a race cost a question for each access. Atomic accesses do not race with each other; here
//!    they count as if they did, which only leaves more to 2.
//! 2. At the others each node looks for a partner, nearest first, until it has found one. Where
//!    much races that is the first.
//!
//! Cost: O(accesses) questions, and for each location with a race at most the square of its nodes.
//! After `most` questions, or if `stop` says so, which is asked now and then, the rest stays
//! unmarked and the result says that it is not whole.
//!
//! It misses nothing and marks nothing needlessly with respect to the graph, if it is whole.

use crate::event::AccessKind;
use crate::graph::{Graph, NodeAccess};
use crate::ids::{Location, NodeId};
use crate::order::zippers::Zippers;

/// By node, whether it races; and whether all questions were asked.
pub fn racing_nodes(graph: &Graph, most: u64, stop: &dyn Fn() -> bool) -> (Vec<bool>, bool) {
    let mut search =
        Search { order: Zippers::new(graph), racy: vec![false; graph.nodes.len()], left: most, stop };
    let mut accesses: Vec<Access> = Vec::new();
    for node in graph.ids() {
        let of_node = graph.accesses(node).iter();
        accesses.extend(of_node.map(|&NodeAccess { location, kind, atomic, .. }| Access {
            location,
            node,
            atomic,
            reads: kind == AccessKind::Read,
        }));
    }
    accesses.sort_unstable();
    // Of a node one access to a location, a write if there is one; and one atomic one.
    accesses.dedup_by_key(|access| (access.location, access.node, access.atomic));
    let mut whole = true;
    for here in accesses.chunk_by(|a, b| a.location == b.location) {
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

/// In the order of locations and nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Access {
    location: Location,
    node: NodeId,
    atomic: bool,
    reads: bool,
}

impl Access {
    fn conflicts(self, other: Access) -> bool {
        let excused = (self.reads && other.reads) || (self.atomic && other.atomic);
        self.node != other.node && !excused
    }
}

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
        if accesses.len() < 2 || accesses.iter().all(|access| access.reads) {
            return Some(());
        }
        if self.is_in_order(accesses)? {
            return Some(());
        }
        for at in 0..accesses.len() {
            if !self.racy[accesses[at].node.index()]
                && let Some(partner) = self.partner(accesses, at)?
            {
                self.racy[accesses[at].node.index()] = true;
                self.racy[partner.index()] = true;
            }
        }
        Some(())
    }

    fn is_in_order(&mut self, accesses: &[Access]) -> Option<bool> {
        let mut write = None;
        let mut reads: Vec<NodeId> = Vec::new();
        for &Access { node, reads: is_read, .. } in accesses {
            if let Some(write) = write
                && write != node
                && !self.ordered(write, node)?
            {
                return Some(false);
            }
            if is_read {
                reads.push(node);
                continue;
            }
            for read in reads.drain(..) {
                if read != node && !self.ordered(read, node)? {
                    return Some(false);
                }
            }
            write = Some(node);
        }
        Some(true)
    }

    /// A node that the one at `at` races with, the nearest.
    fn partner(&mut self, accesses: &[Access], at: usize) -> Option<Option<NodeId>> {
        let access = accesses[at];
        for distance in 1..accesses.len() {
            let sides = [at.checked_sub(distance), at.checked_add(distance)];
            for &other in sides.into_iter().flatten().filter_map(|side| accesses.get(side)) {
                let (node, partner) = (access.node, other.node);
                if access.conflicts(other) && !self.ordered(node.min(partner), node.max(partner))? {
                    return Some(Some(partner));
                }
            }
        }
        Some(None)
    }
}
