//! Explicit tasks.
//!
//! A new task runs at once, and its creator resumes when it has ended or waits: the order in which
//! the program would run without its pragmas. If very many tasks are live, each with a stack of its
//! own, a new one is deferred until its creator waits or ends.

use crate::detect::contexts::Place;
use crate::detect::detector;
use crate::detect::detector::{Role, Task};
use crate::process;
use crate::tasks::constructs::Construct;
use crate::tasks::depend::Dependence;
use crate::tasks::omp::{self, Scope, scope, team, thread};
use crate::tasks::sched::{self, Job, Work, kernel, wait};
use crate::tasks::state;
use raceproof_core::ids::SyncId;
use std::ffi::c_void;

/// What the compiler knows of a task: `kmp_task_t`.
#[repr(C)]
pub struct KmpTask {
    pub(crate) shareds: *mut c_void,
    pub(crate) routine: Option<extern "C" fn(i32, *mut KmpTask) -> i32>,
    pub(crate) part: i32,
    /// The priority, or the function that destroys what the task has copied.
    pub(crate) destructors: Option<extern "C" fn(i32, *mut KmpTask) -> i32>,
    pub(crate) data: usize,
}

/// What the runtime keeps of it, in front of it.
#[repr(C, align(16))]
pub(crate) struct Header {
    pub(crate) flags: i32,
    /// Bytes from the task's start, its shared pointers included, and where these begin.
    pub(crate) size: usize,
    pub(crate) shareds: usize,
    /// Fulfilled by the program, for a detached task.
    event: *mut Event,
    /// It may run beside its creator also where the team has one thread: helper threads run it.
    deferred: bool,
    /// It runs; it has asked to be run again.
    running: bool,
    again: bool,
}

const FINAL: i32 = 1 << 1;
const DESTRUCTORS: i32 = 1 << 3;
const DETACHABLE: i32 = 1 << 6;

/// What `omp_fulfill_event` is given.
pub(crate) struct Event {
    promise: Option<SyncId>,
    fulfilled: bool,
}

pub(crate) fn header(task: *mut KmpTask) -> &'static mut Header {
    // SAFETY: the compiler passes on tasks of `allocate`, which puts the header in front of them,
    // and `free` frees both.
    unsafe { &mut *task.cast::<Header>().sub(1) }
}

/// Memory of tasks that have ended, by its size: most constructs create many tasks of one size.
#[derive(Default)]
pub(crate) struct Spare([Vec<usize>; SIZES]);

/// Sizes that are kept, in units of 16 bytes, and how many blocks of each.
const SIZES: usize = 32;
const KEPT: usize = 1 << 12;

impl Spare {
    #[inline]
    fn of(&mut self, size: usize) -> Option<&mut Vec<usize>> {
        self.0.get_mut(size.div_ceil(16))
    }
}

/// Memory for a task; nobody has used it yet.
pub(crate) fn allocate(flags: i32, size: usize, shareds: usize) -> *mut KmpTask {
    let offset = size.next_multiple_of(16);
    let total = offset + shareds;
    let spare = state().omp.spare.of(total).and_then(Vec::pop);
    let memory = spare.unwrap_or_else(|| {
        // Whole units, so that it serves for all sizes that are kept with this one.
        process::plain_malloc(size_of::<Header>() + total.next_multiple_of(16)) as usize
    });
    if memory == 0 {
        crate::fatal("out of memory for another task");
    }
    let header = memory as *mut Header;
    let task = (memory + size_of::<Header>()) as *mut KmpTask;
    // The header is not the program's.
    detector().allocated(task as usize, total);
    // SAFETY: memory of that size was just allocated, aligned to 16.
    unsafe {
        std::ptr::write_bytes(task, 0, 1);
        *header = Header {
            flags,
            size: total,
            shareds: offset,
            event: std::ptr::null_mut(),
            deferred: false,
            running: false,
            again: false,
        };
        if shareds > 0 {
            (*task).shareds = (task as usize + offset) as *mut c_void;
        }
    }
    task
}

