//! What one worker is given of a search, and what the workers know of each other.

use super::batch::Batch;
use super::findings::Findings;
use super::outcome::{Executed, Explored, Finding};
use raceproof_core::explore::forest::Subtree;
use raceproof_core::explore::tree::{ExecutionSummary, Job};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How a search is cut into shares. What it explores does not depend on it, but for the order and
/// for what is given up on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// The executions up to which a search is a short one, and one share.
    pub short: u64,
    /// The most subtrees of a round from then on. Long searches have more: see [`Pace::at`].
    pub subtrees: usize,
    /// The executions of one subtree in a round: enough for the end of a round not to matter, and
    /// few enough for workers to end at about the same time. Long searches have more.
    pub quota: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { short: 32, subtrees: 32, quota: 64 }
    }
}

/// How much longer than at first the rounds of a long search are: that many times the subtrees, up
/// to a thousand with the default, and that many times the executions of each.
const MOST_SUBTREES: u64 = 32;
const MOST_QUOTA: u64 = 4;

impl Pace {
    /// The most shares of the next round, and the most executions of each, after so many
    /// executions. They grow with the search, so that any number of workers has enough to do, and
    /// what the end of a round costs stays a small part. A round has at most about half as many
    /// executions as there were before, or those of the first round: what is found counts at its
    /// end. The number of workers has no say.
    pub(super) fn at(self, executions: u64) -> (usize, u64) {
        let short = self.short.saturating_sub(executions);
        if short > 0 {
            return (1, short);
        }
        let first = (self.subtrees as u64).saturating_mul(self.quota).max(1);
        let scale = (executions / first).isqrt().clamp(1, MOST_SUBTREES);
        let quota = self.quota.saturating_mul(scale.isqrt().min(MOST_QUOTA));
        (self.subtrees.saturating_mul(scale as usize), quota)
    }
}

/// What a share consists of.
#[derive(Serialize, Deserialize)]
pub(super) enum Work {
    Subtree(Subtree),
    Batch(Batch),
}

impl Work {
    fn next(&self) -> Option<Job> {
        match self {
            Work::Subtree(subtree) => subtree.tree.next(),
            Work::Batch(batch) => batch.next(),
        }
    }

    /// Takes in an execution; false if `stop` said so, and nothing has changed then.
    fn report(&mut self, job: &Job, run: ExecutionSummary, stop: &dyn Fn() -> bool) -> bool {
        match self {
            Work::Subtree(subtree) => subtree.tree.report(job, run, stop),
            Work::Batch(batch) => batch.report(&run),
        }
    }

    fn give_up(&mut self, job: &Job) {
        match self {
            Work::Subtree(subtree) => subtree.tree.give_up(job),
            Work::Batch(batch) => batch.give_up(),
        }
    }
}

/// A part of a round that one worker does, and what it found there.
#[derive(Serialize, Deserialize)]
pub(super) struct Share {
    /// Its position in the round.
    pub(super) number: usize,
    /// The most executions.
    pub(super) quota: u64,
    pub(super) work: Work,
    pub(super) found: Findings,
    /// Why it ended early, if it did.
    pub(super) ended: Option<Explored>,
}

/// What the workers of a round know of each other.
#[derive(Debug)]
pub(super) struct Round {
    /// The first share that ends the search. What comes after it in the round does not count.
    last: AtomicUsize,
    /// The executions so far.
    executions: AtomicU64,
}

/// A way to search the shares of a round, in any order, with this thread among others. Shares come
/// back in their order. `between` is called now and then.
pub(super) type RunAll<'a> = dyn Fn(Vec<Share>, &Arc<Round>, &mut dyn FnMut(&Round)) -> Vec<Share> + 'a;

/// The executions of a share after which limits are looked at again: an execution looks at them
/// itself if it is long.
const LOOK: u64 = 64;

impl Round {
    pub(super) fn new() -> Self {
        Round { last: AtomicUsize::new(usize::MAX), executions: AtomicU64::new(0) }
    }

    /// What comes after this share does not count.
    pub(super) fn ends_with(&self, number: usize) {
        self.last.fetch_min(number, Ordering::Relaxed);
    }

    pub(super) fn add(&self, executions: u64) {
        self.executions.fetch_add(executions, Ordering::Relaxed);
    }

    pub(super) fn executions(&self) -> u64 {
        self.executions.load(Ordering::Relaxed)
    }
}

impl Share {
    pub(super) fn new(number: usize, quota: u64, work: Work) -> Self {
        Share { number, quota, work, found: Findings::default(), ended: None }
    }

    /// Does it. `run` runs an execution; `stop` says whether a limit is reached, and is asked now
    /// and then. `between` is called after each execution.
    pub(super) fn search(
        mut self,
        (round, between): (&Round, &mut dyn FnMut(&Round)),
        all: bool,
        run: &mut dyn FnMut(&Job) -> Executed<Finding>,
        stop: &dyn Fn() -> bool,
    ) -> Share {
        let Share { number, quota, work, found, ended } = &mut self;
        for count in 0..*quota {
            if round.last.load(Ordering::Relaxed) < *number {
                break;
            }
            if count.is_multiple_of(LOOK) && stop() {
                *ended = Some(Explored::Cut);
                break;
            }
            let Some(job) = work.next() else { break };
            let finding = match run(&job) {
                Executed::Ran(run, finding) => {
                    if !work.report(&job, run, stop) {
                        found.take(finding);
                        *ended = Some(Explored::Cut);
                        break;
                    }
                    finding
                }
                Executed::Lost(finding) => {
                    work.give_up(&job);
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
            round.add(1);
            between(round);
            let raced = found.take(finding);
            if (raced && !all) || found.limit.is_some() {
                *ended = Some(Explored::Stopped);
                round.ends_with(*number);
                break;
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_with_the_search() {
        let pace = Pace::default();
        assert_eq!((pace.at(0), pace.at(31), pace.at(32)), ((1, 32), (1, 1), (32, 64)));
        let mut before = 0;
        for executions in [32, 1000, 10_000, 100_000, 1_000_000, 10_000_000, u64::MAX] {
            let (shares, quota) = pace.at(executions);
            let round = shares as u64 * quota;
            assert!(round >= before && round <= (executions / 2).max(32 * 64 * 2), "{executions}: {round}");
            before = round;
        }
        let (shares, quota) = pace.at(u64::MAX);
        assert_eq!((shares, quota), (1024, 256));
    }
}
