//! The same command twice: reports in JSON differ in what was measured, which comes last, and in
//! nothing else.

use crate::common;

use common::command::{Folder, corpus, raceproof, root, run};
use raceproof_report::Suppressions;
use serde_json::Value;
use std::process::Command;

/// The report but for what was measured; the rest has to be nothing but that.
fn but_measured(command: &mut Command) -> String {
    let done = run(command);
    let report: Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    assert!(report["measured"]["seconds"].is_f64(), "{report}");
    assert!(report["stats"].get("seconds").is_none(), "{report}");
    let (same, measured) = done.stdout.split_once("  \"measured\": {\n").expect("what was measured");
    let lines: Vec<&str> = measured.lines().collect();
    assert!(lines.len() == 3 && lines[0].trim_start().starts_with("\"seconds\": "), "{measured}");
    assert_eq!(lines[1..], ["  }", "}"], "nothing comes after it");
    same.to_owned()
}

fn twice(command: impl Fn() -> Command) -> String {
    let first = but_measured(&mut command());
    assert_eq!(first, but_measured(&mut command()));
    assert!(first.len() > 300, "{first}");
    first
}

fn asked(words: &[&str], program: &str) -> Command {
    let mut command = raceproof();
    command
        .current_dir(root())
        .arg(words[0])
        .arg(corpus(program))
        .args(&words[1..])
        .args(["--format", "json"]);
    command
}

const PROGRAMS: [&str; 4] = [
    "examples/bank_locks_racy.tp",
    "examples/bank_locks.tp",
    "examples/future_children_racy.tp",
    "examples/semaphore_mutex.tp",
];

#[test]
fn checks() {
    for program in PROGRAMS {
        for words in [&["check"][..], &["check", "--order", "dc"], &["check", "--determinism"]] {
            twice(|| asked(words, program));
        }
    }
}

/// With `--all` a search comes to its end, and then it makes no difference how many work at it.
#[test]
fn searches() {
    for program in PROGRAMS {
        let with = |workers| twice(|| asked(&["verify", "--all", "--workers", workers], program));
        assert_eq!(with("1"), with("2"), "{program}");
        twice(|| asked(&["verify", "--workers", "1"], program));
    }
}

#[test]
fn analyses() {
    let folder = Folder::new("repeated-analyses");
    for (number, program) in PROGRAMS.into_iter().enumerate() {
        let trace = folder.path(&format!("{number}.rpt"));
        let mut record = raceproof();
        run(record.arg("trace").arg(root().join(corpus(program))).arg("-o").arg(&trace)).expect_status(0);
        for options in [&[][..], &["--order", "dc"], &["--witness"], &["--validate", "--general"]] {
            twice(|| {
                let mut command = raceproof();
                command.arg("analyze").arg(&trace).args(options).args(["--format", "json"]);
                command
            });
        }
    }
}

/// Some editors put a mark before a text.
#[test]
fn a_byte_order_mark_is_passed_over() {
    let folder = Folder::new("repeated-mark");
    let program =
        folder.write("p.tp", "\u{feff}var x;\nproc main() { finish { async { x = 1; } x = 2; } }\n");
    run(raceproof().arg("check").arg(&program)).expect_status(1).says("p.tp:2:");
    let wrong = folder.write("w.tp", "\u{feff}vax x;\n");
    run(raceproof().arg("check").arg(&wrong)).expect_status(2).says("w.tp:1:1");
    let trace = folder.write("t.std", "\u{feff}A|w(x)|1\nB|w(x)|2\n");
    run(raceproof().arg("analyze").arg(&trace)).expect_status(1).says("by A and").says("one racing pair");
    let broken = folder.write("b.std", "\u{feff}A|w(x)|1\nrubbish\n");
    run(raceproof().args(["trace", "--check"]).arg(&broken)).expect_status(2).says("line 2, offset 12");
    let rules = "\u{feff}# known\nrace:counter\n";
    assert_eq!(Suppressions::parse(rules), Suppressions::parse("# known\nrace:counter\n"));
}
