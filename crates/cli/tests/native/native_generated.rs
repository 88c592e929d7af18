//! Generated task programs, run as C with OpenMP and judged as TP. `check` of TP is held to the
//! oracle; this holds the native runtime to `check`.
//!
//! `RACEPROOF_CASES` programs (some hundreds unless set), from seed `RACEPROOF_SEED` on (0 unless
//! set).

use crate::common;
use crate::native;

use common::command::{Folder, finish_within, root};
use common::seeds::seeds;
use native::generate::{Item, Parts, Random, body, siblings, tp, words};
use native::toolchain::{compile, tool};
use raceproof_cli::check::{Options, check};
use raceproof_core::finding::Verdict;
use raceproof_tp::compile::compile as compile_tp;
use raceproof_tp::{parse, source::Source};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn is_racy_as_tp(items: &[Item]) -> bool {
    let text = tp(items);
    let program = parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let code = compile_tp(&program, &Source::new("f.tp", &text));
    let report = check(&code, "f.tp", &Options::default()).expect("it is checked").report;
    assert!(matches!(report.verdict, Verdict::Race | Verdict::RaceFree), "{:?}\n{text}", report.verdict);
    report.verdict == Verdict::Race
}

/// The program that runs what it is told.
fn program(folder: &Folder) -> PathBuf {
    let program = folder.path("tasks");
    compile(&root().join("crates/cli/tests/support/native/tasks.c"), "-O1", &[], &program)
        .expect("it compiles");
    program
}

/// How a program is run: by so many threads, with all done twice, and with collections at every
/// turn.
#[derive(Clone, Copy, Debug)]
struct Way {
    threads: u64,
    twice: bool,
    collects: bool,
}

/// Whether a race is found where it runs these words; and what else was said.
fn is_racy(program: &Path, folder: &Folder, text: &str, way: Way) -> (bool, String) {
    let Way { threads, twice, collects } = way;
    let report = folder.path("report.json");
    let mut command = tool();
    command.args(["run", "--format", "json", "-o"]).arg(&report).arg("--").arg(program).arg(text);
    command.env("OMP_NUM_THREADS", threads.to_string());
    if twice {
        command.arg("twice");
    }
    if collects {
        command.env("RACEPROOF_OPTIONS", "collect=always");
    }
    let done = finish_within(&mut command, Duration::from_secs(60)).expect("it runs");
    let found = fs::read_to_string(&report).unwrap_or_default();
    (found.contains("\"verdict\": \"race\""), done.stderr)
}

fn judge_as_in_tp(name: &str, cases: u64, make: impl Fn(&mut Random) -> Vec<Item>, way: impl Fn(u64) -> Way) {
    let folder = Folder::new(name);
    let program = program(&folder);
    let seeds = seeds(cases);
    let (mut racy, cases) = (0, seeds.end - seeds.start);
    for seed in seeds {
        let items = make(&mut Random(seed));
        let expected = is_racy_as_tp(&items);
        let text = words(&items);
        let (found, said) = is_racy(&program, &folder, &text, way(seed));
        assert_eq!(found, expected, "seed {seed}: {text}: {said}");
        racy += u64::from(expected);
    }
    assert!(
        cases < 100 || (racy > cases / 10 && racy < cases),
        "{racy} of {cases} are racy: a test of one answer only"
    );
}

#[test]
fn tasks_are_judged_as_in_tp() {
    let make = |random: &mut Random| body(random, 0, &mut 16, Parts::Tasks);
    let way = |seed| Way { threads: 4, twice: seed % 4 > 0, collects: seed % 4 == 3 };
    judge_as_in_tp("native-generated", 300, make, way);
}

#[test]
fn many_siblings_are_judged_as_in_tp() {
    // Large ones mostly race in several ways.
    let make = |random: &mut Random| {
        let mut budget = 5 + random.below(30) as u32;
        siblings(random, 0, &mut budget, Parts::Tasks)
    };
    // Tasks of different threads are told apart.
    let way = |seed| Way { threads: 2 + seed % 2, twice: seed % 4 > 0, collects: seed % 5 != 0 };
    judge_as_in_tp("native-siblings", 200, make, way);
}

