//! One execution of a search: the program under a given schedule, and what the search has to know
//! of it.
//!
//! `raceproof verify -- ./prog` runs the program again and again, each time in a fresh process that
//! gets the [`Order`] to follow ([`raceproof::remote`]). The tasks then run on the same kernel as
//! ever, under the explorer's strategy: from choice to choice, a choice being the entry into a
//! section of a lock (critical sections, the locks of OpenMP and of the C library,
//! `mutexinoutset`), or an atomic operation, which is a section of its own on the memory it
//! accesses. What is accessed in sections is noted by names that do not depend on the process
//! ([`names`]).
//!
//! Three orders run without the detector: with it switched off, every access of the program reaches
//! [`access`], so that accesses can be counted, and a task can be stopped right before one.
//!
//! What is not explored is a limit that the report states
//! ([`unexplored`](crate::report::unexplored)): tests of locks, and waiting by looking again and
//! again.

mod access;
mod answer;
mod code;
mod driver;
mod hooks;
mod names;
mod observer;
mod played;
mod replayed;
mod server;
mod wait_events;

pub(crate) use driver::drive;
pub(crate) use server::{Fork, serve};

use crate::detect::detector::Site;
use crate::process::{self, channel};
use crate::report;
use crate::report::signals;
use crate::tasks::explorer::{self, WaitEvent};
use crate::tasks::repeats;
use access::PendingAccess;
use driver::Driver;
use names::Names;
use played::Played;
use raceproof::remote::{Order, Point, Request, VERSION};
use raceproof_core::explore::TaskName;
use raceproof_core::explore::trace::Trace;
use raceproof_core::ids::{SyncId, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use wait_events::Notifications;

/// What an execution keeps track of.
pub(crate) struct ExecutionState {
    mode: Mode,
    actions: u64,
    driver: *mut Driver,
    trace: Trace,
    names: Names,
    tasks: Vec<TaskNote>,
    /// The kernel's numbers of the detector's tasks, which has chunks of loops beside them. For a
    /// chunk it means nothing.
    of_kernel: Vec<TaskId>,
    /// Numbers of locks that are the same in every schedule.
    labels: FxHashMap<SyncId, SyncId>,
    /// The locks behind atomic operations, by what they access. The detector sees neither them nor
    /// the wait events.
    atomics: FxHashMap<u64, SyncId>,
    hidden: FxHashSet<SyncId>,
    /// The task that changed an atomic variable last where nobody saw it.
    set_by: FxHashMap<u64, TaskId>,
    wait_events: FxHashMap<WaitEvent, Notifications>,
    /// Where the accesses of each of the detector's races were made.
    points: Vec<[Point; 2]>,
    /// The actions of each turn so far, accesses included.
    segments: Vec<(TaskId, u64)>,
    /// The sections entered so far, in a repetition that gives a witness.
    entered: Vec<(TaskId, SyncId, Site)>,
    /// Tasks that stand before the access they were to be stopped at, for ever.
    met: Vec<TaskId>,
    never: Option<SyncId>,
    /// The access each task is about to make, in a replay.
    pending: FxHashMap<TaskId, PendingAccess>,
    /// The actions of a replay, if they are asked for.
    played: Option<Played>,
    /// A task has failed and stays where it is.
    failed: bool,
    /// Steps of the kernel that are no doing of the program's either.
    own_steps: u64,
}

/// What the execution is for, as far as accesses are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// The detector is on; only what is accessed in sections is noted.
    Explore,
    /// Accesses are counted, and tasks stop before those two.
    Count(Option<[Point; 2]>),
    /// Accesses are actions of the kernel.
    Replay,
}

/// What is known of a task beside what the kernel knows.
#[derive(Default)]
struct TaskNote {
    /// Actions so far, accesses aside.
    taken: u64,
    /// For each step of the order that it began, how many actions it had taken then, and how many
    /// events had been recorded.
    steps: Vec<(u32, u64, usize)>,
    /// Blocks allocated.
    blocks: u32,
}

static EXECUTION: AtomicPtr<ExecutionState> = AtomicPtr::new(ptr::null_mut());

#[inline]
pub(crate) fn is_on() -> bool {
    !EXECUTION.load(Ordering::Relaxed).is_null()
}

/// The state, if the process is an execution of a search.
#[inline]
pub(crate) fn execution() -> Option<&'static mut ExecutionState> {
    // SAFETY: `begin` puts a leaked box there. One OS thread runs all code that gets here, and no
    // function keeps the reference across a switch of coroutines.
    unsafe { EXECUTION.load(Ordering::Relaxed).as_mut() }
}

/// Reads what is asked for. Called once, when the process is set up.
pub(crate) fn begin() {
    let request: Request = match channel::request().map(serde_json::from_slice) {
        Some(Ok(request)) => request,
        Some(Err(error)) => crate::fatal(&format!(
            "the request is not understood: {error}; build the program again with the same version of raceproof"
        )),
        None => crate::fatal("there is no request: this option is for `raceproof verify`"),
    };
    if request.version != VERSION {
        crate::fatal("the program was built by another version of raceproof; build it again");
    }
    let mode = match &request.order {
        Order::Explore { .. } => Mode::Explore,
        Order::Count { .. } => Mode::Count(None),
        Order::Meet { points, .. } => Mode::Count(Some(*points)),
        Order::Replay { .. } => Mode::Replay,
    };
    let played = match &request.order {
        Order::Replay { witness, actions } if *actions > 0 => Some(Played::new(witness, *actions)),
        _ => None,
    };
    let mut names = Names::new();
    let (from, to) = process::state().threads.storage(0);
    names.thread(from, to, 0);
    let execution = ExecutionState {
        mode,
        actions: request.actions,
        driver: Box::into_raw(Box::new(Driver::new(request.order))),
        trace: Trace::new(),
        names,
        tasks: vec![TaskNote::default()],
        of_kernel: vec![TaskId::MAIN],
        labels: FxHashMap::default(),
        atomics: FxHashMap::default(),
        hidden: FxHashSet::default(),
        set_by: FxHashMap::default(),
        wait_events: FxHashMap::default(),
        points: Vec::new(),
        segments: Vec::new(),
        entered: Vec::new(),
        met: Vec::new(),
        never: None,
        pending: FxHashMap::default(),
        played,
        failed: false,
        own_steps: 0,
    };
    EXECUTION.store(Box::into_raw(Box::new(execution)), Ordering::Relaxed);
    crate::detect::search::set(&hooks::Execution);
    explorer::set(&hooks::Execution);
    repeats::begin();
    let is_repetition = matches!(mode, Mode::Count(_));
    report::answer_to(report::Search { answer: answer::finish, is_repetition });
    signals::explore(request.seconds);
}

/// A short name made of a long one. If two locks get the same, the search takes them for one, and
/// runs more executions.
fn label(name: u64) -> SyncId {
    let mixed = TaskName(name).child(0).0;
    SyncId((mixed >> 32) as u32)
}
