//! What the headers of the corpus say of all schedules is what `verify` reports.

use crate::expect;

use expect::{Error, Program, Race, Verdict, corpus, programs_in};
use raceproof_cli::verify::{Options, OrderName, verify};
use raceproof_core::finding::{self, Report, Scope};
use std::collections::BTreeSet;

/// Programs with too many classes to run them all in a test. `verify_counts.rs` has smaller
/// versions of them.
const TOO_MANY: &[(&str, OrderName)] = &[
    // 9! = 362,880: nine sections that all conflict.
    ("zipper/IntegerCounterIsolated", OrderName::Hb),
    // 48! / 4!^12, some 10^44: twelve tasks with four sections each.
    ("examples/indexer", OrderName::Hb),
];

/// Programs of which `--all` does not show every race.
const SHOWN_IN_PART: &[&str] = &[
    // Some race is reached only after another one has come out differently than in the executions
    // that are run: what is explored are the orders of choices, not those of racing accesses.
    "examples/health_racy",
    "examples/netzer_fig2_1",
    "examples/netzer_parq",
    "examples/netzer_workq",
    // 998 races, each shown by a run of a thousand tasks: how many of them is a matter of time.
    "zipper/Antidep1OrigYes",
    "zipper/Antidep2VarYes",
];

/// Executions to run of the programs that have too many.
const ENOUGH: u64 = 1_000;

#[test]
fn verify_says_what_the_headers_say() {
    let mut wrong = Vec::new();
    for program in corpus().chain(programs_in("docs/TP.md")) {
        let code = program.compiled();
        for order in [OrderName::Dc, OrderName::Hb] {
            let limit = too_many(&program.name, order).then_some(ENOUGH);
            let options = Options { order, workers: 2, max_executions: limit, ..Options::default() };
            let verified = verify(&code, &program.name, &options);
            let differences = differences(&program, &verified.report, limit.is_some());
            wrong.extend(differences.into_iter().map(|what| format!("{}, {order:?}: {what}", program.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With `--all` the search goes on past the first race.
#[test]
fn all_races_of_the_headers_are_shown() {
    let mut wrong = Vec::new();
    for program in corpus() {
        if program.expected.verdict != Verdict::Race {
            continue;
        }
        let options = Options { all: true, workers: 2, ..Options::default() };
        let verified = verify(&program.compiled(), &program.name, &options);
        let found = races(&verified.report);
        for race in found.difference(&program.expected.races) {
            wrong.push(format!("{}: no schedule has {race:?}", program.name));
        }
        if found.is_empty() {
            wrong.push(format!("{}: none is shown", program.name));
        }
        let missing = program.expected.races.difference(&found).count();
        if missing > 0 && !SHOWN_IN_PART.contains(&program.name.as_str()) {
            wrong.push(format!("{}: {missing} of {} not shown", program.name, program.expected.races.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn too_many(name: &str, order: OrderName) -> bool {
    TOO_MANY.contains(&(name, order))
}

fn differences(program: &Program, report: &Report, too_many: bool) -> Vec<String> {
    let Program { expected, .. } = program;
    let mut differences = Vec::new();
    if too_many {
        if report.verdict != finding::Verdict::Inconclusive || report.stats.executions != ENOUGH {
            differences.push(format!("{:?} after {} executions", report.verdict, report.stats.executions));
        }
        return differences;
    }
    if Verdict::of(report.verdict) != Some(expected.verdict) {
        differences.push(format!("{:?}, not {:?}: {:?}", report.verdict, expected.verdict, report.limits));
    }
    if report.scope != Scope::AllSchedules {
        differences.push(format!("the scope is {:?}", report.scope));
    }
    let found = races(report);
    differences.extend(found.difference(&expected.races).map(|race| format!("no schedule has {race:?}")));
    let errors: BTreeSet<Error> = report.errors.iter().map(Error::from).collect();
    differences.extend(errors.difference(&expected.errors).map(|error| format!("no schedule has {error:?}")));
    // A race ends the search before all errors have been seen.
    if expected.verdict == Verdict::ProgramError && errors != expected.errors {
        differences.push(format!("the errors are {errors:?}, not {:?}", expected.errors));
    }
    differences
}

fn races(report: &Report) -> BTreeSet<Race> {
    report.races.iter().map(Race::from).collect()
}
