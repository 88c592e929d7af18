//! Generated programs of tasks and promises, run on HClib's interface and on the standard library's, and judged as TP: the verdict, the racing pairs, deadlocks
//! and second sets. `check` of TP is held to the oracle elsewhere; small programs are held to it here as well.
//!
//! `RACEPROOF_CASES` programs (some hundreds unless set), from seed `RACEPROOF_SEED` on (0 unless set).

use crate::common;
use crate::native;
use crate::oracle;

use common::command::{Folder, finish_within, root};
use common::seeds::seeds;
use native::generate::Random;
use native::promises::{ACCESSES, Maker, Written};
use native::toolchain::{compile, tool};
use raceproof_cli::check::{Options, check};
use raceproof_core::finding::{Report, Scope, Verdict};
use raceproof_tp::compile::compile as compile_tp;
use raceproof_tp::{parse, source::Source};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// What is compared: the pairs of accesses that race, by their numbers, whether there is a deadlock, and whether there is an
/// error. An error stops a task, and which of two stops is the schedule's choice: then nothing else is compared.
#[derive(PartialEq, Eq, Debug)]
struct Found {
    pairs: BTreeSet<(usize, usize)>,
    deadlock: bool,
    error: bool,
}

impl Found {
    fn new(pairs: impl Iterator<Item = (usize, usize)>, deadlock: bool, error: bool) -> Found {
        let sorted = pairs.map(|(a, b)| (a.min(b), a.max(b)));
        match error {
            true => Found { pairs: BTreeSet::new(), deadlock: false, error },
            false => Found { pairs: sorted.collect(), deadlock, error },
        }
    }
}

fn as_tp(written: &Written) -> Found {
    let text = &written.tp;
    let program = parse(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let code = compile_tp(&program, &Source::new("f.tp", text));
    let report = check(&code, "f.tp", &Options::default()).expect("it is checked").report;
    let pairs = report.races.iter().map(|race| (race.first.at.line, race.second.at.line));
    let pairs = pairs.map(|(a, b)| (by_line(written, a), by_line(written, b)));
    Found::new(pairs, !report.deadlocks.is_empty(), !report.errors.is_empty())
}

/// The same from all interleavings, if there are few.
fn as_oracle(written: &Written) -> Option<Found> {
    let program = parse(&written.tp).expect("it was parsed before");
    let limits = oracle::Limits { states: 3_000, work: 300_000, ..oracle::Limits::default() };
    let truth = oracle::explore(&program, &written.tp, limits);
    let pairs = truth.races.iter().map(|race| (race.sides.0.line, race.sides.1.line));
    let pairs = pairs.map(|(a, b)| (by_line(written, a), by_line(written, b)));
    let found = Found::new(pairs, !truth.deadlocks.is_empty(), !truth.errors.is_empty());
    truth.complete.then_some(found)
}

fn by_line(written: &Written, line: u32) -> usize {
    written.accesses.iter().position(|(_, at)| *at == line).expect("only accesses race")
}

/// The program that runs what it is told, and its source.
struct Runner {
    program: PathBuf,
    /// The first lines of the reads and of the writes in its source.
    reads: u32,
    writes: u32,
    folder: Folder,
}

impl Runner {
    fn new(name: &str, interface: &str) -> Runner {
        let folder = Folder::new(name);
        let sources = root().join("crates/cli/tests/support/native");
        let program = folder.path("promises");
        compile(&sources.join(interface), "-O1", &[], &program).expect("it compiles");
        let text = fs::read_to_string(sources.join("promises_words.h")).expect("it is there");
        let mut firsts = text.lines().zip(1..).filter(|(line, _)| line.contains("case 0:")).map(|(_, at)| at);
        let mut next = || firsts.next().expect("it reads and writes");
        Runner { program, reads: next(), writes: next(), folder }
    }

    /// The report, what was said, and whether a second set has ended the program.
    fn run(&self, words: &str, collects: bool) -> (Report, String, bool) {
        let file = self.folder.path("report.json");
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&file).arg("--").arg(&self.program).arg(words);
        let options = if collects { "collect=always" } else { "" };
        command.env("RACEPROOF_OPTIONS", options);
        let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let report =
            serde_json::from_str(&text).unwrap_or_else(|wrong| panic!("{wrong}: {words}: {}", done.stderr));
        let twice = done.stdout.contains("second set");
        (report, done.stderr, twice)
    }

    fn found(&self, report: &Report, words: &str, twice: bool) -> Found {
        let number = |line: u32| match line.checked_sub(self.writes) {
            Some(number) => number as usize,
            None => {
                let number = line.checked_sub(self.reads).filter(|number| (*number as usize) < ACCESSES);
                number.unwrap_or_else(|| panic!("a race in the runner, line {line}: {words}")) as usize
            }
        };
        let pairs = report.races.iter().map(|race| (number(race.first.at.line), number(race.second.at.line)));
        Found::new(pairs, !report.deadlocks.is_empty(), twice || !report.errors.is_empty())
    }
}

