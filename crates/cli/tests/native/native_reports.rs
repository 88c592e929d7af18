//! Reports about native programs: the text, the JSON and back.

use crate::common;

use crate::native as tools;
use common::command::{Folder, finish_within, root};
use common::{golden, native, sample};
use raceproof_core::finding::{Report, Verdict};
use raceproof_report::{Style, Suppressions, json, text};
use std::time::Duration;
use tools::toolchain::{compile, tool};

fn all() -> [(&'static str, Report); 8] {
    [
        ("update", native::update()),
        ("nowait", native::nowait()),
        ("siblings", native::siblings()),
        ("spawner", native::spawner()),
        ("grandchild", native::grandchild()),
        ("half_atomic", native::half_atomic()),
        ("freed", native::freed()),
        ("half_locked", native::half_locked()),
    ]
}

#[test]
fn texts() {
    for (name, report) in all() {
        let text = text::render(&report, &native::sources(), Style::plain());
        golden::check(&format!("text/native/{name}.txt"), &text);
        for word in ["finish", "isolated", "spawned", "`get`"] {
            assert!(!text.contains(word), "{name} speaks of {word}, which is not OpenMP:\n{text}");
        }
    }
}

#[test]
fn a_report_survives_its_json() {
    let tp = [sample::spawner(), sample::locks(), sample::circle(), sample::fails()].map(|r| ("tp", r));
    for (name, report) in all().into_iter().chain(tp) {
        let text = json::render(&report);
        let back: Report = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        assert_eq!(back, report, "{name}");
        assert_eq!(json::render(&back), text, "{name}");
    }
}

#[test]
fn the_json_of_a_native_race() {
    golden::check("json/nowait.json", &json::render(&native::nowait()));
}

fn suppressed(report: &Report, rules: &str) -> Report {
    let mut report = report.clone();
    report.suppressed = 0;
    Suppressions::parse(rules).unwrap_or_else(|e| panic!("{rules}: {e}")).apply(&mut report);
    report
}

#[test]
fn suppressions_look_at_functions_files_and_variables() {
    let report = native::nowait();
    for rules in ["race:add", "race:^main$", "race:f.c", "race:a[", "# why\n\nrace:nothing\nrace_top:^add$"] {
        let left = suppressed(&report, rules);
        assert_eq!((left.races.len(), left.suppressed), (0, 1), "{rules}");
        assert_eq!(left.verdict, Verdict::RaceFree);
        let text = text::render(&left, &native::sources(), Style::plain());
        assert!(text.contains("suppressed: 1 finding") && text.contains(" beside "), "{text}");
    }
    assert_eq!(suppressed(&native::update(), "race:^sum$").races.len(), 0, "a global by its name");
    for rules in ["race:sub", "race_top:other", "mutex:add", ""] {
        assert_eq!(suppressed(&report, rules), report, "{rules}");
    }
}

#[test]
fn what_followed_from_a_suppressed_race_stands_alone() {
    let mut report = native::nowait();
    let mut other = native::update().races.remove(0);
    other.artifact_of = vec![0];
    let mut third = other.clone();
    third.artifact_of = vec![0, 1];
    report.races.extend([other, third]);
    let left = suppressed(&report, "race:add");
    assert_eq!(left.races.len(), 2);
    assert_eq!(left.races[0].artifact_of, [] as [u32; 0]);
    assert_eq!(left.races[1].artifact_of, [0], "the index moves with the race");
}

#[test]
fn suppressions_that_make_no_sense_are_refused() {
    for (rules, expected) in [
        ("race:x\nnonsense", "line 2: `nonsense` has no `:`"),
        ("race:", "line 1: the pattern is empty"),
        ("rice:x", "line 1: `rice:` is not known"),
    ] {
        let error = Suppressions::parse(rules).expect_err(rules);
        assert!(error.starts_with(expected) && error.contains("expected `race:PATTERN`"), "{error}");
    }
}

/// The fields and blocks of a vector that tasks grow at the same time are one bug to who called `push_back`.
#[test]
fn a_race_inside_the_standard_library_is_one_report() {
    let folder = Folder::new("push-back");
    let source = root().canonicalize().unwrap().join("programs/c/cpp/vector_push_back_racy.cpp");
    let binary = folder.path("push_back");
    compile(&source, "-O1", &[], &binary).unwrap();
    let done = finish_within(tool().args(["run", "--"]).arg(&binary), Duration::from_secs(60)).unwrap();
    let text = &done.expect_status(1).stdout;
    let first = text.lines().next().unwrap_or_default();
    assert!(first.contains("vector_push_back_racy.cpp:11:12: error: data race on values: "), "{text}");
    assert_eq!(text.matches(": error: ").count(), 1, "{text}");
    assert!(text.lines().count() < 60, "{text}");
    assert!(text.contains("calls std::vector<int>::push_back(int&&), … "), "{text}");
    assert!(text.contains("frames of the standard") && !text.contains("std::allocator"), "{text}");
}