/// What is found with locks depends on the run; not on what was collected meanwhile.
#[test]
fn collections_change_no_verdict_with_locks() {
    let folder = Folder::new("native-collected");
    let program = program(&folder);
    for seed in seeds(150) {
        let random = &mut Random(seed);
        let items = match seed % 3 {
            0 => body(random, 0, &mut 24, Parts::Signals),
            _ => siblings(random, 0, &mut 24, Parts::Locks),
        };
        let text = words(&items);
        let way = Way { threads: 2, twice: seed % 4 > 0, collects: false };
        let [plain, collected] =
            [false, true].map(|collects| is_racy(&program, &folder, &text, Way { collects, ..way }));
        assert_eq!(plain.0, collected.0, "seed {seed}: {text}: {}", collected.1);
    }
}

/// Holds the verdict on these words, with all done twice and not, with collections at every turn
/// and without.
fn judge(name: &str, programs: &[(&str, bool)]) {
    let folder = Folder::new(name);
    let program = program(&folder);
    for &(text, expected) in programs {
        for (threads, twice, collects) in
            [(4, false, false), (2, true, false), (2, false, true), (4, true, true)]
        {
            let way = Way { threads, twice, collects };
            let (found, said) = is_racy(&program, &folder, text, way);
            assert_eq!(found, expected, "{text}, {way:?}: {said}");
        }
    }
}

/// Tasks that were waited for one by one, since a task of one of them goes on, are known to who has
/// waited, before all else in their region is.
#[test]
fn tasks_waited_for_one_by_one_stand_for_none() {
    judge("native-one-by-one", &[("t{t{r0}t{t{r1}}jt{r0}w0}", true), ("t{t{r0}t{t{r1}}jt{r0}jw0}", false)]);
}

/// One of two ended siblings that younger ones may wait for does not count as the other, whatever
/// thread they have run on.
#[test]
fn tasks_that_siblings_wait_for_count_for_themselves() {
    judge(
        "native-awaited",
        &[
            ("o0{r1}o1{w0}o0{r0}", true),
            ("o0{r1}t{r2}o1{w0}t{r2}o0{r0}", true),
            ("o0{r1}t{r2}t{r2}o1{w0}t{r2}o0{r0}", true),
            ("o0{r1}t{r2}o1{w0}t{r2}o1{r0}", false),
            ("o0{w1}t{r2}t{r2}o1{w0}t{r2}t{r2}o0{r1}o1{r0}", false),
            // One that the end of a group waits for has waited for another from before the group.
            ("t{o0{w1}g{i0{r0}}t{r1}}", false),
            ("t{o0{w1}g{i0{r0}t{r0}}w1}", false),
            ("t{o0{w1}g{i1{r0}}t{r1}}", true),
        ],
    );
}

/// What an ended task has done is known to those that its creator makes once it was waited for, and
/// to nobody before.
#[test]
fn ended_tasks_are_known_when_they_were_waited_for() {
    judge(
        "native-ended",
        &[
            ("t{r1}t{r1}t{r0}t{r1}t{w0}", true),
            ("t{r1}t{r1}t{r0}t{r1}jt{w0}", false),
            ("g{t{r0}t{r0}}t{r1}t{r0}t{w0}", true),
            ("g{t{r0}t{r0}}t{r1}t{r1}t{w0}", false),
            ("t{t{r0}t{r0}jr0}t{t{r0}t{r0}jr0}w0", true),
            ("t{t{r0}t{r0}jr0}t{t{r0}t{r0}jr0}jw0", false),
            ("w0t{r0}r1t{r0}w1t{r0}r2", false),
            ("r0t{r1}r0t{t{w0}}r0t{r1}r0", true),
        ],
    );
}
