//! `check`: one run of a program, and what it says about all of them.
//!
//! 1. The program runs once, depth-first, under a detector that says which locations race.
//! 2. If any do, it runs again (a run is deterministic) to gather all pairs of accesses that race
//!    on them.
//! 3. Each pair is put to the test: the program runs once more under the observed schedule, but
//!    with the first access held back until its task and the other's both stand before their
//!    accesses. If they get there, the race is `feasible` and that schedule is its witness; if not,
//!    it stays `apparent`.
//!
//! 4. The races are put in order: those to fix first, and those they may have caused
//!    (`first_races.rs`).
//!
//! A program that says it may not be deterministic is run at least twice, and the runs are
//! compared.

mod determinism;
pub(crate) mod first_races;
mod predict;
pub mod races;

pub use determinism::NOT_DETERMINISTIC;

use crate::kernel::Fault;
use crate::program::{Bounds, Execution, Program, run_once};
use crate::strategy::DepthFirst;
use raceproof_core::detect::last_access::LastAccess;
use raceproof_core::detect::pairs::Pairs;
use raceproof_core::detect::{Detector, Pair};
use raceproof_core::event::Observer;
use raceproof_core::finding::{Deadlock, Grade, ProgramError, Race, Report, Scope, Stats, Verdict, Witness};
use raceproof_core::ids::{Location, TaskId};
use std::time::Instant;

/// What a check gives.
pub struct Checked {
    pub report: Report,
    /// What the program printed, if asked for.
    pub output: String,
}

/// What a detector found: the locations, and the pairs if it reports them.
#[derive(Default)]
struct Found {
    racy: Vec<Location>,
    claimed: Vec<Pair>,
    /// The races themselves, if they need no explaining any more.
    races: Option<Vec<Race>>,
}

/// One check of a program.
pub struct Session<'a, P: Program<'a>> {
    program: P,
    bounds: Bounds<'a>,
    start: Instant,
    /// The name of the detector, for the report.
    detector: String,
}

