//! What the headers of the corpus say of one depth-first run is what `check` reports.

use crate::expect;

use expect::{Error, Program, Race, Verdict, corpus, programs_in};
use raceproof::strategy::DepthFirst;
use raceproof_cli::check::{Options, check};
use raceproof_core::event::{Event, SyncKind};
use raceproof_core::finding::{Grade, Report};
use raceproof_tp::execute;
use std::collections::BTreeSet;

/// Programs in which some race is reached only after another race has come out differently than in
/// the depth-first run. One run shows the first race, not all that may follow from it.
const SHOWN_IN_PART: [&str; 5] = [
    "examples/health_racy",
    "examples/knapsack_racy",
    "examples/netzer_fig2_1",
    "examples/netzer_parq",
    "examples/netzer_workq",
];

#[test]
fn check_says_what_the_headers_say() {
    let mut wrong = Vec::new();
    for program in corpus().chain(programs_in("docs/TP.md")) {
        let code = program.compiled();
        let checked = check(&code, &program.name, &Options::default())
            .unwrap_or_else(|error| panic!("{}: {error}", program.name));
        wrong.extend(differences(&program, &checked.report));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The formula of `programs/tp/README.md`, counted over the events of the run.
#[test]
fn computation_graphs_have_the_nodes_of_the_headers() {
    for program in corpus() {
        let Some(nodes) = program.expected.nodes else { continue };
        let code = program.compiled();
        let events = Vec::<Event>::new();
        let execution =
            execute::execute(&code, &program.name, events, &mut DepthFirst, execute::Bounds::default());
        let counted: u64 = execution.run.kernel.observer.iter().map(nodes_of).sum();
        assert_eq!(3 + counted, nodes, "{}", program.name);
    }
}

fn nodes_of(event: &Event) -> u64 {
    match event {
        Event::FinishBegin { .. } => 4,
        Event::Spawn { .. } | Event::Join { kind: SyncKind::Isolated, .. } => 2,
        // A future is a task that is got: one node more.
        Event::Join { kind: SyncKind::Future, .. } => 1,
        _ => 0,
    }
}

fn differences(program: &Program, report: &Report) -> Vec<String> {
    let Program { name, expected, .. } = program;
    let mut differences = Vec::new();
    if Verdict::of(report.verdict) != Some(expected.check) {
        differences.push(format!("{name}: {:?}, not {:?}", report.verdict, expected.check));
    }
    if expected.scope.is_some_and(|scope| scope != report.scope.into()) {
        differences.push(format!("{name}: {:?}, not {:?}", report.scope, expected.scope));
    }
    let certain = report.races.iter().filter(|race| race.grade >= Grade::Feasible);
    let found: BTreeSet<Race> = certain.map(Race::from).collect();
    for race in found.difference(&expected.races) {
        differences.push(format!("{name}: no schedule has {race:?}"));
    }
    if expected.check == Verdict::Race && !SHOWN_IN_PART.contains(&name.as_str()) {
        let missing = expected.races.difference(&found);
        differences.extend(missing.map(|race| format!("{name}: not shown: {race:?}")));
    }
    for error in report.errors.iter().map(Error::from) {
        if !expected.errors.contains(&error) {
            differences.push(format!("{name}: no schedule has {error:?}"));
        }
    }
    differences
}
