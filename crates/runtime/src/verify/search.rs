//! The exploration of a program's schedules on all cores.
//!
//! The [tree](raceproof_core::explore::tree) says which execution is next, and which ones will have
//! to be run after it; workers run several of them, and one thread takes in the results in the
//! order of the tree. So the verdict, the counts and the order of findings do not depend on the
//! number of workers. Memory: the part of the tree that is still open, and for each of its nodes at
//! most one execution that has run before its turn.

use raceproof_core::explore::tree::{self, Job, Tree};
use raceproof_core::ids::TaskId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Executions handed out at once, for each worker.
const BATCH: usize = 8;

/// What became of a job.
pub enum Executed<F> {
    /// It ran, and this was found.
    Ran(tree::ExecutionSummary, F),
    /// It was cut short by a limit; the job is still to be done.
    Cut,
    /// It was cut short by a limit after this was found; the job is still to be done.
    Late(F),
    /// It did not come to its end, for this reason, and would not if tried again: the search
    /// continues without it.
    Lost(F),
}

/// A way to run a batch of jobs: what became of each, in their order.
pub(super) type RunAll<'a, F> = dyn Fn(&Arc<[Job]>) -> Vec<Executed<F>> + 'a;

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Go {
    On,
    Stop,
}

/// How an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Explored {
    /// Everything was explored, what was [lost](Executed::Lost) aside.
    All,
    /// `seen` said stop.
    Stopped,
    /// An execution was cut short.
    Cut,
    /// The most executions asked for have run.
    OutOfExecutions,
}

/// Runs what the tree asks for, `workers` at a time through `run_all`, until it is done, `most`
/// complete executions have run, an execution is cut short, `stop` says so or `seen`, which is
/// called for every execution in order, says stop. The tree can be explored further afterwards.
pub(super) fn explore<F>(
    tree: &mut Tree,
    most: u64,
    workers: usize,
    run_all: &RunAll<'_, F>,
    stop: &dyn Fn() -> bool,
    mut seen: impl FnMut(F, &Tree) -> Go,
) -> Explored {
    let batch = if workers > 1 { workers * BATCH } else { 1 };
    // What has run before its turn, and whether all its transitions are known.
    let mut ahead: FxHashMap<(usize, TaskId), (bool, Executed<F>)> = FxHashMap::default();
    while let Some(job) = tree.next() {
        if tree.statistics.executions >= most {
            return Explored::OutOfExecutions;
        }
        let known = ahead.remove(&job.key()).filter(|&(whole, _)| whole || !job.whole);
        let result = match known {
            Some((_, result)) => result,
            None => {
                let mut jobs = tree.ahead(batch);
                jobs.retain(|job| !ahead.contains_key(&job.key()));
                let jobs: Arc<[Job]> = jobs.into();
                let mut results = jobs.iter().zip(run_all(&jobs));
                let Some((_, result)) = results.next() else { return Explored::Cut };
                ahead.extend(results.map(|(job, result)| (job.key(), (job.whole, result))));
                result
            }
        };
        let found = match result {
            Executed::Ran(run, found) => {
                if !tree.report(&job, run, stop) {
                    let _ = seen(found, tree);
                    return Explored::Cut;
                }
                found
            }
            Executed::Lost(found) => {
                tree.give_up(&job);
                found
            }
            Executed::Late(found) => {
                let _ = seen(found, tree);
                return Explored::Cut;
            }
            Executed::Cut => return Explored::Cut,
        };
        if seen(found, tree) == Go::Stop {
            return Explored::Stopped;
        }
    }
    Explored::All
}
