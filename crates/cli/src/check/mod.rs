//! `check`: one run of a program, and what it says about all of them.
//!
//! 1. The program runs once, depth-first, under a detector that says which locations race.
//! 2. If any do, it runs again (a run is deterministic) to gather all pairs of accesses that race on them.
//! 3. Each pair is put to the test: the program runs once more under the observed schedule, but with the first
//!    access held back until its task and the other's both stand before their accesses. If they get there, the
//!    race is `feasible` and that schedule is its witness; if not, it stays `apparent`.

mod races;

use crate::tp::code::Code;
use crate::tp::execute::{Bounds, Execution, execute};
use crate::tp::fault::{Fault, FaultKind, Limit, What};
use crate::tp::watch::Limits;
use raceproof::strategy::DepthFirst;
use raceproof_core::detect::closure::Closure;
use raceproof_core::detect::drdp::Drdp;
use raceproof_core::detect::esp_bags::EspBags;
use raceproof_core::detect::last_access::LastAccess;
use raceproof_core::detect::zipper::Zipper;
use raceproof_core::detect::{Detector, Pair};
use raceproof_core::event::Observer;
use raceproof_core::finding::{Deadlock, Grade, ProgramError, Report, Scope, Stats, Verdict, Witness};
use raceproof_core::ids::{Location, TaskId};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The detectors by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum DetectorName {
    /// raceproof's own: the last write and the reads since, over labels of the graph
    Default,
    /// Nakade: the transitive closure of the graph; slow and obviously right
    Closure,
    /// Storey et al.: zippers over the graph
    Zipper,
    /// Raman et al.: for async, finish and isolated only; can raise false alarms with isolated
    EspBags,
    /// Jin et al.: the detector for promises, its precedence check mended
    Drdp,
    /// Run the program and look for no race
    None,
}

impl DetectorName {
    pub const ALL: [DetectorName; 5] = [
        DetectorName::Default,
        DetectorName::Closure,
        DetectorName::Zipper,
        DetectorName::EspBags,
        DetectorName::Drdp,
    ];

    pub fn name(self) -> &'static str {
        match self {
            DetectorName::Default => "default",
            DetectorName::Closure => "closure",
            DetectorName::Zipper => "zipper",
            DetectorName::EspBags => "esp-bags",
            DetectorName::Drdp => "drdp",
            DetectorName::None => "none",
        }
    }
}

/// How to check.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub detector: DetectorName,
    pub max_seconds: Option<f64>,
    /// The most actions (accesses and synchronisations) of the run.
    pub max_events: Option<u64>,
    /// The most bytes of memory the process may use.
    pub max_memory: Option<u64>,
    /// Set from outside to end the run with what is known.
    pub interrupt: Option<&'a AtomicBool>,
    pub keep_output: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            detector: DetectorName::Default,
            max_seconds: None,
            max_events: None,
            max_memory: None,
            interrupt: None,
            keep_output: false,
        }
    }
}

/// What a check gives.
pub struct Checked {
    pub report: Report,
    /// What the program printed, if asked for.
    pub output: String,
}

/// The moment so many seconds from now; none if it never comes.
pub fn deadline(seconds: f64) -> Option<Instant> {
    Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

/// Checks a compiled program; `file` is what its source is called in the report. An error if the detector that was asked
/// for cannot judge this program.
pub fn check(code: &Code, file: &str, options: &Options<'_>) -> Result<Checked, String> {
    let start = Instant::now();
    let deadline = options.max_seconds.and_then(deadline);
    let bounds = Bounds {
        actions: options.max_events.unwrap_or(u64::MAX),
        limits: Limits { deadline, interrupt: options.interrupt, memory: options.max_memory, looks: None },
        keep_schedule: false,
        keep_output: options.keep_output,
    };
    let session = Session { code, file, bounds, start, detector: options.detector };
    match options.detector {
        DetectorName::Default => {
            let mut execution = session.run(LastAccess::default());
            let racy = execution.run.kernel.observer.racy().to_vec();
            Ok(session.conclude(&mut execution, Found { racy, claimed: Vec::new() }))
        }
        DetectorName::Closure => session.published::<Closure>(),
        DetectorName::Zipper => session.published::<Zipper>(),
        DetectorName::EspBags => session.published::<EspBags>(),
        DetectorName::Drdp => session.published::<Drdp>(),
        DetectorName::None => Ok(session.conclude(&mut session.run(()), Found::default())),
    }
}

/// What a detector found: the locations, and if it tells them the pairs.
#[derive(Default)]
struct Found {
    racy: Vec<Location>,
    claimed: Vec<Pair>,
}

struct Session<'a> {
    code: &'a Code,
    file: &'a str,
    bounds: Bounds<'a>,
    start: Instant,
    detector: DetectorName,
}

