//! Threads that the program creates: `pthread_create`, `thrd_create`, `std::thread`, Rust's
//! `std::thread`.
//!
//! A thread is a task of the kernel with a virtual thread of its own, whose storage is fresh
//! (`process/threads.rs`). To OpenMP it is an initial thread. It belongs to the finish of the whole
//! program, so that nobody waits for it but who joins it, by the future of its end.
//!
//! What the C library does at the end of a thread happens here, in the thread's task: destructors
//! of `thread_local` objects ([`at_end`]) and of keys ([`Keys`]). The C library never learns of
//! either, since to it the sleeper that lends the storage has used none.
//!
//! `pthread_exit` and a cancellation unwind the stack, as the C library does: destructors of
//! objects run, and so do cleanup handlers, of C++ as destructors, of C as jumps into the frame that
//! has pushed them ([`unwind`]).

use crate::detect::contexts::Place;
use crate::detect::detector;
use crate::detect::detector::{Role, Task};
use crate::process;
use crate::process::call_site::{CALLER, caller};
use crate::report;
use crate::report::calls;
use crate::tasks::monitors::Patience;
use crate::tasks::omp::{Team, scope};
use crate::tasks::sched::{self, Job, Work, kernel, wait};
use crate::tasks::waits::{self, What};
use crate::tasks::{atomics, explorer, locks, state};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::{ScopeId, SyncId};
use rustc_hash::FxHashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

pub(crate) mod signals;
pub(crate) mod unwind;

/// A thread's routine.
pub(crate) type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// Runs at the end of a thread, with its argument.
type Destructor = unsafe extern "C-unwind" fn(*mut c_void);

/// A call that is due after all destructors, and where the program has asked for it.
type Last = (Destructor, *mut c_void, usize);

/// What a canceled thread has returned.
pub(crate) const CANCELED: usize = usize::MAX;

/// A thread that is not joined yet, or runs.
pub(crate) struct Thread {
    handle: usize,
    virtual_thread: u32,
    /// Another than `main` has created it.
    is_nested: bool,
    /// Tells of its end.
    future: SyncId,
    is_detached: bool,
    /// Somebody waits for its end, and will join it.
    is_awaited: bool,
    /// What it has returned, once it has ended.
    result: Option<usize>,
    /// The calls of destructors that are due at its end, the last first.
    at_end: Vec<(Destructor, *mut c_void)>,
    very_last: Vec<Last>,
    pub(crate) unwinding: unwind::Unwinding,
    /// Signals that another thread has left for it, and handlers that have run for it.
    signals: Vec<c_int>,
    handled: signals::Handled,
    /// Where it sleeps, for whoever cancels it.
    job: *const Job,
    team: *mut Team,
}

#[derive(Default)]
pub(crate) struct Threads {
    /// By `pthread_t`.
    all: FxHashMap<usize, Box<Thread>>,
    /// Threads that have not ended.
    live: usize,
    keys: FxHashMap<u32, Destructor>,
    /// Of `main`, which is in no table; and whether it waits for the end of all threads.
    main: unwind::Unwinding,
    main_waits: bool,
    main_last: Vec<Last>,
    /// Teams of threads that are over, to be used again.
    spare: Vec<*mut Team>,
}

fn threads() -> &'static mut Threads {
    &mut state().threads
}

/// The `pthread_t` of the running thread.
pub(crate) fn own() -> usize {
    let thread = sched::job().map_or(0, |job| job.thread);
    process::state().threads.base(thread)
}

/// The running thread, if the program has created it. In a team of OpenMP it may be another.
fn running() -> Option<&'static mut Thread> {
    threads().all.get_mut(&own()).map(|thread| &mut **thread)
}

/// How the running thread would be unwound.
pub(crate) fn unwinding() -> &'static mut unwind::Unwinding {
    match running() {
        Some(thread) => &mut thread.unwinding,
        None => &mut threads().main,
    }
}

/// Whether threads that the program has created have not ended.
pub(crate) fn are_live() -> bool {
    threads().live > 0
}

