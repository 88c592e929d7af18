//! The words of OpenMP, and what OpenMP allows where.

mod exclusion;
mod sides;
mod simd;
mod tasks;
mod team;

use super::fix::{Fix, Template};
use super::{Advice, Parting, alternatives, locks, noun, one_sided};
use crate::style::safe;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Construct, Operation, Race, RaceAccess, Region, Spawned};
use sides::{Side, are_nested, needs_order};

pub(super) fn why(advice: &Advice<'_>) -> String {
    let mut text = order(advice);
    for remark in [locks(advice, ""), atomic(advice).map(|(_, remark)| remark)].into_iter().flatten() {
        text.push(' ');
        text.push_str(&remark);
    }
    text
}

/// Whether the accesses are of two iterations of a simd loop.
fn are_lanes(race: &Race) -> bool {
    race.first.operation == Operation::Lane && race.second.operation == Operation::Lane
}

/// Why neither access waits for the other.
fn order(advice: &Advice<'_>) -> String {
    if are_lanes(advice.race) {
        return "both are iterations of one simd loop, which lets them be executed at the same time, in one vector: nothing \
                orders what the lanes do."
            .to_owned();
    }
    let fork = safe(&advice.race.fork);
    let at = |place| advice.at(place);
    match &advice.parting {
        Parting::Spawner { child, below, own } => {
            let waits = match child.construct {
                Some(Construct::Thread) => "the thread is not joined in between".to_owned(),
                _ if child.task == below.task => {
                    "no taskwait, end of a taskgroup or barrier stands in between".to_owned()
                }
                _ => format!(
                    "a taskwait there would wait for {} and not for the tasks it created, and no taskgroup or barrier ends",
                    safe(&child.task)
                ),
            };
            format!(
                "{fork} created {}{} by the {} at {}. Nothing from there to {} waits for that {}: {waits}.",
                safe(&child.task),
                descent(child, below),
                construct(child),
                at(&child.at),
                at(&own.at),
                noun(below.access),
            )
        }
        Parting::Siblings { older, younger, accesses } if team(older, younger) => {
            let [a, b] = [older, younger].map(|spawn| thread(spawn));
            let descents = [(older, accesses[0]), (younger, accesses[1])].map(|(s, a)| descent(s, a));
            let who = format!(
                "{a}{} and {b}{} of the {} at {} make these accesses",
                descents[0],
                descents[1],
                construct(older),
                at(&older.at)
            );
            format!("{who}, and {}.", between(advice))
        }
        Parting::Thread { thread: of } => format!(
            "{} of the {} at {} made both accesses in this run, but {}.",
            thread(of),
            construct(of),
            at(&of.at),
            elsewhere(advice)
        ),
        Parting::Siblings { older, younger, accesses } => {
            let (a, b) = (safe(&older.task), safe(&younger.task));
            let made = if older.at == younger.at {
                format!("{fork} created both {a} and {b} by the {} at {}.", construct(older), at(&older.at))
            } else {
                format!(
                    "{fork} created {a} by the {} at {} and {b} by the {} at {}.",
                    construct(older),
                    at(&older.at),
                    construct(younger),
                    at(&younger.at)
                )
            };
            let deep = [older, younger].iter().zip(accesses).any(|(spawn, access)| spawn.task != access.task);
            let depend = tasks::why(advice, [older, younger], deep);
            format!("{made} Nothing makes one wait for the other: no taskwait between them, and {depend}.")
        }
        Parting::Unknown => {
            format!("the ways to the two accesses part in {fork}, and neither waits for the other.")
        }
    }
}

/// What stands, or does not stand, between the accesses of two threads of one team.
fn between(advice: &Advice<'_>) -> String {
    let region = |r: &Region| format!("the {} at {}", r.construct, advice.at(&r.at));
    match (&advice.race.first.region, &advice.race.second.region) {
        (Some(a), Some(b)) if a == b => match a.construct {
            Construct::For | Construct::Distribute => {
                format!("{} gives its iterations to different threads", region(a))
            }
            Construct::Sections => format!("{} gives its sections to different threads", region(a)),
            _ => format!("no barrier stands between the two times they pass {}", region(a)),
        },
        (Some(a), Some(b)) => format!(
            "no barrier stands between {} and {}: `nowait` leaves out the one at the end",
            region(a),
            region(b)
        ),
        (Some(r), None) | (None, Some(r)) if r.construct == Construct::Masked => {
            format!("{} has no barrier at its end", region(r))
        }
        (Some(r), None) | (None, Some(r)) => {
            format!("no barrier stands between {} and the other access", region(r))
        }
        (None, None) => "no barrier stands between them".to_owned(),
    }
}

