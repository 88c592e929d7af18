//! The zipper as its paper has it: every two parallel nodes of the graph are collected and their access sets
//! intersected. raceproof's own [`zipper`](raceproof_core::detect::zipper) does without that; this is the yardstick.

use raceproof_core::detect::{Access, Detector, Pair, Races};
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::graph::{Graph, GraphBuilder, NodeAccess};
use raceproof_core::ids::{Location, NodeId, ScopeId, SiteId, SyncId, TaskId};
use raceproof_core::order::zippers::Zippers;

/// See the module.
#[derive(Default)]
pub(crate) struct AllPairs {
    graph: GraphBuilder,
}

impl Detector for AllPairs {
    fn finish(self) -> Vec<Pair> {
        let graph = self.graph.finish();
        let mut order = Zippers::new(&graph);
        let mut races = Races::default();
        let nodes: Vec<NodeId> = graph.ids().filter(|&node| !graph.accesses(node).is_empty()).collect();
        for (at, &b) in nodes.iter().enumerate() {
            for &a in &nodes[..at] {
                if !order.precedes(a, b) {
                    intersect(&graph, a, b, &mut races);
                }
            }
        }
        races.into_vec()
    }
}

fn intersect(graph: &Graph, a: NodeId, b: NodeId, races: &mut Races) {
    let (mut left, mut right) = (graph.accesses(a), graph.accesses(b));
    while let (Some(x), Some(y)) = (left.first(), right.first()) {
        if x.location < y.location {
            left = &left[1..];
        } else if x.location > y.location {
            right = &right[1..];
        } else {
            let same = right.iter().take_while(|y| y.location == x.location);
            for y in same.filter(|y| x.kind.conflicts(y.kind)) {
                races.add(x.location, side(graph, a, x), side(graph, b, y));
            }
            left = &left[1..];
        }
    }
}

fn side(graph: &Graph, node: NodeId, access: &NodeAccess) -> Access {
    Access { task: graph.nodes[node.index()].task, kind: access.kind, site: access.site }
}

impl Observer for AllPairs {
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
