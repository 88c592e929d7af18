//! An execution in a process of its own: what is asked of it, and what it answers.
//!
//! A native program is verified by running it again and again, each time in a process of its own: a
//! child of the program that has been started once, or a program that is started. The process has a
//! kernel and the [`Guided`](crate::strategy::Guided) strategy like any other run; what the search
//! needs of an execution is written down at its end and read by the process that searches. Both are
//! JSON, but for the [trace](Trace::to_bytes), in records of a [`channel`](crate::channel) whose
//! path the program is given.
//!
//! Nothing in here depends on where the process has its memory: tasks are named by their spawn
//! paths, places in the program and its data by [`Point`].

use crate::strategy::GuidedEnd;
use raceproof_core::explore::trace::Trace;
use raceproof_core::explore::tree::{Pick, Sleeper};
use raceproof_core::explore::{Dependence, Moment, Stuck, TaskName};
use raceproof_core::finding::{Coverage, Deadlock, ProgramError, Race, Report, Witness};
use raceproof_core::ids::TaskId;
use raceproof_report::playback::Playback;
use serde::{Deserialize, Serialize};

/// Changes whenever what is written does: a program may be linked with another version than the one
/// that runs it.
pub const VERSION: u32 = 7;

/// The word of `RACEPROOF_OPTIONS` that says where a program finds its request.
pub const OPTION: &str = "explore";

/// The words that name the pipes by which a program is asked to fork for each request, and says
/// what became of its children.
pub const REQUESTS: &str = "requests";
pub const REPLIES: &str = "replies";
pub const CHILDREN: &str = "children";

/// What a program says first that is ready to fork.
pub const SERVING: i32 = 0x7270_0000 | VERSION as i32;

/// The word of `RACEPROOF_OPTIONS` that has a program remember all readers of a location.
pub const ALL_READERS: &str = "readers=all";

/// A limit of a run that was to remember fewer: with all of them there is none.
pub const FEW_READERS: &str = "tasks were waited for while tasks that they had created went on, which one reader of a location cannot \
                               stand for: run the program again with readers=all in RACEPROOF_OPTIONS";

/// A limit of an execution that ran out of time, and answered with what was known.
pub const TOO_LONG: &str =
    "an execution took too long; raise --time-limit, or give the program a smaller input";

/// `O` is an [`Order`], or a reference to one where it is written.
#[derive(Serialize, Deserialize)]
pub struct Request<O = Order> {
    pub version: u32,
    pub order: O,
    /// The most actions, accesses aside, and the most seconds it may take.
    pub actions: u64,
    pub seconds: f64,
}

/// What an execution is for.
#[derive(Serialize, Deserialize)]
pub enum Order {
    /// To see what happens if the first choices are these, and those behind them as `pick` says.
    Explore {
        prefix: Vec<TaskId>,
        hint: Vec<TaskName>,
        asleep: Vec<Sleeper>,
        dependence: Dependence,
        pick: Option<Pick>,
        preemptions: Option<u32>,
    },
    /// To count the actions of a schedule, given as the tasks whose transitions it is made of.
    Count { schedule: Vec<TaskId> },
    /// To stop two tasks right before two accesses, by way of these transitions.
    Meet { schedule: Vec<TaskName>, points: [Point; 2] },
    /// To follow a witness; with the last so many of the actions on the way.
    Replay { witness: Witness, actions: u64 },
}

/// The option that numbers an assignment of work to threads.
pub const ASSIGNMENT: &str = "assignment";

/// Where a task makes an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Point {
    pub task: TaskName,
    /// How many actions, accesses aside, the task takes before: the least and the most, if that is
    /// not known exactly.
    pub taken: (u64, u64),
    /// When that was, in the execution that the access comes from.
    pub moment: Moment,
    /// The instruction and the byte, by names that are the same in every process.
    pub code: u64,
    pub byte: u64,
}

#[derive(Serialize, Deserialize)]
pub struct Answer {
    pub version: u32,
    /// In a record of its own, written before.
    #[serde(skip)]
    pub trace: Trace,
    /// As the strategy has them.
    pub woke: Vec<usize>,
    pub stuck: Vec<Stuck>,
    /// None if the program ended in the middle: it crashed, or called `exit` while tasks were under
    /// way.
    pub end: Option<GuidedEnd>,
    pub left_out: bool,
    pub found: Found,
    pub tasks: u64,
    pub steps: u64,
    pub coverage: Coverage,
    /// What was counted, if that was asked for and worked out; for a replay, that it did.
    pub witness: Option<Witness>,
    /// What a replay led to, or why it did not.
    pub replayed: Option<Result<Report, String>>,
    /// The actions of a replay, if any were asked for; of which finding is for the one who asks to
    /// say.
    pub played: Option<Playback>,
}

/// What an execution showed.
#[derive(Default, Serialize, Deserialize)]
pub struct Found {
    /// Each race with where its accesses were made.
    pub races: Vec<(Race, [Point; 2])>,
    pub deadlocks: Vec<Deadlock>,
    pub errors: Vec<ProgramError>,
    pub limits: Vec<String>,
}
