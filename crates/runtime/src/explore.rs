//! The exploration of a program's schedules on all cores.
//!
//! The [tree](raceproof_core::explore::tree) hands out batches of executions of a fixed size; workers run them, and what they
//! show is taken in by one thread in the order in which they were handed out. So the verdict, the counts and the
//! order of findings do not depend on the number of workers. Memory: the executions of a batch, and the part of
//! the tree that is still open.

mod workers;

pub use workers::with_workers;

use raceproof_core::explore::tree::{self, Job, Tree};
use std::sync::Arc;

/// Executions handed out at once. Fixed, whatever the number of workers: it decides in which order the tree grows.
const BATCH: usize = 64;

/// What became of a job.
pub enum Executed<F> {
    /// It ran, and this was found.
    Ran(tree::Run, F),
    /// It was cut short by a limit; the job is still to be done.
    Cut,
}

/// A way to run a batch of jobs: what became of each, in their order.
pub type RunAll<'a, F> = dyn Fn(&Arc<[Job]>) -> Vec<Executed<F>> + 'a;

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

/// Runs what the tree hands out, batch by batch through `run_all`, until it is done, `most` complete executions have run, an
/// execution is cut short or `seen`, which is told of every execution in order, says stop. The tree can be explored
/// further afterwards.
pub fn explore<F>(
    tree: &mut Tree,
    most: u64,
    run_all: &RunAll<'_, F>,
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
        let jobs: Arc<[Job]> = tree.jobs(BATCH.min(usize::try_from(left).unwrap_or(BATCH))).into();
        for (at, (job, result)) in jobs.iter().zip(run_all(&jobs)).enumerate() {
            let Executed::Ran(run, found) = result else {
                tree.put_back(jobs[at..].to_vec());
                return Explored::Cut;
            };
            tree.report(job, run);
            if seen(found, tree) == Go::Stop {
                tree.put_back(jobs[at + 1..].to_vec());
                return Explored::Stopped;
            }
        }
    }
}
