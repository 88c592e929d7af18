//! Random search: as many executions as there is time for, in each of which chance decides.
//!
//! For programs whose schedules are too many to be run: where the exhaustive search begins with
//! schedules that differ from each other at their ends only, these differ anywhere. Each execution
//! is judged as in that search, under an order that covers all that is equivalent to it. How chance
//! decides is up to the [strategy](crate::strategy): every other execution is a random walk, the
//! others go by priorities that change zero to three times.
//!
//! The seed of an execution follows from that of the search and from its number. Executions are
//! dealt out in rounds, and their results are taken in by number. So the result is the same for any
//! number of workers, as long as the same number of executions runs: that is up to the clock,
//! unless `max_executions` or a race ends the search.
//!
//! What it can miss: anything. It shows races, and never that there are none.
//!
//! Memory: 16 bytes for each class of executions met.

use super::batch::Batch;
use super::findings::Findings;
use super::outcome::Explored;
use super::search::SoFar;
use super::share::{Pace, Round, RunAll, Share, Work};
use raceproof_core::explore::Statistics;
use raceproof_core::explore::tree::{Job, Pick};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The executions that go by priorities have 0 to 3 change points, in turn.
const CHANGES: u64 = 4;

/// Searches until `most` executions have run or something ends the search; what it came to, and how
/// many classes of executions it met.
pub(super) fn explore(
    seed: u64,
    found: &mut Findings,
    (most, pace): (u64, Pace),
    run_all: &RunAll<'_>,
    progress: &mut dyn FnMut(u64),
) -> (SoFar, u64) {
    let mut statistics = Statistics::default();
    let mut met: FxHashSet<u64> = FxHashSet::default();
    // Jobs dealt out, and the transitions of the longest execution.
    let (mut dealt, mut longest) = (0, 0);
    let so_far =
        |explored, found: &Findings, statistics| SoFar { explored, found: found.clone(), statistics };
    loop {
        if dealt >= most {
            return (so_far(Explored::OutOfExecutions, found, statistics), met.len() as u64);
        }
        // The first one alone: the others have to know how long it is.
        let (shares, quota) = if dealt == 0 { (1, 1) } else { pace.at(dealt.max(pace.short)) };
        let mut shares_of_round = Vec::with_capacity(shares);
        for number in 0..shares {
            let quota = quota.min(most - dealt);
            let jobs: Vec<Job> =
                (dealt..dealt + quota).map(|number| Job::picked(pick(seed, number, longest))).collect();
            dealt += quota;
            if quota > 0 {
                shares_of_round.push(Share::new(number, quota, Work::Batch(Batch::new(jobs))));
            }
        }
        let round = Arc::new(Round::new());
        let before = statistics.executions;
        let mut between = |round: &Round| progress(before + round.executions());
        let done = run_all(shares_of_round, &round, &mut between);
        let mut ended = None;
        for share in done {
            // What comes after a race does not count; all that ran before the clock did.
            if ended == Some(Explored::Stopped) {
                break;
            }
            let Work::Batch(batch) = share.work else { continue };
            found.add(share.found);
            statistics.executions += batch.statistics.executions;
            statistics.pruned += batch.statistics.pruned;
            for sampled in batch.ran.into_iter().flatten() {
                met.insert(sampled.class);
                longest = longest.max(sampled.transitions as u64);
            }
            ended = share.ended.or(ended);
        }
        progress(statistics.executions);
        if let Some(explored) = ended {
            return (so_far(explored, found, statistics), met.len() as u64);
        }
    }
}

/// How an execution is picked.
fn pick(seed: u64, number: u64, length: u64) -> Pick {
    let changes = (number % 2 == 1).then_some((number / 2 % CHANGES) as u32);
    // The strategy mixes the bits; an odd factor keeps executions of one search apart.
    let seed = seed.rotate_left(32) ^ number.wrapping_add(1).wrapping_mul(0xd6e8_feb8_6659_fd93);
    Pick { seed, changes, length }
}
