//! The graph as SVG, DOT and JSON, as golden files and by properties.

use crate::common;

use common::{golden, graphs};
use raceproof_core::graph::Graph;
use raceproof_core::ids::{Location, NodeId, SiteId};
use raceproof_report::graph::{Names, Picture, Site, dot, json, svg};
use std::collections::BTreeSet;

fn racy(ids: &[u32]) -> BTreeSet<NodeId> {
    ids.iter().map(|&id| NodeId(id)).collect()
}

#[test]
fn two_tasks() {
    let (graph, racy) = (graphs::two_tasks(), racy(&[4, 6]));
    assert_eq!(graph.nodes.len(), 11);
    let picture = Picture::new(&graph, &graphs::Plain, &racy);
    golden::check("graph/two_tasks.svg", &svg::render(&picture));
    golden::check("graph/two_tasks.dot", &dot::render(&picture));
    golden::check("graph/two_tasks.json", &json::render(&picture));
}

#[test]
fn every_kind_of_edge() {
    let (graph, racy) = (graphs::every_kind(), racy(&[]));
    let picture = Picture::new(&graph, &graphs::Plain, &racy);
    golden::check("graph/every_kind.svg", &svg::render(&picture));
    golden::check("graph/every_kind.dot", &dot::render(&picture));
    golden::check("graph/every_kind.json", &json::render(&picture));
}

/// A rectangle of the picture: left, top, right, bottom.
type Rect = (f64, f64, f64, f64);

fn number(tag: &str, name: &str) -> f64 {
    let rest = tag.split(&format!(" {name}=\"")).nth(1).expect("the attribute is there");
    rest.split('"').next().unwrap().parse().expect("a number")
}

fn node_rects(svg: &str) -> Vec<Rect> {
    let body = svg.split("<g transform").nth(1).expect("the graph comes after the legend");
    let rects = body.split("<rect class=\"node").skip(1);
    rects
        .map(|tag| {
            let (x, y) = (number(tag, "x"), number(tag, "y"));
            (x, y, x + number(tag, "width"), y + number(tag, "height"))
        })
        .collect()
}

/// The corners of each edge; curves only cut them off.
fn edge_paths(svg: &str) -> Vec<Vec<(f64, f64)>> {
    let body = svg.split("<g transform").nth(1).unwrap();
    let paths = body.split("<path class=").skip(1);
    paths
        .map(|tag| {
            let d = tag.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
            let numbers: Vec<f64> =
                d.split([' ', 'M', 'L', 'Q']).filter(|s| !s.is_empty()).map(|s| s.parse().unwrap()).collect();
            numbers.chunks(2).map(|c| (c[0], c[1])).collect()
        })
        .collect()
}

fn shapes() -> Vec<(&'static str, Graph)> {
    vec![
        ("two_tasks", graphs::two_tasks()),
        ("every_kind", graphs::every_kind()),
        ("forall_5", graphs::forall(5)),
        ("forall_100", graphs::forall(100)),
        ("tree_2", graphs::tree(2)),
        ("tree_5", graphs::tree(5)),
        ("pipeline_3", graphs::pipeline(3)),
        ("pipeline_15", graphs::pipeline(15)),
    ]
}

#[test]
fn no_node_overlaps_another_and_no_edge_runs_under_a_node() {
    for (name, graph) in shapes() {
        let none = BTreeSet::new();
        let picture = Picture::new(&graph, &graphs::Plain, &none);
        let svg = svg::render(&picture);
        let rects = node_rects(&svg);
        assert_eq!(rects.len(), graph.nodes.len(), "{name}");
        for (i, a) in rects.iter().enumerate() {
            for b in &rects[i + 1..] {
                assert!(a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1, "{name}: {a:?} {b:?}");
            }
        }
        let paths = edge_paths(&svg);
        assert_eq!(paths.len(), graph.edges.len(), "{name}");
        for (path, edge) in paths.iter().zip(&graph.edges) {
            let (from, to) = (rects[edge.from.index()], rects[edge.to.index()]);
            assert!(from.3 < to.1, "{name}: {edge:?} leads down");
            for line in path.windows(2) {
                let (left, right) = (line[0].0.min(line[1].0), line[0].0.max(line[1].0));
                let (top, bottom) = (line[0].1.min(line[1].1), line[0].1.max(line[1].1));
                for (i, r) in rects.iter().enumerate() {
                    let inside = left < r.2
                        && r.0 < right.max(left + 0.01)
                        && top < r.3
                        && r.1 < bottom.max(top + 0.01);
                    assert!(!inside, "{name}: {edge:?} runs under node {i}: {line:?} {r:?}");
                }
            }
        }
    }
}

