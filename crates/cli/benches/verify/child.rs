//! One `verify` in a process of its own, so that its peak memory can be read: this program runs itself again.

use crate::programs::{compiled, repository};
use raceproof_cli::verify::{Options, OrderName, verify};
use raceproof_core::finding::{Scope, Verdict};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use std::{fs, thread};

pub(crate) const FLAG: &str = "--child";

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
    let itself = std::env::current_exe().expect("a program knows where it is");
    let tasks = job.tasks.unwrap_or(0).to_string();
    let arguments = [FLAG, job.program, &tasks, job.order.name(), &job.workers.to_string()];
    let output = Command::new(itself).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run itself: {error}"));
    let said = String::from_utf8_lossy(&output.stdout);
    let fields: Vec<&str> = said.split_whitespace().collect();
    let [verdict, all, executions, pruned, seconds, processor, peak] = fields[..] else {
        panic!("{}: {}", job.program, String::from_utf8_lossy(&output.stderr));
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
    let path = repository().join("programs/tp").join(program).with_extension("tp");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
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
    let (start, processor) = (Instant::now(), processor_time());
    let verified = verify(&code, program, &options);
    let seconds = start.elapsed().as_secs_f64();
    let processor = (processor_time() - processor).as_secs_f64();
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

/// The processor time of this process: that of its threads, those that have ended included.
fn processor_time() -> Duration {
    // The kernel brings the figures up to date when a process sleeps.
    thread::sleep(Duration::from_micros(1));
    let statistics = fs::read_to_string("/proc/self/stat").expect("processor time is read from /proc");
    // Behind the name, which may contain anything: utime and stime are the 12th and 13th field, in hundredths.
    let fields = statistics.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// The peak of this process's resident memory so far, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("peak memory is read from /proc");
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("VmHWM in /proc/self/status");
    1024 * line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("VmHWM is a number")
}
