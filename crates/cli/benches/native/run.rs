//! Runs a program and says what it cost.
//!
//! Processor time (user and system) and peak memory are what the kernel counts for children that
//! have ended. Since it gives the peak of the largest child only, each program is the one child of
//! a process of its own: the benchmark, started again with [`CHILD`].

use crate::build::{Tools, Way};
use nix::sys::resource::{UsageWho, getrusage};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{io, thread};

/// The argument that tells the benchmark to run one program; the program and its arguments follow.
pub(crate) const CHILD: &str = "--child";

/// What a run cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) seconds: f64,
    pub(crate) megabytes: f64,
}

impl Cost {
    fn best(self, other: Cost) -> Cost {
        Cost { seconds: self.seconds.min(other.seconds), megabytes: self.megabytes.min(other.megabytes) }
    }
}

/// A program compiled in one way, to be run with a size of teams.
pub(crate) struct Job {
    pub(crate) program: PathBuf,
    pub(crate) way: Way,
    pub(crate) threads: usize,
    pub(crate) arguments: Vec<String>,
}

/// A run that takes longer than this many seconds of processor time is not repeated.
const SLOW: f64 = 20.0;

/// The best of several rounds in which the jobs take turns; what went wrong for a program that
/// fails.
pub(crate) fn interleaved(tools: &Tools, jobs: &[Job], rounds: usize) -> Vec<Result<Cost, String>> {
    let mut best: Vec<Option<Result<Cost, String>>> = jobs.iter().map(|_| None).collect();
    for _ in 0..rounds {
        for (best, job) in best.iter_mut().zip(jobs) {
            match best {
                None => *best = Some(run(tools, job)),
                Some(Ok(cost)) if cost.seconds < SLOW => {
                    *best = Some(run(tools, job).map(|new| cost.best(new)))
                }
                Some(_) => {}
            }
        }
    }
    best.into_iter().map(|cost| cost.unwrap_or_else(|| Err("it was not run".into()))).collect()
}

fn run(tools: &Tools, job: &Job) -> Result<Cost, String> {
    let itself = std::env::current_exe().map_err(|error| format!("cannot find itself: {error}"))?;
    let mut command = Command::new(itself);
    command.arg(CHILD).arg(&job.program).args(&job.arguments).env("OMP_NUM_THREADS", job.threads.to_string());
    // Threads that have nothing to do sleep: they would spend processor time on waiting.
    command.env("KMP_BLOCKTIME", "0").env_remove("RACEPROOF_OPTIONS");
    if job.way == Way::Tsan {
        command.env("OMP_TOOL_LIBRARIES", &tools.archer);
        // A report would cost the time of a symbolizer; there is nothing to report but false
        // alarms.
        command.env("TSAN_OPTIONS", "ignore_noninstrumented_modules=1 report_bugs=0");
    }
    let output = command.output().map_err(|error| format!("cannot run itself: {error}"))?;
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        let last = complained.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        return Err(format!("fails: {last}"));
    }
    let mut fields = said.lines().last().unwrap_or_default().split(' ').map(str::parse);
    match (fields.next(), fields.next()) {
        (Some(Ok(seconds)), Some(Ok(megabytes))) => Ok(Cost { seconds, megabytes }),
        _ => Err(format!("two numbers expected, not {said:?}")),
    }
}

/// A program that takes longer is ended: what it would take is beyond any target.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for the program, as long as there is patience.
fn finish(program: &mut Child) -> io::Result<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = program.try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(1));
    }
    program.kill()?;
    program.wait()?;
    Err(io::Error::other(format!("it takes more than {} seconds", PATIENCE.as_secs())))
}

/// The child: runs the program, and prints its cost.
pub(crate) fn serve(words: Vec<String>) -> ExitCode {
    let Some((program, arguments)) = words.split_first() else { return ExitCode::from(2) };
    let status = Command::new(Path::new(program)).args(arguments).stdout(Stdio::null()).spawn();
    let status = status.and_then(|mut started| finish(&mut started));
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    match (status, usage) {
        (Ok(status), Ok(usage)) if status.success() => {
            let times = [usage.user_time(), usage.system_time()];
            let seconds: f64 = times.iter().map(|t| t.tv_sec() as f64 + t.tv_usec() as f64 / 1e6).sum();
            println!("{seconds} {}", usage.max_rss() as f64 / 1024.0);
            ExitCode::SUCCESS
        }
        (Ok(status), _) => {
            eprintln!("{status}");
            ExitCode::FAILURE
        }
        (Err(error), _) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
