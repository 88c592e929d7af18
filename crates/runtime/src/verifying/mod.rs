//! `verify`: every schedule that can differ.
//!
//! The explorer of [`raceproof_core::explore`] chooses the schedules, the program runs under each, and each execution is checked
//! under the order that matches what the explorer takes for equivalent. The first execution with a race that can be
//! shown ends the search, unless all are asked for.

mod execution;
mod general;

use crate::checking::first;
use crate::checking::races::{MAX_RACES, key};
use crate::explore::{Executed, Explored, Go, RunAll, explore, with_workers};
use crate::limits::{Limits, Reached};
use crate::program::{Bounds, Program};
use execution::Judge;
pub use execution::{Finding, Over, note_choices};
use raceproof_core::explore::Dependence;
use raceproof_core::explore::tree::{Job, Tree};
use raceproof_core::finding::{
    Deadlock, GeneralRace, Grade, ProgramError, Race, Report, Scope, Stats, Verdict,
};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How to verify.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// What is a race in an execution, and which executions are alike.
    pub dependence: Dependence,
    /// What that is called in the report.
    pub name: &'static str,
    pub max_executions: Option<u64>,
    pub max_seconds: Option<f64>,
    /// The most actions of one execution.
    pub max_events: Option<u64>,
    /// The most bytes of memory the process may use.
    pub max_memory: Option<u64>,
    /// Go on after the first execution with a race.
    pub all: bool,
    /// Report nondeterminism that is no data race as well.
    pub determinism: bool,
    pub workers: usize,
    /// Set from outside to end the search with what is known.
    pub interrupt: Option<&'a AtomicBool>,
    /// Told now and then how far the search has come.
    pub progress: Option<&'a dyn Fn(&Progress)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            dependence: Dependence::Conflict,
            name: "dc",
            max_executions: None,
            max_seconds: None,
            max_events: None,
            max_memory: None,
            all: false,
            determinism: false,
            workers: 1,
            interrupt: None,
            progress: None,
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub executions: u64,
    /// Executions known to be left; each may bring more.
    pub pending: usize,
    pub elapsed: Duration,
}

/// What a search gives.
pub struct Verified {
    pub report: Report,
    /// Executions begun and given up because everything in them was known.
    pub pruned: u64,
    /// Whether it ended because of its time limit.
    pub out_of_time: bool,
}

/// A search, as far as it has come: what is left to be explored and what has been found. It can be written down and gone
/// on with.
#[derive(Default, Debug, serde::Serialize, serde::Deserialize)]
pub struct Search {
    tree: Tree,
    found: Gathered,
}

impl Search {
    /// Whether it can be gone on with: a search that was read from outside may be anything.
    pub fn check(&self) -> Result<(), &'static str> {
        self.tree.check()
    }

    /// The complete executions so far.
    pub fn executions(&self) -> u64 {
        self.tree.statistics.executions
    }

    /// Whether nothing is left to be explored.
    pub fn is_done(&self) -> bool {
        self.tree.is_done()
    }
}

/// Verifies a program on `options.workers` threads, going on with a search that may have come some way.
pub fn verify<'a, P: Program<'a> + Sync>(
    program: &P,
    search: &mut Search,
    options: &Options<'a>,
) -> Verified {
    let (start, judge) = begin(program, options);
    let run = |job: &Job| judge.run(job);
    let cut = || judge.cut.get().cloned();
    let limits = judge.bounds.limits;
    let verified =
        with_workers(options.workers, &run, |run_all| go_on(&cut, limits, start, search, options, run_all));
    in_order(&judge, verified)
}

/// Runs the executions of a search, for a front end that does not run its programs in this process.
pub trait Executor: Sync {
    /// Runs what a job asks for.
    fn run(&self, job: &Job) -> Executed<Finding>;

    /// Why an execution was cut short, if one was.
    fn cut(&self) -> Option<String>;
}

/// As [`verify`], for executions that somebody else runs.
pub fn verify_by(executor: &impl Executor, search: &mut Search, options: &Options<'_>) -> Verified {
    let (start, limits) = limits(options);
    let run = |job: &Job| executor.run(job);
    let cut = || executor.cut();
    with_workers(options.workers, &run, |run_all| go_on(&cut, limits, start, search, options, run_all))
}

