//! The words of rayon.

use super::fix::Fix;
use super::{Advice, Parting, alternatives, noun, one_sided};
use crate::style::safe;
use raceproof_core::finding::{Operation, RaceAccess, Spawned};

pub(super) fn why(advice: &Advice<'_>) -> String {
    let fork = safe(&advice.race.fork);
    let at = |place| advice.at(place);
    let mut text = match &advice.parting {
        Parting::Spawner { child, below, own } => format!(
            "{} created {}{} at {}, and the {} at {} comes before it waits for it: what one side of a `join` does, or what follows a \
             `spawn`, runs in parallel to the other.",
            fork,
            safe(&child.task),
            descent(child, below),
            at(&child.at),
            noun(own.access),
            at(&own.at),
        ),
        Parting::Siblings { older, younger, .. } if older.at == younger.at => format!(
            "both {} and {} were created at {}, and nothing makes one wait for the other: the items of a parallel iterator and \
             the jobs of a scope run in any order, or at the same time.",
            safe(&older.task),
            safe(&younger.task),
            at(&older.at),
        ),
        Parting::Siblings { older, younger, .. } => format!(
            "{fork} created {} at {} and {} at {}, and neither waits for the other.",
            safe(&older.task),
            at(&older.at),
            safe(&younger.task),
            at(&younger.at),
        ),
        Parting::Unknown => {
            format!("the ways to the two accesses part in {fork}, and neither waits for the other.")
        }
    };
    if let Some((atomic, plain)) = half_atomic(advice) {
        text += &format!(
            " The access of {} is atomic; that does not protect it from the plain {} of {}.",
            safe(&atomic.task),
            noun(plain.access),
            safe(&plain.task)
        );
    }
    text
}

pub(super) fn fix(advice: &Advice<'_>) -> String {
    if let Some((_, plain)) = half_atomic(advice) {
        return format!("make the {} at {} atomic too.", noun(plain.access), advice.at(&plain.at));
    }
    let mut ways = Vec::new();
    if let Some((guarded, bare)) = one_sided(advice.race) {
        let what = format!("the {} at {}", noun(bare.access), advice.at(&bare.at));
        ways.push(format!("hold {} around {what} too", alternatives(guarded.locks.iter())));
    }
    let (first, second) = (&advice.race.first, &advice.race.second);
    if [first, second].iter().any(|access| access.operation == Operation::Free) {
        ways.push("let what is freed outlive the scope or `join` that uses it".to_owned());
        return ways.join("; or ") + ".";
    }
    match &advice.parting {
        Parting::Siblings { older, younger, .. } if older.at == younger.at => ways.push(
            "let every item write cells of its own (`par_iter_mut`, `par_chunks_mut`), and gather results by `map` with \
             `reduce`, `sum` or `collect`"
                .to_owned(),
        ),
        _ => ways.push("end the `join` or `scope` of the one before the other".to_owned()),
    }
    ways.push("share it behind a `Mutex` or as an atomic if any order will do".to_owned());
    ways.join("; or ") + "."
}

/// The atomic access and the plain one, if one of each.
fn half_atomic<'a>(advice: &Advice<'a>) -> Option<(&'a RaceAccess, &'a RaceAccess)> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    match (first.operation, second.operation) {
        (Operation::Atomic, Operation::Plain) => Some((first, second)),
        (Operation::Plain, Operation::Atomic) => Some((second, first)),
        _ => None,
    }
}

/// The descendant of the child that made the access, if it was not the child.
fn descent(child: &Spawned, access: &RaceAccess) -> String {
    if child.task == access.task {
        String::new()
    } else {
        format!(" (from which {} came)", safe(&access.task))
    }
}

pub(super) fn fixes(advice: &Advice<'_>) -> Vec<Fix> {
    vec![Fix::hint(fix(advice))]
}