/// Creates a thread; its `pthread_t` is there when `announce` is called, before it begins.
pub(crate) fn create(
    is_detached: bool,
    routine: Routine,
    argument: *mut c_void,
    pc: usize,
    announce: impl FnOnce(usize),
) -> Result<(), c_int> {
    if sched::job().is_none() {
        return Err(libc::EAGAIN);
    }
    let virtual_thread = state().omp.take_fresh_thread().map_err(|_| libc::EAGAIN)?;
    let handle = process::state().threads.base(virtual_thread);
    let team = team(virtual_thread);
    let creator = scope();
    creator.created += 1;
    let ordinal = creator.created;
    // The creator may be joined while the thread runs, which belongs to the program.
    if detector().tasks[detector().current().index()].scope != ScopeId::PROGRAM {
        atomics::release_to_any();
    }
    let pc = calls::own_call(pc);
    let root = detector().contexts.task(pc);
    let work = move || {
        // SAFETY: the program's own routine with its argument, as `pthread_create` would call it.
        let result = unsafe { unwind::call(routine, argument) };
        ended(handle, result as usize);
        scope().end();
    };
    // SAFETY: the team is this thread's alone, and lives until `forget`.
    let first = unsafe { &mut (&mut *team).threads[0] };
    let mut job = Job::in_region(first, false, Place::at(root), Work::Other(Box::new(work)));
    let future = kernel().new_future();
    job.future = Some(future);
    job.started = handle;
    let thread = Thread {
        handle,
        virtual_thread,
        is_nested: own() != process::state().threads.base(0),
        future,
        is_detached,
        is_awaited: false,
        result: None,
        at_end: Vec::new(),
        very_last: Vec::new(),
        unwinding: Default::default(),
        signals: Vec::new(),
        handled: Default::default(),
        job: &raw const *job,
        team,
    };
    threads().all.insert(handle, Box::new(thread));
    threads().live += 1;
    announce(handle);
    let created = detector().here(pc);
    detector().next = Some(Task {
        parent: detector().current(),
        created,
        role: Role::Started(ordinal),
        thread: virtual_thread,
        asked: false,
        scope: ScopeId::PROGRAM,
        detached: false,
        awaited: true,
        serial: 0,
    });
    // What a thread of Rust does last is to give back what it shares with its creator: the packet
    // with its result, the scope. A creator that drops its handle only then acquires all that the
    // thread has done, and comes after it in this run. So it goes on first. A test harness only
    // waits, and to wait for what has not ended yet takes atomic operations.
    sched::spawn_in(ScopeId::PROGRAM, job, !process::is_shared() || super::futex::is_harness());
    Ok(())
}

/// A team of one, for a thread.
fn team(virtual_thread: u32) -> *mut Team {
    let fresh = Team::new(1, std::ptr::null_mut(), &[virtual_thread]);
    let team = match threads().spare.pop() {
        Some(team) => {
            // SAFETY: leaked below, and the thread that had it is over.
            unsafe { *team = fresh };
            team
        }
        None => Box::into_raw(Box::new(fresh)),
    };
    // SAFETY: the team was leaked, and nobody else has a reference to it: its thread begins later.
    unsafe { (&mut *team).threads[0].team = team };
    team
}

/// The running thread has returned from its routine, or was unwound: does what is due at its end.
fn ended(handle: usize, result: usize) {
    run_at_end();
    run_very_last();
    locks::leave_robust();
    // Whoever waits for the end with a limit may look before this, or after it.
    explorer::atomic(handle, 1, AccessKind::Write, caller());
    if let Some(thread) = threads().all.get_mut(&handle) {
        thread.result = Some(result);
        thread.job = std::ptr::null();
    }
    threads().live -= 1;
    if threads().live == 0 && threads().main_waits {
        waits::notify(LIVE);
    }
}

/// `main` has returned: lets threads of Rust run that have not begun since nobody waited.
pub(crate) fn begin_at_last() {
    if process::is_shared() && are_live() {
        sched::give_way();
    }
}

/// Where `main` waits that has called `pthread_exit`: no variable is there.
const LIVE: usize = 8;

/// `main` has called `pthread_exit`: the process goes on until all threads have ended.
pub(crate) fn outlive() {
    run_at_end();
    run_very_last();
    threads().main_waits = true;
    waits::until(What::Threads, LIVE, None, || !are_live());
}

