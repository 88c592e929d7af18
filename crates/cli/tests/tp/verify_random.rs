//! Random search: what it finds, that it is the same for the same seed, and what it is refused.

use crate::common;

use common::command::{Folder, raceproof, run};
use raceproof_cli::verify::{Options, verify};
use raceproof_core::finding::{RandomSearch, Report, Scope, Verdict};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use serde_json::Value;

fn compiled(text: &str) -> Code {
    compile(&tp::parse(text).expect("the program is right"), &Source::new("f.tp", text))
}

/// A search of so many executions.
fn search(code: &Code, random: Option<u64>, executions: u64, workers: usize) -> Report {
    let options = Options { random, max_executions: Some(executions), workers, ..Options::default() };
    let mut report = verify(code, "f.tp", &options).report;
    report.stats.seconds = 0.0;
    report
}

/// Nine sections that all conflict have 362,880 orders. The race is in one of 120 of them: where
/// five tasks come in an order far from the first one, in which each comes after the one before it.
const FAR: &str = "
var c; var turn; var x; var at[9];
proc main() {
    finish {
        for i in 0..9 {
            async {
                isolated {
                    c = c * 3 + i;
                    turn = turn + 1;
                    at[i] = turn;
                }
            }
        }
    }
    if (at[4] < at[2] && at[2] < at[7] && at[7] < at[1] && at[1] < at[5]) {
        async { x = 1; }
        x = 2;
    }
}
";

const BUDGET: u64 = 1000;

#[test]
fn a_race_far_from_the_first_schedule_is_found() {
    let code = compiled(FAR);
    let exhaustive = search(&code, None, BUDGET, 2);
    assert_eq!((exhaustive.verdict, exhaustive.races.len()), (Verdict::Inconclusive, 0));
    for seed in 0..5 {
        let random = search(&code, Some(seed), BUDGET, 2);
        assert_eq!((random.verdict, random.scope), (Verdict::Race, Scope::ObservedSchedule), "seed {seed}");
        assert_eq!(random.races[0].location, "x");
        assert!(random.races[0].witness.is_some());
    }
}

/// Without a race the report says how little is known.
#[test]
fn without_a_race_nothing_is_promised() {
    let code = compiled("var c; proc main() { forall i in 0..3 { isolated { c = c * 2 + i; } } }");
    let report = search(&code, Some(7), 100, 1);
    assert_eq!((report.verdict, report.scope), (Verdict::Inconclusive, Scope::ObservedSchedule));
    assert_eq!(report.stats.random, Some(RandomSearch { seed: 7, distinct: 6 }), "3! orders");
    assert_eq!(
        report.limits,
        [
            "the search was random: 100 executions with seed 7, of which 6 differ; other schedules were not run"
        ]
    );
    assert_eq!(report.stats.executions_left, None);
    assert_eq!(report.determinate, Some(false), "two of them end in different states");
}

/// A deadlock is shown by the execution it happened in.
#[test]
fn deadlocks_are_found() {
    let text = "
lock a; lock b;
proc main() {
    finish {
        async { with a { with b { } } }
        async { with b { with a { } } }
    }
}
";
    let report = search(&compiled(text), Some(0), 200, 2);
    assert_eq!((report.verdict, report.scope), (Verdict::Deadlock, Scope::ObservedSchedule));
    assert!(report.deadlocks[0].witness.is_some());
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let code = compiled(FAR);
    for seed in [0, 1, u64::MAX] {
        let one = search(&code, Some(seed), BUDGET, 1);
        assert_eq!(one, search(&code, Some(seed), BUDGET, 1));
        assert_eq!(one, search(&code, Some(seed), BUDGET, 3), "three workers");
    }
    let executions = |seed| search(&code, Some(seed), BUDGET, 1).stats.executions;
    assert!((0..5).any(|seed| executions(seed) != executions(5)), "chance follows from the seed");
}

/// Tasks that wait by looking again and again are waited for by chance, not for ever by one that
/// has the highest priority.
#[test]
fn polling_ends() {
    let text = "
var flag; var x;
proc main() {
    finish {
        async {
            let seen = 0;
            while (seen == 0) { isolated { seen = flag; } }
            x = 1;
        }
        async { isolated { flag = 1; } x = 2; }
    }
}
";
    let report = search(&compiled(text), Some(0), 50, 1);
    assert_eq!(report.verdict, Verdict::Race, "{:?}", report.limits);
}

#[test]
fn the_command() {
    let folder = Folder::new("random");
    let program = folder.write("far.tp", FAR);
    let verify = |words: &[&str]| run(raceproof().arg("verify").arg(&program).args(words));
    let done = verify(&["--random", "60", "--seed", "1", "--format", "json"]).expect_status(1);
    let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!((&report["verdict"], &report["scope"]), (&"race".into(), &"observed-schedule".into()));
    assert_eq!(report["stats"]["random"]["seed"], 1);
    let file = folder.write("report.json", done.stdout);
    let replay = run(raceproof().arg("replay").arg(&program).arg("--witness").arg(&file));
    replay.expect_status(1).says("both accesses of x are next");
    // What makes no sense together.
    for (words, why) in [
        (&["--random", "1", "--checkpoint", "c.json"][..], "'--checkpoint <FILE>'"),
        (&["--random", "1", "--max-seconds", "2"], "'--max-seconds <S>'"),
        (&["--random", "1", "--determinism"], "'--determinism'"),
        (&["--seed", "1"], "--random <SECONDS>"),
        (&["--random", "soon"], "expected a number of seconds"),
        (&["--random", "1", "--seed", "x"], "invalid value 'x' for '--seed <N>'"),
    ] {
        verify(words).expect_status(2).says(why);
    }
    verify(&["--random", "0"]).expect_status(3).says("0 executions with seed 0");
}