/// Memory for a task that runs this.
pub(crate) fn allocate_for(
    flags: i32,
    size: usize,
    shareds: usize,
    routine: extern "C" fn(i32, *mut KmpTask) -> i32,
) -> *mut KmpTask {
    let task = allocate(flags, size, shareds);
    // SAFETY: just allocated, with room for this.
    unsafe { (*task).routine = Some(routine) };
    task
}

pub(crate) fn free(task: *mut KmpTask) {
    let header = header(task);
    match state().omp.spare.of(header.size) {
        Some(spare) if spare.len() < KEPT => spare.push(std::ptr::from_mut(header) as usize),
        _ => process::plain_free(std::ptr::from_mut(header).cast()),
    }
}

/// Runs the code of a task, in its own region.
fn run(task: *mut KmpTask) {
    let number = thread().virtual_thread as i32;
    // An untied task is compiled in parts: at every point where it may move to another thread it
    // asks to be run again, and returns.
    header(task).running = true;
    // SAFETY: the compiler has made the task to be run like this, once.
    unsafe {
        if let Some(routine) = (*task).routine {
            loop {
                routine(number, task);
                if !std::mem::take(&mut header(task).again) {
                    break;
                }
            }
        }
        if header(task).flags & DESTRUCTORS != 0
            && let Some(destructors) = (*task).destructors
        {
            destructors(number, task);
        }
    }
    // SAFETY: `__kmpc_task_allow_completion_event` has put a live event there, or there is none.
    if let Some(event) = unsafe { header(task).event.as_mut() }
        && let Some(promise) = event.promise
    {
        wait(|kernel| kernel.get(promise));
    }
}

/// The same as a task of its own. If its group is cancelled before it runs, it runs all the same:
/// it might have begun before.
pub(crate) fn run_whole(task: *mut KmpTask) {
    run(task);
    scope().end();
}

/// Whether tasks created here are run at once by their creator: inside a final task, and by a team
/// of one, whose only thread can do one thing at a time. Not so a task with an event, which ends
/// when that comes, or one that a helper thread runs (`target nowait`). (`Statics.cpp` of the pass
/// knows which these are.)
fn runs_at_once(task: &Header) -> bool {
    let at_once = sched::job().is_none() || scope().is_final || team().size <= 1;
    let beside = task.flags & DETACHABLE != 0 || task.deferred && !scope().is_final;
    at_once && !(beside && sched::job().is_some())
}

/// Runs a task as part of its creator.
pub(crate) fn run_here(task: *mut KmpTask) {
    enter(task);
    run(task);
    Scope::leave();
    free(task);
}

fn enter(task: *mut KmpTask) {
    let mut inner = Scope::new(scope().thread, true);
    inner.is_final = scope().is_final || header(task).flags & FINAL != 0;
    inner.groups = scope().groups.clone();
    inner.enter();
}

/// A task that is not run.
pub(crate) fn discard(task: *mut KmpTask) {
    free(task);
}

/// The first tasks that a thread creates run on one thread after the other. Of those that follow
/// only one in [`STAY`] does, the others stay on the thread: switching to the storage of another
/// thread, and back, takes a twentieth of the time of a small task.
const SPREAD: u32 = 256;
const STAY: u32 = 16;

