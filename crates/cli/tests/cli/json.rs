//! The JSON outputs: golden files, the shape they promise, and their documentation.

use crate::common;

use common::{golden, graphs, native, sample};
use raceproof_report::{graph, json};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn reports() {
    golden::check("json/spawner.json", &json::render(&sample::spawner()));
    golden::check("json/locks.json", &json::render(&sample::locks()));
    golden::check("json/circle.json", &json::render(&sample::circle()));
    golden::check("json/fails.json", &json::render(&sample::fails()));
    golden::check("json/race_free.json", &json::render(&sample::report(vec![])));
}

/// Asserts that the keys occur in `text` in this order.
fn in_order(text: &str, keys: &[&str]) {
    let mut rest = text;
    for key in keys {
        let (_, after) = rest
            .split_once(&format!("\"{key}\": "))
            .unwrap_or_else(|| panic!("`{key}` is missing or out of order in\n{text}"));
        rest = after;
    }
}

#[test]
fn fields_stand_in_the_promised_order() {
    let text = json::render(&sample::spawner());
    in_order(
        &text,
        &[
            "tool",
            "version",
            "schema",
            "verdict",
            "scope",
            "determinate",
            "races",
            "deadlocks",
            "errors",
            "stats",
        ],
    );
    let (race, _) = text.split_once("\"deadlocks\"").unwrap();
    in_order(race, &["location", "grade", "partition", "artifact_of", "first", "second", "witness"]);
    let (_, first) = race.split_once("\"first\"").unwrap();
    in_order(
        first.split_once("\"second\"").unwrap().0,
        &["access", "task", "file", "line", "column", "stack"],
    );
    let (_, stats) = text.split_once("\"stats\"").unwrap();
    in_order(stats, &["executions", "tasks", "steps", "reads", "writes", "measured", "seconds"]);
    assert!(text.ends_with("}\n"));
}

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                found.insert(key.clone());
                keys(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

#[test]
fn every_field_is_documented() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/JSON.md");
    let docs = std::fs::read_to_string(docs).expect("docs/JSON.md is there");
    let graph = graphs::every_kind();
    let none = BTreeSet::new();
    let picture = graph::Picture::new(&graph, &graphs::Plain, &none);
    let mut outputs = vec![graph::json::render(&picture)];
    outputs.extend(
        [
            sample::locks(),
            sample::circle(),
            sample::fails(),
            native::update(),
            native::nowait(),
            native::freed(),
        ]
        .iter()
        .map(json::render),
    );
    let mut found = BTreeSet::new();
    for output in outputs {
        keys(&serde_json::from_str(&output).expect("valid JSON"), &mut found);
    }
    let missing: Vec<&String> = found.iter().filter(|key| !docs.contains(&format!("| `{key}` |"))).collect();
    assert!(missing.is_empty(), "not in docs/JSON.md: {missing:?}");
    assert!(found.contains("held_by") && found.contains("section") && found.contains("function"));
}
