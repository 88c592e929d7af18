//! The exploration of a program's schedules on all cores.
//!
//! The [forest](raceproof_core::explore::forest) gives out subtrees in rounds. A worker takes a
//! whole subtree and searches it for [some executions](Pace); nothing is shared meanwhile. Then the
//! results are put together in the order of the subtrees. Which subtrees a round has, and how far
//! each is searched, does not depend on the workers. So the verdict, the counts, the witnesses and
//! the order of findings are the same for any number of workers.
//!
//! Short searches are one subtree, searched depth first; so are the first executions of long ones.
//! Memory: the parts of the subtrees of a round that are still open, and what they share.

use super::findings::Findings;
use super::outcome::{Executed, Explored, Finding};
use raceproof_core::explore::Statistics;
use raceproof_core::explore::forest::{Forest, Subtree};
use raceproof_core::explore::tree::Job;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How a search is cut into shares. What it explores does not depend on it, but for the order and
/// for what is given up on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// The executions up to which a search is a short one, and one share.
    pub short: u64,
    /// The most subtrees of a round from then on.
    pub subtrees: usize,
    /// The executions of one subtree in a round: enough for the end of a round not to matter, and
    /// few enough for workers to end at about the same time.
    pub quota: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { short: 32, subtrees: 32, quota: 64 }
    }
}

/// A subtree to be searched by one worker, and what it found there.
pub(super) struct Share {
    /// Its position in the round.
    number: usize,
    /// The most executions.
    quota: u64,
    subtree: Subtree,
    found: Findings,
    /// Why its search ended early, if it did.
    ended: Option<Explored>,
}

/// What the workers of a round know of each other.
#[derive(Default, Debug)]
pub(super) struct Round {
    /// The first share that ends the search. What comes after it in the round does not count.
    last: AtomicUsize,
    /// The executions so far.
    executions: AtomicU64,
}

/// A way to search the shares of a round, in any order, with this thread among others. Shares come
/// back in their order. `between` is called now and then.
pub(super) type RunAll<'a> = dyn Fn(Vec<Share>, &Arc<Round>, &mut dyn FnMut(&Round)) -> Vec<Share> + 'a;

impl Share {
    /// Searches the subtree. `run` runs an execution; `cut` says whether a limit is reached: it is
    /// asked once in a share, as an execution may ask `stop` if it is long.
    pub(super) fn search(
        mut self,
        round: &Round,
        all: bool,
        run: &mut dyn FnMut(&Job) -> Executed<Finding>,
        stop: &dyn Fn() -> bool,
    ) -> Share {
        let Share { number, quota, subtree, found, ended } = &mut self;
        let tree = &mut subtree.tree;
        if stop() {
            *ended = Some(Explored::Cut);
            return self;
        }
        for _ in 0..*quota {
            if round.last.load(Ordering::Relaxed) < *number {
                break;
            }
            let Some(job) = tree.next() else { break };
            let finding = match run(&job) {
                Executed::Ran(run, finding) => {
                    if !tree.report(&job, run, stop) {
                        found.take(finding);
                        *ended = Some(Explored::Cut);
                        break;
                    }
                    finding
                }
                Executed::Lost(finding) => {
                    tree.give_up(&job);
                    finding
                }
                Executed::Late(finding) => {
                    found.take(finding);
                    *ended = Some(Explored::Cut);
                    break;
                }
                Executed::Cut => {
                    *ended = Some(Explored::Cut);
                    break;
                }
            };
            round.executions.fetch_add(1, Ordering::Relaxed);
            let raced = found.take(finding);
            if (raced && !all) || found.limit.is_some() {
                *ended = Some(Explored::Stopped);
                round.last.fetch_min(*number, Ordering::Relaxed);
                break;
            }
        }
        self
    }
}

/// What a search has come to: as far as it counts, which is up to the share that ended it.
pub(super) struct SoFar {
    pub(super) explored: Explored,
    pub(super) found: Findings,
    pub(super) statistics: Statistics,
}

/// Searches the forest by `run_all` until it is done, `most` complete executions have run, or
/// something ends the search. It can be searched further afterwards. `progress` is called now and
/// then with the executions so far, and with the forest if it is whole.
pub(super) fn explore(
    forest: &mut Forest,
    found: &mut Findings,
    (most, pace): (u64, Pace),
    run_all: &RunAll<'_>,
    progress: &mut dyn FnMut(u64, Option<&Forest>),
) -> SoFar {
    loop {
        let so_far =
            |explored, found: &Findings, statistics| SoFar { explored, found: found.clone(), statistics };
        let Statistics { executions, .. } = forest.statistics;
        if forest.is_done() {
            return so_far(Explored::All, found, forest.statistics);
        }
        if executions >= most {
            return so_far(Explored::OutOfExecutions, found, forest.statistics);
        }
        let shares = shares(forest, most - executions, pace);
        let round = Arc::new(Round { last: AtomicUsize::new(usize::MAX), ..Round::default() });
        let mut between =
            |round: &Round| progress(executions + round.executions.load(Ordering::Relaxed), None);
        let shares = run_all(shares, &round, &mut between);
        let mut ended = None;
        let (subtrees, mut results): (Vec<Subtree>, Vec<_>) =
            shares.into_iter().map(|share| (share.subtree, (share.found, share.ended))).unzip();
        let mut results = results.drain(..);
        forest.merge(subtrees, |statistics| {
            let Some((theirs, early)) = results.next() else { return };
            found.add(theirs);
            // The first that ends it; but one that was found counts for more than a limit.
            let is_first = match &ended {
                None => true,
                Some(SoFar { explored, .. }) => {
                    *explored == Explored::Cut && early == Some(Explored::Stopped)
                }
            };
            if let Some(early) = early.filter(|_| is_first) {
                ended = Some(so_far(early, found, statistics));
            }
        });
        progress(forest.statistics.executions, Some(forest));
        if let Some(mut ended) = ended {
            if ended.explored == Explored::Cut {
                // Everything that was run counts.
                (ended.found, ended.statistics) = (found.clone(), forest.statistics);
            }
            return ended;
        }
    }
}

/// The shares of the next round, with at most so many executions.
fn shares(forest: &mut Forest, mut left: u64, pace: Pace) -> Vec<Share> {
    let short = pace.short.saturating_sub(forest.statistics.executions);
    let (subtrees, quota) = if short > 0 { (1, short) } else { (pace.subtrees, pace.quota) };
    let round = forest.round(subtrees.min(usize::try_from(left).unwrap_or(usize::MAX)));
    let share = |(number, subtree)| {
        let quota = left.min(quota);
        left -= quota;
        Share { number, quota, subtree, found: Findings::default(), ended: None }
    };
    round.into_iter().enumerate().map(share).collect()
}