/// Creates a task.
pub(crate) fn create(task: *mut KmpTask, dependences: &[Dependence], pc: usize) {
    let known = header(task);
    if known.running {
        known.again = true;
        return;
    }
    if runs_at_once(known) {
        wait_for(dependences);
        return run_here(task);
    }
    let creator = scope();
    if creator.groups.last().is_some_and(|group| group.cancelled.get()) {
        return free(task);
    }
    creator.created += 1;
    // Tasks are spread over the threads of the team, whoever creates them.
    let own = thread();
    let team = team();
    own.created = own.created.wrapping_add(1);
    let moves = own.created < SPREAD || own.created.is_multiple_of(STAY);
    if moves {
        own.tasks = if own.tasks + 1 == team.size { 0 } else { own.tasks + 1 };
    }
    let on = own.number + if moves { own.tasks } else { 0 };
    let on = if on < team.size { on } else { on - team.size };
    let by_helper = known.deferred && team.size <= 1;
    let runner = if by_helper { omp::helper() } else { &mut team.threads[on as usize] };
    let virtual_thread = runner.virtual_thread;

    let detector = detector();
    let Construct { root, created, .. } = state().omp.constructs.of(pc, detector);
    let mut job = Job::in_region(runner, true, Place::at(root), Work::Explicit(task));
    job.region.is_final = known.flags & FINAL != 0;
    if !creator.groups.is_empty() {
        job.region.groups.clone_from(&creator.groups);
    }
    job.region.icvs.clone_from(&creator.icvs);
    job.memory = Some(task);
    let future = kernel().new_future();
    job.future = Some(future);
    if !dependences.is_empty() {
        (job.waits, job.locks) = creator.depends.add(dependences, future);
    }
    creator.add_child(future);

    detector.next = Some(Task {
        parent: detector.current(),
        created,
        role: Role::Explicit(creator.created),
        thread: virtual_thread,
        asked: false,
        scope: detector.children(&mut creator.open),
        detached: false,
        awaited: !dependences.is_empty(),
        serial: 0,
    });
    sched::spawn(job, true);
}

/// Waits for the children of the running task.
pub(crate) fn taskwait() {
    if sched::job().is_some() {
        // Only this task uses them meanwhile.
        let children = std::mem::take(&mut scope().children);
        let others: Vec<SyncId> = scope().unordered_children().collect();
        let mut rest = children.iter().chain(&others);
        wait(|kernel| {
            detector().set_waiting(true);
            let waited = rest.clone().try_for_each(|&child| {
                kernel.get(child)?;
                rest.next();
                Ok(())
            });
            detector().set_waiting(false);
            waited
        });
        if std::mem::take(&mut scope().left) {
            detector().join_left_children(&children);
        }
        // Those created before the taskgroups it is in are waited for as well.
        let scope = scope();
        let open = scope.open.take().map(|open| (open, scope.around));
        let outside = scope.outside.iter_mut().filter_map(|(open, around)| Some((open.take()?, *around)));
        for (open, around) in open.into_iter().chain(outside) {
            detector().waited(open, around, &children);
        }
        // What comes waits for none of them.
        scope.children = children;
        scope.forget_children();
    }
}

/// Waits for the siblings that a task with these dependences comes after.
pub(crate) fn wait_for(dependences: &[Dependence]) {
    if sched::job().is_none() || scope().depends.is_empty() || dependences.is_empty() {
        return;
    }
    for before in scope().depends.before(dependences) {
        wait(|kernel| kernel.get(before));
    }
}

/// A task that does nothing, for others to depend on. Its creator does not wait for it.
pub(crate) fn create_empty(dependences: &[Dependence], pc: usize) {
    let task = allocate(0, size_of::<KmpTask>(), 0);
    defer(task);
    create(task, dependences, pc);
}

/// The task may run beside its creator also where the team has one thread.
pub(crate) fn defer(task: *mut KmpTask) {
    header(task).deferred = true;
}

/// A task that its creator runs itself begins: a region of its own, and no more.
pub(crate) fn begin_here(task: *mut KmpTask) {
    enter(task);
}

/// That task has ended.
pub(crate) fn end_here(task: *mut KmpTask) {
    Scope::leave();
    free(task);
}

/// Makes the event of a detached task.
pub(crate) fn completion_event(task: *mut KmpTask) -> *mut Event {
    let promise = sched::job().is_some().then(|| kernel().new_promise());
    let event = Box::into_raw(Box::new(Event { promise, fulfilled: false }));
    header(task).event = event;
    event
}

/// The program fulfils the event of a detached task; a second time does nothing.
pub(crate) fn fulfil(event: &mut Event) {
    if std::mem::replace(&mut event.fulfilled, true) {
        return;
    }
    if let Some(promise) = event.promise
        && sched::job().is_some()
    {
        wait(|kernel| kernel.set(promise));
    }
}
