//! One `verify` in a process of its own, so that its peak memory can be read: this program runs
//! itself again.

use crate::process::{peak, processor_time_of_all, run_itself};
use crate::programs::{compiled, text};
use raceproof_cli::verify::{Options, OrderName, verify};
use raceproof_core::finding::{Scope, Verdict};
use std::process::ExitCode;
use std::time::Instant;

/// What to verify: a program below `programs/tp`, with another number of tasks if it has that.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) program: &'a str,
    pub(crate) tasks: Option<u32>,
    pub(crate) order: OrderName,
    pub(crate) workers: usize,
}

/// Executions after which a search is given up.
pub(crate) const BUDGET: u64 = 1_000_000;

/// Seconds after which it is.
const SECONDS: f64 = 20.0;

/// How a search went.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) verdict: String,
    /// Whether the verdict covers all schedules.
    pub(crate) all: bool,
    pub(crate) executions: u64,
    pub(crate) pruned: u64,
    /// By the clock.
    pub(crate) seconds: f64,
    /// Of processor time, of all threads.
    pub(crate) processor: f64,
    /// The peak of the resident memory of the process, in bytes.
    pub(crate) peak: u64,
}

impl Outcome {
    /// The executions, or that there are more than the budget allows.
    pub(crate) fn executions(&self) -> String {
        if self.given_up() { format!("> {}", self.executions) } else { self.executions.to_string() }
    }

    pub(crate) fn given_up(&self) -> bool {
        self.verdict == "inconclusive"
    }

    /// Executions, pruned ones included, for a second of one processor.
    pub(crate) fn rate(&self) -> f64 {
        (self.executions + self.pruned) as f64 / self.processor
    }
}

/// Has a child do it.
pub(crate) fn run(job: Job<'_>) -> Outcome {
    let tasks = job.tasks.unwrap_or(0).to_string();
    let said = run_itself(&[job.program, &tasks, job.order.name(), &job.workers.to_string()]);
    let fields: Vec<&str> = said.split_whitespace().collect();
    let [verdict, all, executions, pruned, seconds, processor, peak] = fields[..] else {
        panic!("{}: a child prints seven fields: {said}", job.program);
    };
    let number = |field: &str| field.parse::<f64>().unwrap_or_else(|_| panic!("`{field}` is no number"));
    Outcome {
        verdict: verdict.into(),
        all: all == "true",
        executions: number(executions) as u64,
        pruned: number(pruned) as u64,
        seconds: number(seconds),
        processor: number(processor),
        peak: number(peak) as u64,
    }
}

/// The child: verifies, and prints how it went.
pub(crate) fn serve(job: &[String]) -> ExitCode {
    let [program, tasks, order, workers] = job else {
        panic!("a child is given a program, tasks, an order and workers")
    };
    let text = text(program);
    let text = if tasks == "0" { text } else { with_tasks(&text, tasks) };
    let code = compiled(program, &text);
    let options = Options {
        order: match order.as_str() {
            "hb" => OrderName::Hb,
            "wcp" => OrderName::Wcp,
            _ => OrderName::Dc,
        },
        workers: workers.parse().expect("workers are a number"),
        max_executions: Some(BUDGET),
        max_seconds: Some(SECONDS),
        ..Options::default()
    };
    let (start, processor) = (Instant::now(), processor_time_of_all());
    let verified = verify(&code, program, &options);
    let seconds = start.elapsed().as_secs_f64();
    let processor = (processor_time_of_all() - processor).as_secs_f64();
    let report = verified.report;
    let verdict = match report.verdict {
        Verdict::RaceFree => "race-free",
        Verdict::Race => "race",
        Verdict::Deadlock => "deadlock",
        Verdict::ProgramError => "program-error",
        Verdict::Inconclusive => "inconclusive",
    };
    let (all, peak) = (report.scope == Scope::AllSchedules, peak());
    println!("{verdict} {all} {} {} {seconds} {processor} {peak}", report.stats.executions, verified.pruned);
    ExitCode::SUCCESS
}

/// The program with another number in the line of TASKS.
fn with_tasks(text: &str, tasks: &str) -> String {
    let is_size = |line: &str| line.starts_with("proc TASKS()");
    assert!(text.lines().any(is_size), "the program has no line of TASKS");
    let resize = |line| {
        if is_size(line) { format!("proc TASKS() {{ return {tasks}; }}\n") } else { format!("{line}\n") }
    };
    text.lines().map(resize).collect()
}
