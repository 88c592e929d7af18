//! The exploration of a program's schedules on all cores.
//!
//! The [tree](raceproof_core::explore::tree) hands out batches of executions of a fixed size; workers run them, and what they
//! show is taken in by one thread in the order in which they were handed out. So the verdict, the counts and the
//! order of findings do not depend on the number of workers. Memory: the executions of a batch, and the part of
//! the tree that is still open.

use raceproof_core::explore::tree::{self, Job, Tree};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Executions handed out at once. Fixed, whatever the number of workers: it decides in which order the tree grows.
const BATCH: usize = 64;

/// What became of a job.
pub enum Executed<F> {
    /// It ran, and this was found.
    Ran(tree::Run, F),
    /// It was cut short by a limit; the job is still to be done.
    Cut,
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Go {
    On,
    Stop,
}

/// How an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Explored {
    /// Everything was explored.
    All,
    /// `seen` said stop.
    Stopped,
    /// An execution was cut short.
    Cut,
    /// The most executions asked for have run.
    OutOfExecutions,
}

/// Runs what the tree hands out, batch by batch through `run_all`, until it is done, `most` complete executions have run, an execution is cut short or
/// `seen`, which is told of every execution in order, says stop. The tree can be explored further afterwards.
pub fn explore<F>(
    tree: &mut Tree,
    most: u64,
    run_all: impl Fn(&[Job]) -> Vec<Executed<F>>,
    mut seen: impl FnMut(F, &Tree) -> Go,
) -> Explored {
    loop {
        if tree.is_done() {
            return Explored::All;
        }
        let left = most.saturating_sub(tree.statistics.executions);
        if left == 0 {
            return Explored::OutOfExecutions;
        }
        let jobs = tree.jobs(BATCH.min(usize::try_from(left).unwrap_or(BATCH)));
        let mut results = run_all(&jobs).into_iter();
        let mut jobs = jobs.into_iter();
        while let (Some(job), Some(result)) = (jobs.next(), results.next()) {
            let Executed::Ran(run, found) = result else {
                tree.put_back(std::iter::once(job).chain(jobs.by_ref()).collect());
                return Explored::Cut;
            };
            tree.report(&job, run);
            if seen(found, tree) == Go::Stop {
                tree.put_back(jobs.collect());
                return Explored::Stopped;
            }
        }
    }
}

/// Runs a batch on several threads.
pub fn run_on<F: Send>(
    workers: usize,
    jobs: &[Job],
    run: impl Fn(&Job) -> Executed<F> + Sync,
) -> Vec<Executed<F>> {
    let workers = workers.min(jobs.len());
    if workers <= 1 {
        return jobs.iter().map(&run).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Executed<F>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return };
            let done = run(job);
            *results[at].lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(done);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    results
        .into_iter()
        .map(|result| {
            result.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).unwrap_or(Executed::Cut)
        })
        .collect()
}
