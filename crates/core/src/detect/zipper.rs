//! Zipper: the races of a computation graph without comparing all pairs of its nodes.
//!
//! Paper: K. Storey et al., *Optimized Sound and Complete Data Race Detection in Structured Parallel
//! Programs*, 2019. The order it asks, with the zippers themselves and their proof, is
//! [`order::zippers`](crate::order::zippers).
//!
//! The paper collects every parallel pair of nodes and intersects their access sets: M² intersections for M
//! parallel nodes. Nothing forces that. There are two ways here, and the cheaper one is taken:
//!
//! - *By location.* The accesses are grouped by location, and for each location the nodes are taken in
//!   topological order and kept in chains of nodes that precede one another. Of a chain, those parallel
//!   with a new node are the end of it: walking back from its tail, the first node that precedes the new one
//!   ends the walk, because all nodes before it do so too. A thousand sections that increment one counter
//!   are one chain, and cost one query each.
//! - *By pairs*, for few nodes with many accesses: pairs whose locations lie apart, or that the tree orders,
//!   are passed over, the others are intersected, and only a conflict asks the zippers.
//!
//! Cost: that of the zippers, and for A accesses O(A log A) by location (less where they are sorted already),
//! one query for each chain of conflicting accesses and each race. By pairs it is at most O(A) as well:
//! the way is left when the pairs, or what they would intersect, are more than a multiple of A.
//!
//! It misses nothing and raises no false alarm with respect to the graph: the same pairs of nodes as the
//! closure detector. With mutual exclusion the graph is that of the observed order of sections.

use super::closure::add_race;
use super::{Detector, Pair, Races};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::graph::{Graph, GraphBuilder, NodeAccess};
use crate::ids::{Location, NodeId, ScopeId, SiteId, SyncId, TaskId};
use crate::order::zippers::Zippers;

/// Calls `found` for every two conflicting accesses of unordered nodes.
pub fn for_each_race(graph: &Graph, mut found: impl FnMut((NodeId, &NodeAccess), (NodeId, &NodeAccess))) {
    let mut order = None;
    match few_pairs(graph, &mut order) {
        Some(pairs) => by_pairs(graph, order, &pairs, &mut found),
        None => by_location(graph, order, &mut found),
    }
}

/// How many pairs may be looked at, and how many accesses intersected, for each access of the graph: about
/// what grouping them by location costs.
const PAIRS_PER_ACCESS: usize = 2;
const MERGED_PER_ACCESS: usize = 16;

/// The pairs of nodes that the tree does not order and whose locations do not lie apart, if they are few.
fn few_pairs<'g>(graph: &'g Graph, order: &mut Option<Zippers<'g>>) -> Option<Vec<(NodeId, NodeId)>> {
    let total = graph.all_accesses().len();
    let mut nodes = Vec::new();
    for node in graph.ids() {
        if let [first, ..] = graph.accesses(node) {
            let last = graph.accesses(node).last().unwrap_or(first);
            nodes.push((node, first.location, last.location));
            if nodes.len() * nodes.len() / 2 > PAIRS_PER_ACCESS * total {
                return None;
            }
        }
    }
    let mut pairs = Vec::new();
    let mut merged = 0;
    for (at, &(b, b_first, b_last)) in nodes.iter().enumerate() {
        for &(a, a_first, a_last) in &nodes[..at] {
            if a_last < b_first || b_last < a_first {
                continue;
            }
            if order.get_or_insert_with(|| Zippers::new(graph)).in_series(a, b) {
                continue;
            }
            pairs.push((a, b));
            merged += graph.accesses(a).len() + graph.accesses(b).len();
            if merged > MERGED_PER_ACCESS * total {
                return None;
            }
        }
    }
    Some(pairs)
}

fn by_pairs<'g>(
    graph: &'g Graph,
    order: Option<Zippers<'g>>,
    pairs: &[(NodeId, NodeId)],
    found: &mut impl FnMut((NodeId, &NodeAccess), (NodeId, &NodeAccess)),
) {
    let Some(mut order) = order else { return };
    'pairs: for &(a, b) in pairs {
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
                        continue 'pairs;
                    }
                    known = true;
                    found((a, x), (b, y));
                }
                // The next access of the left node may be to the same location.
                left = &left[1..];
            }
        }
    }
}

