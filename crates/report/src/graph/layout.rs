//! Where the nodes of a graph stand: layers from top to bottom, tasks as vertical lanes.
//!
//! A node's layer is the length of the longest path to it, so every edge leads down (the layering
//! step of Sugiyama, Tagawa and Toda, 1981; the crossing reduction that follows there is replaced
//! by the lanes). Few tasks get a lane each, in preorder of the spawn tree, so that a family stands
//! together. Many tasks share lanes: each takes the first lane to the right of its parent that is
//! free from its first layer to its last. Linear in nodes and edges, times the lanes for the search
//! of a free one.

use super::Picture;
use super::labels::shorten;
use raceproof_core::graph::Graph;
use raceproof_core::ids::NodeId;

/// Above this many tasks, tasks that are not alive in the same layers share lanes.
const OWN_LANES: usize = 12;
/// Characters in a line of a node.
const LINE: usize = 24;
/// Lines of accesses in a node.
const LINES: usize = 3;

pub(super) const CHAR: f64 = 6.7;
pub(super) const LINE_HEIGHT: f64 = 14.0;
const PAD_X: f64 = 9.0;
const PAD_Y: f64 = 5.0;

/// A node as it is drawn.
pub(super) struct Drawn {
    pub(super) layer: usize,
    pub(super) lane: usize,
    /// The task's name, on its first node, left of the number.
    pub(super) heading: Option<String>,
    /// The number of the node and what it is.
    pub(super) title: String,
    /// The accesses.
    pub(super) lines: Vec<String>,
    pub(super) width: f64,
    pub(super) height: f64,
}

pub(super) struct Layout {
    /// By node id.
    pub(super) nodes: Vec<Drawn>,
    pub(super) layers: usize,
    pub(super) lanes: usize,
}

impl Layout {
    pub(super) fn of(picture: &Picture<'_>) -> Layout {
        let graph = picture.graph;
        let layer = layers(graph);
        let spans = spans(graph, &layer);
        let lane = if graph.tasks.len() <= OWN_LANES { preorder(graph) } else { shared(graph, &spans) };
        let nodes = graph
            .ids()
            .map(|id| {
                let task = graph.nodes[id.index()].task.index();
                let heading = (graph.tasks[task].first == id).then(|| shorten(&picture.tasks[task], LINE));
                drawn(picture, id, heading, layer[id.index()], lane[task])
            })
            .collect();
        Layout {
            nodes,
            layers: layer.iter().max().map_or(0, |last| last + 1),
            lanes: lane.iter().max().map_or(0, |last| last + 1),
        }
    }
}

fn drawn(picture: &Picture<'_>, id: NodeId, heading: Option<String>, layer: usize, lane: usize) -> Drawn {
    let title = picture.title(id);
    let title = if title.is_empty() { id.0.to_string() } else { format!("{} {title}", id.0) };
    let (entries, mut beyond) = picture.accesses(id, 2 * LINES);
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        let entry = shorten(&entry, LINE);
        let fits = |last: &&mut String| last.chars().count() + 2 + entry.chars().count() <= LINE;
        if let Some(last) = lines.last_mut().filter(fits) {
            *last = format!("{last}  {entry}");
        } else if lines.len() < LINES {
            lines.push(entry);
        } else {
            beyond += 1;
        }
    }
    if beyond > 0 {
        lines.push(format!("+ {beyond} more"));
    }
    let head = title.chars().count() + heading.as_ref().map_or(0, |name| name.chars().count() + 2);
    let widest = lines.iter().map(|line| line.chars().count()).fold(head, usize::max);
    Drawn {
        layer,
        lane,
        heading,
        title,
        width: (widest as f64 * CHAR + 2.0 * PAD_X).max(44.0),
        height: (1 + lines.len()) as f64 * LINE_HEIGHT + 2.0 * PAD_Y,
        lines,
    }
}

/// The longest path to each node. Edges stand in the order of their target and lead to higher ids,
/// so the layer of an edge's source is final when the edge is looked at.
fn layers(graph: &Graph) -> Vec<usize> {
    let mut layer = vec![0; graph.nodes.len()];
    for edge in &graph.edges {
        layer[edge.to.index()] = layer[edge.to.index()].max(layer[edge.from.index()] + 1);
    }
    // Nothing need lead to the exit of a run that stopped early, and yet it is the end.
    if let Some((exit, rest)) = layer.split_last_mut() {
        *exit = rest.iter().max().map_or(0, |last| last + 1);
    }
    layer
}

/// The first and last layer of each task.
fn spans(graph: &Graph, layer: &[usize]) -> Vec<(usize, usize)> {
    let mut spans = vec![(usize::MAX, 0); graph.tasks.len()];
    for (node, &layer) in graph.nodes.iter().zip(layer) {
        let (first, last) = &mut spans[node.task.index()];
        (*first, *last) = ((*first).min(layer), (*last).max(layer));
    }
    spans
}

fn preorder(graph: &Graph) -> Vec<usize> {
    let mut children = vec![Vec::new(); graph.tasks.len()];
    for (i, task) in graph.tasks.iter().enumerate() {
        if let Some((parent, _)) = task.spawned {
            children[parent.index()].push(i);
        }
    }
    let mut lane = vec![0; graph.tasks.len()];
    let mut next = 0;
    let mut todo = vec![0];
    while let Some(task) = todo.pop() {
        if task >= lane.len() {
            break;
        }
        lane[task] = next;
        next += 1;
        todo.extend(children[task].iter().rev());
    }
    lane
}

fn shared(graph: &Graph, spans: &[(usize, usize)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..graph.tasks.len()).collect();
    order.sort_by_key(|&task| (spans[task].0, task));
    let mut lane = vec![0; graph.tasks.len()];
    // The first layer in which each lane is free again.
    let mut free: Vec<usize> = Vec::new();
    for task in order {
        let (first, last) = spans[task];
        let from = graph.tasks[task].spawned.map_or(0, |(parent, _)| lane[parent.index()] + 1);
        let at = (from..free.len()).find(|&i| free[i] <= first).unwrap_or(free.len().max(from));
        if at >= free.len() {
            free.resize(at + 1, 0);
        }
        free[at] = last + 1;
        lane[task] = at;
    }
    lane
}
