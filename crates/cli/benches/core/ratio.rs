//! What detection adds to a run that does some work: matmul with a task for each row, fib with one
//! for each call.

use crate::Section;
use crate::child;
use crate::document::{Table, number};
use raceproof_cli::check::DetectorName;

const PROGRAMS: [(&str, u64); 2] = [("matmul", 128), ("fib", 25)];
const ROUNDS: usize = 15;
const RATIO: f64 = 2.5;

pub(crate) fn measure() -> Section {
    let mut table = Table::new(&["program", "N", "tasks", "none s", "default s", "default / none"]);
    let mut missed = Vec::new();
    for (program, size) in PROGRAMS {
        let jobs = [DetectorName::None, DetectorName::Default].map(|detector| (program, size, detector));
        let costs = child::interleaved(&jobs, ROUNDS);
        let (Some(none), Some(default)) = (costs[0], costs[1]) else { panic!("{program} can be checked") };
        let ratio = default.seconds / none.seconds;
        table.row(&[
            program.to_owned(),
            size.to_string(),
            default.tasks.to_string(),
            format!("{:.4}", none.seconds),
            format!("{:.4}", default.seconds),
            number(ratio),
        ]);
        if ratio > RATIO {
            missed
                .push(format!("{program}: detection costs {ratio:.2} times the run, at most {RATIO} wanted"));
        }
    }
    Section { text: table.into_text(), missed }
}
