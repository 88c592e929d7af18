//! How the time of a task, or of a promise, grows with their number, and the memory.

use crate::build::{Tools, Way};
use crate::document::{Table, number};
use crate::programs::{GROWING, GROWING_PROMISES};
use crate::run::{Job, interleaved};
use crate::{Options, Section};

/// The first is what starting and ending take; it is taken off the others.
const SIZES: [u64; 4] = [100, 10_000, 100_000, 1_000_000];
/// The dearest task as a multiple of the cheapest.
const FLAT: f64 = 1.5;
/// The smallest take milliseconds, of which the system has its part: they are run more often than
/// long ones.
const REPEATS: usize = 9;

pub(crate) fn measure(tools: &Tools, options: &Options) -> Result<Section, String> {
    let sizes = if options.quick { &SIZES[..2] } else { &SIZES };
    let mut table = Table::new(&["program", "tasks", "s", "ns/task", "MB", "× the cheapest"]);
    let mut missed = Vec::new();
    for name in GROWING.into_iter().chain(GROWING_PROMISES) {
        eprintln!("{name} …");
        let program = match GROWING_PROMISES.contains(&name) {
            true => tools.compile_promises(name)?,
            false => tools.compile(name, Way::Raceproof)?,
        };
        let job = |size: &u64| Job {
            program: program.clone(),
            way: Way::Raceproof,
            threads: options.threads,
            arguments: vec![size.to_string()],
        };
        let jobs: Vec<Job> = sizes.iter().map(job).collect();
        let repeats = options.repeats.max(REPEATS);
        let costs: Result<Vec<_>, String> = interleaved(tools, &jobs, repeats).into_iter().collect();
        let costs = costs.map_err(|wrong| format!("{name}: {wrong}"))?;
        let [start, rest @ ..] = costs.as_slice() else { unreachable!("there are several sizes") };
        let each = |seconds: f64, size: u64| (seconds - start.seconds).max(0.0) * 1e9 / size as f64;
        let times: Vec<f64> =
            rest.iter().zip(&sizes[1..]).map(|(cost, &size)| each(cost.seconds, size)).collect();
        let cheapest = times.iter().copied().fold(f64::INFINITY, f64::min);
        for ((cost, size), time) in rest.iter().zip(&sizes[1..]).zip(&times) {
            let more = time / cheapest;
            table.row(&[
                name.to_owned(),
                size.to_string(),
                format!("{:.4}", cost.seconds),
                number(*time),
                number(cost.megabytes),
                number(more),
            ]);
            if more > FLAT {
                let more = number(more);
                missed
                    .push(format!("{name}: a task of {size} costs {more} times the cheapest, {FLAT} wanted"));
            }
        }
    }
    Ok(Section { text: table.into_text(), missed })
}
