//! What the headers of the corpus say of one depth-first run is what `check` reports.

use crate::expect;

use expect::{Access, At, Error, Program, Race, Verdict, programs, programs_in};
use raceproof::strategy::DepthFirst;
use raceproof_cli::check::{Options, check};
use raceproof_core::event::{AccessKind, Event, SyncKind};
use raceproof_core::finding::{self, Grade, RaceAccess, Report};
use raceproof_tp::{self as tp, code::Code, compile::compile, execute, source::Source};
use std::collections::BTreeSet;

/// Programs in which some race is reached only after another race has come out differently than in the
/// depth-first run. One run shows the first race, not all that may follow from it.
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
    let corpus = ["zipper", "examples"].into_iter().flat_map(programs);
    for program in corpus.chain(programs_in("docs/TP.md")) {
        let code = compiled(&program);
        let checked = check(&code, &program.name, &Options::default())
            .unwrap_or_else(|error| panic!("{}: {error}", program.name));
        wrong.extend(differences(&program, &checked.report));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The formula of `programs/tp/README.md`, counted over the events of the run.
#[test]
fn computation_graphs_have_the_nodes_of_the_headers() {
    for program in ["zipper", "examples"].into_iter().flat_map(programs) {
        let Some(nodes) = program.expected.nodes else { continue };
        let code = compiled(&program);
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

fn compiled(program: &Program) -> Code {
    let tree = tp::parse(&program.source).expect("corpus.rs and docs.rs parse every program");
    compile(&tree, &Source::new(&program.name, &program.source))
}

fn differences(program: &Program, report: &Report) -> Vec<String> {
    let Program { name, expected, .. } = program;
    let mut differences = Vec::new();
    if verdict(report.verdict) != Some(expected.check) {
        differences.push(format!("{name}: {:?}, not {:?}", report.verdict, expected.check));
    }
    if expected.scope.is_some_and(|scope| scope != self::scope(report.scope)) {
        differences.push(format!("{name}: {:?}, not {:?}", report.scope, expected.scope));
    }
    let certain = report.races.iter().filter(|race| race.grade >= Grade::Feasible);
    let found: BTreeSet<Race> =
        certain.map(|race| Race::new(&race.location, access(&race.first), access(&race.second))).collect();
    for race in found.difference(&expected.races) {
        differences.push(format!("{name}: no schedule has {race:?}"));
    }
    if expected.check == Verdict::Race && !SHOWN_IN_PART.contains(&name.as_str()) {
        let missing = expected.races.difference(&found);
        differences.extend(missing.map(|race| format!("{name}: not shown: {race:?}")));
    }
    for error in report.errors.iter().map(error) {
        if !expected.errors.contains(&error) {
            differences.push(format!("{name}: no schedule has {error:?}"));
        }
    }
    differences
}

fn access(access: &RaceAccess) -> Access {
    Access {
        at: At { line: access.at.line, column: access.at.column },
        write: access.access == AccessKind::Write,
    }
}

fn error(error: &finding::ProgramError) -> Error {
    Error { kind: error.kind.clone(), at: At { line: error.at.line, column: error.at.column } }
}

fn verdict(verdict: finding::Verdict) -> Option<Verdict> {
    match verdict {
        finding::Verdict::RaceFree => Some(Verdict::RaceFree),
        finding::Verdict::Deadlock => Some(Verdict::Deadlock),
        finding::Verdict::ProgramError => Some(Verdict::ProgramError),
        finding::Verdict::Race => Some(Verdict::Race),
        finding::Verdict::Inconclusive => None,
    }
}

fn scope(scope: finding::Scope) -> expect::Scope {
    match scope {
        finding::Scope::AllSchedules => expect::Scope::AllSchedules,
        finding::Scope::ObservedSchedule => expect::Scope::ObservedSchedule,
    }
}
