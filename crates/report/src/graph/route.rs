//! Where the edges of a graph run: down the lane of their task, or through the channels below
//! layers and the gutters beside lanes, so that no edge passes under a node.
//!
//! An edge to another lane leaves its source downwards, runs along the channel below it to the
//! gutter beside the target's lane, down a track there, and along the channel above the target.
//! Edges of one kind into one node merge on one track, as the joins of a finish do: the longest
//! runs all the way, the others as far as the track. Other edges share a track if they do not meet
//! on it.

use super::layout::Layout;
use raceproof_core::graph::{Edge, EdgeKind, Graph};
use std::collections::BTreeMap;

const TRACK: f64 = 9.0;
const GUTTER: f64 = 22.0;
/// Tracks in one gutter; further edges share the last one.
const TRACKS: usize = 12;
const CHANNEL: f64 = 32.0;
/// How far the edges of a kind run below the upper end of a channel, and beside the middle of a
/// node (as a part of its width).
fn offsets(kind: EdgeKind) -> (f64, f64) {
    match kind {
        EdgeKind::Continue => (0.0, 0.0),
        EdgeKind::Spawn => (9.0, 0.18),
        EdgeKind::Isolation => (14.0, 0.40),
        EdgeKind::Promise => (19.0, 0.30),
        EdgeKind::Join => (24.0, 0.10),
    }
}

