//! One `check` in a process of its own, so that its peak memory can be read: this program runs
//! itself again.

use crate::process::{peak, processor_time, run_itself};
use crate::programs::{compiled, text, with_size};
use raceproof::strategy::DepthFirst;
use raceproof_cli::check::{DetectorName, Options, check};
use raceproof_core::finding::Verdict;
use raceproof_tp::execute::{Bounds, execute};
use std::process::ExitCode;

/// The program that does nothing.
pub(crate) const EMPTY: &str = "empty";

/// What one check took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Of processor time.
    pub(crate) seconds: f64,
    pub(crate) tasks: u64,
    /// The peak of the resident memory of the process, in bytes.
    pub(crate) peak: u64,
    /// Shared cells of the program.
    pub(crate) cells: u64,
}

impl Cost {
    pub(crate) fn nanoseconds_a_task(&self) -> f64 {
        self.seconds * 1e9 / self.tasks as f64
    }

    /// Peak memory a task beyond an empty program's and the 9 bytes a cell of the program's own
    /// data.
    pub(crate) fn bytes_a_task(&self, empty: &Cost) -> f64 {
        (self.peak as f64 - empty.peak as f64 - 9.0 * self.cells as f64) / self.tasks as f64
    }

    /// The fastest time and the smallest memory of two runs.
    fn best(self, other: Cost) -> Cost {
        Cost { seconds: self.seconds.min(other.seconds), peak: self.peak.min(other.peak), ..self }
    }
}

/// A check that takes longer than this many seconds is done once.
const SLOW: f64 = 2.0;

/// The best of `rounds` rounds in which the given checks take turns. Nothing for a check that the
/// detector refuses.
pub(crate) fn interleaved(jobs: &[(&str, u64, DetectorName)], rounds: usize) -> Vec<Option<Cost>> {
    let mut best = vec![None; jobs.len()];
    for round in 0..rounds {
        for (best, &(program, size, detector)) in best.iter_mut().zip(jobs) {
            if round == 0 || best.is_some_and(|best: Cost| best.seconds < SLOW) {
                let cost = run(program, size, detector);
                *best = best.map_or(cost, |best: Cost| cost.map(|cost| best.best(cost)));
            }
        }
    }
    best
}

/// Has a child check `programs/tp/bench/PROGRAM.tp` of the given size.
fn run(program: &str, size: u64, detector: DetectorName) -> Option<Cost> {
    let said = run_itself(&[program, &size.to_string(), detector.name()]);
    let mut fields = said.split_whitespace();
    Some(Cost {
        seconds: fields.next()?.parse().ok()?,
        tasks: fields.next()?.parse().ok()?,
        peak: fields.next()?.parse().ok()?,
        cells: fields.next()?.parse().ok()?,
    })
}

/// The child: checks, and prints the cost, or nothing if the detector refuses.
pub(crate) fn serve(job: &[String]) -> ExitCode {
    let [program, size, detector] = job else { panic!("a child is given a program, a size and a detector") };
    let size = size.parse().expect("a size is a number");
    let named = |known: &DetectorName| known.name() == detector;
    let detector = DetectorName::ALL.into_iter().find(named).unwrap_or(DetectorName::None);
    let text = match program.as_str() {
        EMPTY => "proc main() { }".to_owned(),
        _ => with_size(&text(&format!("bench/{program}")), size),
    };
    let code = compiled(program, &text);
    let start = processor_time();
    let checked = check(&code, program, &Options { detector, ..Options::default() });
    let seconds = (processor_time() - start).as_secs_f64();
    let peak = peak();
    let Ok(checked) = checked else { return ExitCode::SUCCESS };
    let expected = if detector == DetectorName::None { Verdict::Inconclusive } else { Verdict::RaceFree };
    assert_eq!(checked.report.verdict, expected, "the programs that grow have no race");
    let again = execute(&code, program, (), &mut DepthFirst, Bounds::default());
    println!("{seconds} {} {peak} {}", checked.report.stats.tasks, again.run.machine.memory.cells());
    ExitCode::SUCCESS
}
