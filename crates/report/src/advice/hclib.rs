//! The words of HClib: tasks created by `async`, finishes, promises.
//!
//! A `finish` waits for everything below it, so it deadlocks if a task in it waits for what is only
//! done after it. It is advised only around a task that waits for nothing, as far as its source
//! shows.

use super::edit::Editor;
use super::fix::{Fix, Template};
use super::promises::{self, Set};
use super::{Advice, Parting, lineage, locks, noun};
use crate::statements::{NodeId, Tree, is_declaration};
use crate::style::safe;
use raceproof_core::finding::{Operation, Place, Spawned};

const PUT: Set = Set { was: "put into", is: "put into", noun: "put", template: Template::PutLater };

/// What would have made the later access wait.
const NO_WAIT: &str = "no finish around it ends, and nobody waits for a promise that is put into after it";

/// Words by which a task waits for what another does.
const WAITS: [&str; 5] = ["wait", "async_await", "async_future_await", "async_nb_await", "hclib_future_wait"];

pub(super) fn why(advice: &Advice<'_>) -> String {
    let fork = safe(&advice.race.fork);
    let at = |place| advice.at(place);
    let mut text = match &advice.parting {
        Parting::Spawner { child, below, own } => format!(
            "{fork} created {} at {}. Nothing from there to {} waits for that {}: {NO_WAIT}.",
            lineage(child, below),
            at(&child.at),
            at(&own.at),
            noun(below.access),
        ),
        Parting::Siblings { older, younger, .. } => {
            let (a, b) = (safe(&older.task), safe(&younger.task));
            let spawns = if older.at == younger.at {
                format!("{fork} created both {a} and {b} at {}.", at(&older.at))
            } else {
                format!("{fork} created {a} at {} and {b} at {}.", at(&older.at), at(&younger.at))
            };
            format!("{spawns} Neither waits for the other's access: {NO_WAIT}.")
        }
        Parting::Thread { .. } | Parting::Unknown => {
            format!("the ways to the two accesses part in {fork}, and neither waits for the other.")
        }
    };
    if let Some(promise) = promises::why(advice, &PUT) {
        text = promise;
    }
    if let Some(locks) = locks(advice, ", so neither keeps the other out") {
        text.push(' ');
        text.push_str(&locks);
    }
    text
}

pub(super) fn fixes(advice: &Advice<'_>) -> Vec<Fix> {
    let (first, second) = (&advice.race.first, &advice.race.second);
    if [first, second].iter().any(|access| access.operation == Operation::Free) {
        return vec![Fix::hint("free it when everybody who uses it was waited for")];
    }
    let mut fixes = Vec::from_iter(promises::set_later(advice, &PUT));
    if fixes.is_empty() {
        fixes.extend(match &advice.parting {
            Parting::Spawner { child, own, .. } => finish(advice, child, &own.at),
            Parting::Siblings { older, younger, .. } if older.at != younger.at => {
                finish(advice, older, &younger.at)
            }
            _ => None,
        });
    }
    if fixes.is_empty() {
        fixes.push(Fix::hint(
            "let one access wait for the other: a `hclib::finish` that ends between them and holds nothing that waits for what \
             comes after it, or a promise that is put into after the first and waited for before the second",
        ));
    }
    fixes
}

/// A finish around the statement that creates a task, if what it races with comes after that.
fn finish(advice: &Advice<'_>, child: &Spawned, later: &Place) -> Option<Fix> {
    let (file, tree) = advice.sources.file(&child.at.file)?;
    if advice.sources.file(&later.file)?.0 != file {
        return None;
    }
    let (creates, later) = (tree.at(&child.at)?, tree.at(later)?);
    let (_, creates, later) = tree.parting(creates, later)?;
    if tree.nodes[creates].first > tree.nodes[later].first
        || is_declaration(&tree.own_text(creates))
        || waits(tree, creates)
        || !tree.is_listed(creates)
    {
        return None;
    }
    let edits = Editor { file, tree }.around(creates, "hclib::finish([&]() {", "});");
    let text = format!(
        "create the task at {} inside of a `hclib::finish`, which waits for it",
        advice.at(&child.at)
    );
    Some(Fix::new(Template::FinishAround, text, edits))
}

/// Whether what a statement creates waits for anything, as far as it shows.
fn waits(tree: &Tree, node: NodeId) -> bool {
    tree.text_of(node).iter().any(|token| WAITS.iter().any(|word| token.is(word)))
}
