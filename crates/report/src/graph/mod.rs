//! The computation graph of a run as a picture (SVG, without Graphviz), as DOT and as JSON.

mod bytes;
pub mod dot;
pub mod json;
mod labels;
mod layout;
mod route;
pub mod svg;

use raceproof_core::event::SyncKind;
use raceproof_core::finding::Place;
use raceproof_core::graph::{EdgeKind, Graph, Node, NodeKind, SyncOp};
use raceproof_core::ids::{Location, NodeId, SiteId, TaskId};
use std::collections::BTreeSet;

/// Where a site is, and what stands there (an expression, a function; may be empty).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    pub place: Place,
    pub label: String,
}

/// What the ids in a graph name; the front end that made them knows.
pub trait Names {
    fn site(&self, site: SiteId) -> Site;
    fn location(&self, location: Location) -> String;

    /// What a task is called, if not by its spawn path.
    fn task(&self, _task: TaskId) -> Option<String> {
        None
    }

    /// Whether locations are bytes, of which several make a variable.
    fn are_bytes(&self) -> bool {
        false
    }
}

/// A graph with all that is needed to show it.
pub struct Picture<'a> {
    graph: &'a Graph,
    names: &'a dyn Names,
    /// Nodes with an access that is part of a race.
    racy: &'a BTreeSet<NodeId>,
    tasks: Vec<String>,
}

impl<'a> Picture<'a> {
    pub fn new(graph: &'a Graph, names: &'a dyn Names, racy: &'a BTreeSet<NodeId>) -> Picture<'a> {
        Picture { graph, names, racy, tasks: spawn_paths(graph, names) }
    }

    /// The spawn path of a task.
    fn task(&self, task: TaskId) -> &str {
        &self.tasks[task.index()]
    }

    fn node(&self, id: NodeId) -> &'a Node {
        &self.graph.nodes[id.index()]
    }
}

/// Deeper tasks are named by their number: full paths of a long chain would take quadratic space.
const MAX_DEPTH: u32 = 32;

fn spawn_paths(graph: &Graph, names: &dyn Names) -> Vec<String> {
    let mut children = vec![0u32; graph.tasks.len()];
    let mut depth = vec![0u32; graph.tasks.len()];
    let mut paths: Vec<String> = Vec::with_capacity(graph.tasks.len());
    for (i, task) in graph.tasks.iter().enumerate() {
        let path = match task.spawned {
            None => "main".to_owned(),
            Some((parent, _)) => {
                let parent = parent.index();
                children[parent] += 1;
                depth[i] = depth[parent] + 1;
                if let Some(name) = names.task(TaskId::at(i)) {
                    name
                } else if depth[i] <= MAX_DEPTH {
                    format!("{}/{}", paths[parent], children[parent])
                } else {
                    format!("main/…/task#{i}")
                }
            }
        };
        paths.push(path);
    }
    paths
}

/// The stable name of a kind of node, in DOT classes and JSON.
fn node_kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Entry => "entry",
        NodeKind::Exit => "exit",
        NodeKind::Step => "step",
        NodeKind::FinishBegin => "finish-begin",
        NodeKind::FinishEnd => "finish-end",
        NodeKind::Isolated => "isolated",
    }
}

/// The stable name of a kind of edge.
fn edge_kind(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Continue => "continue",
        EdgeKind::Spawn => "spawn",
        EdgeKind::Join => "join",
        EdgeKind::Promise => "promise",
        EdgeKind::Isolation => "isolation",
    }
}

/// The word by which a program asks for a synchronisation.
fn sync_word(op: SyncOp, kind: SyncKind) -> &'static str {
    match (op, kind) {
        (SyncOp::Signal, SyncKind::Promise) => "set",
        (SyncOp::Signal, SyncKind::Future) => "return",
        (SyncOp::Join, SyncKind::Promise | SyncKind::Future) => "get",
        (SyncOp::Join, SyncKind::Isolated) => "isolated {",
        (SyncOp::Signal, SyncKind::Isolated) => "} isolated",
        (SyncOp::Join, SyncKind::Lock) => "lock {",
        (SyncOp::Signal, SyncKind::Lock) => "} lock",
        (SyncOp::Join, SyncKind::Semaphore) => "P",
        (SyncOp::Signal, SyncKind::Semaphore) => "V",
        (SyncOp::Join, SyncKind::Event) => "wait",
        (SyncOp::Signal, SyncKind::Event) => "post",
    }
}
