//! The words of rayon.

use super::fix::{EITHER_ORDER, Fix, Template};
use super::{Advice, Parting, alternatives, noun, one_sided};
use crate::style::safe;
use raceproof_core::finding::{Object, Operation, RaceAccess, Spawned};

pub(super) fn why(advice: &Advice<'_>) -> String {
    let fork = safe(&advice.race.fork);
    let at = |place| advice.at(place);
    let mut text = match &advice.parting {
        Parting::Spawner { child, below, own } => format!(
            "{} created {}{} at {}, and the {} at {} comes before it waits for it: what follows in the one runs in parallel to the \
             other.",
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
        Parting::Thread { .. } | Parting::Unknown => {
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

/// Rewrites, each shown by a race-free program of the corpus beside the racy one.
pub(super) fn fixes(advice: &Advice<'_>) -> Vec<Fix> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    if let Some((_, plain)) = half_atomic(advice) {
        let text = format!("make the {} at {} atomic too", noun(plain.access), advice.at(&plain.at));
        return vec![Fix::new(Template::RustAtomic, text, Vec::new()).only_if(EITHER_ORDER)];
    }
    if [first, second].iter().any(|access| access.operation == Operation::Free) {
        return vec![Fix::hint("let what is freed outlive the scope or `join` that uses it")];
    }
    if let Some((guarded, bare)) = one_sided(advice.race) {
        let what = format!("the {} at {}", noun(bare.access), advice.at(&bare.at));
        let text = format!("hold {} around {what} too", alternatives(guarded.locks.iter()));
        return vec![Fix::new(Template::RustMutex, text, Vec::new()).only_if(EITHER_ORDER)];
    }
    let update =
        first.at.line == second.at.line && first.at.file == second.at.file && is_update(advice, first);
    let mut fixes = Vec::new();
    if is_iterator(advice) {
        fixes.push(if update {
            Fix::new(
                Template::ParReduce,
                "let the iterator gather the result: `map` and `sum` or `reduce`; or, for more than one value, `fold` and \
                 `reduce`",
                Vec::new(),
            )
        } else if first.at.line == second.at.line {
            Fix::new(
                Template::ParOwnCells,
                "let every item write cells of its own: those it is given by `par_iter_mut` or `par_chunks_mut`",
                Vec::new(),
            )
        } else if !is_cell(advice) {
            Fix::hint("let no item write what another one uses: gather results by `map` and `reduce`, `sum` or `collect`")
        } else {
            Fix::new(
                Template::ParCollect,
                "read from one collection and `map` and `collect` into another, so that no item reads what another writes",
                Vec::new(),
            )
        });
    } else if is_spawn(advice) {
        let text = "use a `scope` and its `spawn` instead of `rayon::spawn`, and access it after the scope";
        fixes.push(Fix::new(Template::RustScope, text, Vec::new()));
    } else if matches!(&advice.parting, Parting::Siblings { older, younger, .. } if older.at == younger.at) {
        let text =
            "let every closure have cells of its own: a slice that `chunks_mut` or `split_at_mut` gives it";
        fixes.push(Fix::new(Template::ParOwnCells, text, Vec::new()));
    } else {
        let text = match &advice.parting {
            Parting::Spawner { own, .. } => {
                format!("do what is at {} before the `join` or `scope`, or after it", advice.at(&own.at))
            }
            _ => "let the two be done by one closure, or in two `join`s or `scope`s one after the other"
                .to_owned(),
        };
        fixes.push(Fix::new(Template::RustOrder, text, Vec::new()));
    }
    if update {
        let text = "make it an atomic with `fetch_add` or its like";
        fixes.push(Fix::new(Template::RustAtomic, text, Vec::new()).only_if(EITHER_ORDER));
        let text = "put it behind a `Mutex`";
        fixes.push(Fix::new(Template::RustMutex, text, Vec::new()).only_if(EITHER_ORDER));
    }
    fixes
}

/// Whether the source line updates something, as far as the source is at hand.
fn is_update(advice: &Advice<'_>, access: &RaceAccess) -> bool {
    const SIGNS: [&str; 8] = ["+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<="];
    let line = advice.sources.line(&access.at).unwrap_or_default();
    SIGNS.iter().any(|sign| line.contains(sign))
}

/// Whether what is raced for is a part of something larger.
fn is_cell(advice: &Advice<'_>) -> bool {
    advice.race.location.contains('[') || matches!(advice.race.object, Some(Object::Heap { .. }))
}

/// Whether a parallel iterator made the tasks: its functions are among the callers, or it stands
/// where they were created.
fn is_iterator(advice: &Advice<'_>) -> bool {
    created_by(advice, |text| text.contains("par_") || text.contains("rayon::iter"))
}

/// Whether a closure was given to the pool, and not to a scope.
fn is_spawn(advice: &Advice<'_>) -> bool {
    let is_it =
        |spawn: &Spawned| advice.sources.line(&spawn.at).is_some_and(|text| text.contains("rayon::spawn"));
    advice.race.first.spawned.iter().chain(&advice.race.second.spawned).any(is_it)
}

fn created_by(advice: &Advice<'_>, is_it: impl Fn(&str) -> bool) -> bool {
    let spawns: Vec<&Spawned> = match &advice.parting {
        Parting::Spawner { child, .. } => vec![child],
        Parting::Siblings { older, younger, .. } => vec![older, younger],
        Parting::Thread { .. } | Parting::Unknown => Vec::new(),
    };
    spawns.iter().any(|spawn| advice.sources.line(&spawn.at).is_some_and(&is_it))
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
