//! The TP corpus is well-formed: headers can be read, programs parse, sites are where they are said
//! to be.

use crate::expect;

use expect::{At, Scope, programs};
use raceproof_tp as tp;

const FOLDERS: [&str; 3] = ["zipper", "examples", "bench"];

/// Zipper, Table 3: the programs and the nodes of their computation graphs.
const TABLE_3: [(&str, u64); 27] = [
    ("ClumpedAcess", 11),
    ("PrimitiveArrayNoRace", 11),
    ("PrimitiveArrayRace", 11),
    ("SimpleSimple", 11),
    ("SimpleSimpleSimple2", 11),
    ("VectorAdd", 11),
    ("DataRaceIsolateSimple", 13),
    ("DoubleBranchExample", 13),
    ("DataRaceIsolateSimple1", 15),
    ("ForallWithIterable", 17),
    ("IsolatedBlockNo", 19),
    ("Add", 23),
    ("PrimeNumCounter", 23),
    ("PrimeNumCounterForAll", 27),
    ("ScalarMultiply", 27),
    ("TwoDimArrays", 27),
    ("ReciprocalArraySumFutures", 37),
    ("IntegerCounterIsolated", 43),
    ("PrimeNumCounterForAsync", 43),
    ("Antidep1VarYes", 45),
    ("Antidep2OrigYes", 45),
    ("ReciprocalArraySum", 53),
    ("PipelineWithFutures", 62),
    ("DoAll1OrigNo", 207),
    ("DoAll2OrigNo", 207),
    ("Antidep1OrigYes", 2005),
    ("Antidep2VarYes", 2005),
];

#[test]
fn every_program_parses() {
    for program in FOLDERS.into_iter().flat_map(programs) {
        if let Err(diagnostics) = tp::parse(&program.source) {
            panic!("{}", tp::diagnostic::render(&program.name, &program.source, &diagnostics, false));
        }
    }
}

#[test]
fn table_3_is_complete() {
    let mut expected = TABLE_3.map(|(name, nodes)| (format!("zipper/{name}"), Some(nodes)));
    expected.sort();
    let found: Vec<_> = programs("zipper").into_iter().map(|p| (p.name, p.expected.nodes)).collect();
    assert_eq!(found, expected);
}

/// A header's line numbers go stale when a line is added above: each must still be on an access of
/// the variable it names. (Cells of `new` have no name of their own at the access.)
#[test]
fn sites_of_races_are_accesses_of_the_location() {
    for program in FOLDERS.into_iter().flat_map(programs) {
        for race in &program.expected.races {
            let variable = race.location.split('[').next().unwrap_or_default();
            for site in [race.first.at, race.second.at] {
                let word = word_at(&program.source, site);
                let fits = word == variable || (variable.starts_with("new@") && !word.is_empty());
                assert!(fits, "{}: `{word}` at {site:?}, not `{variable}`", program.name);
            }
        }
    }
}

/// One run decides all schedules unless it passes through mutual exclusion, posts an event again,
/// or its end is a second set: which of two posts or sets is the first is the schedule's choice.
/// The programs of the corpus execute what they contain, so that their text decides.
#[test]
fn scopes_follow_from_mutual_exclusion() {
    for program in FOLDERS.into_iter().flat_map(programs) {
        let code = program.source.lines().map(|line| line.split("//").next().unwrap_or_default());
        let words: Vec<&str> = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric())).collect();
        let exclusive = ["isolated", "with", "P"].iter().any(|word| words.contains(word));
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let posts: Vec<&str> =
            words.windows(2).filter(|pair| pair[0] == "post").map(|pair| pair[1]).collect();
        let posted_again = posts.iter().enumerate().any(|(at, event)| posts[..at].contains(event));
        let second_set = program.expected.errors.iter().any(|error| error.kind == "second-set");
        let scope = if exclusive || posted_again || second_set {
            Scope::ObservedSchedule
        } else {
            Scope::AllSchedules
        };
        assert_eq!(program.expected.scope, Some(scope), "{}", program.name);
    }
}

fn word_at(source: &str, at: At) -> String {
    let line = source.lines().nth(at.line as usize - 1).unwrap_or_default();
    line.chars().skip(at.column as usize - 1).take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