/// Why the accesses of one thread may be those of two.
fn elsewhere(advice: &Advice<'_>) -> String {
    let region = |r: &Region| format!("the {} at {}", r.construct, advice.at(&r.at));
    let ends = |r: &Region| match r.construct {
        Construct::Single | Construct::Masked => region(r),
        Construct::Sections => format!("a section of {}", region(r)),
        _ => format!("an iteration of {}", region(r)),
    };
    match (&advice.race.first.region, &advice.race.second.region) {
        (Some(a), Some(b)) if a == b => match a.construct {
            Construct::Sections => {
                format!("any thread can execute a section of {}, and another the other", region(a))
            }
            Construct::Single => {
                format!(
                    "another thread can execute {} the second time, and no barrier stands between",
                    region(a)
                )
            }
            _ => format!(
                "{} can give the two iterations to different threads: its schedule and the size of the team decide that",
                region(a)
            ),
        },
        (Some(a), Some(b)) => format!(
            "another thread can execute {}, or {}, and no barrier stands between the two: `nowait` leaves out the one at the end",
            ends(a),
            ends(b)
        ),
        (Some(r), None) | (None, Some(r)) => format!(
            "another thread can execute {}, and no barrier stands between it and the other access",
            ends(r)
        ),
        (None, None) => "another can make one of them, and no barrier stands between".to_owned(),
    }
}

pub(super) fn fixes(advice: &Advice<'_>) -> Vec<Fix> {
    let race = advice.race;
    let [in_first, in_second] = advice.in_library;
    let first = Side::of(advice, &race.first, in_first);
    let second = Side::of(advice, &race.second, in_second);
    if are_lanes(race) {
        return simd::fixes(advice, first.as_ref(), second.as_ref());
    }
    let freed = [&race.first, &race.second].iter().any(|access| access.operation == Operation::Free);
    let mut fixes = order_fixes(advice, first.as_ref(), second.as_ref());
    if !freed && let (Some(a), Some(b)) = (&first, &second) {
        let exclusion = exclusion::fixes(advice, a, b);
        // Locks that are there already say that either order will do.
        let locked = !race.first.locks.is_empty() || !race.second.locks.is_empty();
        if locked || atomic(advice).is_some() {
            fixes.splice(0..0, exclusion);
        } else if fixes.iter().any(is_own_memory) {
            // What each has for itself needs no exclusion.
        } else if fixes.is_empty() || !(a.is_write() || b.is_write()) || are_nested(a, b) {
            // Who writes a value for others wants to be waited for.
            fixes.extend(exclusion);
        }
    }
    if fixes.is_empty() {
        fixes = hints(advice, first.as_ref(), second.as_ref(), freed);
    }
    fixes
}

/// Whether a fix gives every iteration its own memory.
fn is_own_memory(fix: &Fix) -> bool {
    matches!(fix.template, Template::Private | Template::Lastprivate) && fix.condition.is_none()
}

/// What makes one access wait for the other, or keeps each to its own memory.
fn order_fixes(advice: &Advice<'_>, first: Option<&Side<'_>>, second: Option<&Side<'_>>) -> Vec<Fix> {
    let side = |access: &RaceAccess| if *access == advice.race.first { first } else { second };
    match &advice.parting {
        Parting::Siblings { older, younger, .. } if team(older, younger) => match (first, second) {
            (Some(a), Some(b)) => team::fixes(advice, &older.at, a, b),
            _ => Vec::new(),
        },
        Parting::Thread { thread } => match (first, second) {
            (Some(a), Some(b)) => team::fixes(advice, &thread.at, a, b),
            _ => Vec::new(),
        },
        Parting::Siblings { older, younger, accesses } => {
            let both = match accesses.map(side) {
                [Some(a), Some(b)] => Some([a, b]),
                _ => None,
            };
            tasks::of_siblings(advice, [older, younger], *accesses, both)
        }
        Parting::Spawner { child, below, own } => tasks::of_creator(advice, child, below, side(own)),
        Parting::Unknown => Vec::new(),
    }
}