/// Coordinates of everything; the origin is the upper left corner of the graph.
pub(super) struct Frame {
    /// The middle of each lane.
    lanes: Vec<f64>,
    /// The right edge of each lane: where its gutter begins.
    gutters: Vec<f64>,
    layer_top: Vec<f64>,
    layer_height: Vec<f64>,
    /// The track of each edge that needs one.
    tracks: BTreeMap<usize, Track>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where an edge of another lane runs down.
#[derive(Clone, Copy)]
struct Track {
    gutter: usize,
    /// Which track of the gutter.
    place: usize,
    /// Another edge to the same target runs on from there.
    merges: bool,
}

pub(super) struct Route {
    /// From the source to the target, or to the track on which another edge goes on.
    pub(super) corners: Vec<(f64, f64)>,
    pub(super) merges: bool,
}

/// The upper left corner of a node, and its size.
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Frame {
    pub(super) fn of(graph: &Graph, layout: &Layout) -> Frame {
        let (tracks, used) = tracks(graph, layout);
        let mut lane_width = vec![0f64; layout.lanes];
        let mut layer_height = vec![0f64; layout.layers];
        for node in &layout.nodes {
            lane_width[node.lane] = lane_width[node.lane].max(node.width);
            layer_height[node.layer] = layer_height[node.layer].max(node.height);
        }
        let (mut x, mut lanes, mut gutters) = (0.0, Vec::new(), Vec::new());
        for (lane, width) in lane_width.iter().enumerate() {
            lanes.push(x + width / 2.0);
            x += width;
            gutters.push(x);
            x += GUTTER + used[lane] as f64 * TRACK;
        }
        let (mut y, mut layer_top) = (0.0, Vec::new());
        for height in &layer_height {
            layer_top.push(y);
            y += height + CHANNEL;
        }
        Frame { lanes, gutters, layer_top, layer_height, tracks, width: x, height: (y - CHANNEL).max(0.0) }
    }

    pub(super) fn node(&self, layout: &Layout, node: usize) -> Rect {
        let drawn = &layout.nodes[node];
        Rect {
            x: self.lanes[drawn.lane] - drawn.width / 2.0,
            y: self.layer_top[drawn.layer],
            width: drawn.width,
            height: drawn.height,
        }
    }

    pub(super) fn route(&self, layout: &Layout, index: usize, edge: &Edge) -> Route {
        let (from, to) = (self.node(layout, edge.from.index()), self.node(layout, edge.to.index()));
        let source = &layout.nodes[edge.from.index()];
        let (low, aside) = offsets(edge.kind);
        let track = self.tracks.get(&index);
        let track_x = track.map(|t| self.gutters[t.gutter] + GUTTER / 2.0 + TRACK * t.place as f64);
        let merges = track.is_some_and(|t| t.merges);
        let (from_x, to_x) = (from.x + from.width / 2.0, to.x + to.width / 2.0);
        // Leave and arrive on the side of the other end, so that two edges at a node do not cross
        // there.
        let toward = |here: f64, there: f64, width: f64| match there.partial_cmp(&here) {
            Some(std::cmp::Ordering::Greater) => here + aside * width,
            Some(std::cmp::Ordering::Less) => here - aside * width,
            _ => here,
        };
        let start = toward(from_x, track_x.unwrap_or(to_x), from.width);
        let end = match edge.kind {
            // Nothing else enters the first step of a task.
            EdgeKind::Spawn => to_x,
            _ => toward(to_x, track_x.unwrap_or(from_x), to.width),
        };
        let below = self.layer_top[source.layer] + self.layer_height[source.layer] + low;
        let mut corners = vec![(start, from.y + from.height)];
        match track_x {
            Some(x) if merges => corners.extend([(start, below), (x, below)]),
            Some(x) => {
                let above = to.y - CHANNEL + low;
                corners.extend([(start, below), (x, below), (x, above), (end, above)]);
            }
            None if start != end => corners.extend([(start, below), (end, below)]),
            None => {}
        }
        if !merges {
            corners.push((end, to.y));
        }
        Route { corners, merges }
    }
}

/// The track of each edge that cannot run straight, and how many tracks each gutter has.
fn tracks(graph: &Graph, layout: &Layout) -> (BTreeMap<usize, Track>, Vec<usize>) {
    struct Bundle {
        gutter: usize,
        top: usize,
        bottom: usize,
        edges: Vec<usize>,
    }
    let mut bundles: BTreeMap<(usize, u32, usize), Bundle> = BTreeMap::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        let (from, to) = (&layout.nodes[edge.from.index()], &layout.nodes[edge.to.index()]);
        let same_task = graph.nodes[edge.from.index()].task == graph.nodes[edge.to.index()].task;
        if to.layer <= from.layer + 1 || (same_task && edge.kind == EdgeKind::Continue) {
            continue;
        }
        // The gutter beside the target on the side of the source.
        let gutter = if from.lane < to.lane { to.lane - 1 } else { to.lane };
        let bundle = bundles.entry((gutter, edge.to.0, offsets(edge.kind).0 as usize)).or_insert(Bundle {
            gutter,
            top: from.layer,
            bottom: to.layer,
            edges: Vec::new(),
        });
        bundle.top = bundle.top.min(from.layer);
        bundle.edges.push(index);
    }
    let mut bundles: Vec<Bundle> = bundles.into_values().collect();
    // Short ones first: they end up nearest to the lane, inside the longer ones.
    bundles.sort_by_key(|b| (b.gutter, b.bottom - b.top, b.top));
    let mut busy: Vec<Vec<Vec<(usize, usize)>>> = vec![Vec::new(); layout.lanes];
    let mut tracks = BTreeMap::new();
    for bundle in &bundles {
        let places = &mut busy[bundle.gutter];
        let meets = |taken: &[(usize, usize)]| {
            taken.iter().any(|&(top, bottom)| top < bundle.bottom && bundle.top < bottom)
        };
        let place = places.iter().position(|taken| !meets(taken)).unwrap_or(places.len()).min(TRACKS - 1);
        if place == places.len() {
            places.push(Vec::new());
        }
        places[place].push((bundle.top, bundle.bottom));
        let layer = |edge: usize| layout.nodes[graph.edges[edge].from.index()].layer;
        let longest = bundle.edges.iter().copied().min_by_key(|&edge| layer(edge));
        for &edge in &bundle.edges {
            tracks.insert(edge, Track { gutter: bundle.gutter, place, merges: Some(edge) != longest });
        }
    }
    (tracks, busy.iter().map(Vec::len).collect())
}
