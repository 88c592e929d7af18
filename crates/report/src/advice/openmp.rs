//! The words of OpenMP.

use super::{Advice, Parting, alternatives, holding, noun, one_sided};
use crate::style::safe;
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{Construct, Object, Operation, Race, RaceAccess, Region, Spawned};

pub(super) fn why(advice: &Advice<'_>) -> String {
    let mut text = order(advice);
    for remark in [locks(advice), atomic(advice).map(|(_, remark)| remark)].into_iter().flatten() {
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
        Parting::Siblings { older, younger, .. } if chunks(older, younger) => format!(
            "{} and {} are chunks of the {} at {}. {fork} ran both, but any thread can take either: its schedule lets them run \
             at the same time.",
            safe(&older.task),
            safe(&younger.task),
            construct(older),
            at(&older.at)
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
            let depend = if deep {
                "`depend` orders only tasks of one parent, not those they create"
            } else {
                "they have no `depend` in common"
            };
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

pub(super) fn fix(advice: &Advice<'_>) -> String {
    let (first, second) = (&advice.race.first, &advice.race.second);
    if let Some((bare, _)) = atomic(advice) {
        return format!(
            "make the {} at {} `#pragma omp atomic` too.",
            noun(bare.access),
            advice.at(&bare.at)
        );
    }
    if are_lanes(advice.race) {
        return format!(
            "leave out `simd`; or give it a `safelen` that is not greater than the distance between two iterations that \
             conflict; or `reduction({})` if it gathers a result; or let every iteration use cells of its own.",
            named(advice, "…: ")
        );
    }
    let mut ways = Vec::new();
    if let Some((guarded, bare)) = one_sided(advice.race) {
        let what = format!("the {} at {}", noun(bare.access), advice.at(&bare.at));
        ways.push(format!("hold {} around {what} too", alternatives(guarded.locks.iter())));
    } else if !first.locks.is_empty() {
        let locks = alternatives(first.locks.iter().chain(&second.locks));
        ways.push(format!("hold the same lock on both sides ({locks})"));
    }
    if [first, second].iter().any(|access| access.operation == Operation::Free) {
        ways.push(wait(advice, "free the memory only after"));
        return ways.join("; or ") + ".";
    }
    let update = first.at.line == second.at.line && first.at.file == second.at.file;
    match &advice.parting {
        Parting::Siblings { older, younger, .. } if team(older, younger) || chunks(older, younger) => {
            if update && older.construct != Some(Construct::Teams) {
                ways.push(format!("`reduction({})` if it gathers a result", named(advice, "…: ")));
            }
            let own = if same_region(first, second) {
                "let every iteration use cells of its own"
            } else if first.at == second.at {
                "let every thread use cells of its own"
            } else {
                "put a `#pragma omp barrier` between the two (or leave out a `nowait`)"
            };
            ways.push(own.to_owned());
            ways.extend(unlocked(first, update));
            ways.extend(private(advice, "private"));
        }
        Parting::Siblings { older, younger, .. } => {
            ways.push(depend(advice));
            if older.at != younger.at {
                ways.push(format!(
                    "put a `#pragma omp taskwait` between {} and {}",
                    advice.at(&older.at),
                    advice.at(&younger.at)
                ));
            }
            ways.extend(unlocked(first, update));
            ways.extend(private(advice, "firstprivate"));
        }
        Parting::Spawner { own, .. } => {
            let own = advice.at(&own.at);
            ways.push(wait(advice, &format!("before {own},")));
            ways.extend(unlocked(first, update));
            ways.extend(private(advice, "firstprivate"));
        }
        Parting::Unknown => {
            ways.push("order them by a taskwait, a barrier or `depend`".to_owned());
            ways.extend(unlocked(first, update));
        }
    }
    ways.join("; or ") + "."
}

/// Waiting for the task, in the words that do wait for it.
fn wait(advice: &Advice<'_>, when: &str) -> String {
    match &advice.parting {
        Parting::Spawner { child, .. } if child.construct == Some(Construct::Thread) => {
            format!("{when} join the thread created at {}", advice.at(&child.at))
        }
        Parting::Spawner { child, below, .. } if child.task == below.task => {
            format!("{when} put a `#pragma omp taskwait`")
        }
        Parting::Spawner { child, .. } => {
            format!("{when} end a `#pragma omp taskgroup` around the creation at {}", advice.at(&child.at))
        }
        Parting::Siblings { older, younger, .. } if team(older, younger) => {
            format!("{when} a `#pragma omp barrier`")
        }
        _ => format!("{when} a `#pragma omp taskwait`"),
    }
}

fn depend(advice: &Advice<'_>) -> String {
    let deep = match &advice.parting {
        Parting::Siblings { older, younger, accesses } => {
            [older, younger].iter().zip(accesses).any(|(spawn, access)| spawn.task != access.task)
        }
        _ => false,
    };
    let (first, second) = match &advice.parting {
        Parting::Siblings { accesses: [a, b], .. } => (a.access, b.access),
        _ => (advice.race.first.access, advice.race.second.access),
    };
    let way = |kind| if kind == AccessKind::Write { "out" } else { "in" };
    let text = if first == second && advice.race.first.at == advice.race.second.at {
        format!("give the tasks `depend(inout: {})`", named(advice, ""))
    } else {
        format!(
            "give the older task `depend({}: {name})` and the younger `depend({}: {name})`",
            way(first),
            way(second),
            name = named(advice, "")
        )
    };
    if deep { text + ", and let them wait for the tasks they create" } else { text }
}

/// Mutual exclusion, where neither side has any yet.
fn unlocked(first: &RaceAccess, update: bool) -> Option<String> {
    let atomic = if update { "`#pragma omp atomic` or `critical`" } else { "`#pragma omp critical`" };
    first.locks.is_empty().then(|| format!("{atomic} around both if either order will do"))
}

/// A copy for each, which serves for a variable but not for memory behind a pointer.
fn private(advice: &Advice<'_>, clause: &str) -> Option<String> {
    let name = match &advice.race.object {
        Some(Object::Global { name, .. }) => name,
        Some(Object::Stack { name: Some(name), .. }) => name,
        _ => return None,
    };
    Some(format!("`{clause}({})` if each should have its own", safe(name)))
}

/// The name of what is accessed, for use in a clause, or dots.
fn named(advice: &Advice<'_>, before: &str) -> String {
    match &advice.race.object {
        Some(Object::Global { name, .. }) => format!("{before}{}", safe(name)),
        Some(Object::Stack { name: Some(name), .. }) => format!("{before}{}", safe(name)),
        _ => format!("{before}…"),
    }
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
        Some(format!("{} and {}: no lock in common.", held(first), held(second)))
    }
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

/// Chunks of one loop.
fn chunks(older: &Spawned, younger: &Spawned) -> bool {
    older.construct == Some(Construct::For) && younger.construct == older.construct && older.at == younger.at
}

fn same_region(first: &RaceAccess, second: &RaceAccess) -> bool {
    first.region.as_ref().is_some_and(|region| Some(region) == second.region.as_ref())
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
    let chunk = access.spawned.last().is_some_and(|spawn| spawn.construct == Some(Construct::For));
    if child.task == access.task || chunk {
        String::new()
    } else {
        format!(" (from which {} came)", safe(&access.task))
    }
}
