//! Every witness that `check` and `verify` report replays to what it is a witness of; what is no
//! witness is refused.
//!
//! `RACEPROOF_CASES` programs a profile (200 unless set), from seed `RACEPROOF_SEED` on (0 unless
//! set).

use crate::oracle;

use crate::common::seeds::seeds;
use crate::harness::judge_profile;
use oracle::{Profile, generate};
use raceproof::limits::Limits;
use raceproof_cli::check;
use raceproof_cli::replay::{Finding, play, replay};
use raceproof_cli::{shared::witness_file, verify};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Place, Report, Witness};
use raceproof_core::order::OrderName;
use raceproof_report::json;
use raceproof_report::playback::{Of, Op};
use raceproof_report::replay::{End, render};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};

/// Where what a witness stands for is, in a form that can be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Shown {
    Race(String, [(String, Place); 2]),
    /// The tasks that wait.
    Deadlock(Vec<String>),
    Error(String, String, Place),
}

/// What the findings of a report with a witness say, in the order in which `--finding` counts them.
fn said(report: &Report) -> Vec<Shown> {
    let races = report.races.iter().filter(|race| race.witness.is_some()).map(|race| {
        let sides = [&race.first, &race.second].map(|side| (side.task.clone(), side.at.clone()));
        Shown::Race(race.location.clone(), sides)
    });
    let deadlocks = report.deadlocks.iter().filter(|deadlock| deadlock.witness.is_some()).map(|deadlock| {
        let mut tasks: Vec<String> = deadlock.waiting.iter().map(|waiting| waiting.task.clone()).collect();
        tasks.sort();
        Shown::Deadlock(tasks)
    });
    let errors = report
        .errors
        .iter()
        .filter(|error| error.witness.is_some())
        .map(|error| Shown::Error(error.kind.clone(), error.task.clone(), error.at.clone()));
    races.chain(deadlocks).chain(errors).collect()
}

fn shown(end: End) -> Shown {
    match end {
        End::Race { location, first, second } => {
            let sides = [first, second].map(|side| (side.task, side.at.expect("an access has a place")));
            Shown::Race(location, sides)
        }
        End::Deadlock(stuck) => {
            let mut tasks: Vec<String> = stuck.into_iter().map(|standing| standing.task).collect();
            tasks.sort();
            Shown::Deadlock(tasks)
        }
        End::Error { kind, task, at, .. } => Shown::Error(kind.into(), task, at),
    }
}

fn reports(code: &Code) -> Vec<(&'static str, Report)> {
    let checked = |order| {
        let options = check::Options { order, ..check::Options::default() };
        check::check(code, "f.tp", &options).expect("the default detector judges every program").report
    };
    let all = verify::Options { all: true, max_executions: Some(200), ..verify::Options::default() };
    vec![
        ("check", checked(None)),
        ("check --order dc", checked(Some(OrderName::Dc))),
        ("verify --all", verify::verify(code, "f.tp", &all).report),
    ]
}

fn compiled(text: &str) -> (Source, Code) {
    let source = Source::new("f.tp", text);
    let code = compile(&tp::parse(text).expect("generated programs parse"), &source);
    (source, code)
}

/// Plays the `at`th finding with a witness back: it ends in what the finding says.
fn plays(code: &Code, source: &Source, report: &Report, at: usize) -> Result<(), String> {
    let races = report.races.iter().filter(|race| race.witness.is_some()).map(Finding::Race);
    let deadlocks = report.deadlocks.iter().filter(|of| of.witness.is_some()).map(Finding::Deadlock);
    let errors = report.errors.iter().filter(|of| of.witness.is_some()).map(Finding::Error);
    let finding = races.chain(deadlocks).chain(errors).nth(at).ok_or("no such finding")?;
    let played = play(code, source, (Of::Race(0), finding), Limits::default(), 2000)?;
    let last = |op: Op| played.actions.last().is_some_and(|action| action.op == op);
    let is_right = match finding {
        Finding::Race(race) => played.racing.is_some_and(|racing| {
            let made = racing.map(|index| &played.actions[index as usize]);
            made.iter().zip([&race.first, &race.second]).all(|(action, side)| {
                let task = &played.tasks[action.task as usize];
                let is_read = side.access == AccessKind::Read;
                action.op == if is_read { Op::Read } else { Op::Write }
                    && action.at.as_ref() == Some(&side.at)
                    && action.location.as_ref() == Some(&race.location)
                    && action.value.is_some()
                    && *task == side.task
            })
        }),
        Finding::Deadlock(_) => last(Op::Stuck),
        Finding::Error(_) => last(Op::Fail),
    };
    if is_right { Ok(()) } else { Err(format!("it plays {played:?}")) }
}

