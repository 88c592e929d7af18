//! The rules: what each kind of finding is, for people who meet it in a viewer.

use crate::listed::{Level, Rule};
use serde_json::{Value, json};

pub(super) fn index(rule: Rule) -> usize {
    Rule::ALL.iter().position(|known| *known == rule).unwrap_or_default()
}

/// All of them, in the order of their indices.
pub(super) fn all() -> Vec<Value> {
    Rule::ALL.iter().map(|&rule| describe(rule)).collect()
}

/// What is said of a rule.
struct Text {
    name: &'static str,
    short: &'static str,
    full: &'static str,
    help: &'static str,
    level: Level,
    tags: &'static [&'static str],
}

fn text(rule: Rule) -> Text {
    match rule {
        Rule::DataRace => Text {
            name: "DataRace",
            short: "Two tasks access the same memory at the same time, and one of them writes",
            full: "Two accesses to one location by different tasks, at least one of them a write, that nothing orders: some \
                   schedule of the program lets them happen at the same time. The result of the program depends on which comes \
                   first, and in C, C++ and Rust its behaviour is undefined.",
            help: "Order the two accesses: wait for the task before the second access (taskwait, the end of a finish, a \
                   join), let both sides hold the same lock, make both accesses atomic, or give each task memory of its own \
                   (private, a reduction). The message says why nothing orders the two and which of these fits. The code \
                   flow shows how both tasks came to be. Races with partition 1 come first: others may be their \
                   consequences.",
            level: Level::Error,
            tags: &["concurrency", "correctness", "data-race", "external/cwe/cwe-362"],
        },
        Rule::Deadlock => Text {
            name: "Deadlock",
            short: "Tasks wait for each other, or for what nobody does",
            full: "In some schedule of the program every task that is left waits: for a lock that another of them holds, for a \
                   promise that nobody sets, or for a task that does not end.",
            help: "Take locks in the same order everywhere, and set every promise on all paths. The related locations show \
                   where each task waits and who holds what it waits for.",
            level: Level::Error,
            tags: &["concurrency", "correctness", "deadlock", "external/cwe/cwe-833"],
        },
        Rule::ProgramError => Text {
            name: "ProgramError",
            short: "The program fails in some schedule",
            full: "An assertion fails, an index is out of bounds, a promise is set twice, or the program crashes or ends with \
                   a status other than 0, in a schedule that was run.",
            help: "If the error comes only in some schedules, look for a race before it: reports list both. A witness, if \
                   there is one, replays the schedule.",
            level: Level::Error,
            tags: &["correctness", "reliability"],
        },
        Rule::Nondeterminism => Text {
            name: "Nondeterminism",
            short: "The order of two sections or signals depends on the schedule",
            full: "Two sections of a lock that conflict, two sets of a promise, or the like, come in either order. That is no \
                   data race, but the result may differ from run to run.",
            help: "If the result must not depend on the schedule, order the two: by a join, a promise, or by work that \
                   commutes, such as a sum.",
            level: Level::Warning,
            tags: &["concurrency", "determinism"],
        },
    }
}

fn describe(rule: Rule) -> Value {
    let Text { name, short, full, help, level, tags } = text(rule);
    let markdown = format!(
        "{help}\n\n`raceproof explain ID REPORT.json` tells the whole story of one finding; its id is the fingerprint \
         `raceproof/v1`."
    );
    json!({
        "id": rule.name(),
        "name": name,
        "shortDescription": { "text": format!("{short}.") },
        "fullDescription": { "text": full },
        "help": { "text": help, "markdown": markdown },
        "defaultConfiguration": { "level": level.name() },
        "properties": { "tags": tags, "precision": "very-high", "problem.severity": level.name() },
    })
}
