//! The graph as an SVG picture: time runs down, every task is a lane, edges are told apart by
//! colour and stroke. Nothing but SVG 1.1, so that browsers and converters show it alike.

use super::layout::{CHAR, LINE_HEIGHT, Layout};
use super::route::Frame;
use super::{Picture, edge_kind, node_kind};
use raceproof_core::graph::EdgeKind;
use raceproof_core::ids::NodeId;
use std::fmt::Write;

/// Larger graphs are not drawn: nobody can read them, and viewers choke.
const MAX_NODES: usize = 4000;
const MARGIN: f64 = 20.0;
const LEGEND: f64 = 44.0;
const KINDS: [EdgeKind; 5] =
    [EdgeKind::Continue, EdgeKind::Spawn, EdgeKind::Join, EdgeKind::Promise, EdgeKind::Isolation];

/// The whole file, ending in a line break.
pub fn render(picture: &Picture<'_>) -> String {
    if picture.graph.nodes.len() > MAX_NODES { note(picture) } else { draw(picture) }
}

fn draw(picture: &Picture<'_>) -> String {
    let graph = picture.graph;
    let layout = Layout::of(picture);
    let frame = Frame::of(graph, &layout);
    let legend = legend(picture);
    let width = (frame.width + 2.0 * MARGIN).max(legend.1 + 2.0 * MARGIN);
    let mut out = open(width, frame.height + 2.0 * MARGIN + LEGEND);
    out += &legend.0;
    let _ = writeln!(out, "<g transform=\"translate({MARGIN} {})\">", MARGIN + LEGEND);
    lanes(&mut out, picture, &layout, &frame);
    for (index, edge) in graph.edges.iter().enumerate() {
        let route = frame.route(&layout, index, edge);
        let (kind, path) = (edge_kind(edge.kind), rounded(&route.corners));
        let tip = if route.merges { String::new() } else { format!(" marker-end=\"url(#{kind})\"") };
        let _ = writeln!(
            out,
            "<path class=\"{kind}\"{tip} d=\"{path}\"><title>{} → {}: {kind}</title></path>",
            edge.from.0, edge.to.0
        );
    }
    for id in graph.ids() {
        node(&mut out, picture, &layout, &frame, id);
    }
    out += "</g>\n</svg>\n";
    out
}

fn open(width: f64, height: f64) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" \
         font-size=\"11\">\n<style>\n{STYLE}</style>\n<defs>\n"
    );
    for kind in KINDS {
        let _ = writeln!(
            out,
            "<marker id=\"{0}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"tip {0}\" d=\"M0 0.5 L8 4 L0 7.5 z\"/></marker>",
            edge_kind(kind)
        );
    }
    out += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    out
}

