//! The machine formats over the corpus of TP programs: SARIF against its schema and the rules of
//! code scanning, commands for GitHub, ids.

use crate::common;
use crate::expect;

use common::command::{Folder, raceproof, root, run};
use common::{golden, logs, sample};
use raceproof_core::finding::{ProgramError, Related};
use raceproof_report::listed::identify;
use raceproof_report::sarif::{self, Context, MOST_RESULTS};
use raceproof_report::{Sources, Suppressed};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

/// `check` of a program of the corpus, from the root of the repository, with options; its output.
fn check(program: &str, options: &[&str]) -> String {
    let mut command = raceproof();
    command.current_dir(root()).args(["check", program]).args(options).env_remove("GITHUB_STEP_SUMMARY");
    let done = run(&mut command);
    assert!(matches!(done.status, Some(0 | 1 | 3)), "{program}: {done:#?}");
    done.stdout
}

fn programs() -> Vec<String> {
    let programs = ["zipper", "examples"].into_iter().flat_map(expect::programs);
    programs.map(|program| format!("programs/tp/{}.tp", program.name)).collect()
}

/// Programs whose whole log is a golden file: each kind of finding, recursion, locks, many cells.
const LOGS: [&str; 18] = [
    "alias",
    "async_await_racy",
    "deadlock_get_cycle",
    "bank_locks_racy",
    "deadlock_promise_never_set",
    "deadlock_futures",
    "error_assert",
    "error_bounds",
    "error_second_set",
    "event_post_wait_racy",
    "fib_futures_racy",
    "fib_tasks",
    "fork_join_sum_racy",
    "health_racy",
    "knapsack_racy",
    "matmul_rows_racy",
    "message_flag_racy",
    "task_in_proc_racy",
];

#[test]
fn sarif_logs() {
    for name in LOGS {
        let program = format!("programs/tp/examples/{name}.tp");
        let log = logs::normalised(&check(&program, &["--format", "sarif", "--determinism"]));
        logs::check(&log, name);
        golden::check(&format!("sarif/tp/{name}.sarif"), &log);
    }
}

/// Every program of the corpus: the schema holds, and the log has what the JSON report has.
#[test]
fn every_log_is_whole() {
    for program in programs() {
        let log = logs::check(&check(&program, &["--format", "sarif"]), &program);
        let report: Value = serde_json::from_str(&check(&program, &["--format", "json"])).expect("JSON");
        let ids = |list: &str| -> Vec<String> {
            let findings = report[list].as_array().into_iter().flatten();
            findings.map(|finding| finding["id"].as_str().expect("an id").to_owned()).collect()
        };
        let mut expected: Vec<String> = ["races", "deadlocks", "errors"].into_iter().flat_map(ids).collect();
        expected.sort();
        expected.dedup();
        let results = log["runs"][0]["results"].as_array().expect("results");
        let id = |result: &Value| {
            result["partialFingerprints"]["raceproof/v1"].as_str().expect("an id").to_owned()
        };
        let mut found: Vec<String> = results.iter().map(id).collect();
        found.sort();
        assert_eq!(found, expected, "{program}");
        assert_eq!(log["runs"][0]["properties"]["verdict"], report["verdict"], "{program}");
    }
}

#[test]
fn commands_for_github() {
    let mut all = String::new();
    for program in programs() {
        let text = check(&program, &["--format", "github"]);
        for line in text.lines() {
            let is_command =
                ["::error ", "::warning ", "::notice "].iter().any(|begin| line.starts_with(begin));
            assert!(is_command, "{program}: {line}");
        }
        let _ = write!(all, "{program}\n{}\n\n", text.trim_end());
    }
    golden::check("github/tp.txt", &all);
}

#[test]
fn a_job_summary_is_appended() {
    let folder = Folder::new("summary");
    let file = folder.write("summary.md", "before\n");
    for name in ["fork_join_sum_racy", "fork_join_sum", "deadlock_futures"] {
        let mut command = raceproof();
        command.current_dir(root()).args(["check", "--format", "github"]);
        command.arg(format!("programs/tp/examples/{name}.tp")).env("GITHUB_STEP_SUMMARY", &file);
        run(&mut command);
    }
    let text = fs::read_to_string(file).expect("the summary is there");
    assert!(text.starts_with("before\n"), "{text}");
    // How long it took differs from run to run.
    let steady: String = text
        .lines()
        .map(|line| if line.ends_with(" s") { "(effort)\n".into() } else { format!("{line}\n") })
        .collect();
    golden::check("github/summary.md", &steady);
}

/// The ids of all findings of the corpus, as a baseline: they may not change from one version to
/// the next.
#[test]
fn ids_of_the_corpus() {
    let folder = Folder::new("ids");
    let file = folder.path("baseline");
    let mut all = String::new();
    for program in programs() {
        let mut command = raceproof();
        command.current_dir(root()).args(["check", &program, "--write-baseline"]).arg(&file);
        let done = run(&mut command);
        assert!(matches!(done.status, Some(0 | 3)), "{program}: {done:#?}");
        let text = fs::read_to_string(&file).expect("the baseline is there");
        text.lines().filter(|line| !line.starts_with('#')).for_each(|line| all += &format!("{line}\n"));
    }
    golden::check("ids/tp.txt", &all);
}

/// More findings than code scanning takes.
#[test]
fn a_log_is_cut_at_the_limit() {
    let mut report = sample::fails();
    let one = report.errors[0].clone();
    let error = |number: usize| ProgramError { kind: format!("kind-{number}"), ..one.clone() };
    report.errors = (0..MOST_RESULTS + 7).map(error).collect();
    let sources = Sources::new();
    identify(&mut report, &sources);
    let suppressed = Suppressed::default();
    let context = Context { suppressed: &suppressed, status: 1, program: "p", notes: &[], playbacks: &[] };
    let log: Value = serde_json::from_str(&sarif::render(&report, &sources, context)).expect("JSON");
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(MOST_RESULTS));
    let notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notes.contains("7 results are left out"), "{notes}");
}

#[test]
fn what_has_to_do_with_an_error_is_a_related_location() {
    let mut report = sample::fails();
    report.errors[0].related = vec![Related { what: "it was taken here".into(), at: sample::at(3, 15) }];
    identify(&mut report, &Sources::new());
    let suppressed = Suppressed::default();
    let context = Context { suppressed: &suppressed, status: 1, program: "p", notes: &[], playbacks: &[] };
    let log: Value = serde_json::from_str(&sarif::render(&report, &Sources::new(), context)).expect("JSON");
    let related = &log["runs"][0]["results"][0]["relatedLocations"][0];
    assert_eq!(related["message"]["text"], "it was taken here");
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 3);
}

/// Traces have places without sources.
#[test]
fn traces_have_the_formats_too() {
    let folder = Folder::new("trace-formats");
    let trace = folder.path("run.rpt");
    let program = "programs/tp/examples/fork_join_sum_racy.tp";
    run(raceproof().current_dir(root()).args(["trace", program, "-o"]).arg(&trace)).expect_status(0);
    let done = run(raceproof().current_dir(root()).args(["analyze", "--format", "sarif"]).arg(&trace));
    let log = logs::check(&done.expect_status(1).stdout, "a trace");
    assert!(!log["runs"][0]["results"].as_array().expect("results").is_empty());
    let done = run(raceproof().current_dir(root()).args(["analyze", "--format", "github"]).arg(&trace));
    assert!(done.expect_status(1).stdout.starts_with("::warning file="));
}
