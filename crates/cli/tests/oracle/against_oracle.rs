//! Every detector and the verdict of `check` against the oracle, on generated programs.
//!
//! `RACEPROOF_CASES` programs a profile (2,000 unless set), from seed `RACEPROOF_SEED` on (0 unless
//! set). A failure prints the profile, the seed and the program.

use crate::oracle;

use crate::harness::{Case, is_known, judge_profile, judge_regressions, test_profiles, truth};
use oracle::{Outcome, Profile};
use raceproof_cli::check::{Checked, DetectorName, Options, check};
use raceproof_core::finding::{Grade, Race, Report, Scope, Verdict};
use raceproof_tp::code::Code;
use std::collections::BTreeSet;

/// What one program has to show; an error says what it did not.
fn judge(text: &str, _: &mut ()) -> Result<(), String> {
    let Some(Case { code, outcome }) = Case::new(text)? else { return Ok(()) };
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
        is_known(race, outcome)?;
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
        let truth = truth(outcome);
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

fn profile(profile: Profile) {
    judge_profile(profile, 2000, judge);
}

test_profiles! {
    profile: async_finish AsyncFinish, futures Futures, promises Promises, isolated Isolated, locks Locks, mixed Mixed
}

#[test]
fn regressions() {
    judge_regressions(judge);
}
