//! HClib's tasks (Habanero-C/C++): `launch`, `async`, and the workers that run them.
//!
//! An `async` is a task of the kernel and belongs to the finish that its creator is in. It runs at
//! once, and its creator goes on when it has ended or waits; if it awaits futures, it begins when
//! all are set. Workers are virtual threads with storage of their own. A task stays on its worker,
//! and another may begin there while it waits.
//!
//! *How many workers.* What the program asks for, as in HClib: `launch` with a number, which sets
//! `HCLIB_WORKERS`, or that variable. The program may have memory for so many, which it indexes by
//! [`worker`]. Only if it asks for nothing do the options decide.

use crate::detect::contexts::Place;
use crate::detect::detector;
use crate::detect::detector::{Role, Task};
use crate::fatal;
use crate::process;
use crate::report;
use crate::tasks::constructs::Construct;
use crate::tasks::finishes::{self, Ends};
use crate::tasks::omp::{Team, Thread, scope, thread};
use crate::tasks::promises;
use crate::tasks::sched::{self, Job, Work};
use crate::tasks::state;
use crate::tasks::units;
use raceproof_core::ids::{ScopeId, SyncId};
use std::ffi::{CStr, CString};
use std::ptr;
use std::rc::Rc;

/// What the module keeps.
pub(crate) struct Hclib {
    /// The workers; null until the program launches.
    team: *mut Team,
    /// The virtual threads that workers have run on, of which the team has the first.
    threads: Vec<u32>,
    /// `launch` has begun and not ended.
    launched: bool,
    /// Tasks created, and where the last ran.
    created: u32,
    on: u32,
    /// What the program has registered: kinds of places, and functions that distribute loops.
    kinds: Vec<CString>,
    distributions: Vec<usize>,
}

impl Default for Hclib {
    fn default() -> Self {
        Hclib {
            team: ptr::null_mut(),
            threads: vec![0],
            launched: false,
            created: 0,
            on: 0,
            kinds: Vec::new(),
            distributions: Vec::new(),
        }
    }
}

/// The largest number of workers, each of which needs storage.
const MOST: u32 = 256;

/// The first tasks run on one worker after the other. Of those that follow only one in [`STAY`]
/// moves, as for explicit tasks of OpenMP.
const SPREAD: u32 = 256;
const STAY: u32 = 16;

fn team() -> &'static mut Team {
    if state().hclib.team.is_null() {
        make_team(size());
    }
    // SAFETY: leaked when it was made; one function at a time looks.
    unsafe { &mut *state().hclib.team }
}

/// Makes the team of a launch.
fn make_team(size: u32) {
    report::state().uses_hclib = true;
    // The initial thread is the first worker.
    while state().hclib.threads.len() < size as usize {
        let thread = state().omp.take_thread();
        state().hclib.threads.push(thread);
    }
    let threads = &state().hclib.threads[..size as usize];
    let team = Box::leak(Box::new(Team::new(size, ptr::null_mut(), threads)));
    // To OpenMP the workers are threads outside of any parallel region.
    team.active_level = 0;
    let pointer: *mut Team = team;
    for thread in &mut team.threads {
        thread.team = pointer;
    }
    (state().hclib.team, state().hclib.on) = (pointer, 0);
}

/// The environment variable that says how many workers there are.
const WORKERS: &str = "HCLIB_WORKERS";

/// How many workers the next launch has.
fn size() -> u32 {
    match std::env::var(WORKERS) {
        Ok(text) => match text.trim().parse() {
            Ok(size @ 1..=MOST) => size,
            _ => fatal(&format!("{WORKERS} is `{text}`: a number of workers is expected, from 1 to {MOST}")),
        },
        Err(_) => process::state().options.threads.clamp(1, MOST),
    }
}

/// The program asks for so many workers from the next launch on.
pub(crate) fn set_workers(count: i32) {
    if !(1..=MOST as i32).contains(&count) {
        fatal(&format!("hclib::launch was asked for {count} workers: there can be 1 to {MOST}"));
    }
    // SAFETY: the tasks of the program take turns, so that nobody reads the environment now.
    unsafe { std::env::set_var(WORKERS, count.to_string()) };
}

/// How many workers there are. What the program does next may depend on it.
pub(crate) fn workers() -> u32 {
    let size = team().size;
    report::state().teams.ran(size);
    size
}

/// The worker that the running task runs on. What it does next may depend on it.
pub(crate) fn worker() -> u32 {
    workers();
    units::asks_thread("hclib_get_current_worker")
}

