//! `verify` against the oracle on generated programs: verdict, races, deadlocks, errors,
//! determinacy and what it is due to; the same with any number of workers and under every order.
//!
//! `RACEPROOF_CASES` programs a profile (2,000 unless set), from seed `RACEPROOF_SEED` on (0 unless
//! set).

use crate::oracle;

use crate::harness::{
    Case, is_known, judge_generated, judge_profile, judge_regressions, test_profiles, truth,
};
use oracle::{Outcome, Profile, additions, choices};
use raceproof_cli::verify::{Options, OrderName, Pace, Verified, verify};
use raceproof_core::finding::{Grade, Report, Scope, Verdict};

fn judge(text: &str, _: &mut ()) -> Result<(), String> {
    let Some(Case { code, outcome }) = Case::new(text)? else { return Ok(()) };
    let run = |order, workers| verify(&code, "f.tp", &Options { order, workers, ..Options::default() });
    let dc = run(OrderName::Dc, 1);
    compare(&dc.report, &outcome).map_err(|wrong| format!("dc: {wrong}"))?;
    let without = Options { workers: 1, commuting: false, ..Options::default() };
    let plain = verify(&code, "f.tp", &without).report;
    compare(&plain, &outcome).map_err(|wrong| format!("no commuting: {wrong}"))?;
    if plain.verdict != Verdict::Race && dc.report.stats.executions > plain.stats.executions {
        return Err("additions that commute take more executions".into());
    }
    for order in [OrderName::Hb, OrderName::Wcp] {
        let (name, other) = (order.name(), run(order, 1).report);
        compare(&other, &outcome).map_err(|wrong| format!("{name}: {wrong}"))?;
        let (fewer, more) = (dc.report.stats.executions, other.stats.executions);
        if dc.report.verdict != Verdict::Race && fewer > more {
            return Err(format!("dc takes {fewer} executions, {name} {more}"));
        }
    }
    // What makes a program end in different states is listed; a list may be longer than that, since
    // orders that differ can end alike.
    if dc.report.verdict == Verdict::RaceFree && !outcome.determinate {
        let listed = verify(&code, "f.tp", &Options { determinism: true, workers: 1, ..Options::default() });
        if listed.report.general_races.is_empty() {
            return Err("ends in different states, and no general race is listed".into());
        }
    }
    // As shares of few executions, a short search has something to share, too.
    let few = Pace { short: 2, subtrees: 6, quota: 2 };
    for pace in [Pace::default(), few] {
        let [one, three] = [1, 3]
            .map(|workers| essence(&verify(&code, "f.tp", &Options { workers, pace, ..Options::default() })));
        if one != three {
            return Err(format!("{pace:?}: three workers: {three:?}, one: {one:?}"));
        }
    }
    let shared = verify(&code, "f.tp", &Options { pace: few, ..Options::default() });
    compare(&shared.report, &outcome).map_err(|wrong| format!("shared: {wrong}"))
}

/// A random search says nothing that is not so, the same with any number of workers.
fn judge_random(text: &str, found: &mut u64) -> Result<(), String> {
    let Some(Case { code, outcome }) = Case::new(text)? else { return Ok(()) };
    let truth = truth(&outcome);
    for order in [OrderName::Dc, OrderName::Hb] {
        let [one, three] = [1, 3].map(|workers| {
            let (random, max_executions) = (Some(1), Some(20));
            let pace = Pace { short: 2, subtrees: 3, quota: 2 };
            let options = Options { order, random, max_executions, workers, pace, ..Options::default() };
            verify(&code, "f.tp", &options)
        });
        if essence(&one) != essence(&three) || one.report.stats.random != three.report.stats.random {
            return Err(format!("three workers: {:?}, one: {:?}", essence(&three), essence(&one)));
        }
        let report = one.report;
        if report.scope != Scope::ObservedSchedule || report.verdict == Verdict::RaceFree {
            return Err(format!("{:?} for {:?}", report.verdict, report.scope));
        }
        let races = report.races.iter().filter(|race| race.grade >= Grade::Feasible);
        races.clone().try_for_each(|race| is_known(race, &outcome))?;
        if races.clone().any(|race| race.witness.is_none()) {
            return Err("a race without a witness".into());
        }
        let known = match report.verdict {
            Verdict::Race => races.count() > 0,
            Verdict::ProgramError => !outcome.errors.is_empty(),
            Verdict::Deadlock => !outcome.deadlocks.is_empty(),
            _ => true,
        };
        if !known {
            return Err(format!("{:?}, the oracle says {truth:?}", report.verdict));
        }
        *found += u64::from(report.verdict == truth && truth != Verdict::RaceFree);
    }
    Ok(())
}

#[test]
fn random_searches() {
    for profile in [Profile::Isolated, Profile::Locks, Profile::Promises, Profile::Mixed] {
        let found = judge_profile(profile, 300, judge_random);
        assert!(found > 0, "{profile:?}: nothing is found");
    }
    judge_generated("choices", 300, choices, judge_random);
}

/// What must not depend on the number of workers.
fn essence(verified: &Verified) -> (Verdict, u64, u64, String) {
    let Report { verdict, races, deadlocks, errors, stats, .. } = &verified.report;
    (*verdict, stats.executions, verified.pruned, format!("{races:?} {deadlocks:?} {errors:?}"))
}

fn compare(report: &Report, outcome: &Outcome) -> Result<(), String> {
    let truth = truth(outcome);
    if (report.verdict, report.scope) != (truth, Scope::AllSchedules) {
        return Err(format!(
            "{:?} for {:?}, the oracle says {truth:?}; {:?}",
            report.verdict, report.scope, report.limits
        ));
    }
    for race in &report.races {
        if race.grade < Grade::Feasible || race.witness.is_none() {
            return Err("a race without a witness".into());
        }
        is_known(race, outcome)?;
    }
    if truth == Verdict::Race {
        return Ok(());
    }
    let key = |kind: &str, line: u32, task: &str| (kind.to_owned(), line, task.to_owned());
    let mut errors: Vec<_> =
        report.errors.iter().map(|error| key(&error.kind, error.at.line, &error.task)).collect();
    let mut expected: Vec<_> =
        outcome.errors.iter().map(|error| key(error.kind, error.line, &error.task)).collect();
    errors.sort();
    errors.dedup();
    expected.sort();
    expected.dedup();
    if errors != expected {
        return Err(format!("errors {errors:?}, the oracle has {expected:?}"));
    }
    if report.deadlocks.is_empty() != outcome.deadlocks.is_empty() {
        return Err(format!("deadlocks {:?}, the oracle has {:?}", report.deadlocks, outcome.deadlocks));
    }
    if truth == Verdict::RaceFree && report.determinate != Some(outcome.determinate) {
        return Err(format!("determinate {:?}, the oracle says {}", report.determinate, outcome.determinate));
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
fn nothing_but_choices() {
    judge_generated("choices", 2000, choices, judge);
}

#[test]
fn mostly_additions() {
    judge_generated("additions", 2000, additions, judge);
}

#[test]
fn regressions() {
    judge_regressions(judge);
}
