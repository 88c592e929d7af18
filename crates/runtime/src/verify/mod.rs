//! `verify`: every schedule that can differ.
//!
//! The explorer of [`raceproof_core::explore`] chooses the schedules, the program runs under each,
//! and each execution is checked under the order that matches what the explorer takes for
//! equivalent. The first execution with a race that can be shown ends the search, unless all are
//! asked for.

mod batch;
mod execution;
mod findings;
mod general;
mod outcome;
mod random;
mod ranks;
mod search;
mod share;
mod workers;

use crate::check::first_races;
use crate::limits::{Limits, Reached};
use crate::program::{Bounds, Program, Raise};
pub use execution::{EndedExecution, note_choices};
use execution::{Judge, Spare};
use findings::Findings;
use outcome::Explored;
pub use outcome::{Executed, Finding};
use raceproof_core::explore::Dependence;
use raceproof_core::explore::forest::Forest;
use raceproof_core::explore::tree::{Job, Kept};
use raceproof_core::finding::{GeneralRace, RandomSearch, Report};
pub use raceproof_core::order::OrderName;
use ranks::{Follower, Hooks, Leader};
pub use ranks::{Link, Ranks, Traffic, quit};
use search::{SoFar, explore};
pub use share::Pace;
use share::{Round, RunAll, Share};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use workers::{alone, with_ranks, with_workers};

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
    /// Whether sections that only add to the same locations are taken for independent, whatever the
    /// order says, but for happens-before.
    pub commuting: bool,
    /// Leave out what takes more switches away from a task that could have gone on.
    pub preemptions: Option<u32>,
    /// Instead of every schedule that can differ, schedules that chance picks, by this seed, until
    /// a limit is reached. There has to be one.
    pub random: Option<u64>,
    pub workers: usize,
    pub pace: Pace,
    /// Set from outside to end the search with what is known.
    pub interrupt: Option<&'a AtomicBool>,
    /// Called now and then with how far the search has come.
    pub progress: Option<&'a dyn Fn(&Progress)>,
    /// Other ranks that search as well, each on `workers` threads. On those, nothing is searched
    /// but what rank 0 asks for, and the report is empty. Only [`verify()`] and [`verify_by`] know of
    /// them.
    pub ranks: Option<Ranks<'a>>,
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
            commuting: true,
            preemptions: None,
            random: None,
            workers: 1,
            pace: Pace::default(),
            interrupt: None,
            progress: None,
            ranks: None,
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
    /// About how many are left; none if nobody counts them.
    pub left: Option<f64>,
}

/// What a search gives.
pub struct Verified {
    pub report: Report,
    /// Executions begun and given up because everything in them was known.
    pub pruned: u64,
    /// Whether it ended because of its time limit, and for nothing that it found.
    pub out_of_time: bool,
    /// The ranks that have died: what they had been given counts as not searched. On a rank other
    /// than 0 whether rank 0 has.
    pub dead: Vec<usize>,
    /// What messages to and from other ranks have cost.
    pub traffic: Traffic,
}

/// A search, as far as it has come: what is left to be explored and what has been found. It can be
/// saved and resumed.
#[derive(Default, Debug, serde::Serialize, serde::Deserialize)]
pub struct Search {
    forest: Forest,
    found: Findings,
}

impl Search {
    /// Whether it can be resumed: a search that was read from outside may be anything.
    pub fn check(&self) -> Result<(), &'static str> {
        self.forest.check()
    }

    /// The complete executions so far.
    pub fn executions(&self) -> u64 {
        self.forest.statistics.executions
    }

    /// What is held on to, to know what is left.
    pub fn kept(&self) -> Kept {
        self.forest.kept()
    }

    /// Whether nothing is left to be explored.
    pub fn is_done(&self) -> bool {
        self.forest.is_done()
    }
}

/// Verifies a program on `options.workers` threads, resuming a search that may have come some way.
pub fn verify<'a, P: Program<'a> + Sync>(
    program: &P,
    search: &mut Search,
    options: &Options<'a>,
) -> Verified {
    let (start, judge) = begin(program, options);
    let (limits, all) = (judge.bounds.limits, options.all);
    let searcher = || {
        let mut spare = Spare::default();
        let judge = &judge;
        move |share: Share, round: &Round, between: &mut dyn FnMut(&Round)| {
            let mut run = |job: &Job| judge.run(job, &mut spare);
            share.search((round, between), all, &mut run, &|| judge.is_cut_short())
        }
    };
    let cut = || judge.cut.get().cloned();
    let stop = || judge.is_cut_short();
    let executor = (&cut as &dyn Fn() -> _, &stop as &dyn Fn() -> _, &P::RAISE);
    let verified = shared_out(search, options, &searcher, executor, (&String::new, &|_| ()), (limits, start));
    in_order(&judge, verified)
}

