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
use super::outcome::Explored;
use super::share::{Pace, Round, RunAll, Share, Work};
use raceproof_core::explore::Statistics;
use raceproof_core::explore::forest::{Forest, Subtree};
use std::sync::Arc;

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
        let round = Arc::new(Round::new());
        let mut between = |round: &Round| progress(executions + round.executions(), None);
        let shares = run_all(shares, &round, &mut between);
        let mut ended = None;
        let subtree = |share: Share| match share.work {
            Work::Subtree(subtree) => Some((subtree, (share.found, share.ended))),
            Work::Batch(_) => None,
        };
        let (subtrees, results): (Vec<Subtree>, Vec<_>) = shares.into_iter().filter_map(subtree).unzip();
        let mut results = results.into_iter();
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
    let (subtrees, quota) = pace.at(forest.statistics.executions);
    let round = forest.round(subtrees.min(usize::try_from(left).unwrap_or(usize::MAX)));
    let share = |(number, subtree)| {
        let quota = left.min(quota);
        left -= quota;
        Share::new(number, quota, Work::Subtree(subtree))
    };
    round.into_iter().enumerate().map(share).collect()
}
