//! Every detector and the verdict of `check` against the oracle, on generated programs.
//!
//! `RACEPROOF_CASES` programs a profile (2,000 unless set), from seed `RACEPROOF_SEED` on (0 unless set). A
//! failure prints the profile, the seed and the program.

use crate::oracle;

use oracle::{Limits, Outcome, Profile, Side, explore, generate, shrink};
use raceproof_cli::check::{Checked, DetectorName, Options, check};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Grade, Race, RaceAccess, Report, Scope, Verdict};
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use std::collections::BTreeSet;
use std::env;

fn setting(name: &str, default: u64) -> u64 {
    env::var(name)
        .map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name}={value} is no number")))
}

/// What one program has to show; an error says what it did not.
fn judge(text: &str) -> Result<(), String> {
    let program = tp::parse(text).map_err(|errors| format!("does not parse: {errors:?}"))?;
    let outcome = explore(&program, text, Limits::default());
    if !outcome.complete {
        return Ok(());
    }
    let code = compile(&program, &Source::new("f.tp", text));
    let report = run(&code, DetectorName::Default)?.report;
    compare(&report, &outcome)?;
    let locations = racy(&report, |_| true);
    for detector in DetectorName::ALL.into_iter().skip(1) {
        match check(&code, "f.tp", &Options { detector, ..Options::default() }) {
            // ESP-bags knows no order of sections: with isolated it may claim more, never less.
            Ok(other) if detector == DetectorName::EspBags && report.scope == Scope::ObservedSchedule => {
                let claimed = racy(&other.report, |_| true);
                if !claimed.is_superset(&locations) {
                    return Err(format!("esp-bags claims {claimed:?} of {locations:?}"));
                }
            }
            Ok(other) => {
                let found = racy(&other.report, |_| true);
                if found != locations {
                    return Err(format!("{} finds {found:?}, default {locations:?}", detector.name()));
                }
            }
            Err(refusal) => {
                if detector != DetectorName::EspBags {
                    return Err(refusal);
                }
            }
        }
    }
    Ok(())
}

fn run(code: &Code, detector: DetectorName) -> Result<Checked, String> {
    check(code, "f.tp", &Options { detector, ..Options::default() })
}

fn racy(report: &Report, which: impl Fn(&Race) -> bool) -> BTreeSet<&str> {
    report.races.iter().filter(|race| which(race)).map(|race| race.location.as_str()).collect()
}

fn compare(report: &Report, outcome: &Outcome) -> Result<(), String> {
    for race in report.races.iter().filter(|race| race.grade >= Grade::Feasible) {
        let mut sides = [side(&race.first), side(&race.second)];
        sides.sort();
        let known = oracle::Race { location: race.location.clone(), sides: (sides[0], sides[1]) };
        if !outcome.races.contains(&known) {
            return Err(format!("reported as feasible, unknown to the oracle: {known}"));
        }
    }
    // By the theory the first race of a run is always feasible, so some race must have a witness.
    if !report.races.is_empty() && report.races.iter().all(|race| race.grade < Grade::Feasible) {
        return Err("no race could be shown".into());
    }
    for error in &report.errors {
        let found = |other: &oracle::ProgramError| {
            (other.kind, other.line, other.task.as_str())
                == (error.kind.as_str(), error.at.line, error.task.as_str())
        };
        if !outcome.errors.iter().any(found) {
            return Err(format!("error unknown to the oracle: {error:?}, it has {:?}", outcome.errors));
        }
    }
    if !report.deadlocks.is_empty() && outcome.deadlocks.is_empty() {
        return Err(format!("deadlock unknown to the oracle: {:?}", report.deadlocks));
    }
    if report.scope == Scope::AllSchedules {
        let truth = if !outcome.races.is_empty() {
            Verdict::Race
        } else if !outcome.errors.is_empty() {
            Verdict::ProgramError
        } else if !outcome.deadlocks.is_empty() {
            Verdict::Deadlock
        } else {
            Verdict::RaceFree
        };
        if report.verdict != truth {
            return Err(format!("verdict {:?} for all schedules, the oracle's is {truth:?}", report.verdict));
        }
        if report.verdict == Verdict::RaceFree && outcome.final_states.len() != 1 {
            return Err(format!("race-free with {} final states", outcome.final_states.len()));
        }
        if report.determinate == Some(true) && !outcome.determinate {
            return Err("said to be determinate".into());
        }
    }
    Ok(())
}

fn side(access: &RaceAccess) -> Side {
    let kind = match access.access {
        AccessKind::Read => oracle::Access::Read,
        AccessKind::Write => oracle::Access::Write,
    };
    Side { access: kind, line: access.at.line, column: access.at.column }
}

fn profile(profile: Profile) {
    let first = setting("RACEPROOF_SEED", 0);
    for seed in first..first + setting("RACEPROOF_CASES", 2000) {
        let text = generate(profile, seed);
        if let Err(wrong) = judge(&text) {
            let small = shrink(&text, |text| judge(text).is_err());
            panic!("{profile:?}, seed {seed}: {wrong}\n{text}\nin short, for tests/regressions:\n{small}");
        }
    }
}

#[test]
fn async_finish() {
    profile(Profile::AsyncFinish);
}

#[test]
fn futures() {
    profile(Profile::Futures);
}

#[test]
fn promises() {
    profile(Profile::Promises);
}

#[test]
fn isolated() {
    profile(Profile::Isolated);
}

#[test]
fn locks() {
    profile(Profile::Locks);
}

#[test]
fn mixed() {
    profile(Profile::Mixed);
}

/// Programs that were once judged wrongly.
#[test]
fn regressions() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("its entries can be read").path();
        let text = std::fs::read_to_string(&path).expect("they are programs");
        if let Err(wrong) = judge(&text) {
            panic!("{}: {wrong}", path.display());
        }
        seen += 1;
    }
    assert!(seen >= 4, "{seen} programs");
}