/// The colours are told apart by colour-blind readers as well, and no kind relies on colour alone.
const STYLE: &str = "\
text { fill: #1b1f24; }
text.heading { font-weight: bold; }
text.number { fill: #57606a; }
path { fill: none; stroke-width: 1.4; }
path.continue { stroke: #57606a; }
path.spawn { stroke: #0072b2; }
path.join { stroke: #00805d; stroke-dasharray: 6 3; }
path.promise { stroke: #8e44ad; stroke-dasharray: 9 3 2 3; }
path.isolation { stroke: #a0660b; stroke-dasharray: 2 3; }
path.tip { stroke: none; }
path.tip.continue { fill: #57606a; }
path.tip.spawn { fill: #0072b2; }
path.tip.join { fill: #00805d; }
path.tip.promise { fill: #8e44ad; }
path.tip.isolation { fill: #a0660b; }
rect.lane { fill: #f3f5f7; }
rect.node { fill: #ffffff; stroke: #57606a; }
rect.entry, rect.exit { fill: #dde3ea; }
rect.finish-begin, rect.finish-end { fill: #e3f4ee; stroke: #00805d; }
rect.isolated { fill: #fbf0dd; stroke: #a0660b; }
rect.racy { fill: #ffe3de; stroke: #c8102e; stroke-width: 2.5; }
";

/// A light ground behind all nodes of each task.
fn lanes(out: &mut String, picture: &Picture<'_>, layout: &Layout, frame: &Frame) {
    let mut grounds = vec![(f64::MAX, f64::MAX, f64::MIN, f64::MIN); picture.graph.tasks.len()];
    for (index, node) in picture.graph.nodes.iter().enumerate() {
        let place = frame.node(layout, index);
        let ground = &mut grounds[node.task.index()];
        ground.0 = ground.0.min(place.x);
        ground.1 = ground.1.min(place.y);
        ground.2 = ground.2.max(place.x + place.width);
        ground.3 = ground.3.max(place.y + place.height);
    }
    for (left, top, right, bottom) in grounds {
        let _ = writeln!(
            out,
            "<rect class=\"lane\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
            left - 5.0,
            top - 5.0,
            right - left + 10.0,
            bottom - top + 10.0
        );
    }
}

fn node(out: &mut String, picture: &Picture<'_>, layout: &Layout, frame: &Frame, id: NodeId) {
    let place = frame.node(layout, id.index());
    let drawn = &layout.nodes[id.index()];
    let racy = if picture.racy.contains(&id) { " racy" } else { "" };
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect class=\"node {}{racy}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>",
        escape(&picture.tooltip(id).join("\n")),
        node_kind(picture.node(id).kind),
        place.x,
        place.y,
        place.width,
        place.height
    );
    let x = place.x + 9.0;
    let mut y = place.y + 5.0 + LINE_HEIGHT - 3.5;
    let (title, left) = (escape(&drawn.title), drawn.heading.as_ref());
    if let Some(name) = left {
        let end = place.x + place.width - 9.0;
        let name = escape(name);
        let _ = writeln!(
            out,
            "<text class=\"heading\" x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>\n\
             <text class=\"number\" text-anchor=\"end\" x=\"{end:.1}\" y=\"{y:.1}\">{title}</text>"
        );
    } else {
        let _ = writeln!(out, "<text class=\"number\" x=\"{x:.1}\" y=\"{y:.1}\">{title}</text>");
    }
    for line in &drawn.lines {
        y += LINE_HEIGHT;
        // Viewers fold plain spaces into one.
        let line = escape(line).replace("  ", "\u{a0}\u{a0}");
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{line}</text>");
    }
    *out += "</g>\n";
}

/// The kinds of edges that occur, and what red means; and the width it takes.
fn legend(picture: &Picture<'_>) -> (String, f64) {
    let mut out = String::new();
    let mut x = MARGIN;
    let y = MARGIN + 6.0;
    for kind in KINDS {
        if !picture.graph.edges.iter().any(|edge| edge.kind == kind) {
            continue;
        }
        let name = edge_kind(kind);
        let _ = writeln!(
            out,
            "<path class=\"{name}\" marker-end=\"url(#{name})\" d=\"M{x:.1} {y} H{:.1}\"/>\
             <text x=\"{:.1}\" y=\"{}\">{name}</text>",
            x + 36.0,
            x + 42.0,
            y + 4.0
        );
        x += 42.0 + name.len() as f64 * CHAR + 20.0;
    }
    if !picture.racy.is_empty() {
        let _ = writeln!(
            out,
            "<rect class=\"node racy\" x=\"{x:.1}\" y=\"{}\" width=\"24\" height=\"14\" rx=\"4\"/>\
             <text x=\"{:.1}\" y=\"{}\">in a race</text>",
            y - 7.0,
            x + 30.0,
            y + 4.0
        );
        x += 30.0 + 9.0 * CHAR + 20.0;
    }
    let _ = writeln!(
        out,
        "<text class=\"number\" x=\"{MARGIN}\" y=\"{}\">r reads, w writes; point at a node for its source lines</text>",
        y + 22.0
    );
    (out, (x - MARGIN).max(54.0 * CHAR))
}

/// A line through the corners, each one rounded off.
fn rounded(corners: &[(f64, f64)]) -> String {
    const RADIUS: f64 = 5.0;
    let mut path = String::new();
    for (i, &(x, y)) in corners.iter().enumerate() {
        let (before, after) = (i.checked_sub(1).map(|i| corners[i]), corners.get(i + 1));
        match (before, after) {
            (None, _) => {
                let _ = write!(path, "M{x:.1} {y:.1}");
            }
            (Some(_), None) => {
                let _ = write!(path, " L{x:.1} {y:.1}");
            }
            (Some(before), Some(&after)) => {
                let (a, b) = (toward((x, y), before, RADIUS), toward((x, y), after, RADIUS));
                let _ = write!(path, " L{:.1} {:.1} Q{x:.1} {y:.1} {:.1} {:.1}", a.0, a.1, b.0, b.1);
            }
        }
    }
    path
}

/// The point on the way from `here` to `there` that is `far` away, or half way if that is nearer.
fn toward(here: (f64, f64), there: (f64, f64), far: f64) -> (f64, f64) {
    let (dx, dy) = (there.0 - here.0, there.1 - here.1);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return here;
    }
    let part = (far / length).min(0.5);
    (here.0 + dx * part, here.1 + dy * part)
}

/// What is shown instead of a graph that is too large: its size, and the racy nodes.
fn note(picture: &Picture<'_>) -> String {
    const RACY: usize = 20;
    let graph = picture.graph;
    let mut lines = vec![
        format!(
            "This graph has {} nodes, {} edges and {} tasks: too large to draw (at most {MAX_NODES} nodes).",
            graph.nodes.len(),
            graph.edges.len(),
            graph.tasks.len()
        ),
        "Use --format dot or --format json to have all of it, or run the program on a smaller input."
            .to_owned(),
    ];
    let racy: Vec<NodeId> =
        picture.racy.iter().copied().filter(|id| id.index() < graph.nodes.len()).collect();
    for &id in racy.iter().take(RACY) {
        lines.push(String::new());
        lines.extend(picture.tooltip(id));
    }
    if racy.len() > RACY {
        lines.extend([String::new(), format!("and {} more racy nodes", racy.len() - RACY)]);
    }
    let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut out =
        open(widest as f64 * CHAR + 2.0 * MARGIN, lines.len() as f64 * (LINE_HEIGHT + 2.0) + 2.0 * MARGIN);
    for (i, line) in lines.iter().enumerate() {
        let y = MARGIN + LINE_HEIGHT + i as f64 * (LINE_HEIGHT + 2.0);
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\">{}</text>", escape(line));
    }
    out += "</svg>\n";
    out
}

/// Text as XML content. Characters XML cannot hold at all are made visible.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