/// As [`verify`], on this thread: for programs that cannot leave it.
pub fn verify_here<'a, P: Program<'a>>(program: &P, search: &mut Search, options: &Options<'a>) -> Verified {
    let (start, judge) = begin(program, options);
    let cut = || judge.cut.get().cloned();
    let run_all = |jobs: &Arc<[Job]>| jobs.iter().map(|job| judge.run(job)).collect();
    let verified = go_on(&cut, judge.bounds.limits, start, search, options, &run_all);
    in_order(&judge, verified)
}

/// Says which races to fix first.
fn in_order<'a, P: Program<'a>>(judge: &Judge<'a, P>, mut verified: Verified) -> Verified {
    let bounds = Bounds { keep_end_state: false, ..judge.bounds };
    first::arrange(&judge.program, bounds, &mut verified.report.races);
    verified
}

/// The nondeterminism, data races aside, that one execution shows: conflicting sections whose order is free, clashing sets and
/// the like. If there is none, and no race, all schedules of the program are equivalent.
pub fn general_races<'a, P: Program<'a>>(program: &P, bounds: Bounds<'a>) -> Vec<GeneralRace> {
    let judge = Judge {
        program: program.clone(),
        bounds,
        dependence: Dependence::Conflict,
        determinism: true,
        cut: OnceLock::new(),
        spare: Mutex::default(),
    };
    match Tree::default().next().map(|job| judge.run(&job)) {
        Some(Executed::Ran(_, finding)) => finding.general.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Starts the clock.
fn limits<'a>(options: &Options<'a>) -> (Instant, Limits<'a>) {
    let start = Instant::now();
    let deadline =
        options.max_seconds.and_then(|seconds| start.checked_add(Duration::try_from_secs_f64(seconds).ok()?));
    (start, Limits { deadline, interrupt: options.interrupt, memory: options.max_memory, looks: None })
}

fn begin<'a, P: Program<'a>>(program: &P, options: &Options<'a>) -> (Instant, Judge<'a, P>) {
    let (start, limits) = limits(options);
    let actions = options.max_events.unwrap_or(u64::MAX);
    let bounds = Bounds { actions, limits, keep_end_state: true, ..Bounds::default() };
    let judge = Judge {
        program: program.clone(),
        bounds,
        dependence: options.dependence,
        determinism: options.determinism,
        cut: OnceLock::new(),
        spare: Mutex::default(),
    };
    (start, judge)
}

/// `cut` says why an execution was cut short.
fn go_on(
    cut: &dyn Fn() -> Option<String>,
    limits: Limits<'_>,
    start: Instant,
    search: &mut Search,
    options: &Options<'_>,
    run_all: &RunAll<'_, Finding>,
) -> Verified {
    if options.dependence == Dependence::Wcp && !search.tree.is_sleepless() {
        search.tree = Tree::sleepless();
    }
    let mut reached = None;
    let Search { tree, found } = search;
    let mut told = start;
    let most = options.max_executions.unwrap_or(u64::MAX);
    let explored = explore(tree, most, options.workers, run_all, |finding, tree| {
        let stop = found.take(finding) && !options.all;
        if let Some(progress) = options.progress
            && told.elapsed() > Duration::from_millis(100)
        {
            told = Instant::now();
            let executions = tree.statistics.executions;
            progress(&Progress { executions, pending: tree.pending(), elapsed: start.elapsed() });
        }
        // Long executions look at the limits themselves.
        if (tree.statistics.executions + tree.statistics.pruned) % LOOK == 0 {
            reached = reached.or_else(|| limits.reached());
        }
        if stop || reached.is_some() || found.limit.is_some() { Go::Stop } else { Go::On }
    });
    let why = cut().or_else(|| reached.map(why));
    let mut verified = found.report(tree, explored, why, options, start);
    verified.out_of_time = matches!(explored, Explored::Cut | Explored::Stopped)
        && limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        && found.limit.is_none();
    verified
}

/// Short executions between two looks at the limits.
const LOOK: u64 = 64;

/// Why a search was cut short, and what to do about it.
pub fn why(reached: Reached) -> String {
    match reached {
        Reached::Interrupted => "interrupted",
        Reached::Seconds => "the time limit was reached; raise --max-seconds",
        Reached::Memory(_) => "the memory limit was reached; raise --max-memory",
    }
    .into()
}

/// What the executions so far have shown, each thing once.
#[derive(Default, Debug, serde::Serialize, serde::Deserialize)]
struct Gathered {
    races: Vec<Race>,
    deadlocks: Vec<Deadlock>,
    errors: Vec<ProgramError>,
    general: BTreeSet<GeneralRace>,
    /// The end states seen, and whether there was one that the program could not tell.
    ends: BTreeSet<u64>,
    ends_unknown: bool,
    limit: Option<String>,
    stats: Stats,
}

impl Gathered {
    /// Takes in what one execution showed; whether there was a race that can be shown.
    fn take(&mut self, finding: Finding) -> bool {
        if self.stats.tasks == 0 {
            self.stats = finding.stats;
        }
        if let Some(end) = finding.end {
            self.ends.extend(end);
            self.ends_unknown |= end.is_none();
        }
        self.general.extend(finding.general);
        for error in finding.errors {
            let known = |other: &ProgramError| {
                (&other.kind, &other.at, &other.task) == (&error.kind, &error.at, &error.task)
            };
            if !self.errors.iter().any(known) {
                self.errors.push(error);
            }
        }
        for deadlock in finding.deadlocks {
            let who = |deadlock: &Deadlock| -> Vec<_> {
                deadlock.waiting.iter().map(|waiting| (waiting.task.clone(), waiting.at.clone())).collect()
            };
            if !self.deadlocks.iter().any(|other| who(other) == who(&deadlock)) {
                self.deadlocks.push(deadlock);
            }
        }
        self.limit = self.limit.take().or(finding.limit);
        let mut shown = false;
        for race in finding.races {
            shown |= race.grade >= Grade::Feasible;
            let same = |other: &&mut Race| {
                (&other.location, &other.first.at, &other.second.at)
                    == (&race.location, &race.first.at, &race.second.at)
            };
            let full = self.races.len() >= MAX_RACES;
            match self.races.iter_mut().find(same) {
                Some(other) if other.grade >= race.grade => other.count += race.count,
                Some(other) => *other = Race { count: other.count + race.count, ..race },
                None if full => {}
                None => self.races.push(race),
            }
        }
        shown
    }

    /// `why` says why the search was cut short, if it was.
    fn report(
        &self,
        tree: &Tree,
        explored: Explored,
        why: Option<String>,
        options: &Options<'_>,
        start: Instant,
    ) -> Verified {
        let statistics = tree.statistics;
        // A pair that no schedule could bring together, though all were tried, is none.
        let complete = explored == Explored::All && self.limit.is_none();
        let shown = self.races.iter().any(|race| race.grade >= Grade::Feasible);
        let mut races = self.races.clone();
        if complete || shown {
            races.retain(|race| race.grade >= Grade::Feasible);
        }
        races.sort_by(|a, b| key(a).cmp(&key(b)));
        let mut limits: Vec<String> = self.limit.iter().cloned().collect();
        if limits.is_empty() && !complete && !shown {
            limits.push(match explored {
                Explored::OutOfExecutions => format!(
                    "the limit of {} executions was reached with at least {} left; raise --max-executions",
                    statistics.executions,
                    tree.pending()
                ),
                _ => format!(
                    "the search ended after {} executions with at least {} left: {}",
                    statistics.executions,
                    tree.pending(),
                    why.unwrap_or_else(|| "it was cut short".into())
                ),
            });
        }
        let mut verdict = Report::judge(&races, &self.errors, &self.deadlocks, &limits);
        if verdict == Verdict::Race && !shown {
            verdict = Verdict::Inconclusive;
        }
        let scope = if verdict == Verdict::Inconclusive || !(complete || shown) {
            Scope::ObservedSchedule
        } else {
            Scope::AllSchedules
        };
        let determinate = if shown || self.ends.len() > 1 {
            Some(false)
        } else if complete && self.errors.is_empty() && !self.ends_unknown {
            Some(self.ends.len() <= 1)
        } else {
            None
        };
        let report = Report {
            tool: "raceproof".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            schema: 1,
            verdict,
            scope,
            determinate,
            detector: format!("verify --order {}", options.name),
            races,
            deadlocks: self.deadlocks.clone(),
            errors: self.errors.clone(),
            general_races: self.general.iter().cloned().collect(),
            limits,
            threads: Vec::new(),
            suppressed: 0,
            stats: Stats {
                executions: statistics.executions,
                seconds: start.elapsed().as_secs_f64(),
                ..self.stats.clone()
            },
        };
        Verified { report, pruned: statistics.pruned, out_of_time: false }
    }
}