fn written(seed: u64) -> Written {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let items = Maker::new(&mut random).program();
    let written = Written::of(&items);
    assert!(written.accesses.len() <= ACCESSES, "seed {seed} makes too many accesses");
    written
}

/// HClib's interface, and the standard library's.
const HCLIB: &str = "promises.cpp";
const STD: &str = "promises_std.cpp";

fn compare(runner: &Runner, cases: u64) {
    let (mut racy, mut stuck, mut twice, mut by_oracle, mut cases_run) = (0, 0, 0, 0, 0);
    for seed in seeds(cases) {
        let written = written(seed);
        let expected = as_tp(&written);
        let words = &written.words;
        let (report, said, again) = runner.run(words, seed % 3 == 0);
        let found = runner.found(&report, words, again);
        assert_eq!(found, expected, "seed {seed}: {words}\n{}{said}", written.tp);
        if report.verdict == Verdict::RaceFree && !again {
            assert_eq!(report.scope, Scope::AllSchedules, "seed {seed}: {words}");
        }
        if let Some(truth) = as_oracle(&written) {
            assert_eq!(found, truth, "seed {seed}, against the oracle: {words}\n{}", written.tp);
            by_oracle += 1;
        }
        racy += u64::from(!expected.pairs.is_empty());
        stuck += u64::from(expected.deadlock);
        twice += u64::from(expected.error);
        cases_run += 1;
    }
    let cases = cases_run;
    println!(
        "{cases} programs: {racy} racy, {stuck} deadlocks, {twice} second sets, {by_oracle} held to the oracle"
    );
    let share = |count: u64, least: u64| cases < 100 || (count > cases / least && count < cases);
    assert!(share(racy, 5) && share(stuck, 20) && share(twice, 50), "{racy}, {stuck}, {twice} of {cases}");
    assert!(share(by_oracle, 10), "{by_oracle} of {cases} are small enough");
}

#[test]
fn promises_are_judged_as_in_tp_and_by_the_oracle() {
    compare(&Runner::new("promises-generated", HCLIB), 200);
}

#[test]
fn promises_of_the_standard_library_are_judged_as_in_tp_and_by_the_oracle() {
    compare(&Runner::new("promises-std-generated", STD), 200);
}

/// The program of PAPERS.md that a rule of the DRDP paper gets wrong: the task that has set a promise counts as going on while
/// the one it has woken, which waits again, lets `main` read what it wrote.
#[test]
fn a_setter_that_has_not_ended_orders_nothing_else() {
    for runner in [Runner::new("promises-active", HCLIB), Runner::new("promises-std-active", STD)] {
        a_setter_orders_nothing_else(&runner);
    }
}

fn a_setter_orders_nothing_else(runner: &Runner) {
    for (words, racy) in [
        ("t{g0;g1;}t{w0:0;s0;}r0:1;s1;", true),
        ("t{g0;g1;}t{w0:0;s0;}g0;r0:1;s1;", false),
        ("t{g0;g1;}t{s0;w0:0;}g0;r0:1;s1;", true),
    ] {
        for collects in [false, true] {
            let (report, said, _) = runner.run(words, collects);
            let expected = if racy { Verdict::Race } else { Verdict::RaceFree };
            assert_eq!(report.verdict, expected, "{words}: {said}");
            assert_eq!(report.scope, Scope::AllSchedules, "{words}");
        }
    }
}
