//! Jobs that are known beforehand, one after the other.

use raceproof_core::explore::Statistics;
use raceproof_core::explore::tree::{ExecutionSummary, Job, Sampled};
use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Serialize, Deserialize)]
pub(super) struct Batch {
    jobs: Vec<Job>,
    /// What is known of those that ran; nothing of one that could not be run.
    pub(super) ran: Vec<Option<Sampled>>,
    pub(super) statistics: Statistics,
}

impl Batch {
    pub(super) fn new(jobs: Vec<Job>) -> Self {
        Batch { jobs, ran: Vec::new(), statistics: Statistics::default() }
    }

    pub(super) fn next(&self) -> Option<Job> {
        self.jobs.get(self.ran.len()).cloned()
    }

    /// The next one was run.
    pub(super) fn report(&mut self, run: &ExecutionSummary) -> bool {
        let Statistics { executions, pruned } = &mut self.statistics;
        *(if run.complete { executions } else { pruned }) += 1;
        self.ran.push(run.sampled);
        true
    }

    /// The next one could not be run.
    pub(super) fn give_up(&mut self) {
        self.ran.push(None);
    }
}
