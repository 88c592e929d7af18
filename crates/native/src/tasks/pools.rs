//! Pools, and regions whose tasks are waited for: what the drop-in for `rayon-core`
//! (`crates/rayon`) is built of.
//!
//! `join` and `scope` are a region: its owner begins it, tasks are spawned into it, and its end
//! waits for them. A pool is a team of virtual threads that run nothing but tasks; which of them a
//! task asks first depends on which child of its parent it is.
//!
//! To the order a region is a finish of its owner. Any task inside of it may spawn into it, also
//! one that another region waits for, and that region does not wait for the new task. So the new
//! task belongs to the finish of the region it was spawned into, or to the program's if to none.
//! Its parent may then have been waited for while it has not: the parent releases to no task in
//! particular, so that it keeps its step in the order.

use crate::detect::contexts::Place;
use crate::detect::detector;
use crate::detect::detector::{Role, Task};
use crate::process;
use crate::report;
use crate::tasks::atomics;
use crate::tasks::omp::{Scope, Team, scope, thread};
use crate::tasks::sched::{self, Job, Work, kernel, wait};
use crate::tasks::state;
use crate::tasks::workers::Placement;
use raceproof_core::ids::ScopeId;
use std::ffi::c_void;
use std::ptr;

/// The pools there are; the first is the global one.
#[derive(Default)]
pub(crate) struct Pools(Vec<Pool>);

struct Pool {
    team: *mut Team,
    /// Kept for the drop-in.
    data: *mut c_void,
}

/// A region, as the drop-in knows it.
pub struct Region {
    /// Its tasks, by the futures of their ends, and its finish.
    scope: *mut Scope,
    /// The task that waits at its end.
    owner: u64,
    /// The first panic of one of its tasks: a pointer of the drop-in's.
    panic: *mut c_void,
}

/// The largest number of threads of a pool, each of which needs storage.
const MOST: u32 = 256;

/// Makes a pool of so many threads, or of as many as the options say; its number.
pub(crate) fn create(threads: u32, data: *mut c_void) -> u32 {
    let size = if threads == 0 { process::state().options.threads } else { threads }.min(MOST);
    let threads: Vec<u32> = (0..size).map(|_| state().omp.take_thread()).collect();
    let team = Box::leak(Box::new(Team::new(size, ptr::null_mut(), &threads)));
    let pointer: *mut Team = team;
    for thread in &mut team.threads {
        thread.team = pointer;
    }
    let pools = &mut state().pools.0;
    pools.push(Pool { team: pointer, data });
    pools.len() as u32 - 1
}

fn pool(number: u32) -> &'static mut Team {
    if state().pools.0.is_empty() {
        create(0, ptr::null_mut());
    }
    let pools = &state().pools.0;
    let team = pools[(number as usize).min(pools.len() - 1)].team;
    // SAFETY: `create` leaks the teams of pools, and no caller keeps the reference across a switch
    // of tasks.
    unsafe { &mut *team }
}

pub(crate) fn data(number: u32) -> *mut c_void {
    state().pools.0.get(number as usize).map_or(ptr::null_mut(), |pool| pool.data)
}

/// Whether the global pool is there.
pub(crate) fn has_global() -> bool {
    !state().pools.0.is_empty()
}

pub(crate) fn threads(number: u32) -> u32 {
    pool(number).size
}

/// Where the running task runs: the pool in the upper half, the thread of it in the lower; all ones
/// outside of pools.
pub(crate) fn worker() -> u64 {
    let team = thread().team;
    match state().pools.0.iter().position(|pool| pool.team == team) {
        Some(pool) => (pool as u64) << 32 | u64::from(thread().number),
        None => u64::MAX,
    }
}

pub(crate) fn begin() -> *mut Region {
    let mut inner = Scope::new(scope().thread, true);
    inner.created = scope().created;
    inner.enter();
    let inner = scope();
    if sched::job().is_some() {
        detector().children(&mut inner.open);
    }
    let owner = detector().identity();
    Box::into_raw(Box::new(Region { scope: inner, owner, panic: ptr::null_mut() }))
}

/// Tasks that may wait for each other while a parallel iterator is split.
const NESTED: usize = 1 << 12;

/// Whether a parallel iterator may be split further. Its items are compared if each is in a task of
/// its own, so it may, as if every part were stolen. But some iterators can be split for ever
/// (`rayon::iter::repeat`), or so unevenly that every item is a level: when half of the stack of
/// the running task is used, or [`NESTED`] tasks have stacks, rayon's own splitter has its way,
/// which halves a few times more and then leaves the rest together. The report says where.
pub(crate) fn may_split(pc: usize) -> bool {
    let stacks = &detector().stacks;
    if stacks.in_use() < NESTED && !stacks.is_half_used() {
        return true;
    }
    report::together(pc);
    false
}