/// How many witnesses of a program replayed.
fn all_replay(text: &str) -> Result<usize, String> {
    let (source, code) = compiled(text);
    let program = witness_file::fingerprint(text);
    let mut count = 0;
    for (command, mut report) in reports(&code) {
        report.stamp(&program);
        let written = json::render(&report);
        for (at, expected) in said(&report).into_iter().enumerate() {
            let wrong = |wrong: String| format!("{command}, finding {}, {expected:?}: {wrong}", at + 1);
            let witness = witness_file::read("r.json", &written, at + 1, &program).map_err(wrong)?;
            let replayed = replay(&code, &source, &witness, Limits::default()).map_err(wrong)?;
            render(&replayed, &source.text, true);
            plays(&code, &source, &report, at).map_err(wrong)?;
            let found: Vec<Shown> = replayed.ends.into_iter().map(shown).collect();
            if !found.contains(&expected) {
                return Err(wrong(format!("it replays to {found:?}")));
            }
            count += 1;
        }
    }
    Ok(count)
}

#[test]
fn witnesses_replay_to_what_was_reported() {
    let judge = |text: &str, count: &mut usize| all_replay(text).map(|replayed| *count += replayed);
    let count: usize = Profile::ALL.into_iter().map(|profile| judge_profile(profile, 200, judge)).sum();
    let cases = seeds(200).count();
    assert!(count > cases, "only {count} witnesses in all of {cases} programs a profile");
}

/// Schedules with segments dropped, doubled and changed.
fn changed(witness: &Witness) -> Vec<Witness> {
    let mut all = Vec::new();
    for at in 0..witness.schedule.len() {
        let mut with = |change: &dyn Fn(&mut Witness)| {
            let mut other = witness.clone();
            change(&mut other);
            all.push(other);
        };
        with(&|other| drop(other.schedule.remove(at)));
        with(&|other| other.schedule.insert(at, other.schedule[at].clone()));
        with(&|other| other.schedule[at].actions += 1);
        with(&|other| other.schedule[at].actions = u64::MAX);
        with(&|other| other.schedule[at].actions -= 1);
        with(&|other| other.schedule[at].task += "/1");
        with(&|other| other.schedule[at].task = "main/1*4000000000".into());
        with(&|other| other.schedule.truncate(at));
    }
    all
}

#[test]
fn no_witness_makes_it_panic() {
    let mut refused = 0;
    for profile in Profile::ALL {
        for seed in 0..10 {
            let text = generate(profile, seed);
            let (source, code) = compiled(&text);
            let program = witness_file::fingerprint(&text);
            let (_, mut report) = reports(&code).swap_remove(0);
            report.stamp(&program);
            let written = json::render(&report);
            let Ok(witness) = witness_file::read("r.json", &written, 1, &program) else { continue };
            assert!(witness_file::read("r.json", &written, 1, "another").is_err());
            assert!(witness_file::read("r.json", &written, usize::MAX, &program).is_err());
            for other in changed(&witness) {
                match replay(&code, &source, &other, Limits::default()) {
                    Ok(replayed) => drop(render(&replayed, &source.text, true)),
                    Err(wrong) => refused += usize::from(!wrong.is_empty()),
                }
            }
            let bytes = written.as_bytes();
            for at in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
                let cut = String::from_utf8_lossy(&bytes[..at]);
                assert!(witness_file::read("r.json", &cut, 1, &program).is_err(), "{cut}");
                let mut flipped = bytes.to_vec();
                flipped[at] ^= 1 << (at % 7);
                let flipped = String::from_utf8_lossy(&flipped);
                if let Ok(other) = witness_file::read("r.json", &flipped, 1, &program) {
                    let _ = replay(&code, &source, &other, Limits::default());
                }
            }
        }
    }
    assert!(refused > 0);
}