/// The job of a thread is over, and its task about to be.
pub(crate) fn finished(handle: usize) {
    if threads().all.get(&handle).is_some_and(|thread| thread.is_detached) {
        forget(handle);
    }
}

/// Nobody asks for a thread any more: its storage goes.
fn forget(handle: usize) {
    if let Some(thread) = threads().all.remove(&handle) {
        state().omp.end_thread(thread.virtual_thread);
        threads().spare.push(thread.team);
    }
}

/// Waits for the end of a thread; what it has returned.
pub(crate) fn join(handle: usize, patience: Patience) -> Result<usize, c_int> {
    if handle == own() {
        return Err(libc::EDEADLK);
    }
    let Some(thread) = threads().all.get_mut(&handle) else { return Err(libc::ESRCH) };
    if thread.is_detached || thread.is_awaited {
        return Err(libc::EINVAL);
    }
    let future = thread.future;
    match patience {
        Patience::Endless | Patience::Until(None) => {}
        Patience::None if !has_ended(thread) => {
            if !explorer::is_on() {
                // Somebody may be spinning on it.
                sched::pass();
            }
            return Err(libc::EBUSY);
        }
        Patience::Until(Some(limit)) if !has_ended(thread) => {
            if !explorer::is_on() {
                thread.is_awaited = true;
                set_joins(future);
                waits::until_set(future, limit);
                set_joins(SyncId(0));
                thread.is_awaited = false;
                test_cancel();
            }
            if !kernel().is_open(future) {
                return Err(libc::ETIMEDOUT);
            }
        }
        _ => {}
    }
    thread.is_awaited = true;
    wait_for_end(handle, future);
    let result = threads().all.get(&handle).and_then(|thread| thread.result).unwrap_or(0);
    forget(handle);
    Ok(result)
}

/// The running task waits for the end of a thread, so that a cancellation finds it there.
fn set_joins(future: SyncId) {
    if let Some(job) = sched::job() {
        job.joins = future;
    }
}

/// Whether a thread has ended by now, which is the schedule's choice.
fn has_ended(thread: &Thread) -> bool {
    detector().exclusive = true;
    if thread.is_nested {
        // Its number may be another in other schedules, and its end has the name of that.
        explorer::unexplored(
            "a thread waits with a limit on the time for one that another thread has created",
        );
    }
    explorer::atomic(thread.handle, 1, AccessKind::Read, caller());
    if explorer::is_on() { thread.result.is_some() } else { kernel().is_open(thread.future) }
}

/// Waits for the future of a thread's end; a cancellation ends the wait.
fn wait_for_end(handle: usize, future: SyncId) {
    set_joins(future);
    let mut canceled = false;
    wait(|kernel| {
        canceled = !kernel.is_open(future) && is_interrupted();
        if canceled { Ok(()) } else { kernel.get(future) }
    });
    set_joins(SyncId(0));
    if canceled {
        if let Some(thread) = threads().all.get_mut(&handle) {
            thread.is_awaited = false;
        }
        test_cancel();
    }
}

pub(crate) fn detach(handle: usize) -> c_int {
    let Some(thread) = threads().all.get_mut(&handle) else { return libc::ESRCH };
    if thread.is_detached {
        return libc::EINVAL;
    }
    thread.is_detached = true;
    if thread.result.is_some() && kernel().is_open(thread.future) {
        forget(handle);
    }
    0
}

/// Whether a sync is the end of a thread.
pub(crate) fn is_end(sync: SyncId) -> bool {
    threads().all.values().any(|thread| thread.future == sync)
}

/// Whether there is a thread of this name that the program has created, or `main`.
pub(crate) fn is_thread(handle: usize) -> bool {
    handle == process::state().threads.base(0) || threads().all.contains_key(&handle)
}

// ---- what is due at the end of a thread ----

/// A call is due at the end of the running thread; false if the C library has to see to it.
pub(crate) fn at_end(function: Destructor, argument: *mut c_void) -> bool {
    let Some(thread) = running() else { return false };
    thread.at_end.push((function, argument));
    true
}

/// A call is due when the running thread has ended but for this.
pub(crate) fn at_very_end(function: Destructor, argument: *mut c_void, pc: usize) {
    very_last().push((function, argument, pc));
}