impl<'a> Session<'a> {
    fn run<O: Observer>(&self, observer: O) -> Execution<'a, O> {
        execute(self.code, self.file, observer, &mut DepthFirst, self.bounds)
    }

    fn published<D: Detector + Default>(&self) -> Result<Checked, String> {
        let mut execution = self.run(D::default());
        let detector = std::mem::take(&mut execution.run.kernel.observer);
        if let Some(refusal) = detector.refusal() {
            return Err(format!("--detector {}: {refusal}", self.detector.name()));
        }
        let claimed = detector.finish();
        let mut racy: Vec<Location> = claimed.iter().map(|pair| pair.location).collect();
        racy.sort();
        racy.dedup();
        Ok(self.conclude(&mut execution, Found { racy, claimed }))
    }

    /// The report on an execution in which the detector found `found`.
    fn conclude<O: Observer>(&self, execution: &mut Execution<'a, O>, found: Found) -> Checked {
        let mut limits = execution.limits(self.bounds.actions);
        if self.detector == DetectorName::None {
            limits.push("races were not looked for (--detector none)".into());
        }
        let races = if found.racy.is_empty() {
            Vec::new()
        } else {
            let question = races::Question {
                code: self.code,
                file: self.file,
                bounds: self.again(execution),
                limits: self.bounds.limits,
                first_run: self.start.elapsed(),
            };
            races::explain(question, &found.racy, &found.claimed, &mut limits)
        };
        let errors = self.errors(execution);
        let deadlocks = self.deadlocks(execution, &mut limits);
        let second_set = FaultKind::SecondSet.name();
        let schedule_dependent = execution.run.kernel.is_schedule_dependent()
            || !execution.is_complete()
            || errors.iter().any(|error| error.kind == second_set);
        let scope = if schedule_dependent { Scope::ObservedSchedule } else { Scope::AllSchedules };
        let verdict = Report::judge(&races, &errors, &deadlocks, &limits);
        let determinate = if races.iter().any(|race| race.grade >= Grade::Feasible) {
            Some(false)
        } else if scope == Scope::AllSchedules && matches!(verdict, Verdict::RaceFree | Verdict::Deadlock) {
            Some(true)
        } else {
            None
        };
        let kernel = &execution.run.kernel;
        let report = Report {
            tool: "raceproof",
            version: env!("CARGO_PKG_VERSION"),
            schema: 1,
            verdict,
            scope,
            determinate,
            detector: self.detector.name().to_owned(),
            races,
            deadlocks,
            errors,
            limits,
            stats: Stats {
                executions: 1,
                tasks: kernel.tasks().len() as u64,
                steps: kernel.steps(),
                reads: execution.run.machine.reads,
                writes: execution.run.machine.writes,
                seconds: self.start.elapsed().as_secs_f64(),
            },
        };
        Checked { report, output: execution.run.machine.output.take().unwrap_or_default() }
    }

    /// What bounds a repetition of the run: it ends where the run ended, however long that takes.
    fn again<O: Observer>(&self, execution: &Execution<'a, O>) -> Bounds<'static> {
        // The other limits come again by themselves.
        let by_chance = execution.ending.stopped.as_ref().is_some_and(|fault| {
            matches!(fault.what, What::Limit(Limit::Seconds | Limit::Memory | Limit::Interrupted))
        });
        let looks = by_chance.then_some(execution.run.machine.looks);
        Bounds {
            actions: self.bounds.actions,
            limits: Limits { looks, ..Limits::default() },
            ..Bounds::default()
        }
    }

    /// The schedule of the run.
    fn schedule<O: Observer>(&self, execution: &Execution<'a, O>) -> Option<Witness> {
        let bounds = Bounds { keep_schedule: true, ..self.again(execution) };
        execute(self.code, self.file, (), &mut DepthFirst, bounds).witness()
    }

    fn errors<O: Observer>(&self, execution: &Execution<'a, O>) -> Vec<ProgramError> {
        if execution.ending.failed.is_empty() {
            return Vec::new();
        }
        let witness = self.schedule(execution);
        let describe = |(task, fault): &(TaskId, Fault)| {
            let What::Error(kind) = fault.what else { return None };
            Some(ProgramError {
                kind: kind.name().into(),
                message: fault.message.clone(),
                task: execution.task_name(*task),
                at: execution.place(fault.site?),
                stack: execution.stack(*task),
                spawned: execution.spawned(*task),
                witness: witness.clone(),
            })
        };
        execution.ending.failed.iter().filter_map(describe).collect()
    }

    fn deadlocks<O: Observer>(
        &self,
        execution: &Execution<'a, O>,
        limits: &mut Vec<String>,
    ) -> Vec<Deadlock> {
        // Whoever waits for a task that failed is not in a deadlock: the program was stopped by then.
        if !execution.is_complete() || !execution.ending.failed.is_empty() {
            return Vec::new();
        }
        let (waiting, all) = execution.waiting();
        if waiting.is_empty() {
            return Vec::new();
        }
        if waiting.len() < all {
            limits.push(format!("{} of the {all} tasks that wait for ever are listed", waiting.len()));
        }
        vec![Deadlock { waiting, witness: self.schedule(execution) }]
    }
}
