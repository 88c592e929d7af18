//! The machine formats of reports about C and C++ programs: SARIF against its schema and the rules
//! of code scanning, commands for GitHub, suppressions and baselines of `run` and `verify`.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within, root};
use common::{golden, logs};
use native::toolchain::{compile, tool};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, process};

const PATIENCE: Duration = Duration::from_secs(60);

/// Programs of `programs/c`: tasks, teams, locks, the standard library of C++, freed memory, a
/// status, a deadlock, nothing found.
const PROGRAMS: [&str; 10] = [
    "cpp/vector_growth_racy.cpp",
    "cpp/delete_racy.cpp",
    "cpp/template_racy.cpp",
    "faults/deadlock_two_locks.c",
    "faults/exit_after_race.c",
    "lock/lock_per_bucket_racy.c",
    "task/recursion_merge_sort_racy.c",
    "task/task_creator_racy.c",
    "task/task_barrier_norace.c",
    "task/list_traversal_racy.c",
];

/// The one whose stacks lead through headers of the standard library.
const HEADERS: &str = "cpp/vector_growth_racy.cpp";

fn built(program: &str, folder: &Folder) -> PathBuf {
    let source = root().canonicalize().expect("the repository").join("programs/c").join(program);
    let binary = folder.path(&program.replace(['/', '.'], "_"));
    compile(&source, "-O1", &["-g".to_owned()], &binary).unwrap_or_else(|wrong| panic!("{program}: {wrong}"));
    binary
}

fn run(words: &[&str], binary: &Path) -> process::Output {
    let mut command = tool();
    command.current_dir(root()).env("OMP_NUM_THREADS", "4").env_remove("GITHUB_STEP_SUMMARY");
    command.args(words).arg("--").arg(binary);
    command.output().expect("raceproof starts")
}

/// What names the program: a folder of the test, and a fingerprint, which has that in it.
fn steady(text: &str, binary: &Path) -> String {
    let is_fingerprint = |line: &&str| line.trim_start().starts_with("\"program\": \"");
    let lines = logs::normalised(text);
    let lines: Vec<&str> = lines.lines().filter(|line| !is_fingerprint(line)).collect();
    let text = lines.join("\n") + "\n";
    text.replace(&format!("file://{}", binary.display()), "file:///PROGRAM")
        .replace(&*binary.to_string_lossy(), "PROGRAM")
}

/// A log without the witnesses that were played back: the values in them may be addresses.
fn without_playbacks(log: &str) -> String {
    let mut log: Value = serde_json::from_str(log).expect("JSON");
    for result in log["runs"][0]["results"].as_array_mut().into_iter().flatten() {
        if let Some(flows) = result.get_mut("codeFlows").and_then(Value::as_array_mut) {
            flows.retain(|flow| flow["message"]["text"] == "How the tasks came there.");
        }
    }
    serde_json::to_string_pretty(&log).expect("JSON") + "\n"
}

#[test]
fn formats() {
    let folder = Folder::new("formats");
    let mut all = String::new();
    for program in PROGRAMS {
        let binary = built(program, &folder);
        let output = folder.path("log.sarif");
        run(&["run", "--format", "github", "-o", &output.to_string_lossy()], &binary);
        let text = steady(&fs::read_to_string(&output).expect("the commands"), &binary);
        let _ = write!(all, "{program}\n{text}\n");
        run(&["run", "--format", "sarif", "-o", &output.to_string_lossy()], &binary);
        let log = steady(&fs::read_to_string(&output).expect("the log"), &binary);
        logs::check(&log, program);
        // Headers of the standard library have other names and lines on other machines.
        if program == HEADERS {
            assert!(log.contains("vector"), "{log}");
            continue;
        }
        golden::check(
            &format!("sarif/c/{}.sarif", program.replace(['/', '.'], "_")),
            &without_playbacks(&log),
        );
    }
    golden::check("github/c.txt", &all);
}

/// A baseline and suppressions hold for `run`, for `verify`, and for the program alone.
#[test]
fn known_races_do_not_fail() {
    let folder = Folder::new("known-native");
    let binary = built("task/task_creator_racy.c", &folder);
    let file = folder.path("known.txt").to_string_lossy().into_owned();
    assert_eq!(run(&["run"], &binary).status.code(), Some(1));
    assert_eq!(run(&["run", "--write-baseline", &file], &binary).status.code(), Some(0));
    let known = run(&["run", "--baseline", &file], &binary);
    assert_eq!(known.status.code(), Some(0), "{known:?}");
    assert!(String::from_utf8_lossy(&known.stdout).contains("does not count"), "{known:?}");
    // The ids of a search are the same.
    assert_eq!(run(&["verify", "--baseline", &file], &binary).status.code(), Some(0));
    let text = fs::read_to_string(&file).expect("the baseline");
    let id = text.lines().find(|line| !line.starts_with('#')).and_then(|line| line.split_whitespace().next());
    let rules = folder.write("rules.txt", format!("id:{}\n", id.expect("an id")));
    let rules = rules.to_string_lossy().into_owned();
    assert_eq!(run(&["run", "--suppressions", &rules], &binary).status.code(), Some(0));
    let mut alone = process::Command::new(&binary);
    alone.current_dir(root()).env("OMP_NUM_THREADS", "4").stderr(process::Stdio::piped());
    alone.stdout(process::Stdio::piped()).stdin(process::Stdio::null());
    let done = finish_within(alone.env("RACEPROOF_OPTIONS", ""), PATIENCE).expect("it ends");
    assert_eq!(done.status, Some(66), "{done:?}");
    let options = format!("suppressions={rules}");
    let done = finish_within(alone.env("RACEPROOF_OPTIONS", options), PATIENCE).expect("it ends");
    assert_eq!(done.status, Some(0), "{done:?}");
}
