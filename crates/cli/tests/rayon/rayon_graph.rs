//! The computation graph of a program with rayon, by `raceproof graph` and in the page of
//! `cargo raceproof run --format html`.
#![cfg(unix)]

use crate::common;
use crate::native;
use crate::rayon;

use common::command::{Folder, finish_within};
use common::page;
use native::toolchain::tool;
use rayon::{PATIENCE, build, cargo_raceproof, corpus};
use serde_json::Value;
use std::collections::BTreeSet;

/// The lines of the accesses that race, by the comments of the program.
fn expected(name: &str) -> BTreeSet<u64> {
    let text = std::fs::read_to_string(corpus().join("src/bin").join(name).with_extension("rs")).unwrap();
    (1..).zip(text.lines()).filter(|(_, line)| line.contains("//~ race")).map(|(number, _)| number).collect()
}

/// The lines of accesses in steps that race.
fn racy_lines(graph: &Value) -> BTreeSet<u64> {
    let nodes = graph["nodes"].as_array().unwrap().iter().filter(|node| node["racy"] == true);
    nodes.flat_map(|node| node["accesses"].as_array().unwrap()).filter_map(|of| of["line"].as_u64()).collect()
}

#[test]
fn the_graph_of_a_program_with_rayon() {
    let built = build("--bins", "dev");
    for name in ["join_racy", "join_norace", "scope_nested_racy", "scope_nested_norace"] {
        let mut command = tool();
        command.current_dir(corpus()).args(["graph", "--format", "json", "--"]).arg(built.join(name));
        let drawn = finish_within(&mut command, PATIENCE).unwrap().expect_status(0);
        let graph: Value = serde_json::from_str(&drawn.stdout).unwrap();
        assert_eq!(graph["complete"], true, "{name}");
        assert!(graph["tasks"].as_array().unwrap().len() > 2, "{name} has tasks: {}", graph["tasks"]);
        let (racy, expected) = (racy_lines(&graph), expected(name));
        assert!(expected.is_subset(&racy), "{name}: {expected:?} expected, {racy:?} marked");
        assert_eq!(racy.is_empty(), expected.is_empty(), "{name}: {racy:?}");
    }
}

#[test]
fn the_page_of_a_program_with_rayon_has_the_graph() {
    let folder = Folder::new("rayon-page");
    let file = folder.path("page.html").display().to_string();
    cargo_raceproof(&["run", "--bin", "join_racy", "--format", "html", "-o", &file]).expect_status(1);
    let html = std::fs::read_to_string(&file).unwrap();
    let graph = page::embedded(&html, "graph");
    assert!(expected("join_racy").is_subset(&racy_lines(&graph)), "{graph}");
}