/// Advice that cannot be written as a change of the source.
fn hints(advice: &Advice<'_>, first: Option<&Side<'_>>, second: Option<&Side<'_>>, freed: bool) -> Vec<Fix> {
    let race = advice.race;
    let mut hints = Vec::new();
    let unordered = match (first, second) {
        (Some(a), Some(b)) => needs_order(a, b),
        _ => false,
    };
    if let Some((bare, _)) = atomic(advice) {
        if !unordered {
            let text = format!(
                "make the {} at {} atomic too, in a statement of its own, if either order will do",
                noun(bare.access),
                advice.at(&bare.at)
            );
            hints.push(Fix::hint(text));
        }
    } else if let Some((guarded, bare)) = one_sided(race) {
        if !unordered && !freed {
            let what = format!("the {} at {}", noun(bare.access), advice.at(&bare.at));
            let locks = alternatives(guarded.locks.iter());
            hints.push(Fix::hint(format!("hold {locks} around {what} too, if either order will do")));
            let is_before = bare.at.file == guarded.at.file && bare.at.line <= guarded.at.line;
            if is_before && bare.access == AccessKind::Read && guarded.stack.first() == bare.stack.first() {
                hints.push(Fix::hint(format!(
                    "hold it from {} to {}, if what is read must still hold when it is used",
                    advice.at(&bare.at),
                    advice.at(&guarded.at)
                )));
            }
        }
    } else if !race.first.locks.is_empty() {
        let locks = alternatives(race.first.locks.iter().chain(&race.second.locks));
        hints.push(Fix::hint(format!("hold the same lock on both sides ({locks}), if either order will do")));
    }
    match &advice.parting {
        Parting::Siblings { older, younger, .. } if team(older, younger) => {
            hints.extend(team::hints(advice, first, second));
        }
        Parting::Thread { .. } => hints.extend(team::hints(advice, first, second)),
        Parting::Unknown => hints.push(Fix::hint("order them by a taskwait, a barrier or `depend`")),
        _ if freed => hints.push(Fix::hint("free the memory only after a wait for the tasks that use it")),
        _ => hints.push(tasks::hint()),
    }
    hints
}

/// The plain access beside an atomic one, and what that means.
fn atomic<'a>(advice: &Advice<'a>) -> Option<(&'a RaceAccess, String)> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    let (atomic, plain) = match (first.operation, second.operation) {
        (Operation::Atomic, Operation::Plain) => (first, second),
        (Operation::Plain, Operation::Atomic) => (second, first),
        _ => return None,
    };
    let remark = format!(
        "The access of {} is atomic; that does not protect it from the plain {} of {}.",
        safe(&atomic.task),
        noun(plain.access),
        safe(&plain.task)
    );
    Some((plain, remark))
}

/// Whether they are threads of one team.
fn team(older: &Spawned, younger: &Spawned) -> bool {
    let makes = |spawn: &Spawned| spawn.construct.is_some_and(Construct::makes_team);
    makes(older) && makes(younger) && older.at == younger.at
}

fn construct(spawn: &Spawned) -> String {
    spawn.construct.map_or_else(|| "spawn".to_owned(), |construct| construct.to_string())
}

fn thread(spawn: &Spawned) -> String {
    match (spawn.construct, spawn.thread) {
        (Some(Construct::Teams), Some(number)) => format!("team {number}"),
        (_, Some(number)) => format!("thread {number}"),
        _ => safe(&spawn.task),
    }
}

/// The descendant of the child that made the access, if it was not the child.
fn descent(child: &Spawned, access: &RaceAccess) -> String {
    let is_child = access.spawned.last().is_some_and(|spawn| spawn.task == child.task);
    if child.task == access.task || is_child {
        String::new()
    } else {
        format!(" (from which {} came)", safe(&access.task))
    }
}
