//! Who runs next: the scheduler's decisions, one strategy a file.
//!
//! To add one, implement [`Strategy`]. It sees the task table and decides; everything else (what a
//! task does in its turn, who becomes ready) is the kernel's.

mod depth_first;
mod guided;
mod picker;
mod script;

pub use depth_first::DepthFirst;
pub use guided::{Guided, GuidedEnd, Traced};
pub use script::{Hold, Script, Turns};

use crate::kernel::Kernel;
use raceproof_core::event::Observer;
use raceproof_core::ids::TaskId;

/// A turn: a task and how many actions it may take before the strategy is asked again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    pub task: TaskId,
    pub actions: u64,
    /// How many of them may be *choices*: entering a lock or isolated section, `P`, `V`, `set` and
    /// `post`, the operations whose order among tasks can make a difference to a program without
    /// data races.
    pub choices: u64,
}

impl Turn {
    /// A turn bounded by its actions only.
    pub fn actions(task: TaskId, actions: u64) -> Self {
        Turn { task, actions, choices: u64::MAX }
    }

    /// A turn up to the next choice, after `choices` of them.
    pub fn choices(task: TaskId, choices: u64) -> Self {
        Turn { task, actions: u64::MAX, choices }
    }
}

/// How the last turn ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// There was none.
    Start,
    /// The task waits for something.
    Waits(TaskId),
    /// The task has used up the actions it was given and is ready.
    Spent(TaskId),
    /// The task made others ready and lets them go first.
    GaveWay(TaskId),
    /// The task ended or failed.
    Gone(TaskId),
}

pub trait Strategy<B, O: Observer> {
    /// Whether a task that spawns or wakes others is suspended there, so that the strategy can let
    /// them go first.
    fn eager(&self) -> bool;

    /// The next turn; its task must be ready. `None` ends the run: an answer for when no task is
    /// ready, or for a strategy that has seen enough.
    fn next(&mut self, kernel: &Kernel<B, O>, last: Last) -> Option<Turn>;
}
