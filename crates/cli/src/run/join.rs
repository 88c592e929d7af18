//! Joins the reports of one program for several team sizes.

use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Operation, Place, Race, RaceAccess, Report, Scope};
use raceproof_symbols::raw;

/// What makes two races the same whichever team size showed them: the location and both sites.
type Key<'a> = (&'a str, [(&'a Place, AccessKind, Operation); 2]);

fn key(race: &Race) -> Key<'_> {
    fn side(access: &RaceAccess) -> (&Place, AccessKind, Operation) {
        (&access.at, access.access, access.operation)
    }
    let (a, b) = (side(&race.first), side(&race.second));
    (&race.location, if a <= b { [a, b] } else { [b, a] })
}

/// All that either found. A verdict about all schedules needs both to be one; each says for how
/// many threads it is.
pub(crate) fn join(mut one: Report, other: Report) -> Report {
    let (sequential, other_sequential) = (is_sequential(&one), is_sequential(&other));
    races(&mut one.races, other.races);
    for deadlock in other.deadlocks {
        let places = |waiting: &raceproof_core::finding::Waiting| waiting.at.clone();
        let at: Vec<Place> = deadlock.waiting.iter().map(places).collect();
        if !one.deadlocks.iter().any(|known| known.waiting.iter().map(places).eq(at.iter().cloned())) {
            one.deadlocks.push(deadlock);
        }
    }
    for error in other.errors {
        let same = |known: &raceproof_core::finding::ProgramError| {
            (&known.kind, &known.message, &known.at) == (&error.kind, &error.message, &error.at)
        };
        if !one.errors.iter().any(same) {
            one.errors.push(error);
        }
    }
    add_new(&mut one.limits, other.limits);
    add_new(&mut one.threads, other.threads);
    one.threads.sort_unstable();
    match (&mut one.coverage, other.coverage) {
        (Some(coverage), Some(more)) => coverage.join(more),
        (coverage @ None, more) => *coverage = more,
        _ => {}
    }
    add_new(&mut one.general_races, other.general_races);
    one.tests.extend(other.tests);
    if sequential && !other_sequential {
        (one.scope, one.determinate) = (other.scope, other.determinate);
    } else if other.scope == Scope::ObservedSchedule && !other_sequential {
        one.scope = Scope::ObservedSchedule;
    }
    one.determinate = match (one.determinate, other.determinate) {
        _ if sequential != other_sequential => one.determinate,
        (Some(a), Some(b)) => Some(a && b),
        (Some(false), None) | (None, Some(false)) => Some(false),
        _ => None,
    };
    one.suppressed = one.suppressed.max(other.suppressed);
    let (stats, more) = (&mut one.stats, &other.stats);
    stats.executions += more.executions;
    stats.tasks += more.tasks;
    stats.steps += more.steps;
    stats.reads += more.reads;
    stats.writes += more.writes;
    stats.seconds += more.seconds;
    one.verdict = Report::judge(&one.races, &one.errors, &one.deadlocks, &one.limits);
    one
}

/// Whether the program came to its end with nothing beside `main`: then there is one schedule,
/// which leaves nothing open.
fn is_sequential(report: &Report) -> bool {
    report.coverage.as_ref().is_some_and(|of| of.parallel == Some(false) && of.complete)
}

/// Adds the pairs of sites that the second run has found. The count of a pair stays that of the
/// first run.
pub(super) fn add_pairs(all: &mut Vec<Race>, more: Vec<Race>) {
    for race in more {
        if !all.iter().any(|known| key(known) == key(&race)) {
            all.push(race);
        }
    }
    raw::sort(all);
}

fn races(all: &mut Vec<Race>, more: Vec<Race>) {
    // Where each of the new ones goes, for the races that follow from it.
    let mut place = Vec::with_capacity(more.len());
    let mut new = Vec::new();
    for race in more {
        match all.iter().position(|known| key(known) == key(&race)) {
            Some(at) => {
                place.push(at as u32);
                let known = &mut all[at];
                known.count = known.count.saturating_add(race.count);
                if race.grade > known.grade {
                    *known = Race { count: known.count, artifact_of: known.artifact_of.clone(), ..race };
                }
            }
            None => {
                place.push((all.len() + new.len()) as u32);
                new.push(race);
            }
        }
    }
    for mut race in new {
        race.artifact_of =
            race.artifact_of.iter().filter_map(|&cause| place.get(cause as usize).copied()).collect();
        all.push(race);
    }
}

fn add_new<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}
