//! Tasks as coroutines on the kernel of the runtime.
//!
//! A task is a [`Job`]: what it has to wait for before it begins, then a coroutine. Its operations
//! that can block go through [`wait`], which tries the kernel's operation and, if that blocks,
//! suspends the coroutine until the driver resumes it.
//!
//! A thread of a team that reaches a barrier ends its task and continues, after the barrier, as a
//! new one ([`Pause::Barrier`]). The phases of a parallel region are then finish scopes of the task
//! that opened the region, one after the other, so a barrier orders all that threads and their
//! tasks did before it before all that follows, without joining each with each.

use crate::detect::detector;
use crate::process::call_site::{CALLER, caller};
use crate::process::fibers::Fiber;
pub(crate) use crate::process::fibers::Pause;
use crate::process::{self, is_shared};
use crate::report::signals;
use crate::tasks::atomics::unobserved;
use crate::tasks::busy;
use crate::tasks::excuses;
use crate::tasks::explicit;
use crate::tasks::explorer::{self, WaitEvent};
pub(crate) use crate::tasks::jobs::{Job, Work};
use crate::tasks::observer::KernelObserver;
use crate::tasks::omp::Team;
use crate::tasks::{state, threads, waits};
use corosensei::Yielder;
use raceproof::kernel::{Kernel, Stop};
use raceproof::run::{Machine, Outcome};
use raceproof::strategy::{Last, Strategy, Turn};
use raceproof_core::event::Observer;
use raceproof_core::ids::{ScopeId, SiteId, SyncId};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) type K = Kernel<JobSlot, KernelObserver>;

/// What the kernel keeps of a task.
pub(crate) struct JobSlot(pub(crate) Option<Box<Job>>);

static KERNEL: AtomicPtr<K> = AtomicPtr::new(ptr::null_mut());
static CURRENT: AtomicPtr<Job> = AtomicPtr::new(ptr::null_mut());

/// The running task; none before `main` begins.
pub(crate) fn job() -> Option<&'static mut Job> {
    // SAFETY: `resume` sets the pointer to a job that it keeps in place until the coroutine is
    // left, and only the coroutine's code, one function at a time, asks.
    unsafe { CURRENT.load(Ordering::Relaxed).as_mut() }
}

pub(crate) fn kernel() -> &'static mut K {
    // SAFETY: `resume` sets the pointer, made from the unique reference it was given, before it
    // enters a coroutine, and does not use that reference until the coroutine is left. Only code of
    // coroutines asks.
    unsafe { &mut *KERNEL.load(Ordering::Relaxed) }
}

/// Leaves the running coroutine until it is resumed.
fn suspend(pause: Pause) {
    let job = job().expect("only tasks are suspended");
    // SAFETY: the coroutine has put its own yielder there when it began, and it runs now.
    unsafe { &*job.yielder }.suspend(pause);
    // Other tasks have made calls meanwhile. This one is in the same call still, and may wait there
    // again.
    CALLER.store(job.pc, Ordering::Relaxed);
}

/// Does an operation of the kernel; suspends the running task as often as that blocks.
pub(crate) fn wait(operation: impl FnMut(&mut K) -> Result<(), Stop>) {
    wait_or(operation, || suspend(Pause::Kernel));
}

/// The same; `let_go_on` resumes the tasks that the running one yields to.
#[inline]
fn wait_or(mut operation: impl FnMut(&mut K) -> Result<(), Stop>, let_go_on: impl FnOnce()) {
    signals::check();
    busy::changed();
    loop {
        let result = operation(kernel());
        let gives_way = kernel().gives_way();
        match result {
            Ok(()) if gives_way => return let_go_on(),
            Ok(()) => return,
            Err(Stop::Retry) => suspend(Pause::Kernel),
            Err(Stop::Fault(fault)) => {
                crate::report::program_error(fault.name(), fault.message());
                return explorer::failed();
            }
        }
    }
}

/// From so many live tasks on, each with a stack of its own, a new one begins only when its creator
/// waits or ends: a stack takes more memory than all else that the runtime keeps of a task.
pub(crate) const MANY: usize = 1 << 11;

/// Spawns a task that the detector knows of. If it runs `at_once`, its creator resumes when it has
/// ended or waits.
#[inline]
pub(crate) fn spawn(job: Box<Job>, at_once: bool) {
    let scope = kernel().tasks().get(kernel().current()).scope;
    spawn_in(scope, job, at_once);
}

/// The same in a finish of the kernel.
#[inline]
pub(crate) fn spawn_in(scope: ScopeId, job: Box<Job>, at_once: bool) {
    let mut job = Some(job);
    let at_once = at_once && detector().stacks.in_use() < MANY && !explorer::is_on();
    let spawn = |kernel: &mut K| {
        kernel.set_eager(at_once);
        let spawned = kernel.spawn_in(scope, SiteId(0), |_| JobSlot(job.take())).map(drop);
        kernel.set_eager(false);
        spawned
    };
    if at_once { wait_or(spawn, run_newest) } else { wait(spawn) }
}

