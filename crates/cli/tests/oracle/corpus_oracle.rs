//! What the headers of the corpus and of the documentation say is what the oracle finds over all
//! schedules.

use crate::expect;
use crate::harness::truth;
use crate::oracle;

use expect::{Access, At, Error, Expected, Program, Race, Scope, Verdict, programs, programs_in};
use oracle::{Limits, Outcome, explore};
use std::collections::BTreeSet;

/// Far more than the biggest program needs (some 30,000): a program past it belongs into
/// [`SMALLER`].
const STATES: usize = 200_000;

/// A program that is too big for the oracle, and how to make it smaller.
struct Smaller {
    name: &'static str,
    /// Numbers to replace, in the code by others of the same width, so that columns stay.
    numbers: &'static [(&'static str, &'static str)],
    /// The racy cells in the header, and which they are in the smaller program.
    cells: Option<(&'static str, &'static str)>,
}

const SMALLER: [Smaller; 19] = [
    Smaller { name: "zipper/Add", numbers: &[("4", "2"), ("2", "1"), ("16", "08")], cells: None },
    Smaller {
        name: "zipper/Antidep1OrigYes",
        numbers: &[("1000", "0005"), ("999", "004"), ("500", "002")],
        cells: Some(("a[1..999]", "a[1..4]")),
    },
    Smaller {
        name: "zipper/Antidep2VarYes",
        numbers: &[("1000", "0005"), ("999", "004")],
        cells: Some(("a[1..999]", "a[1..4]")),
    },
    Smaller {
        name: "zipper/Antidep1VarYes",
        numbers: &[("20", "02"), ("19", "03"), ("400", "008")],
        cells: Some(("a[20..380]", "a[2..6]")),
    },
    Smaller {
        name: "zipper/Antidep2OrigYes",
        numbers: &[("20", "02"), ("19", "03"), ("400", "008"), ("10", "01")],
        cells: Some(("a[20..380]", "a[2..6]")),
    },
    Smaller { name: "zipper/DoAll1OrigNo", numbers: &[("100", "004")], cells: None },
    Smaller { name: "zipper/DoAll2OrigNo", numbers: &[("100", "003"), ("10000", "00009")], cells: None },
    Smaller {
        name: "zipper/ReciprocalArraySum",
        numbers: &[("1000", "0006"), ("500", "003"), ("5", "2")],
        cells: None,
    },
    Smaller {
        name: "zipper/ReciprocalArraySumFutures",
        numbers: &[("1000", "0006"), ("500", "003"), ("5", "2")],
        cells: None,
    },
    Smaller { name: "zipper/ScalarMultiply", numbers: &[("10", "03"), ("100", "009")], cells: None },
    Smaller { name: "zipper/TwoDimArrays", numbers: &[("10", "04"), ("100", "016")], cells: None },
    Smaller { name: "bench/fib", numbers: &[("25", "04")], cells: None },
    Smaller { name: "bench/forall", numbers: &[("1000", "0005")], cells: None },
    Smaller { name: "bench/forkjoin", numbers: &[("1000", "0005")], cells: None },
    Smaller { name: "bench/matmul", numbers: &[("128", "002")], cells: None },
    Smaller { name: "bench/pipeline", numbers: &[("1000", "0003")], cells: None },
    Smaller { name: "bench/pipeline_blocked", numbers: &[("1000", "0003")], cells: None },
    Smaller { name: "bench/stencil", numbers: &[("1024", "0006"), ("32", "03")], cells: None },
    // Two tasks a collision apart instead of twelve.
    Smaller { name: "examples/indexer", numbers: &[("12", "02"), ("11", "01")], cells: None },
];

#[test]
fn headers_of_the_corpus_agree_with_the_oracle() {
    let programs = ["zipper", "examples", "bench"].into_iter().flat_map(programs);
    let smaller = programs.map(|program| match SMALLER.iter().find(|smaller| smaller.name == program.name) {
        Some(smaller) => smaller.apply(program),
        None => program,
    });
    assert_agreement(smaller);
}

#[test]
fn headers_of_the_tp_page_agree_with_the_oracle() {
    assert_agreement(programs_in("docs/TP.md"));
}

fn assert_agreement(programs: impl IntoIterator<Item = Program>) {
    let mut wrong = Vec::new();
    for program in programs {
        let tree = raceproof_tp::parse(&program.source)
            .unwrap_or_else(|error| panic!("{}: {error:?}", program.name));
        let limits = Limits { states: STATES, ..Limits::default() };
        wrong.extend(differences(&program, &explore(&tree, &program.source, limits)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

impl Smaller {
    fn apply(&self, program: Program) -> Program {
        let source: String = program.source.lines().map(|line| self.line(line) + "\n").collect();
        assert_ne!(source, program.source, "{}: nothing to replace", program.name);
        let expected = Expected::read(&source).unwrap_or_else(|error| panic!("{}: {error}", program.name));
        Program { name: format!("{} (smaller)", program.name), source, expected }
    }

    fn line(&self, line: &str) -> String {
        if line.starts_with("//") {
            let (from, to) = self.cells.unwrap_or_default();
            return if from.is_empty() { line.into() } else { line.replace(from, to) };
        }
        let mut smaller = String::new();
        let mut rest = line;
        while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
            let end = rest[at..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| at + n);
            let number = &rest[at..end];
            let replaced = self.numbers.iter().find(|(from, _)| *from == number);
            smaller += &rest[..at];
            smaller += replaced.map_or(number, |(_, to)| to);
            rest = &rest[end..];
        }
        smaller + rest
    }
}

fn differences(program: &Program, outcome: &Outcome) -> Vec<String> {
    let Program { name, expected, .. } = program;
    if !outcome.complete {
        return vec![format!("{name}: too big, {} states were not enough", outcome.states)];
    }
    let races: BTreeSet<Race> = outcome.races.iter().map(race).collect();
    let errors: BTreeSet<Error> = outcome.errors.iter().map(error).collect();
    let verdict = Verdict::of(truth(outcome)).expect("the oracle decides");
    let mut differences = Vec::new();
    if verdict != expected.verdict {
        differences.push(format!("{name}: {verdict:?}, not {:?}", expected.verdict));
    }
    if verdict == Verdict::RaceFree && expected.scope == Some(Scope::AllSchedules) && !outcome.determinate {
        differences.push(format!("{name}: race-free without mutual exclusion, but not determinate"));
    }
    differences.extend(compare(name, &races, &expected.races));
    differences.extend(compare(name, &errors, &expected.errors));
    differences
}

fn compare<T: Ord + std::fmt::Debug>(name: &str, found: &BTreeSet<T>, expected: &BTreeSet<T>) -> Vec<String> {
    let missing = found.difference(expected).map(|one| format!("{name}: the header lacks {one:?}"));
    let wrong = expected.difference(found).map(|one| format!("{name}: not found: {one:?}"));
    missing.chain(wrong).collect()
}

fn race(race: &oracle::Race) -> Race {
    let access = |side: oracle::Side| Access {
        at: At { line: side.line, column: side.column },
        write: side.access == oracle::Access::Write,
    };
    Race::new(&race.location, access(race.sides.0), access(race.sides.1))
}

fn error(error: &oracle::ProgramError) -> Error {
    Error { kind: error.kind.into(), at: At { line: error.line, column: error.column } }
}
