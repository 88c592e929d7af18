//! The two programs of Ogles, Aldous and Mercer (FMCAD 2019), by number of tasks: executions under
//! HB, WCP and DC.

use crate::Section;
use crate::child::{Job, Outcome, run};
use crate::document::{Table, number};
use raceproof_cli::verify::OrderName;

const COLUMNS: [&str; 10] = [
    "tasks",
    "hb executions",
    "hb pruned",
    "hb s",
    "wcp executions",
    "wcp pruned",
    "wcp s",
    "dc executions",
    "dc pruned",
    "dc s",
];

const ORDERS: [OrderName; 3] = [OrderName::Hb, OrderName::Wcp, OrderName::Dc];

pub(crate) fn findmax() -> Section {
    grow("examples/findmax", 2..=8, |_| None)
}

/// Ids of tasks 11 apart collide in three slots, and each collision can be resolved in two ways.
pub(crate) fn indexer() -> Section {
    grow("examples/indexer", 1..=16, |tasks| Some(8u64.pow(tasks.saturating_sub(11))))
}

/// `expected` executions under DC, if known.
fn grow(
    program: &str,
    sizes: std::ops::RangeInclusive<u32>,
    expected: impl Fn(u32) -> Option<u64>,
) -> Section {
    let mut table = Table::new(&COLUMNS);
    let mut missed = Vec::new();
    // A search that has been given up would be for more tasks, too.
    let mut given_up = [false; ORDERS.len()];
    for tasks in sizes {
        let mut cells = vec![tasks.to_string()];
        for (order, given_up) in ORDERS.into_iter().zip(&mut given_up) {
            if *given_up {
                cells.extend(["–", "–", "–"].map(String::from));
                continue;
            }
            let outcome = run(Job { program, tasks: Some(tasks), order, workers: 1 });
            *given_up = outcome.given_up();
            let name = format!("{program} with {tasks} tasks under {}", order.name());
            missed.extend(wrong(&name, &outcome));
            if order == OrderName::Dc
                && expected(tasks).is_some_and(|expected| outcome.executions != expected)
            {
                missed.push(format!("{name}: {} executions", outcome.executions));
            }
            cells.extend([outcome.executions(), outcome.pruned.to_string(), number(outcome.seconds)]);
        }
        table.row(&cells);
    }
    Section { text: table.into_text(), missed }
}

/// Both programs are race-free, in all schedules.
fn wrong(name: &str, outcome: &Outcome) -> Option<String> {
    let right = outcome.given_up() || (outcome.verdict == "race-free" && outcome.all);
    (!right).then(|| format!("{name} is {}", outcome.verdict))
}