/// Every `<text>` of a node must stay inside it and clear of the others, at the width of the widest
/// usual font.
#[test]
fn texts_fit_into_their_nodes() {
    for (name, graph) in shapes() {
        let none = BTreeSet::new();
        let svg = svg::render(&Picture::new(&graph, &graphs::Plain, &none));
        for node in svg.split("<rect class=\"node").skip(1) {
            let (left, right) = (number(node, "x"), number(node, "x") + number(node, "width"));
            let bottom = number(node, "y") + number(node, "height");
            let mut seen: Vec<(f64, f64, f64)> = Vec::new();
            for text in node.split("</g>").next().unwrap().split("<text").skip(1) {
                let content = text.split('>').nth(1).unwrap().split('<').next().unwrap();
                let chars = content.replace("&lt;", "<").replace("&gt;", ">").chars().count();
                let (mut x, y, width) = (number(text, "x"), number(text, "y"), chars as f64 * 6.65);
                if text.contains("text-anchor=\"end\"") {
                    x -= width;
                }
                assert!(left < x && x + width < right && y + 2.0 < bottom, "{name}: {content}");
                let clear = |&(a, b, line): &(f64, f64, f64)| line != y || x + width < a || b < x;
                assert!(seen.iter().all(clear), "{name}: {content}");
                seen.push((x, x + width, y));
            }
            assert!(!seen.is_empty());
        }
    }
}

#[test]
fn many_short_tasks_share_lanes() {
    let graph = graphs::forall(100);
    let none = BTreeSet::new();
    let svg = svg::render(&Picture::new(&graph, &graphs::Plain, &none));
    assert!(number(&svg, "width") < 1000.0, "{}", number(&svg, "width"));
}

#[test]
fn a_graph_too_large_to_draw_says_so() {
    let (graph, racy) = (graphs::forall(3000), racy(&[5, 1_000_000]));
    let svg = svg::render(&Picture::new(&graph, &graphs::Plain, &racy));
    assert!(svg.contains("This graph has 6007 nodes"), "{svg}");
    assert!(svg.contains("node 5") && svg.len() < 10_000, "{svg}");
    assert!(svg.ends_with("</svg>\n"));
}

/// Names that would break each format if they were not escaped.
struct Nasty;

impl Names for Nasty {
    fn site(&self, site: SiteId) -> Site {
        let mut site = graphs::Plain.site(site);
        site.place.file = "a\"<b>&\\.tp".into();
        site.label = "]]>\u{0}\x1b[2J".into();
        site
    }
    fn location(&self, _: Location) -> String {
        "<x>&\"\\\n".into()
    }
}

#[test]
fn names_are_escaped() {
    let (graph, none) = (graphs::two_tasks(), BTreeSet::new());
    let picture = Picture::new(&graph, &Nasty, &none);
    for text in [svg::render(&picture), dot::render(&picture)] {
        assert!(!text.contains(['\u{0}', '\x1b']));
    }
    let svg = svg::render(&picture);
    assert!(svg.contains("&lt;x&gt;&amp;&quot;\\") && !svg.contains("<x>") && !svg.contains("<b>"));
    let dot = dot::render(&picture);
    assert!(dot.contains(r#"<x>&\"\\"#), "{dot}");
    let value: serde_json::Value = serde_json::from_str(&json::render(&picture)).expect("valid JSON");
    assert_eq!(value["nodes"][1]["accesses"][0]["location"], "<x>&\"\\\n");
}

#[test]
fn a_deep_chain_of_tasks_has_short_names() {
    let mut run = graphs::Run::new();
    let mut task = graphs::MAIN;
    for _ in 0..1000 {
        task = run.spawn(task, raceproof_core::ids::ScopeId::PROGRAM, 1);
    }
    let (graph, none) = (run.graph(), BTreeSet::new());
    let text = json::render(&Picture::new(&graph, &graphs::Plain, &none));
    let value: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    let names: BTreeSet<&str> =
        value["tasks"].as_array().unwrap().iter().map(|t| t["task"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 1001, "each task has a name of its own");
    assert!(names.iter().all(|name| name.len() < 100));
}
