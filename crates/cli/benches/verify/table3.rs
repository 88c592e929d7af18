//! All schedules of the 27 programs of Table 3 of the Zipper paper, and of some examples.

use crate::Section;
use crate::child::{Job, run};
use crate::document::{Table, number};
use crate::programs::repository;
use raceproof_cli::verify::OrderName;
use std::fs;

/// Examples in which the order of sections, semaphores or sets decides something.
const EXAMPLES: [&str; 10] = [
    "bank_deadlock",
    "bank_locks",
    "dc_fig1",
    "dc_fig4",
    "first_wins",
    "knapsack",
    "philosophers",
    "philosophers_deadlock",
    "producer_consumer",
    "semaphore_mutex",
];

pub(crate) fn zipper() -> Section {
    measure("zipper", |_| true)
}

pub(crate) fn examples() -> Section {
    measure("examples", |name| EXAMPLES.contains(&name))
}

fn measure(folder: &str, wanted: impl Fn(&str) -> bool) -> Section {
    let mut table = Table::new(&["program", "verdict", "dc executions", "dc ms", "hb executions", "hb ms"]);
    let mut missed = Vec::new();
    for (program, expected) in programs(folder).into_iter().filter(|(name, _)| wanted(name)) {
        let [dc, hb] = [OrderName::Dc, OrderName::Hb].map(|order| {
            run(Job { program: &format!("{folder}/{program}"), tasks: None, order, workers: 1 })
        });
        for outcome in [&dc, &hb] {
            if outcome.verdict != expected || !outcome.all {
                missed.push(format!("{program} is {}, not {expected}", outcome.verdict));
            }
        }
        let milliseconds = |seconds: f64| number(seconds * 1e3);
        table.row(&[
            program,
            dc.verdict.clone(),
            dc.executions(),
            milliseconds(dc.seconds),
            hb.executions(),
            milliseconds(hb.seconds),
        ]);
    }
    Section { text: table.into_text(), missed }
}

/// The programs in a folder and the verdicts in their headers, by name.
fn programs(folder: &str) -> Vec<(String, String)> {
    let folder = repository().join("programs/tp").join(folder);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut programs: Vec<(String, String)> = files
        .filter_map(|file| {
            let path = file.ok()?.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            let text = fs::read_to_string(&path).ok()?;
            let expected = text.lines().find_map(|line| line.strip_prefix("// expect: "))?.to_owned();
            Some((name, expected))
        })
        .collect();
    programs.sort();
    programs
}
