//! How fast executions are run: with one worker and with two, and what memory that takes.

use crate::Section;
use crate::child::{Job, Outcome, run};
use crate::document::{Table, number};
use raceproof_cli::verify::OrderName;

/// Programs with many executions; tasks for those that grow.
const PROGRAMS: [(&str, Option<u32>, OrderName); 6] = [
    ("examples/indexer", Some(14), OrderName::Dc),
    ("examples/indexer", Some(15), OrderName::Dc),
    ("examples/indexer", Some(16), OrderName::Dc),
    ("examples/indexer", Some(3), OrderName::Hb),
    ("examples/findmax", Some(8), OrderName::Hb),
    ("zipper/IntegerCounterIsolated", None, OrderName::Hb),
];

/// Each is done so many times; the fastest counts.
const ROUNDS: usize = 3;

/// Executions a second of one processor that no program may fall below.
const TARGET: f64 = 5_000.0;

/// The most memory of a search as a multiple of that of the search before, if it is of the same
/// program with more executions.
const GROWTH: f64 = 1.25;

pub(crate) fn measure() -> Section {
    let mut table = Table::new(&[
        "program",
        "order",
        "executions",
        "pruned",
        "s",
        "s, two workers",
        "executions a second a core",
        "peak MB",
    ]);
    let mut missed = Vec::new();
    let mut before: Option<(&str, Outcome)> = None;
    for (program, tasks, order) in PROGRAMS {
        let fastest = |workers| {
            let rounds = (0..ROUNDS).map(|_| run(Job { program, tasks, order, workers }));
            rounds.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("there is a round")
        };
        let (one, two) = (fastest(1), fastest(2));
        let name = tasks.map_or(program.to_owned(), |tasks| format!("{program}, {tasks} tasks"));
        if (one.executions, one.pruned) != (two.executions, two.pruned) {
            missed.push(format!("{name}: two workers run other executions than one"));
        }
        // Processor time comes in hundredths of a second: too coarse for a short search, which has
        // one thread anyway.
        let rate = one.rate().min((one.executions + one.pruned) as f64 / one.seconds);
        if rate < TARGET {
            missed.push(format!("{name}: {} executions a second", number(rate)));
        }
        if let Some((_, before)) =
            before.filter(|(other, before)| *other == program && before.executions < one.executions)
            && one.peak as f64 > before.peak as f64 * GROWTH
        {
            missed.push(format!(
                "{name}: {} MB, more than with fewer executions",
                number(one.peak as f64 / 1e6)
            ));
        }
        table.row(&[
            name,
            order.name().into(),
            one.executions(),
            one.pruned.to_string(),
            number(one.seconds),
            number(two.seconds),
            number(rate),
            number(one.peak as f64 / 1e6),
        ]);
        before = Some((program, one));
    }
    Section { text: table.into_text(), missed }
}