/// Waits for all tasks of the innermost region, and leaves it; the first panic of one of them.
///
/// # Safety
/// The region is the innermost one, and ends once.
pub(crate) unsafe fn end(region: *mut Region) -> *mut c_void {
    // SAFETY: the caller's promise: `begin` has made the region. Tasks add to its scope while this
    // waits, so no borrow of it lasts longer than one read.
    let scope = || unsafe { &*(*region).scope };
    let child = |at: usize| scope().children.get(at).copied();
    let mut waited = 0;
    let own = thread().virtual_thread;
    state().workers.waits(own, true);
    while let Some(child) = child(waited) {
        wait(|kernel| {
            detector().set_waiting(true);
            let got = kernel.get(child);
            detector().set_waiting(false);
            got
        });
        waited += 1;
    }
    state().workers.waits(own, false);
    let inner = self::scope();
    if let Some(open) = inner.open.take() {
        detector().waited(open, inner.around, &inner.children);
        inner.forget_children();
    }
    let inner = Scope::leave();
    self::scope().created = inner.created;
    // SAFETY: the caller's promise: `begin` has made it and it ends once. All tasks that knew of it
    // have ended.
    unsafe { Box::from_raw(region) }.panic
}

/// A task of the region has panicked. Only the first panic of a region counts: whether this is it.
///
/// # Safety
/// Called by a task of the region.
pub(crate) unsafe fn panicked(region: *mut Region, panic: *mut c_void) -> bool {
    // SAFETY: the caller's promise: the region's end waits for the caller, so that it is alive.
    let region = unsafe { &mut *region };
    let first = region.panic.is_null();
    if first {
        region.panic = panic;
    }
    first
}

/// The finish that a task spawned into the region belongs to.
fn finish_of(region: *mut Region) -> ScopeId {
    let detector = detector();
    let current = detector.tasks[detector.current().index()];
    // SAFETY: the region is alive: its owner waits for the caller, or is the caller.
    let (finish, owner) = match unsafe { region.as_mut() } {
        None => (ScopeId::PROGRAM, None),
        // SAFETY: its scope lives as long.
        Some(region) => (detector.children(unsafe { &mut (*region.scope).open }), Some(region.owner)),
    };
    if owner != Some(current.serial) && current.scope != finish {
        atomics::release_to_any();
    }
    finish
}

/// A task of a pool runs the body with the data. The region, if it is not null, waits for it.
/// `worker` is the thread of the pool that runs it; none in particular if there is no such thread.
/// `later` says whether its creator goes on first.
///
/// # Safety
/// The region is null, or alive: its owner waits for the caller or is the caller.
pub(crate) unsafe fn spawn(
    region: *mut Region,
    body: extern "C" fn(*mut c_void),
    data: *mut c_void,
    (pool, worker): (u32, u32),
    later: bool,
    pc: usize,
) {
    if sched::job().is_none() {
        // Before `main`, or after it.
        return body(data);
    }
    let creator = scope();
    creator.created += 1;
    let (ordinal, own) = (creator.created, thread());
    let team = self::pool(pool);
    report::state().teams.ran(team.size);
    let first = if ptr::eq(own.team, team) { own.number } else { 0 };
    let on = if worker < team.size { worker } else { (first + ordinal) % team.size };
    let virtual_thread = team.threads[on as usize].virtual_thread;
    let scope = finish_of(region);

    let root = detector().contexts.task(pc);
    let work = move || {
        body(data);
        self::scope().end();
    };
    let work = Work::Other(Box::new(work));
    let mut job = Job::in_region(&mut team.threads[on as usize], true, Place::at(root), work);
    let only = worker == on;
    job.placement = Some(Placement { pool: team, first: on, only });
    // SAFETY: the caller's promise: null, or a region that lives until all of its tasks have ended.
    if let Some(region) = unsafe { region.as_mut() } {
        let future = kernel().new_future();
        job.future = Some(future);
        // SAFETY: the region's scope lives as long as the region.
        unsafe { &mut *region.scope }.children.push(future);
    }
    let created = detector().here(pc);
    detector().next = Some(Task {
        parent: detector().current(),
        created,
        role: Role::Explicit(ordinal),
        thread: virtual_thread,
        asked: false,
        scope,
        detached: false,
        awaited: false,
        serial: 0,
    });
    sched::spawn(job, !later);
}
