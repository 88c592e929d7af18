//! The graph in the language of Graphviz: every task is a cluster.

use super::{Picture, edge_kind, node_kind};
use raceproof_core::graph::{EdgeKind, NodeKind};
use raceproof_core::ids::NodeId;
use std::fmt::Write;

/// Locations named in a node.
const NAMED: usize = 8;

/// The whole file, ending in a line break.
pub fn render(picture: &Picture<'_>) -> String {
    let graph = picture.graph;
    let mut out = String::from(
        "digraph computation {\n  \
         node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=monospace, fontsize=10];\n  \
         edge [color=\"#57606a\", arrowsize=0.7];\n",
    );
    let mut by_task: Vec<Vec<NodeId>> = vec![Vec::new(); graph.tasks.len()];
    for id in graph.ids() {
        by_task[picture.node(id).task.index()].push(id);
    }
    for (task, nodes) in by_task.iter().enumerate() {
        let name = quote(&[picture.tasks[task].clone()]);
        let _ = writeln!(out, "  subgraph cluster_{task} {{\n    label={name}; color=\"#d0d7de\";");
        for &id in nodes {
            node(&mut out, picture, id);
        }
        out += "  }\n";
    }
    for edge in &graph.edges {
        let style = match edge.kind {
            EdgeKind::Continue => "weight=10",
            EdgeKind::Spawn => "color=\"#0072b2\"",
            EdgeKind::Join => "color=\"#00805d\", style=dashed",
            EdgeKind::Promise => "color=\"#8e44ad\", style=dashed, penwidth=1.5",
            EdgeKind::Isolation => "color=\"#a0660b\", style=dotted",
        };
        let kind = edge_kind(edge.kind);
        let _ = writeln!(out, "  n{} -> n{} [class=\"{kind}\", {style}];", edge.from.0, edge.to.0);
    }
    out += "}\n";
    out
}

fn node(out: &mut String, picture: &Picture<'_>, id: NodeId) {
    let kind = picture.node(id).kind;
    let mut lines = vec![format!("{} {}", id.0, picture.title(id)).trim_end().to_owned()];
    let (accesses, beyond) = picture.accesses(id, NAMED);
    lines.extend(accesses);
    if beyond > 0 {
        lines.push(format!("+ {beyond} more"));
    }
    let racy = picture.racy.contains(&id);
    let fill = match kind {
        _ if racy => ", fillcolor=\"#ffe3de\", color=\"#c8102e\", penwidth=2",
        NodeKind::Entry | NodeKind::Exit => ", fillcolor=\"#dde3ea\"",
        NodeKind::FinishBegin | NodeKind::FinishEnd => ", fillcolor=\"#e3f4ee\"",
        NodeKind::Isolated => ", fillcolor=\"#fbf0dd\"",
        NodeKind::Step => "",
    };
    let class = if racy { format!("{} racy", node_kind(kind)) } else { node_kind(kind).to_owned() };
    let _ = writeln!(
        out,
        "    n{} [class=\"{class}\", label={}, tooltip={}{fill}];",
        id.0,
        quote(&lines),
        quote(&picture.tooltip(id))
    );
}

/// Lines as one quoted string of DOT. A backslash begins an escape there, so it is doubled.
fn quote(lines: &[String]) -> String {
    let escaped: Vec<String> =
        lines.iter().map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", escaped.join("\\n"))
}
