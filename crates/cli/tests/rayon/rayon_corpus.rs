//! Every program of `programs/rust`, built with `cargo raceproof` and run: does the report say what
//! the program's comments expect, that and nothing else?
//!
//! One program alone: `RACEPROOF_PROGRAM=mutex cargo test --test rayon rayon_corpus::` (a part of
//! its name).
#![cfg(unix)]

use crate::common;
use crate::native;
use crate::rayon;

use common::command::{Done, Folder, finish_within};
use native::expect::Expected;
use native::judge::mistakes;
use native::toolchain::{execute, tool};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Place, RaceAccess, Report};
use rayon::{PATIENCE, build, cargo_raceproof, corpus};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, thread};

/// The names of the programs.
fn programs() -> Vec<String> {
    let part = std::env::var("RACEPROOF_PROGRAM").unwrap_or_default();
    let files = fs::read_dir(corpus().join("src/bin")).expect("programs/rust is there");
    let names = files.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.contains(&part)).collect();
    names.sort();
    names
}

fn source(name: &str) -> PathBuf {
    corpus().join("src/bin").join(name).with_extension("rs")
}

/// Does something with every program on two threads; what is wrong, by the names of the programs.
fn with_all(names: Vec<String>, work: impl Fn(&str) -> Result<Vec<String>, String> + Sync) {
    assert!(!names.is_empty(), "no program has such a name");
    let (todo, wrong) = (Mutex::new(names), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(name) = todo.lock().unwrap().pop() else { break };
                    let found = work(&name).unwrap_or_else(|error| vec![error]);
                    wrong.lock().unwrap().extend(found.into_iter().map(|what| format!("{name}: {what}")));
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A link to the program in a folder of the test, where its report is written. (No copy: one that
/// another thread's child still has open cannot be run.)
fn linked(program: &Path, folder: &Folder) -> Result<PathBuf, String> {
    let link = folder.path(&format!("{}.out", program.file_name().unwrap_or_default().to_string_lossy()));
    std::os::unix::fs::symlink(program, &link).map_err(|error| format!("{}: {error}", program.display()))?;
    Ok(link)
}

fn judge_all(profile: &str) {
    let built = build("--bins", profile);
    let folder = Folder::new(&format!("rayon-{profile}"));
    with_all(programs(), |name| {
        let expected = Expected::read(&[&source(name)])?;
        let files = [format!("{name}.rs")];
        let program = linked(&built.join(name), &folder)?;
        if expected.run.is_none() {
            return Ok(mistakes(&expected, &files, &execute(&program, &expected)?));
        }
        let by_one = Expected { verdict: "race-free".to_owned(), ..Expected::default() };
        let once = mistakes(&by_one, &files, &execute(&program, &by_one)?);
        let all = verify(&program)?;
        Ok(once.into_iter().chain(mistakes(&expected, &files, &all)).collect())
    });
}

/// Runs a program under all schedules, and every race that is found under its witness.
fn verify(program: &Path) -> Result<Done, String> {
    let done = finish_within(tool().args(["verify", "--format", "json", "--"]).arg(program), PATIENCE)?;
    if done.status == Some(1) {
        let witness = program.with_extension("witness");
        fs::write(&witness, &done.stdout).map_err(|error| error.to_string())?;
        let replayed = finish_within(
            tool().args(["replay", "--witness"]).arg(witness).arg("--").arg(program),
            PATIENCE,
        )?;
        if replayed.status != Some(1) {
            return Err(format!("the witness does not show the race: {}", replayed.said()));
        }
    }
    Ok(done)
}

#[test]
fn every_program_is_judged_as_it_expects() {
    judge_all("dev");
}

#[test]
fn the_verdict_does_not_depend_on_optimisation() {
    judge_all("release");
}

/// The pairs of sites that race, each pair in one order.
fn pairs(text: &str) -> Result<BTreeSet<[(Place, AccessKind); 2]>, String> {
    let report: Report = serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))?;
    let side = |access: &RaceAccess| (access.at.clone(), access.access);
    let pair = |first, second| if first <= second { [first, second] } else { [second, first] };
    Ok(report.races.iter().map(|race| pair(side(&race.first), side(&race.second))).collect())
}

#[test]
fn the_trace_of_a_run_has_the_races_of_the_run() {
    let built = build("--bins", "dev");
    let folder = Folder::new("rayon-traces");
    // A trace orders the jobs of a thread that use its storage, and joins nested thousands deep
    // take minutes to record (docs/TRACE.md).
    let is_recorded = |name: &String| {
        !name.contains("faulty") && !["thread_owned_racy", "endless_norace"].contains(&name.as_str())
    };
    let recorded = programs().into_iter().filter(is_recorded).collect();
    with_all(recorded, |name| {
        let [trace, report] = ["rpt", "json"].map(|kind| folder.path(&format!("{name}.{kind}")));
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&report).arg("--trace").arg(&trace);
        finish_within(command.arg("--").arg(built.join(name)), PATIENCE)?;
        let run = pairs(&fs::read_to_string(&report).map_err(|error| format!("no report: {error}"))?)?;
        let analyzed = finish_within(tool().args(["analyze", "--format", "json"]).arg(&trace), PATIENCE)?;
        let trace = pairs(&analyzed.stdout)?;
        let same = run == trace;
        Ok(if same { Vec::new() } else { vec![format!("{run:?} in the run, {trace:?} in the trace")] })
    });
}

#[test]
fn cargo_runs_what_it_has_built() {
    let racy = cargo_raceproof(&["run", "--bin", "sum_racy"]).expect_status(1);
    racy.says("sum_racy::SUM")
        .says("src/bin/sum_racy.rs:11")
        .says("created by rayon at src/bin/sum_racy.rs:10");
    cargo_raceproof(&["run", "--bin", "fib_norace", "--threads", "2,3"])
        .expect_status(0)
        .says("no schedule of this program on this input with pools of 2 and 3 has a data race");
    let folder = Folder::new("rayon-cargo");
    let (trace, text) = (folder.path("run.rpt"), |path: &Path| path.to_string_lossy().into_owned());
    cargo_raceproof(&["run", "--bin", "join_racy", "--trace", &text(&trace)]).expect_status(1);
    finish_within(tool().arg("analyze").arg(&trace), PATIENCE)
        .unwrap()
        .expect_status(1)
        .says("join_racy::TOTAL");
}

#[test]
fn cargo_tests_what_it_has_built() {
    let clean = cargo_raceproof(&["test", "--test", "clean"])
        .says("2 passed")
        .says("race-free in the instrumented code: ");
    assert_eq!(clean.status, Some(0), "{clean:?}");
    cargo_raceproof(&["test", "--test", "racy"])
        .expect_status(1)
        .says("... data race")
        .says("1 failed")
        .says("tests/racy.rs:9");
}

#[test]
fn cargo_says_what_is_wrong() {
    cargo_raceproof(&["run", "--bin", "no_such_program"]).expect_status(2).says("no bin target named");
    cargo_raceproof(&["run", "--format", "xml"]).expect_status(2).says("invalid value 'xml'");
    cargo_raceproof(&["clippy"])
        .expect_status(2)
        .says("not one of build, run, test, bench, verify and replay");
}
