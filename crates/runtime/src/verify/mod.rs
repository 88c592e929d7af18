//! `verify`: every schedule that can differ.
//!
//! The explorer of [`raceproof_core::explore`] chooses the schedules, the program runs under each,
//! and each execution is checked under the order that matches what the explorer takes for
//! equivalent. The first execution with a race that can be shown ends the search, unless all are
//! asked for.

mod execution;
mod findings;
mod general;
mod search;
mod workers;

use crate::check::first_races;
use crate::limits::{Limits, Reached};
use crate::program::{Bounds, Program, Raise};
use execution::Judge;
pub use execution::{EndedExecution, Finding, note_choices};
use findings::Findings;
use raceproof_core::explore::Dependence;
use raceproof_core::explore::tree::{Job, Kept, Tree};
use raceproof_core::finding::{GeneralRace, Report};
pub use raceproof_core::order::OrderName;
pub use search::Executed;
use search::{Explored, Go, RunAll, explore};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use workers::with_workers;

/// How to verify.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Decides what is a race in an execution, and which executions are alike: one of
    /// [`OrderName::EXPLORED`].
    pub order: OrderName,
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
    /// Called now and then with how far the search has come.
    pub progress: Option<&'a dyn Fn(&Progress)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            order: OrderName::default(),
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

impl Options<'_> {
    /// Which transitions the search takes for dependent.
    ///
    /// # Panics
    /// If the order is none of [`OrderName::EXPLORED`].
    pub fn dependence(&self) -> Dependence {
        let Some(dependence) = self.order.dependence() else {
            panic!("no search is known for the order {}", self.order.name());
        };
        dependence
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The complete executions so far, those of a resumed search included.
    pub executions: u64,
    /// About how many are left.
    pub left: f64,
}

/// What a search gives.
pub struct Verified {
    pub report: Report,
    /// Executions begun and given up because everything in them was known.
    pub pruned: u64,
    /// Whether it ended because of its time limit.
    pub out_of_time: bool,
}

/// A search, as far as it has come: what is left to be explored and what has been found. It can be
/// saved and resumed.
#[derive(Default, Debug, serde::Serialize, serde::Deserialize)]
pub struct Search {
    tree: Tree,
    found: Findings,
}

impl Search {
    /// Whether it can be resumed: a search that was read from outside may be anything.
    pub fn check(&self) -> Result<(), &'static str> {
        self.tree.check()
    }

    /// The complete executions so far.
    pub fn executions(&self) -> u64 {
        self.tree.statistics.executions
    }

    /// What is held on to, to know what is left.
    pub fn kept(&self) -> Kept {
        self.tree.kept()
    }

    /// Whether nothing is left to be explored.
    pub fn is_done(&self) -> bool {
        self.tree.is_done()
    }
}

/// Verifies a program on `options.workers` threads, resuming a search that may have come some way.
pub fn verify<'a, P: Program<'a> + Sync>(
    program: &P,
    search: &mut Search,
    options: &Options<'a>,
) -> Verified {
    let (start, judge) = begin(program, options);
    let run = |job: &Job| judge.run(job);
    let cut = || judge.cut.get().cloned();
    let limits = judge.bounds.limits;
    let verified = with_workers(options.workers, &run, |run_all| {
        run_search(&cut, limits, start, search, options, &P::RAISE, run_all)
    });
    in_order(&judge, verified)
}

/// Runs the executions of a search, for a front end that does not run its programs in this process.
pub trait Executor: Sync {
    /// Runs what a job asks for.
    fn run(&self, job: &Job) -> Executed<Finding>;

    /// Why an execution was cut short, if one was.
    fn cut(&self) -> Option<String>;

    /// What its limits are called.
    fn raise(&self) -> Raise;
}

/// As [`verify()`], for executions that somebody else runs.
pub fn verify_by(executor: &impl Executor, search: &mut Search, options: &Options<'_>) -> Verified {
    let (start, limits) = limits(options);
    let run = |job: &Job| executor.run(job);
    let cut = || executor.cut();
    let raise = executor.raise();
    with_workers(options.workers, &run, |run_all| {
        run_search(&cut, limits, start, search, options, &raise, run_all)
    })
}

/// As [`verify()`], on this thread: for programs that cannot leave it.
pub fn verify_here<'a, P: Program<'a>>(program: &P, search: &mut Search, options: &Options<'a>) -> Verified {
    let (start, judge) = begin(program, options);
    let cut = || judge.cut.get().cloned();
    let run_all = |jobs: &Arc<[Job]>| jobs.iter().map(|job| judge.run(job)).collect();
    let verified = run_search(&cut, judge.bounds.limits, start, search, options, &P::RAISE, &run_all);
    in_order(&judge, verified)
}

/// Says which races to fix first.
fn in_order<'a, P: Program<'a>>(judge: &Judge<'a, P>, mut verified: Verified) -> Verified {
    let bounds = Bounds { keep_end_state: false, ..judge.bounds };
    first_races::arrange(&judge.program, bounds, &mut verified.report.races);
    verified
}

/// The nondeterminism, data races aside, that one execution shows: conflicting sections whose order
/// is free, clashing sets and the like. If there is none, and no race, all schedules of the program
/// are equivalent.
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
        dependence: options.dependence(),
        determinism: options.determinism,
        cut: OnceLock::new(),
        spare: Mutex::default(),
    };
    (start, judge)
}

/// `cut` says why an execution was cut short.
fn run_search(
    cut: &dyn Fn() -> Option<String>,
    limits: Limits<'_>,
    start: Instant,
    search: &mut Search,
    options: &Options<'_>,
    raise: &Raise,
    run_all: &RunAll<'_, Finding>,
) -> Verified {
    if options.order == OrderName::Wcp && !search.tree.is_sleepless() {
        search.tree = Tree::sleepless();
    }
    let mut reached = None;
    let late = Cell::new(None);
    let stop = || {
        late.set(late.get().or_else(|| limits.reached()));
        late.get().is_some()
    };
    let Search { tree, found } = search;
    let mut told = start;
    let most = options.max_executions.unwrap_or(u64::MAX);
    let explored = explore(tree, most, options.workers, run_all, &stop, |finding, tree| {
        let stop = found.take(finding) && !options.all;
        if let Some(progress) = options.progress
            && told.elapsed() > Duration::from_millis(100)
        {
            told = Instant::now();
            let left = tree.estimate().unwrap_or_default();
            progress(&Progress { executions: tree.statistics.executions, left });
        }
        // Long executions look at the limits themselves.
        if (tree.statistics.executions + tree.statistics.pruned) % LOOK == 0 {
            reached = reached.or_else(|| limits.reached());
        }
        if stop || reached.is_some() || found.limit.is_some() { Go::Stop } else { Go::On }
    });
    let why = cut().or_else(|| reached.or(late.get()).map(|reached| why(reached, raise)));
    let ended = findings::Ended { explored, why, raise: raise.executions, start };
    let mut verified = found.report(tree, ended, options);
    verified.out_of_time = matches!(explored, Explored::Cut | Explored::Stopped)
        && limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        && found.limit.is_none();
    verified
}

/// Short executions between two looks at the limits.
const LOOK: u64 = 64;

/// Why a search was cut short, and what to do about it.
pub fn why(reached: Reached, raise: &Raise) -> String {
    match reached {
        Reached::Interrupted => "interrupted".into(),
        Reached::Seconds => format!("the time limit was reached; raise {}", raise.seconds),
        Reached::Memory(_) => format!("the memory limit was reached; raise {}", raise.memory),
    }
}