impl<'a, P: Program<'a>> Session<'a, P> {
    pub fn new(program: P, bounds: Bounds<'a>, detector: impl Into<String>) -> Self {
        Session {
            program,
            bounds: Bounds { keep_schedule: false, ..bounds },
            start: Instant::now(),
            detector: detector.into(),
        }
    }

    /// Checks with raceproof's own detector.
    pub fn check(&self) -> Checked {
        let execution = self.run(LastAccess::default(), self.bounds);
        let racy = execution.run.kernel.observer.racy().to_vec();
        self.conclude(execution, Found { racy, ..Found::default() }, Vec::new())
    }

    /// Checks with a published detector; an error if it cannot judge this program.
    pub fn check_with<D: Detector + Default>(&self) -> Result<Checked, String> {
        let mut execution = self.run(D::default(), self.bounds);
        let detector = std::mem::take(&mut execution.run.kernel.observer);
        if let Some(refusal) = detector.refusal() {
            return Err(refusal);
        }
        let claimed = detector.finish();
        let mut racy: Vec<Location> = claimed.iter().map(|pair| pair.location).collect();
        racy.sort();
        racy.dedup();
        Ok(self.conclude(execution, Found { racy, claimed, races: None }, Vec::new()))
    }

    /// Runs the program and looks for no race, for the reason given.
    pub fn only_run(&self, reason: String) -> Checked {
        self.conclude(self.run((), self.bounds), Found::default(), vec![reason])
    }

    fn run<O: Observer>(&self, observer: O, bounds: Bounds<'a>) -> Execution<'a, P, O> {
        run_once(&self.program, &mut DepthFirst, observer, bounds)
    }

    /// What bounds a repetition of the run: it ends where the run ended, however long that takes.
    fn again<O: Observer>(&self, execution: &Execution<'a, P, O>) -> Bounds<'a> {
        let actions = execution.actions_again(self.bounds.actions);
        Bounds { actions, limits: execution.limits_again(), keep_output: false, ..self.bounds }
    }

    /// The report on an execution in which the detector found `found`.
    fn conclude<O: Observer>(
        &self,
        mut execution: Execution<'a, P, O>,
        mut found: Found,
        notes: Vec<String>,
    ) -> Checked {
        let first_run = self.start.elapsed();
        let mut limits = execution.limits(self.bounds.actions);
        limits.extend(notes);
        let again = self.again(&execution);
        let mut deterministic = true;
        let races = if found.racy.is_empty() {
            found.races.take().unwrap_or_default()
        } else {
            let observed = self.run(Pairs::new(&found.racy), again);
            deterministic &= same(&execution, &observed);
            races::explain(observed, self.bounds, &found, first_run, &mut limits)
        };
        let mut races = races;
        first_races::arrange(&self.program, again, &mut races);
        // A task that waits for a failed one is not in a deadlock: the program was stopped by then.
        let failed = !execution.ending.failed.is_empty();
        let stuck = execution.is_complete() && !failed && execution.run.waiting().next().is_some();
        let compare = execution.fingerprint().is_some() && found.racy.is_empty();
        let repeated = (failed || stuck || compare).then(|| {
            let repeated = self.run((), Bounds { keep_schedule: failed || stuck, ..again });
            deterministic &= same(&execution, &repeated);
            repeated
        });
        let witness = repeated.filter(|_| failed || stuck).and_then(|repeated| repeated.witness());
        let (waiting, all) = if stuck { execution.waiting() } else { (Vec::new(), 0) };
        if waiting.len() < all {
            limits.push(not_listed(waiting.len(), all));
        }
        let deadlocks: Vec<Deadlock> = stuck
            .then(|| Deadlock { id: String::new(), waiting, witness: witness.clone() })
            .into_iter()
            .collect();
        let mut errors = errors(&execution, witness);
        if !deterministic {
            errors.push(determinism::error(&self.program, again));
        }
        let schedule_dependent = execution.run.kernel.is_schedule_dependent()
            || !deterministic
            || !execution.is_complete()
            || errors.iter().any(|error| error.kind == Fault::SecondSet.name());
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
            verdict,
            scope,
            determinate,
            races,
            deadlocks,
            errors,
            limits,
            stats: Stats {
                tasks: kernel.tasks().len() as u64,
                steps: kernel.steps(),
                reads: self.program.reads::<O>(&execution.run.machine),
                writes: self.program.writes::<O>(&execution.run.machine),
                seconds: self.start.elapsed().as_secs_f64(),
                executions: 1,
                executions_left: None,
                random: None,
            },
            ..Report::new(&self.detector)
        };
        Checked { report, output: self.program.output::<O>(&mut execution.run.machine) }
    }
}

/// The program errors of an execution; `witness` is its schedule.
pub(crate) fn errors<'a, P: Program<'a>>(
    execution: &Execution<'a, P, impl Observer>,
    witness: Option<Witness>,
) -> Vec<ProgramError> {
    let error = |(task, error): &(TaskId, P::Error)| {
        let failure = execution.program.failure(error);
        let spawn = || execution.place(execution.run.kernel.tasks().get(*task).site);
        Some(ProgramError {
            id: String::new(),
            kind: failure.kind?.into(),
            message: failure.message,
            task: execution.task_name(*task),
            at: failure.at.unwrap_or_else(spawn),
            stack: execution.stack(*task),
            spawned: execution.spawned(*task),
            witness: witness.clone(),
            related: Vec::new(),
        })
    };
    execution.ending.failed.iter().filter_map(error).collect()
}

/// Says that of so many tasks in a deadlock only some are listed.
pub(crate) fn not_listed(listed: usize, all: usize) -> String {
    format!("{listed} of the {all} tasks that wait for ever are listed")
}

/// Whether two runs under the same schedule were the same, as far as their fingerprints say.
fn same<'a, P: Program<'a>>(
    one: &Execution<'a, P, impl Observer>,
    other: &Execution<'a, P, impl Observer>,
) -> bool {
    // A repetition that needs more actions is another run.
    if one.is_complete() && other.ending.out_of_actions {
        return false;
    }
    // A limit on time cuts runs at any point.
    let comparable = one.is_complete() && other.is_complete();
    !comparable || one.fingerprint() == other.fingerprint()
}
