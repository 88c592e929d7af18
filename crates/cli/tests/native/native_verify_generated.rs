//! Generated programs with tasks, locks and branches, verified as C with OpenMP and as TP: the same
//! verdict and, where nothing ends the search early, as many executions. `verify` of TP is held to
//! the oracle; this holds the native one to it.
//!
//! `RACEPROOF_CASES` programs (40 unless set), from seed `RACEPROOF_SEED` on (0 unless set).
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Folder, finish_within, root};
use common::seeds::seeds;
use native::generate::{Item, Parts, Random, body, tp, words};
use native::toolchain::{compile, tool};
use raceproof_cli::verify::{Options, verify};
use raceproof_core::finding::{Report, Verdict};
use raceproof_tp::compile::compile as compile_tp;
use raceproof_tp::{parse, source::Source};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Programs that need more executions are left out: each is a process.
const MOST: u64 = 60;

/// The report about the program as TP; none if it takes too many executions.
fn verified_as_tp(items: &[Item]) -> Option<Report> {
    let text = tp(items);
    let program = parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let code = compile_tp(&program, &Source::new("f.tp", &text));
    // Nothing commutes in a native program.
    let options = Options { max_executions: Some(MOST), commuting: false, ..Options::default() };
    let report = verify(&code, "f.tp", &options).report;
    (report.verdict != Verdict::Inconclusive && report.limits.is_empty()).then_some(report)
}

#[test]
fn schedules_are_explored_as_in_tp() {
    explore("native-verify-generated", Parts::Locks);
}

/// That a lock is taken tells of what its last holder did, if it is known to have held it.
#[test]
fn locks_that_are_signals_are_understood_as_in_tp() {
    explore("native-verify-signals", Parts::Signals);
}

/// The verdict of one run, with options.
fn run(program: &Path, text: &str, options: &str) -> Verdict {
    let mut command = tool();
    command.args(["run", "--format", "json", "--"]).arg(program).arg(text).env("RACEPROOF_OPTIONS", options);
    let done = finish_within(&mut command, Duration::from_secs(60)).expect("it ends");
    let report: Report =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{text}: {error}: {}", done.stderr));
    report.verdict
}

/// What is given back in the course of a run does not change what is known of sections.
#[test]
fn sections_are_kept_as_long_as_they_matter() {
    let folder = Folder::new("native-signals-collected");
    let program = folder.path("tasks");
    compile(&root().join("crates/cli/tests/support/native/tasks.c"), "-O1", &[], &program)
        .expect("it compiles");
    for seed in seeds(60) {
        let text = words(&body(&mut Random(seed), 0, &mut 24, Parts::Signals));
        assert_eq!(run(&program, &text, ""), run(&program, &text, "collect=always"), "seed {seed}: {text}");
    }
}

fn explore(name: &str, parts: Parts) {
    let folder = Folder::new(name);
    let program = folder.path("tasks");
    compile(&root().join("crates/cli/tests/support/native/tasks.c"), "-O1", &[], &program)
        .expect("it compiles");
    let seeds = seeds(40);
    let cases = seeds.end - seeds.start;
    let (mut verdicts, mut undecided): (BTreeMap<String, u64>, u64) = Default::default();
    for seed in seeds {
        let items = body(&mut Random(seed), 0, &mut 16, parts);
        let Some(expected) = verified_as_tp(&items) else { continue };
        let text = words(&items);
        let mut command = tool();
        command.args(["verify", "--format", "json", "--"]).arg(&program).arg(&text);
        let done = finish_within(&mut command, Duration::from_secs(120)).expect("it ends");
        let found: Report = serde_json::from_str(&done.stdout)
            .unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}: {}", done.stderr));
        let about = || format!("seed {seed}: {text}\n{}\n{}", tp(&items), done.stdout);
        // All accesses stand in one place of the program, of which a pair is kept once: another
        // than that may be the one that can meet.
        if (parts, found.verdict, &expected.verdict)
            == (Parts::Signals, Verdict::Inconclusive, &Verdict::Race)
        {
            undecided += 1;
            continue;
        }
        assert_eq!(found.verdict, expected.verdict, "{}", about());
        if expected.verdict != Verdict::Race {
            assert_eq!(found.stats.executions, expected.stats.executions, "{}", about());
        }
        *verdicts.entry(format!("{:?}", expected.verdict)).or_default() += 1;
    }
    println!("{verdicts:?}, {undecided} races not decided");
    assert!(undecided <= cases / 10, "{undecided} of {cases} races are not decided");
    let many = |verdict: &str| verdicts.get(verdict).is_some_and(|&count| count > cases / 20);
    assert!(cases < 40 || (many("Race") && many("RaceFree")), "a test of one answer only: {verdicts:?}");
}