/// Does an operation of the kernel that makes others go on, who then run first.
pub(crate) fn wake_at_once(mut operation: impl FnMut(&mut K) -> Result<(), Stop>) {
    let at_once = !explorer::is_on();
    let wake = |kernel: &mut K| {
        kernel.set_eager(at_once);
        let woken = operation(kernel);
        kernel.set_eager(false);
        woken
    };
    if at_once { wait_or(wake, run_newest) } else { wait(wake) }
}

/// The running task, which has yielded to its newest child, runs that on top of itself, and resumes
/// when the child suspends.
fn run_newest() {
    let creator = self::job().expect("only tasks give way");
    Coroutines::left(creator);
    let goes_on = raceproof::run::run_newest(&mut Coroutines, kernel());
    Coroutines::go_to(creator);
    CALLER.store(creator.pc, Ordering::Relaxed);
    if !goes_on {
        suspend(Pause::Kernel);
    }
}

/// Lets the other tasks run first: the running one polls for what one of them does.
pub(crate) fn pass() {
    signals::check();
    waits::tick();
    explorer::unexplored("a task waits by looking again and again, without saying what it waits for");
    kernel().pass();
    suspend(Pause::Kernel);
}

/// Lets the other tasks run first, though it waits for nothing. A search tries them all anyway,
/// unless the task does so for ever; before `main` there are none.
pub(crate) fn give_way() {
    if job().is_some() && (!explorer::is_on() || goes_round()) {
        pass();
    }
}

/// Turns in a row that one task of a search may give up, or sleep through, before it counts as one
/// that waits by looking.
const ROUNDS: u32 = 256;

/// The running task of a search gives up its turn once more: whether it has done so very often, with
/// no other in between.
pub(crate) fn goes_round() -> bool {
    let task = kernel().current();
    let rounds = &mut state().rounds;
    *rounds = if rounds.0 == task { (task, rounds.1 + 1) } else { (task, 1) };
    rounds.1.is_multiple_of(ROUNDS)
}

/// The running task sleeps until the kernel rouses those who sleep at the sync.
pub(crate) fn sleep(sync: SyncId) {
    signals::check();
    kernel().sleep(sync);
    suspend(Pause::Kernel);
}

/// The running task goes no further.
pub(crate) fn fail() {
    suspend(Pause::Failed);
}

/// Waits for something that other tasks do and the kernel does not know of. If all tasks that could
/// run wait like this and nothing happens, that is a deadlock. In a search, the task that does it
/// notifies the event.
pub(crate) fn wait_until(what: &'static str, event: WaitEvent, mut is_so: impl FnMut() -> bool) {
    if explorer::is_on() {
        while !is_so() {
            explorer::wait(event);
        }
        return explorer::join_last(event);
    }
    while !is_so() {
        let idle = &mut state().idle;
        *idle += 1;
        if *idle > 1000 + 4 * kernel().tasks().live() as u64 {
            crate::report::stuck(what);
        }
        pass();
    }
    state().idle = 0;
}

/// Waits for all threads of the team, and the tasks they have created.
pub(crate) fn barrier() {
    busy::changed();
    suspend(Pause::Barrier);
}

/// The machine: resumes coroutines.
pub(crate) struct Coroutines;

impl Coroutines {
    /// Waits for what the job has to come after, and takes its locks.
    #[inline(never)]
    fn prepare(job: &mut Job, kernel: &mut K) -> Result<(), Stop> {
        while let Some(&before) = job.waits.last() {
            detector().set_preparing(true);
            let got = kernel.get(before);
            detector().set_preparing(false);
            got?;
            job.waits.pop();
        }
        while let Some(&lock) = job.locks.get(job.locked) {
            kernel.lock(lock)?;
            job.locked += 1;
        }
        Ok(())
    }

    #[inline(never)]
    fn unlock(job: &Job, kernel: &mut K) {
        for &lock in job.locks.iter().rev() {
            kernel.unlock(lock);
        }
    }

    /// The job's thread waits at a barrier, and continues as another task.
    #[inline(never)]
    fn park(mut job: Box<Job>, kernel: &mut K) {
        let detector = detector();
        let asked = detector.tasks[detector.current().index()].asked;
        job.parted = Some((detector.part(kernel.take_held()), asked));
        Team::park(job);
    }

    /// Gets a new job its stack, once it can begin.
    #[inline]
    fn begin(job: &mut Job, kernel: &mut K) -> Result<(), Stop> {
        if !(job.waits.is_empty() && job.locks.is_empty()) {
            Self::prepare(job, kernel)?;
        }
        if job.placement.is_some() {
            excuses::switched_job(job.thread);
        }
        let fiber = if job.is_main { detector().take_main_stack() } else { detector().take_stack() };
        match fiber {
            Ok(fiber) => {
                explorer::stack(fiber.memory());
                job.fiber = Some(fiber);
            }
            Err(error) => no_stack(error),
        }
        Ok(())
    }

