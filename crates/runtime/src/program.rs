//! What a front end says about its programs, so that running, checking and verifying them is
//! written once.

use crate::limits::Limits;
use crate::run::{Ending, Machine, Run};
use crate::spawn_path::Paths;
use crate::strategy::Strategy;
use raceproof_core::event::Observer;
use raceproof_core::finding::{Frame, Place};
use raceproof_core::ids::{Location, SiteId, SyncId};
use std::cell::OnceCell;

/// Spawns listed for one task and calls for one place; of more, the outermost and the innermost.
pub const LISTED: usize = 128;
pub const OUTERMOST: usize = 16;

/// What bounds one execution.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    pub actions: u64,
    pub limits: Limits<'a>,
    /// Whether the schedule is kept, for [`Execution::witness`].
    pub keep_schedule: bool,
    /// Whether what the program prints is kept.
    pub keep_output: bool,
    /// Whether what distinguishes end states is kept, for [`Program::end_state`].
    pub keep_end_state: bool,
    /// Whether it is kept which reads decided something, for [`Program::uses`].
    pub keep_uses: bool,
    /// Whether the observer is [told](Observer::addition) which accesses are parts of additions, by
    /// a front end that knows.
    pub tell_additions: bool,
}

impl Default for Bounds<'_> {
    fn default() -> Self {
        Bounds {
            actions: u64::MAX,
            limits: Limits::default(),
            keep_schedule: false,
            keep_output: false,
            keep_end_state: false,
            keep_uses: false,
            tell_additions: false,
        }
    }
}

/// What the limits are called where a front end's user sets them.
#[derive(Clone, Copy, Debug)]
pub struct Raise {
    /// The most actions of a run.
    pub actions: &'static str,
    /// The most executions of a search.
    pub executions: &'static str,
    pub seconds: &'static str,
    pub memory: &'static str,
}

impl Raise {
    /// For whoever is at the command line.
    pub const OPTIONS: Raise = Raise {
        actions: "--max-events",
        executions: "--max-executions",
        seconds: "--max-seconds",
        memory: "--max-memory",
    };
}

/// Something that went wrong: in a task, or a limit of the run.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The stable name of a program error; none for a limit.
    pub kind: Option<&'static str>,
    pub message: String,
    pub at: Option<Place>,
    /// Whether it came by chance: the same run again would end elsewhere, or not at all.
    pub by_chance: bool,
}

/// A program that can be run any number of times, with limits that live for `'a`. A cheap handle.
pub trait Program<'a>: Clone {
    type Body;
    type Error;
    type Machine<O: Observer>: Machine<O, Body = Self::Body, Error = Self::Error>;

    /// How the user raises limits.
    const RAISE: Raise;

    /// A run that has not begun.
    fn start<O: Observer>(&self, observer: O, bounds: &Bounds<'a>) -> Run<Self::Machine<O>, O>;

    /// Called when the run has ended; it must not change what the methods below return.
    fn wind_up<O: Observer>(&self, _run: &mut Run<Self::Machine<O>, O>) {}

    fn place(&self, site: SiteId) -> Place;

    /// The name of a cell.
    fn location<O: Observer>(&self, machine: &Self::Machine<O>, location: Location) -> String;

    /// What something to synchronise through is called; empty if there is nothing to call it by.
    fn sync<O: Observer>(&self, machine: &Self::Machine<O>, sync: SyncId) -> String;

    /// The calls a suspended task is in, innermost first; of more than [`LISTED`], those in the
    /// middle are left out.
    fn calls<O: Observer>(&self, _machine: &Self::Machine<O>, _body: &Self::Body) -> Vec<Frame> {
        Vec::new()
    }

    /// Where a task that waits does so.
    fn waits_at(&self, body: &Self::Body) -> Option<SiteId>;

    /// By number of the read: whether its value reached a branch or an index, if that was kept and
    /// is known.
    fn uses<O: Observer>(&self, _machine: &Self::Machine<O>) -> Option<Vec<bool>> {
        None
    }

    /// The sync that the task's end signals, if it is a future.
    fn future(&self, body: &Self::Body) -> Option<SyncId>;

    fn failure(&self, error: &Self::Error) -> Failure;

    /// How often the run has [looked](Limits::reached_at) at its limits. Where in the program that
    /// is, every run agrees.
    fn looks<O: Observer>(&self, machine: &Self::Machine<O>) -> u64;

    fn reads<O: Observer>(&self, machine: &Self::Machine<O>) -> u64;
    fn writes<O: Observer>(&self, machine: &Self::Machine<O>) -> u64;

    /// What the program printed, if it was kept.
    fn output<O: Observer>(&self, _machine: &mut Self::Machine<O>) -> String {
        String::new()
    }

    /// A number for the state a run has ended in: equal for equal states, whatever the schedule.
    /// None if the front end does not know its state.
    fn end_state<O: Observer>(&self, _run: &Run<Self::Machine<O>, O>) -> Option<u64> {
        None
    }

    /// A hash of all events of the run, for programs that may not be deterministic.
    fn fingerprint<O: Observer>(&self, _machine: &Self::Machine<O>) -> Option<u64> {
        None
    }
}

/// An execution that has ended.
pub struct Execution<'a, P: Program<'a>, O: Observer> {
    pub program: P,
    pub run: Run<P::Machine<O>, O>,
    pub ending: Ending<P::Error>,
    pub(crate) paths: OnceCell<Paths>,
}

/// Runs a program once, as `strategy` says, observed by `observer`.
pub fn run_once<'a, P: Program<'a>, O: Observer, S: Strategy<P::Body, O>>(
    program: &P,
    strategy: &mut S,
    observer: O,
    bounds: Bounds<'a>,
) -> Execution<'a, P, O> {
    let mut run = program.start(observer, &bounds);
    run.limit_actions(bounds.actions);
    if bounds.keep_schedule {
        run.keep_turns();
    }
    let ending = run.drive(strategy);
    program.wind_up(&mut run);
    Execution { program: program.clone(), run, ending, paths: OnceCell::new() }
}
