//! Polling inside of locks: a task that acquires locks again and again, with no other task running
//! in between, may wait for what another one does in a section.
//!
//! All tasks run on one OS thread, and such a loop synchronises, so that no time slice ends it
//! ([`preemption`](crate::tasks::preemption)). The number of acquisitions decides, not the clock:
//! the schedule is the same in every run. Letting others run first is never wrong.

use crate::detect::detector;
use crate::tasks::explorer;
use crate::tasks::sched::{self, kernel};
use crate::tasks::state;

/// Acquisitions of one task in a row that look like polling, at first and at last. A loop that has
/// polled does so again.
const PATIENCE: u32 = 1 << 10;
const LEAST: u32 = 1 << 6;
/// In a search, in which to let others run ends all claims about the loop.
const IN_SEARCH: u32 = 1 << 16;

pub(crate) struct Polls {
    /// The task that has acquired a lock last, and how often in a row.
    task: u64,
    count: u32,
    patience: u32,
}

impl Default for Polls {
    fn default() -> Self {
        Polls { task: 0, count: 0, patience: PATIENCE }
    }
}

/// The running task is about to acquire a lock.
#[inline]
pub(crate) fn acquires() {
    let polls = &mut state().polls;
    let task = detector().identity();
    polls.count = if polls.task == task { polls.count + 1 } else { 1 };
    polls.task = task;
    if polls.count >= polls.patience {
        let_others_run();
    }
}

#[cold]
fn let_others_run() {
    let polls = &mut state().polls;
    if explorer::is_on() && polls.count < IN_SEARCH {
        return;
    }
    polls.count = 0;
    if kernel().tasks().newest().is_some() && !detector().is_reducing() {
        polls.patience = (polls.patience / 2).max(LEAST);
        sched::pass();
    }
}