/// Why a search was cut short, whether it is to be, and what its limits are called.
type Cuts<'a> = (&'a dyn Fn() -> Option<String>, &'a dyn Fn() -> bool, &'a Raise);

/// What an executor has found beside, given to another rank and taken from one.
type Aside<'a> = (&'a dyn Fn() -> String, &'a dyn Fn(&str));

/// Searches on all workers, and on all ranks if there are several.
fn shared_out<S: FnMut(Share, &Round, &mut dyn FnMut(&Round)) -> Share>(
    search: &mut Search,
    options: &Options<'_>,
    searcher: &(impl Fn() -> S + Sync),
    (cut, stop, raise): Cuts<'_>,
    (give, take): Aside<'_>,
    (limits, start): (Limits<'_>, Instant),
) -> Verified {
    let Some(Ranks { link, cut: flag, interrupt }) = options.ranks.filter(|ranks| ranks.link.size() > 1)
    else {
        return with_workers(options.workers, searcher, |run_all| {
            run_search(cut, limits, start, search, options, raise, run_all)
        });
    };
    if link.rank() > 0 {
        let workers = options.workers;
        let follower = Follower { link, workers, cut: flag, interrupt, why: cut, aside: give };
        let dead = if follower.serve(searcher) { Vec::new() } else { vec![0] };
        let (report, traffic) = (Report::new("rank"), Traffic::default());
        return Verified { report, pruned: 0, out_of_time: false, dead, traffic };
    }
    let leader = Leader::new(link, options.workers);
    let why = || cut().or_else(|| leader.why.borrow().clone());
    let hooks = Hooks { stop, aside: take };
    let lead = |batch: &_, round: &_, between: &mut dyn FnMut(&Round)| {
        leader.run_all(batch, round, &hooks, between);
    };
    let mut verified = with_ranks(options.workers, searcher, &lead, |run_all| {
        run_search(&why, limits, start, search, options, raise, run_all)
    });
    (verified.dead, verified.traffic) = (leader.dead(), leader.traffic());
    verified
}

/// Runs the executions of a search, for a front end that does not run its programs in this process.
pub trait Executor: Sync {
    /// What one worker needs for itself.
    type Worker;

    fn worker(&self) -> Self::Worker;

    /// Runs what a job asks for.
    fn run(&self, worker: &mut Self::Worker, job: &Job) -> Executed<Finding>;

    /// Whether a limit of the search has been reached.
    fn is_cut_short(&self) -> bool;

    /// Why the search was cut short, if it was.
    fn cut(&self) -> Option<String>;

    /// What its limits are called.
    fn raise(&self) -> Raise;

    /// What it has found beside the findings of executions since it was last asked, for the executor
    /// of rank 0.
    fn aside(&self) -> String {
        String::new()
    }

    /// Takes over what the executor of another rank has found beside.
    fn take_aside(&self, _aside: &str) {}
}

/// As [`verify()`], for executions that somebody else runs.
pub fn verify_by<E: Executor>(executor: &E, search: &mut Search, options: &Options<'_>) -> Verified {
    let ((start, limits), all) = (limits(options), options.all);
    let searcher = || {
        let mut worker = executor.worker();
        move |share: Share, round: &Round, between: &mut dyn FnMut(&Round)| {
            let mut run = |job: &Job| executor.run(&mut worker, job);
            share.search((round, between), all, &mut run, &|| executor.is_cut_short())
        }
    };
    let cut = || executor.cut();
    let stop = || executor.is_cut_short();
    let raise = executor.raise();
    let (give, take) = (|| executor.aside(), |aside: &str| executor.take_aside(aside));
    shared_out(search, options, &searcher, (&cut, &stop, &raise), (&give, &take), (limits, start))
}

/// As [`verify()`], for programs that cannot leave their thread: each worker makes one.
pub fn verify_each<'a, P: Program<'a>>(
    make: &(impl Fn() -> P + Sync),
    search: &mut Search,
    options: &Options<'a>,
) -> Verified {
    let (start, judge) = begin(&make(), options);
    let Judge { bounds, dependence, determinism, preemptions, ref cut, .. } = judge;
    let all = options.all;
    let searcher = || {
        let mut spare = Spare::default();
        let cut = cut.clone();
        let judge = Judge { program: make(), bounds, dependence, determinism, preemptions, cut };
        move |share: Share, round: &Round, between: &mut dyn FnMut(&Round)| {
            let mut run = |job: &Job| judge.run(job, &mut spare);
            share.search((round, between), all, &mut run, &|| judge.is_cut_short())
        }
    };
    let why = || cut.get().cloned();
    let verified = with_workers(options.workers, &searcher, |run_all| {
        run_search(&why, bounds.limits, start, search, options, &P::RAISE, run_all)
    });
    in_order(&judge, verified)
}

/// As [`verify()`], on this thread: for programs that cannot leave it.
pub fn verify_here<'a, P: Program<'a>>(program: &P, search: &mut Search, options: &Options<'a>) -> Verified {
    let (start, judge) = begin(program, options);
    let cut = || judge.cut.get().cloned();
    let spare = RefCell::new(Spare::default());
    let run_all = |shares: Vec<Share>, round: &Arc<Round>, between: &mut dyn FnMut(&Round)| {
        alone(shares, round, between, &mut |share, round, between| {
            let mut run = |job: &Job| judge.run(job, &mut spare.borrow_mut());
            share.search((round, between), options.all, &mut run, &|| judge.is_cut_short())
        })
    };
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
        bounds: Bounds { tell_additions: true, ..bounds },
        dependence: Dependence::Conflict,
        determinism: true,
        preemptions: None,
        cut: Arc::default(),
    };
    match judge.run(&Job::first(), &mut Spare::default()) {
        Executed::Ran(_, finding) => finding.general.into_iter().collect(),
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
    let tell_additions = options.commuting;
    let bounds = Bounds { actions, limits, keep_end_state: true, tell_additions, ..Bounds::default() };
    let judge = Judge {
        program: program.clone(),
        bounds,
        dependence: options.dependence(),
        determinism: options.determinism,
        preemptions: options.preemptions,
        cut: Arc::default(),
    };
    (start, judge)
}

/// `cut` says why the search was cut short.
fn run_search(
    cut: &dyn Fn() -> Option<String>,
    limits: Limits<'_>,
    start: Instant,
    search: &mut Search,
    options: &Options<'_>,
    raise: &Raise,
    run_all: &RunAll<'_>,
) -> Verified {
    if options.order == OrderName::Wcp && !search.forest.is_sleepless() {
        search.forest = Forest::sleepless();
    }
    let Search { forest, found } = search;
    let mut told = start;
    let mut all = 0.0;
    let mut progress = |executions: u64, forest: Option<&Forest>| {
        let Some(progress) = options.progress else { return };
        if let Some(forest) = forest {
            all = forest.estimate().unwrap_or_default() + executions as f64;
        }
        if told.elapsed() > Duration::from_millis(100) {
            told = Instant::now();
            let left = options.random.is_none().then(|| (all - executions as f64).max(0.0));
            progress(&Progress { executions, left });
        }
    };
    let most = options.max_executions.unwrap_or(u64::MAX);
    let (so_far, sampled) = match options.random {
        None => (explore(forest, found, (most, options.pace), run_all, &mut progress), None),
        Some(seed) => {
            let mut progress = |executions| progress(executions, None);
            let (so_far, distinct) =
                random::explore(seed, found, (most, options.pace), run_all, &mut progress);
            (so_far, Some(RandomSearch { seed, distinct }))
        }
    };
    let SoFar { explored, found: so_far, statistics } = so_far;
    // A random search ends with its time: that is no limit to be raised.
    let is_late = || limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let why = cut().filter(|_| sampled.is_none() || !is_late());
    let left = forest.estimate().filter(|_| sampled.is_none());
    let raise = raise.executions;
    let ended = findings::Ended { explored, statistics, left, sampled, why, raise, start };
    let mut verified = so_far.report(ended, options);
    verified.out_of_time = explored == Explored::Cut && is_late() && found.limit.is_none();
    verified
}

/// Why a search was cut short, and what to do about it.
pub fn why(reached: Reached, raise: &Raise) -> String {
    match reached {
        Reached::Interrupted => "interrupted".into(),
        Reached::Seconds => format!("the time limit was reached; raise {}", raise.seconds),
        Reached::Memory(_) => format!("the memory limit was reached; raise {}", raise.memory),
    }
}
