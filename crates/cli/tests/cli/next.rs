//! The last line of a report about one schedule is the command that decides the rest.

use crate::common::command::{Done, Folder, corpus, raceproof, root, run, run_with_input};
use std::fs;

fn last(done: &Done) -> &str {
    done.stdout.lines().last().unwrap_or_default()
}

/// One run does not decide it.
fn locked() -> String {
    fs::read_to_string(root().join(corpus("examples/bank_locks.tp"))).unwrap()
}

#[test]
fn check_names_verify() {
    let folder = Folder::new("next-check");
    folder.write("it's.tp", locked());
    let mut command = raceproof();
    command.current_dir(folder.path("")).args([
        "check",
        "it's.tp",
        "--max-memory",
        "2",
        "--max-events",
        "100000",
    ]);
    let done = run(&mut command).expect_status(0);
    assert_eq!(last(&done), r"to decide the rest: raceproof verify --max-memory 2 'it'\''s.tp'");
    // It does decide.
    let mut verify = raceproof();
    verify.current_dir(folder.path("")).args(["verify", "--max-memory", "2", "it's.tp"]);
    let done = run(&mut verify).expect_status(0).says("no schedule of this program");
    assert!(!done.stdout.contains("to decide the rest"), "{done:#?}");
    // In JSON as well, and where a limit ended the run.
    let mut command = raceproof();
    command.current_dir(folder.path("")).args(["check", "it's.tp", "--format", "json", "--max-events", "1"]);
    let report: serde_json::Value = serde_json::from_str(&run(&mut command).expect_status(3).stdout).unwrap();
    assert_eq!(report["next_command"], r"raceproof verify 'it'\''s.tp'");
}

#[test]
fn what_is_decided_needs_no_command() {
    let program = fs::read_to_string(root().join(corpus("examples/fork_join_sum.tp"))).unwrap();
    let done = run_with_input(raceproof().args(["check", "-"]), program.as_bytes()).expect_status(0);
    assert!(!done.stdout.contains("to decide the rest"), "{done:#?}");
}

#[test]
fn a_search_that_a_budget_ended_is_gone_on_with() {
    let folder = Folder::new("next-verify");
    folder.write("a.tp", locked());
    let mut command = raceproof();
    command.current_dir(folder.path("")).args(["verify", "--order", "hb", "--max-executions", "1", "a.tp"]);
    let done = run(&mut command).expect_status(3);
    assert_eq!(last(&done), "to decide the rest: raceproof verify --order hb a.tp");
}
