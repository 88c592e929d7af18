//! How time and memory grow with the number of tasks.

use crate::Section;
use crate::child::{self, EMPTY};
use crate::document::{Table, number};
use raceproof_cli::check::DetectorName::{Default, None as NoDetector};

pub(crate) const FAMILIES: [&str; 5] = ["forall", "forkjoin", "pipeline", "pipeline_blocked", "stencil"];
const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
const ROUNDS: usize = 5;

/// What ten times the tasks may cost at most.
const GROWTH: f64 = 14.0;
const BYTES_A_TASK: f64 = 400.0;

pub(crate) fn measure() -> Section {
    let mut table = Table::new(&[
        "program",
        "tasks",
        "none s",
        "default s",
        "none ns/task",
        "default ns/task",
        "none growth",
        "default growth",
        "none bytes/task",
        "default bytes/task",
    ]);
    let mut missed = Vec::new();
    let empty = child::interleaved(&[(EMPTY, 0, NoDetector), (EMPTY, 0, Default)], ROUNDS);
    let (Some(empty_none), Some(empty_default)) = (empty[0], empty[1]) else {
        panic!("the empty program can be checked")
    };
    for family in FAMILIES {
        let mut before = None;
        for size in SIZES {
            let costs = child::interleaved(&[(family, size, NoDetector), (family, size, Default)], ROUNDS);
            let (Some(none), Some(default)) = (costs[0], costs[1]) else { panic!("{family} can be checked") };
            let growth = before.map(|(a, b): (f64, f64)| (none.seconds / a, default.seconds / b));
            let bytes = default.bytes_a_task(&empty_default);
            table.row(&[
                family.to_owned(),
                default.tasks.to_string(),
                format!("{:.4}", none.seconds),
                format!("{:.4}", default.seconds),
                number(none.nanoseconds_a_task()),
                number(default.nanoseconds_a_task()),
                growth.map_or("–".into(), |(none, _)| number(none)),
                growth.map_or("–".into(), |(_, default)| number(default)),
                number(none.bytes_a_task(&empty_none)),
                number(bytes),
            ]);
            if size == 1_000_000 {
                if growth.is_some_and(|(_, default)| default > GROWTH) {
                    missed.push(format!("{family}: the last step of ten costs more than {GROWTH} times"));
                }
                if bytes >= BYTES_A_TASK {
                    missed.push(format!("{family}: {bytes:.0} bytes a task, at most {BYTES_A_TASK} wanted"));
                }
            }
            before = Some((none.seconds, default.seconds));
        }
    }
    Section { text: table.into_text(), missed }
}
