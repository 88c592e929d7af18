//! The words of threads that a program creates itself. What would order two accesses depends on
//! what they are for, so that advice is a hint, unless a promise was set too early.

use super::fix::{Fix, Template};
use super::promises::{self, Set};
use super::{Advice, Parting, alternatives, locks, noun, one_sided};
use crate::style::safe;
use raceproof_core::finding::{Construct, Operation, RaceAccess, Spawned};

const SET: Set = Set { was: "set", is: "set", noun: "set", template: Template::SetLater };

pub(super) fn why(advice: &Advice<'_>) -> String {
    let fork = safe(&advice.race.fork);
    let at = |place| advice.at(place);
    let mut text = match &advice.parting {
        Parting::Spawner { child, below, own } => format!(
            "{fork} created {} at {}, and the {} at {} comes before it joins it: {} may be made at the same time.",
            thread(child),
            at(&child.at),
            noun(own.access),
            at(&own.at),
            descent(child, below),
        ),
        Parting::Siblings { older, younger, .. } if older.at == younger.at => format!(
            "{fork} created both {} and {} at {}, and nothing makes one wait for the other.",
            thread(older),
            thread(younger),
            at(&older.at)
        ),
        Parting::Siblings { older, younger, .. } => format!(
            "{fork} created {} at {} and {} at {}, and neither waits for the other.",
            thread(older),
            at(&older.at),
            thread(younger),
            at(&younger.at)
        ),
        Parting::Thread { .. } | Parting::Unknown => {
            format!("the ways to the two accesses part in {fork}, and neither waits for the other.")
        }
    };
    if let Some(promise) = promises::why(advice, &SET) {
        text = promise;
    }
    if let Some(remark) = locks(advice, "") {
        text.push(' ');
        text.push_str(&remark);
    }
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

pub(super) fn fixes(advice: &Advice<'_>) -> Vec<Fix> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    if let Some((_, plain)) = half_atomic(advice) {
        return vec![Fix::hint(format!(
            "make the {} at {} atomic too",
            noun(plain.access),
            advice.at(&plain.at)
        ))];
    }
    if let Some((guarded, bare)) = one_sided(advice.race) {
        let what = format!("the {} at {}", noun(bare.access), advice.at(&bare.at));
        return vec![Fix::hint(format!("hold {} around {what} too", alternatives(guarded.locks.iter())))];
    }
    if let Some(fix) = promises::set_later(advice, &SET) {
        return vec![fix];
    }
    let mut hints = Vec::new();
    if let Parting::Spawner { child, own, .. } = &advice.parting {
        let join =
            format!("join the thread created at {} before {}", advice.at(&child.at), advice.at(&own.at));
        hints.push(Fix::hint(join));
    }
    if [first, second].iter().all(|access| access.operation != Operation::Free) {
        hints.push(Fix::hint("hold one mutex around both accesses, or make both atomic"));
    } else if hints.is_empty() {
        hints.push(Fix::hint("free the memory after the threads that use it were joined"));
    }
    hints
}

fn thread(spawn: &Spawned) -> String {
    match &spawn.name {
        Some(name) => format!("{} (thread `{}`)", safe(&spawn.task), safe(name)),
        None => safe(&spawn.task).to_string(),
    }
}

/// What runs beside the creator of a thread.
fn descent(child: &Spawned, below: &RaceAccess) -> String {
    let its = noun(below.access);
    if child.task == below.task {
        format!("the {its} of the thread")
    } else {
        format!("the {its} of {}", safe(&below.task))
    }
}

/// The access that is atomic and the one that is not.
fn half_atomic<'a>(advice: &'a Advice<'_>) -> Option<(&'a RaceAccess, &'a RaceAccess)> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    match (first.operation, second.operation) {
        (Operation::Atomic, Operation::Plain) => Some((first, second)),
        (Operation::Plain, Operation::Atomic) => Some((second, first)),
        _ => None,
    }
}

/// Whether the tasks of a race are threads and nothing else.
pub(super) fn are_all(constructs: &[Construct]) -> bool {
    constructs.iter().all(|&construct| construct == Construct::Thread)
}
