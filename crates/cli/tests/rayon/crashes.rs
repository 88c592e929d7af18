//! Programs that end by a signal or a panic: how and where is reported, and the races until then.
#![cfg(unix)]

use crate::rayon::{cargo_raceproof, corpus};
use serde_json::Value;
use std::fs;

/// The line of the program with this comment.
fn line(comment: &str) -> u64 {
    let text = fs::read_to_string(corpus().join("examples/crashes.rs")).unwrap();
    let at = text.lines().position(|line| line.ends_with(&format!("// {comment}")));
    1 + at.expect("the program has such a line") as u64
}

#[test]
fn how_and_where_a_program_crashed_is_reported_with_the_races_until_then() {
    for (how, kind, message, place) in [
        ("null", "crash", "segmentation fault, at a null pointer or near to it", "crashes here"),
        ("abort", "abort", "the program called abort", "aborts here"),
        ("overflow", "stack-overflow", "the stack of a task overflowed", "overflows here"),
        ("panic", "panic", "job 5 gives up\n  left: 5\n right: 4", "panics here"),
        ("nothing", "panic", "the program panicked: nothing is not known", "main panics here"),
    ] {
        let done = cargo_raceproof(&["run", "--example", "crashes", "--format", "json", "--", how]);
        assert_eq!(done.status, Some(1), "{how}: {done:#?}");
        let report: Value =
            serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{how}: {error}: {done:#?}"));
        let [error] = report["errors"].as_array().expect("a list").as_slice() else {
            panic!("{how}: {report:#}");
        };
        assert_eq!(error["kind"], kind, "{how}: {error:#}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(message)), "{how}: {error:#}");
        assert_eq!(error["line"], line(place), "{how}: {error:#}");
        assert_eq!(error["task"] == "main", how == "nothing", "{how}: {error:#}");
        let [race] = report["races"].as_array().expect("a list").as_slice() else {
            panic!("{how}: {report:#}")
        };
        assert_eq!(race["first"]["line"], line("races here"), "{how}: {race:#}");
    }
}

#[test]
fn the_lines_of_a_message_stay_lines() {
    let done = cargo_raceproof(&["run", "--example", "crashes", "--", "panic"]);
    let first = done.stdout.lines().position(|line| line.contains("job 5 gives up"));
    let rest = done.stdout.lines().skip(first.expect("the message") + 1).take(2);
    assert_eq!(rest.collect::<Vec<_>>(), ["    left: 5", "   right: 4"], "{done:#?}");
}