    /// Resumes the fiber until the task suspends.
    #[inline]
    fn go_on(job: &mut Job, kernel: &mut K) -> Pause {
        KERNEL.store(kernel, Ordering::Relaxed);
        Self::go_to(job);
        let fiber: *mut Fiber = &mut **job.fiber.as_mut().expect("the driver resumes no task that is over");
        // SAFETY: the job owns the fiber until `end`, and code that runs on the fiber does not use
        // `job.fiber`.
        let pause = unsafe { &mut *fiber }.resume();
        Self::left(job);
        pause
    }

    /// From here on code of this task runs.
    #[inline]
    fn go_to(job: &mut Job) {
        CURRENT.store(job, Ordering::Relaxed);
        let (detector, threads) = (detector(), &mut process::state().threads);
        detector.contexts.go_to(job.place);
        let stack = job.fiber.as_ref().filter(|_| !job.is_main).map(|fiber| &fiber.stack);
        detector.stacks.go_on(stack);
        threads.switch(job.thread);
        threads.swap_exceptions(&mut job.exceptions);
    }

    /// The task's code does not run any more. The storage stays that of its thread until another
    /// thread's is needed.
    #[inline]
    fn left(job: &mut Job) {
        if is_shared() {
            unobserved::task_stopped();
        }
        process::state().threads.swap_exceptions(&mut job.exceptions);
        CURRENT.store(ptr::null_mut(), Ordering::Relaxed);
        job.place = detector().contexts.now();
        job.pc = caller();
    }

    /// The task has ended: reclaims what the job has; the future of its end.
    #[inline]
    fn end(job: &mut Job, kernel: &mut K) -> Option<SyncId> {
        if let Some(fiber) = job.fiber.take() {
            let stacks = if job.is_main { &mut detector().main_stack } else { &mut detector().stacks };
            stacks.give_back(fiber);
        }
        if !job.locks.is_empty() {
            Self::unlock(job, kernel);
        }
        if kernel.locks_held(kernel.current()).next().is_some() {
            crate::tasks::locks::leave(kernel.locks_held(kernel.current()).collect());
        }
        if job.placement.is_some() {
            state().workers.ends(job.thread);
            excuses::switched_job(job.thread);
        }
        if let Some(memory) = job.memory.take() {
            explicit::free(memory);
        }
        if job.started != 0 {
            threads::finished(job.started);
        }
        job.future
    }
}

impl Machine<KernelObserver> for Coroutines {
    type Body = JobSlot;
    type Error = &'static str;

    fn resume(&mut self, body: &mut JobSlot, kernel: &mut K) -> Outcome<&'static str> {
        let job = body.0.as_deref_mut().expect("a task that runs has a job");
        let is_new = job.fiber.is_none();
        if !crate::tasks::workers::admit(job, is_new, kernel) {
            kernel.pass();
            return Outcome::Suspended;
        }
        if is_new && Self::begin(job, kernel).is_err() {
            return Outcome::Suspended;
        }
        match Self::go_on(job, kernel) {
            Pause::Kernel => Outcome::Suspended,
            Pause::Failed => Outcome::Failed("it has failed"),
            Pause::Barrier => {
                Self::park(body.0.take().expect("it was there above"), kernel);
                Outcome::Ended(None)
            }
            Pause::Ended => {
                let future = Self::end(job, kernel);
                state().jobs.give_back(body.0.take().expect("it was there above"));
                Outcome::Ended(future)
            }
        }
    }
}

#[cold]
fn no_stack(error: std::io::Error) -> ! {
    crate::fatal(&format!(
        "no stack for another task ({error}): raise the system's limit on mappings (vm.max_map_count) or give the program a \
         smaller input"
    ))
}

/// Runs the task of the running job, which begins, on the fiber that yields by `yielder`.
pub(crate) fn run(yielder: &Yielder<(), Pause>) {
    let job = job().expect("it runs");
    job.yielder = yielder;
    match job.work.take() {
        Some(Work::Explicit(task)) => explicit::run_whole(task),
        Some(Work::Other(work)) => work(),
        None => unreachable!("a task begins once"),
    }
    busy::ended();
}

/// Whether a task runs, and others are left that would go on.
pub(crate) fn is_cut_short() -> bool {
    job().is_some() && kernel().tasks().live() > 1
}

/// Who runs next: the task that became ready last, so that few tasks are under way at a time.
pub(crate) struct NewestFirst;

impl<B, O: Observer> Strategy<B, O> for NewestFirst {
    fn eager(&self) -> bool {
        false
    }

    #[inline]
    fn next(&mut self, kernel: &Kernel<B, O>, _: Last) -> Option<Turn> {
        kernel.tasks().newest().map(|task| Turn::actions(task, u64::MAX))
    }
}
