//! The search over native programs by several workers, each with a server that forks, and random
//! search: the same report whatever the number of workers.
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within};
use native::toolchain::{compile, tool};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(300);

/// Five sections in any order: 120 executions. With an argument, threads 0 and 4 race if the one
/// comes last and the other first. Each process writes down who forked it.
const FIVE: &str = "
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
int entered, racy;
int main(int argc, char **argv) {
  FILE *file = fopen(\"parents\", \"a\");
  fprintf(file, \"%d\\n\", getppid());
  fclose(file);
#pragma omp parallel num_threads(5)
  {
    int me = omp_get_thread_num(), at;
#pragma omp critical
    at = entered++;
    if (argc > 1 && me == 4 && at == 0) racy = 1;
    if (argc > 1 && me == 0 && at == 4) racy = 2;
  }
  return 0;
}
";

fn built(name: &str) -> (Folder, PathBuf) {
    let folder = Folder::new(&format!("workers-{name}"));
    let file = folder.write("five.c", FIVE);
    let binary = folder.path("five");
    compile(&file, "-O1", &[], &binary).expect("it can be built");
    (folder, binary)
}

fn verify(folder: &Folder, binary: &Path, words: &[&str], arguments: &[&str]) -> Done {
    let mut command = tool();
    command.arg("verify").args(words).arg("--").arg(binary).args(arguments);
    finish_within(command.current_dir(folder.path("")), PATIENCE).unwrap()
}

/// The report without what differs from run to run.
fn report(done: &Done) -> Value {
    let mut report: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    report.as_object_mut().expect("an object").remove("measured").expect("it was measured");
    report
}

/// If the server did not come up, the command would start a process for each execution, and be the
/// parent of each.
#[test]
fn one_server_a_worker_forks_all_executions() {
    let (folder, binary) = built("server");
    for workers in ["1", "2"] {
        let parents = folder.path("parents");
        let _ = std::fs::remove_file(&parents);
        verify(&folder, &binary, &["--workers", workers], &[]).expect_status(0).says("120 executions");
        let parents = std::fs::read_to_string(parents).expect("they were written down");
        // The first execution is repeated.
        assert_eq!(parents.lines().count(), 121);
        let servers: BTreeSet<&str> = parents.lines().collect();
        let workers: usize = workers.parse().expect("a number");
        assert!((1..=workers).contains(&servers.len()), "{workers} workers: forked by {servers:?}");
    }
}

#[test]
fn the_report_does_not_depend_on_the_workers() {
    let (folder, binary) = built("report");
    for words in [&["--format", "json"][..], &["--format", "json", "--all"]] {
        for arguments in [&[][..], &["race"]] {
            let [one, two] = ["1", "2"].map(|workers| {
                let words = [words, &["--workers", workers]].concat();
                report(&verify(&folder, &binary, &words, arguments))
            });
            assert_eq!(one, two, "{words:?} {arguments:?}");
            let found = one["races"].as_array().map(Vec::len);
            let expected = if arguments.is_empty() { ("race-free", 0) } else { ("race", 1) };
            assert_eq!((one["verdict"].as_str(), found), (Some(expected.0), Some(expected.1)));
            let all = arguments.is_empty() || words.contains(&"--all");
            assert_eq!(one["stats"]["executions"] == 120, all, "{one}");
        }
    }
}

#[test]
fn random_search() {
    let (folder, binary) = built("random");
    let random = |workers, arguments: &[&str]| {
        let words = ["--random", "100", "--seed", "3", "--max-executions", "200", "--format", "json"];
        verify(&folder, &binary, &[&words[..], &["--workers", workers]].concat(), arguments)
    };
    let (one, two) = (random("1", &["race"]).expect_status(1), random("2", &["race"]).expect_status(1));
    assert_eq!(report(&one), report(&two));
    assert_eq!(
        (&report(&one)["verdict"], &report(&one)["scope"]),
        (&"race".into(), &"observed-schedule".into())
    );
    let file = folder.write("report.json", &one.stdout);
    let mut replay = tool();
    replay.args(["replay", "--witness"]).arg(file).arg("--").arg(&binary).arg("race");
    finish_within(replay.current_dir(folder.path("")), PATIENCE).unwrap().expect_status(1).says("on racy");
    let none = report(&random("2", &[]).expect_status(3));
    assert_eq!((&none["verdict"], &none["stats"]["executions"]), (&"inconclusive".into(), &200.into()));
    let distinct = none["stats"]["random"]["distinct"].as_u64().expect("a number");
    assert!((60..=120).contains(&distinct), "{distinct} of 5! orders");
}