/// The rest of a list in the order of location that begins at `location` or after it: a search in steps that
/// double, because lists that lie apart are long and lists that mingle have little to skip.
fn skip_to(list: &[NodeAccess], location: Location) -> &[NodeAccess] {
    let mut step = 1;
    while list.get(step).is_some_and(|access| access.location < location) {
        step *= 2;
    }
    let near = &list[step / 2..list.len().min(step)];
    &list[step / 2 + near.partition_point(|access| access.location < location)..]
}

fn by_location<'g>(
    graph: &'g Graph,
    order: Option<Zippers<'g>>,
    found: &mut impl FnMut((NodeId, &NodeAccess), (NodeId, &NodeAccess)),
) {
    let mut uses = Vec::with_capacity(graph.all_accesses().len());
    for node in graph.ids() {
        let mut rest = graph.accesses(node);
        while let Some(first) = rest.first() {
            let count = rest.iter().take_while(|a| a.location == first.location).count();
            let (same, after) = rest.split_at(count);
            // Reads sort before writes.
            let writes = same[count - 1].kind == AccessKind::Write;
            uses.push(Use { location: first.location, node, writes, accesses: same });
            rest = after;
        }
    }
    // Stable: nodes stay in topological order. The accesses of each node are sorted, so it merges runs.
    uses.sort_by_key(|u| u.location);

    let mut order = order;
    let mut chains = Chains::default();
    for uses in uses.chunk_by(|a, b| a.location == b.location) {
        if uses.len() == 1 || !uses.iter().any(|u| u.writes) {
            continue;
        }
        let order = order.get_or_insert_with(|| Zippers::new(graph));
        chains.clear();
        for second in 0..uses.len() {
            chains.take(order, graph, uses, second, |first| {
                for x in uses[first].accesses {
                    for y in uses[second].accesses.iter().filter(|y| x.kind.conflicts(y.kind)) {
                        found((uses[first].node, x), (uses[second].node, y));
                    }
                }
            });
        }
    }
}

/// All accesses of one node to one location.
#[derive(Clone, Copy)]
struct Use<'g> {
    location: Location,
    node: NodeId,
    writes: bool,
    accesses: &'g [NodeAccess],
}

/// The uses of a location as chains of nodes of which each precedes the next: lists through `previous`.
#[derive(Default)]
struct Chains {
    /// The last use of each chain of writers.
    writers: Vec<usize>,
    /// The same for nodes that only read.
    readers: Vec<usize>,
    /// What stands before each use in its chain.
    previous: Vec<Option<usize>>,
}

/// How many chains of readers a reader is tried on. A miss costs one more chain, nothing else; without a
/// limit, many parallel readers would cost a query for each two of them. For the same reason only the near
/// predecessors are found.
const READER_TRIES: usize = 4;

impl Chains {
    fn clear(&mut self) {
        self.writers.clear();
        self.readers.clear();
        self.previous.clear();
    }

    /// Calls `parallel` for every earlier use that conflicts with `new` and is unordered, and takes in
    /// `new`, which is the next one.
    fn take(
        &mut self,
        order: &mut Zippers,
        graph: &Graph,
        uses: &[Use],
        new: usize,
        mut parallel: impl FnMut(usize),
    ) {
        let task = |at: usize| graph.nodes[uses[at].node.index()].task;
        let same_task = |old: usize| task(old) == task(new);
        let mut precedes = |old: usize| same_task(old) || order.precedes(uses[old].node, uses[new].node);
        // Gives a chain that `new` can be the next of.
        let mut walk = |tails: &[usize]| {
            let mut extends = None;
            for (chain, &tail) in tails.iter().enumerate() {
                let mut at = Some(tail);
                while let Some(old) = at.filter(|&old| !precedes(old)) {
                    parallel(old);
                    at = self.previous[old];
                }
                if at == Some(tail) {
                    extends = Some(chain);
                }
            }
            extends
        };
        let after_writers = walk(&self.writers);
        let (chains, extends) = if uses[new].writes {
            walk(&self.readers);
            (&mut self.writers, after_writers)
        } else {
            let first = self.readers.len().saturating_sub(READER_TRIES);
            let mut evidently =
                |old: usize| same_task(old) || order.precedes_evidently(uses[old].node, uses[new].node);
            let extends =
                self.readers[first..].iter().rposition(|&tail| evidently(tail)).map(|at| first + at);
            (&mut self.readers, extends)
        };
        self.previous.push(extends.map(|chain| chains[chain]));
        match extends {
            Some(chain) => chains[chain] = new,
            None => chains.push(new),
        }
    }
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
        races(&self.graph.finish())
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
