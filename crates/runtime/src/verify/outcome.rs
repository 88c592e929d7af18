//! What comes of a job, of an execution, and of a search.

use raceproof_core::explore::tree;
use raceproof_core::finding::{Deadlock, GeneralRace, ProgramError, Race, Stats};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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

/// What one execution showed.
#[derive(Default)]
pub struct Finding {
    pub races: Vec<Race>,
    pub deadlocks: Vec<Deadlock>,
    pub errors: Vec<ProgramError>,
    pub general: BTreeSet<GeneralRace>,
    /// What its end state amounts to, if all tasks ended; none inside if the program does not know
    /// it.
    pub end: Option<Option<u64>>,
    pub limit: Option<String>,
    /// Why the execution could not be run to its end, if that is so; the search goes on without it.
    pub lost: Option<String>,
    /// Whether it left something out that takes more preemptions than are allowed.
    pub left_out: bool,
    /// What is left out of the lists above.
    pub notes: Vec<String>,
    pub stats: Stats,
}

/// How an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Explored {
    /// Everything was explored, what was [lost](Executed::Lost) aside.
    All,
    /// What was found ends the search.
    Stopped,
    /// An execution was cut short, or a limit reached.
    Cut,
    /// The most executions asked for have run.
    OutOfExecutions,
}
