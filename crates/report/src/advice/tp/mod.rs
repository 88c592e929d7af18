//! The words of TP.

mod fixes;

use super::{Advice, Parting, lineage, locks, noun};
use crate::style::safe;
pub(super) use fixes::fixes;

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
        Parting::Thread { .. } | Parting::Unknown => {
            format!("the ways to the two accesses part in {fork}, and neither waits for the other.")
        }
    };
    if let Some(locks) = locks(advice, ", so neither keeps the other out") {
        text.push(' ');
        text.push_str(&locks);
    }
    text
}