/// The number of a kind of places that the program names, from 1 on.
pub(crate) fn locale_kind(label: &CStr) -> u32 {
    let kinds = &mut state().hclib.kinds;
    let known = kinds.iter().position(|kind| kind.as_c_str() == label);
    let at = known.unwrap_or_else(|| {
        kinds.push(label.to_owned());
        kinds.len() - 1
    });
    at as u32 + 1
}

/// Keeps a function that distributes loops; its number, from 1 on.
pub(crate) fn keep_distribution(function: usize) -> u32 {
    let all = &mut state().hclib.distributions;
    all.push(function);
    all.len() as u32
}

pub(crate) fn distribution(id: u32) -> Option<usize> {
    state().hclib.distributions.get(id.checked_sub(1)? as usize).copied()
}

/// Ends a program that uses HClib where it does not run.
pub(crate) fn require_launch(function: &str) {
    if !state().hclib.launched || sched::job().is_none() {
        fatal(&format!(
            "{function} was called outside of hclib_launch (hclib::launch in C++): HClib runs nothing there"
        ));
    }
}

/// Runs `body` as `launch` does: returns when all tasks have ended.
pub(crate) fn launch(body: impl FnOnce()) {
    if sched::job().is_none() {
        fatal(
            "hclib_launch was called where no task runs: in a constructor of a shared library, or at the exit",
        );
    }
    if std::mem::replace(&mut state().hclib.launched, true) {
        fatal("hclib_launch was called inside of another hclib_launch: HClib runs one at a time");
    }
    let size = size();
    if team().size != size {
        make_team(size);
    }
    finishes::begin(false);
    body();
    if !finishes::end() {
        fatal("the finish of hclib_launch was ended by the program: a hclib_end_finish too many");
    }
    state().hclib.launched = false;
}

/// The worker that the next task runs on.
fn runner() -> &'static mut Thread {
    let team = team();
    let hclib = &mut state().hclib;
    hclib.created = hclib.created.wrapping_add(1);
    if hclib.created < SPREAD || hclib.created.is_multiple_of(STAY) {
        hclib.on = (hclib.on + 1) % team.size;
        &mut team.threads[hclib.on as usize]
    } else {
        &mut team.threads[thread().number as usize]
    }
}

/// Creates a task that runs `body` when all of `waits` are set, for a call that returns to `pc`. If
/// its end sets a promise of the program's, that is `future`.
pub(crate) fn create(body: impl FnOnce() + 'static, waits: Vec<SyncId>, future: Option<SyncId>, pc: usize) {
    let creator = scope();
    creator.created += 1;
    let detector = detector();
    let ends = creator.finishes.ends();
    let end = ends.as_ref().map(|ends| end_in(ends, pc));
    let work = move || {
        self::scope().finishes.enter(ends);
        if let Some(future) = future {
            promises::belongs_to(future, crate::detect::detector().identity());
        }
        body();
        finishes::end_task();
        if let Some(end) = end {
            promises::set(end, pc);
        }
        self::scope().end();
    };
    let runner = runner();
    let virtual_thread = runner.virtual_thread;
    let Construct { root, created, .. } = state().omp.constructs.of(pc, detector);
    let mut job = Job::in_region(runner, true, Place::at(root), Work::Other(Box::new(work)));
    let awaited = !waits.is_empty();
    job.waits = waits;
    detector.next = Some(Task {
        parent: detector.current(),
        created,
        role: Role::Async(creator.created),
        thread: virtual_thread,
        asked: false,
        scope: ScopeId::PROGRAM,
        detached: false,
        awaited,
        serial: 0,
    });
    sched::spawn(job, true);
}

fn end_in(ends: &Rc<Ends>, pc: usize) -> SyncId {
    let end = promises::create(pc);
    ends.add(end);
    end
}

/// The running task ends its innermost finish without waiting. When all tasks of it have ended,
/// `put` is called, which sets the promise.
pub(crate) fn end_finish_nonblocking(promise: SyncId, put: impl FnOnce() + 'static, pc: usize) {
    let Some(ends) = finishes::leave() else { no_finish() };
    let closes = move || {
        ends.wait();
        put();
    };
    create(closes, Vec::new(), Some(promise), pc);
}

/// Begins a finish.
pub(crate) fn start_finish(may_leave: bool) {
    finishes::begin(may_leave);
}

/// Ends the innermost finish of the running task, and waits.
pub(crate) fn end_finish() {
    if !finishes::end() {
        no_finish();
    }
}

fn no_finish() -> ! {
    fatal("hclib_end_finish was called by a task that has not started a finish (hclib_start_finish)")
}