fn very_last() -> &'static mut Vec<Last> {
    match running() {
        Some(thread) => &mut thread.very_last,
        None => &mut threads().main_last,
    }
}

fn run_very_last() {
    for (function, argument, pc) in std::mem::take(very_last()) {
        CALLER.store(pc, Ordering::Relaxed);
        // SAFETY: whoever asked for it has said so.
        unsafe { function(argument) };
    }
}

pub(crate) fn key_created(key: u32, destructor: Option<Destructor>) {
    match destructor {
        Some(destructor) => threads().keys.insert(key, destructor),
        None => threads().keys.remove(&key),
    };
}

pub(crate) fn key_deleted(key: u32) {
    threads().keys.remove(&key);
}

/// The running thread ends the program: destructors of its objects run, those of keys do not.
pub(crate) fn run_at_exit() {
    while let Some((function, argument)) = running().and_then(|thread| thread.at_end.pop()) {
        // SAFETY: the program has asked for this call.
        unsafe { function(argument) };
    }
}

/// As often as POSIX asks for at least.
const ROUNDS: usize = 4;

/// Calls what is due at the end of the running thread: destructors of its objects, then those of
/// its keys, as long as they set others.
pub(crate) fn run_at_end() {
    run_at_exit();
    for _ in 0..ROUNDS {
        let mut keys: Vec<(u32, Destructor)> = threads().keys.iter().map(|(&key, &of)| (key, of)).collect();
        keys.sort_unstable_by_key(|&(key, _)| key);
        let mut any = false;
        for (key, destructor) in keys {
            // SAFETY: a key that the program has created and not deleted.
            unsafe {
                let value = libc::pthread_getspecific(key);
                if !value.is_null() {
                    any = true;
                    libc::pthread_setspecific(key, std::ptr::null());
                    destructor(value);
                }
            }
        }
        if !any {
            return;
        }
    }
}

// ---- cancellation ----

/// A thread is asked to end at its next cancellation point.
pub(crate) fn cancel(handle: usize) -> c_int {
    let is_main = handle == process::state().threads.base(0);
    let thread = threads().all.get_mut(&handle).map(|thread| &mut **thread);
    let (unwinding, job) = match thread {
        _ if is_main => (&mut threads().main, main_job()),
        // SAFETY: the job of a thread that has not ended.
        Some(thread) => (&mut thread.unwinding, unsafe { thread.job.as_ref() }),
        None => return libc::ESRCH,
    };
    // Where it is by then is the schedule's choice.
    detector().exclusive = true;
    explorer::unexplored("a thread is canceled");
    unwinding.is_canceled = true;
    // What it does after this comes after the request.
    atomics::released_more(unwinding.address());
    if let Some(job) = job {
        let (sleeps, joins) = (job.sleeps, job.joins);
        waits::interrupt(sleeps);
        if joins != SyncId(0) {
            kernel().rouse(joins);
        }
    }
    0
}

/// The job of `main`, unless it is the one that runs.
fn main_job() -> Option<&'static Job> {
    sched::job()?;
    let kernel = kernel();
    let jobs = kernel.tasks().ids().filter_map(|task| kernel.body(task)?.0.as_deref());
    jobs.into_iter().find(|job| job.is_main && job.fiber.is_some())
}

/// Whether the running thread has to end, and has come to where it may wait.
pub(crate) fn is_interrupted() -> bool {
    sched::job().is_some() && unwinding().is_due()
}

/// A cancellation point.
pub(crate) fn test_cancel() {
    if is_interrupted() {
        atomics::acquired(unwinding().address());
        // SAFETY: the caller is at a cancellation point of the program, on the thread's stack.
        unsafe { unwind::exit(CANCELED) };
    }
}

// ---- names ----

/// The program gives a thread a name.
pub(crate) fn set_name(handle: usize, name: &[u8]) {
    let name = String::from_utf8_lossy(name).into_owned();
    let number = match threads().all.get(&handle) {
        Some(thread) => thread.virtual_thread,
        None => return,
    };
    report::state().thread_names.insert(number, name);
}

pub(crate) fn name(handle: usize) -> Option<&'static str> {
    let number = threads().all.get(&handle)?.virtual_thread;
    report::state().thread_names.get(&number).map(String::as_str)
}
