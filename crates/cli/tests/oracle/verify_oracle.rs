//! `verify` against the oracle on generated programs: verdict, races, deadlocks, errors, determinacy and what it is due to;
//! the same with any number of workers and under every order.
//!
//! `RACEPROOF_CASES` programs a profile (2,000 unless set), from seed `RACEPROOF_SEED` on (0 unless set).

use crate::oracle;

use oracle::{Limits, Outcome, Profile, Side, choices, explore, generate, shrink};
use raceproof_cli::verify::{Options, OrderName, Verified, verify};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Grade, RaceAccess, Report, Scope, Verdict};
use raceproof_tp::source::Source;
use raceproof_tp::{self as tp, compile::compile};
use std::env;

fn setting(name: &str, default: u64) -> u64 {
    env::var(name)
        .map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name}={value} is no number")))
}

fn judge(text: &str) -> Result<(), String> {
    let program = tp::parse(text).map_err(|errors| format!("does not parse: {errors:?}"))?;
    let outcome = explore(&program, text, Limits::default());
    if !outcome.complete {
        return Ok(());
    }
    let code = compile(&program, &Source::new("f.tp", text));
    let run =
        |order, workers, all| verify(&code, "f.tp", &Options { order, workers, all, ..Options::default() });
    let dc = run(OrderName::Dc, 1, false);
    compare(&dc.report, &outcome).map_err(|wrong| format!("dc: {wrong}"))?;
    let hb = run(OrderName::Hb, 1, false);
    compare(&hb.report, &outcome).map_err(|wrong| format!("hb: {wrong}"))?;
    if dc.report.verdict != Verdict::Race && dc.report.stats.executions > hb.report.stats.executions {
        let (dc, hb) = (dc.report.stats.executions, hb.report.stats.executions);
        return Err(format!("dc takes {dc} executions, hb {hb}"));
    }
    let wcp = run(OrderName::Wcp, 1, false);
    compare(&wcp.report, &outcome).map_err(|wrong| format!("wcp: {wrong}"))?;
    if dc.report.verdict != Verdict::Race && dc.report.stats.executions > wcp.report.stats.executions {
        let (dc, wcp) = (dc.report.stats.executions, wcp.report.stats.executions);
        return Err(format!("dc takes {dc} executions, wcp {wcp}"));
    }
    // What makes a program end in different states is listed; a list may be longer than that, since orders that differ can
    // end alike.
    if dc.report.verdict == Verdict::RaceFree && !outcome.determinate {
        let listed = verify(&code, "f.tp", &Options { determinism: true, workers: 1, ..Options::default() });
        if listed.report.general_races.is_empty() {
            return Err("ends in different states, and no general race is listed".into());
        }
    }
    let many = run(OrderName::Dc, 3, false);
    if essence(&many) != essence(&dc) {
        return Err(format!("three workers: {:?}, one: {:?}", essence(&many), essence(&dc)));
    }
    Ok(())
}

/// What must not depend on the number of workers.
fn essence(verified: &Verified) -> (Verdict, u64, u64, String) {
    let Report { verdict, races, deadlocks, errors, stats, .. } = &verified.report;
    (*verdict, stats.executions, verified.pruned, format!("{races:?} {deadlocks:?} {errors:?}"))
}

fn compare(report: &Report, outcome: &Outcome) -> Result<(), String> {
    let truth = if !outcome.races.is_empty() {
        Verdict::Race
    } else if !outcome.errors.is_empty() {
        Verdict::ProgramError
    } else if !outcome.deadlocks.is_empty() {
        Verdict::Deadlock
    } else {
        Verdict::RaceFree
    };
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
        let mut sides = [side(&race.first), side(&race.second)];
        sides.sort();
        let known = oracle::Race { location: race.location.clone(), sides: (sides[0], sides[1]) };
        if !outcome.races.contains(&known) {
            return Err(format!("reported as feasible, unknown to the oracle: {known}"));
        }
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

fn side(access: &RaceAccess) -> Side {
    let kind = match access.access {
        AccessKind::Read => oracle::Access::Read,
        AccessKind::Write => oracle::Access::Write,
    };
    Side { access: kind, line: access.at.line, column: access.at.column }
}

fn profile(profile: Profile) {
    all(&format!("{profile:?}"), |seed| generate(profile, seed));
}

fn all(name: &str, generator: impl Fn(u64) -> String) {
    let first = setting("RACEPROOF_SEED", 0);
    for seed in first..first + setting("RACEPROOF_CASES", 2000) {
        let text = generator(seed);
        if let Err(wrong) = judge(&text) {
            let small = shrink(&text, |text| judge(text).is_err());
            panic!("{name}, seed {seed}: {wrong}\n{text}\nin short, for tests/regressions:\n{small}");
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

#[test]
fn nothing_but_choices() {
    all("choices", choices);
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
