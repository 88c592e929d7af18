//! The graph as JSON, schema 1; docs/JSON.md documents every field.

use super::{Picture, edge_kind, node_kind};
use crate::json::pretty;
use raceproof_core::event::{AccessKind, SyncKind};
use raceproof_core::finding::{Place, Report};
use raceproof_core::graph::SyncOp;
use raceproof_core::ids::NodeId;
use serde::Serialize;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct GraphJson<'a> {
    tool: &'static str,
    version: &'static str,
    schema: u32,
    /// Whether every task ended.
    complete: bool,
    tasks: Vec<TaskJson<'a>>,
    nodes: Vec<NodeJson<'a>>,
    edges: Vec<EdgeJson>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TaskJson<'a> {
    id: u32,
    task: &'a str,
    parent: Option<u32>,
    spawned: Option<Place>,
    first: u32,
    last: u32,
    ended: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NodeJson<'a> {
    id: u32,
    kind: &'static str,
    task: &'a str,
    task_id: u32,
    sync: Option<SyncJson>,
    section: Option<u32>,
    racy: bool,
    accesses: Vec<AccessJson>,
    /// How many more accesses there were.
    #[serde(skip_serializing_if = "is_zero")]
    accesses_left_out: usize,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct SyncJson {
    op: &'static str,
    kind: SyncKind,
    id: u32,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AccessJson {
    access: AccessKind,
    location: String,
    #[serde(flatten)]
    place: Place,
    label: String,
    /// Whether it is an atomic access of a native program.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    atomic: bool,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct EdgeJson {
    from: u32,
    to: u32,
    kind: &'static str,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// The whole object, pretty-printed, ending in a line break.
pub fn render(picture: &Picture<'_>) -> String {
    pretty(&object(picture, &|_| true))
}

/// Accesses of a node that are of no particular interest.
const OTHERS: usize = 16;

/// The object on one line, with few accesses of each node beside those that are of interest.
pub fn compact(picture: &Picture<'_>, is_of_interest: &dyn Fn(&Place) -> bool) -> String {
    // Nothing in it can fail to be written.
    serde_json::to_string(&object(picture, is_of_interest)).unwrap_or_default()
}

fn object<'a>(picture: &'a Picture<'_>, is_of_interest: &dyn Fn(&Place) -> bool) -> GraphJson<'a> {
    let graph = picture.graph;
    let tasks = graph.tasks.iter().enumerate().map(|(i, task)| TaskJson {
        id: i as u32,
        task: &picture.tasks[i],
        parent: task.spawned.map(|(parent, _)| parent.0),
        spawned: task.spawned.map(|(_, site)| picture.names.site(site).place),
        first: task.first.0,
        last: task.last.0,
        ended: task.ended,
    });
    let edges = graph.edges.iter().map(|edge| EdgeJson {
        from: edge.from.0,
        to: edge.to.0,
        kind: edge_kind(edge.kind),
    });
    GraphJson {
        tool: Report::TOOL,
        version: env!("CARGO_PKG_VERSION"),
        schema: Report::SCHEMA,
        complete: graph.is_complete(),
        tasks: tasks.collect(),
        nodes: graph.ids().map(|id| node(picture, id, is_of_interest)).collect(),
        edges: edges.collect(),
    }
}

fn node<'a>(picture: &'a Picture<'_>, id: NodeId, is_of_interest: &dyn Fn(&Place) -> bool) -> NodeJson<'a> {
    let node = picture.node(id);
    let (mut accesses, mut others, mut left_out) = (Vec::new(), 0, 0);
    for access in picture.named_accesses(id) {
        let site = picture.names.site(access.site);
        if !is_of_interest(&site.place) {
            others += 1;
            if others > OTHERS {
                left_out += 1;
                continue;
            }
        }
        accesses.push(AccessJson {
            access: access.kind,
            location: access.name(),
            place: site.place,
            label: site.label,
            atomic: access.atomic,
        });
    }
    NodeJson {
        id: id.0,
        kind: node_kind(node.kind),
        task: picture.task(node.task),
        task_id: node.task.0,
        sync: node.sync.map(|sync| SyncJson {
            op: match sync.op {
                SyncOp::Signal => "signal",
                SyncOp::Join => "join",
            },
            kind: sync.kind,
            id: sync.sync.0,
        }),
        section: node.section,
        racy: picture.racy.contains(&id),
        accesses,
        accesses_left_out: left_out,
    }
}
