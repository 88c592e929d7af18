//! The words of TP.

use super::fix::Fix;
use super::{Advice, Parting, alternatives, holding, lineage, noun, one_sided};
use crate::style::safe;
use raceproof_core::finding::RaceAccess;

/// What would have made the later access wait.
const NO_WAIT: &str = "no finish around it ends, and no get asks for what is set after it";

pub(super) fn why(advice: &Advice<'_>) -> String {
    let fork = safe(&advice.race.fork);
    let at = |place| advice.at(place);
    let mut text = match &advice.parting {
        Parting::Spawner { child, below, own } => format!(
            "{fork} spawned {} at {}. Nothing from there to {} waits for that {}: {NO_WAIT}.",
            lineage(child, below),
            at(&child.at),
            at(&own.at),
            noun(below.access),
        ),
        Parting::Siblings { older, younger, .. } => {
            let (a, b) = (safe(&older.task), safe(&younger.task));
            let spawns = if older.at == younger.at {
                format!("{fork} spawned both {a} and {b} at {}.", at(&older.at))
            } else {
                format!("{fork} spawned {a} at {} and {b} at {}.", at(&older.at), at(&younger.at))
            };
            format!(
                "{spawns} Nothing between the two spawns or in either task waits for the other's access: {NO_WAIT}."
            )
        }
        Parting::Unknown => {
            format!("the ways to the two accesses part in {fork}, and neither waits for the other.")
        }
    };
    if let Some(locks) = locks(advice) {
        text.push(' ');
        text.push_str(&locks);
    }
    text
}

/// What the locks do not do, if there are any.
fn locks(advice: &Advice<'_>) -> Option<String> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    let held = |a: &RaceAccess| format!("{} {}", safe(&a.task), holding(&a.locks));
    if let Some((guarded, bare)) = one_sided(advice.race) {
        let bare = safe(&bare.task);
        Some(format!("{}; that does not keep out {bare}, which holds no lock.", held(guarded)))
    } else if first.locks.is_empty() {
        None
    } else {
        let (first, second) = (held(first), held(second));
        Some(format!("{first} and {second}: no lock in common, so neither keeps the other out."))
    }
}

pub(super) fn fix(advice: &Advice<'_>) -> String {
    let (first, second) = (&advice.race.first, &advice.race.second);
    let order = order(advice);
    if let Some((guarded, bare)) = one_sided(advice.race) {
        return format!("{}; or {order}.", protect(advice, guarded, bare));
    }
    if !first.locks.is_empty() {
        let locks = alternatives(first.locks.iter().chain(&second.locks));
        return format!("hold the same lock on both sides ({locks}); or {order}.");
    }
    let around = if first.access == second.access { "the whole update" } else { "the whole use" };
    format!(
        "{order}; or, if either order will do, hold one lock around {around} on both sides (`isolated` or `with`)."
    )
}

/// Brings the bare access under the lock of the guarded one.
fn protect(advice: &Advice<'_>, guarded: &RaceAccess, bare: &RaceAccess) -> String {
    let what = format!("the {} at {}", noun(bare.access), advice.at(&bare.at));
    if guarded.locks.iter().any(|lock| lock != "isolated") {
        format!("hold {} around {what} too", alternatives(guarded.locks.iter()))
    } else {
        format!("put {what} into an `isolated` section too")
    }
}

/// Makes one access wait for the other.
fn order(advice: &Advice<'_>) -> String {
    let at = |place| advice.at(place);
    match &advice.parting {
        Parting::Spawner { child, own, .. } => format!(
            "end a `finish` around the spawn at {} before {}, or `get` it as a future before {}",
            at(&child.at),
            at(&own.at),
            at(&own.at)
        ),
        Parting::Siblings { older, younger, .. } if older.at == younger.at => {
            "let the tasks use different cells".to_owned()
        }
        Parting::Siblings { older, younger, accesses: [before, after] } => format!(
            "end a `finish` around the spawn at {} before the one at {}, or let {} `get` a promise that {} sets after its {}",
            at(&older.at),
            at(&younger.at),
            safe(&after.task),
            safe(&before.task),
            noun(before.access)
        ),
        Parting::Unknown => "let one access wait for the other (`finish`, or `get` of a future)".to_owned(),
    }
}

pub(super) fn fixes(advice: &Advice<'_>) -> Vec<Fix> {
    vec![Fix::hint(fix(advice))]
}
