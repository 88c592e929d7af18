//! Tasks as coroutines on the kernel of the runtime.
//!
//! A task is a [`Job`]: what it has to wait for before it begins, then a coroutine. What it does that can wait goes through
//! [`wait`]: the kernel's operation is tried, and if it says so the coroutine is left until the driver resumes it.
//!
//! A thread of a team that reaches a barrier ends its task and goes on, after the barrier, as a new one
//! ([`Pause::Barrier`]): the phases of a parallel region are then finish scopes of the task that opened the region, one after the
//! other, and a barrier orders all that was done before it, by threads and their tasks, before all that follows, without
//! a join of each with each.

use crate::detect::detector;
pub(crate) use crate::jobs::{Job, Work};
use crate::omp::Team;
use crate::process::call_site::{CALLER, caller};
use crate::process::fibers::Fiber;
pub(crate) use crate::process::fibers::Pause;
use crate::process::{self, is_shared};
use crate::report::signals;
use crate::tasks::explicit;
use crate::tasks::explorer::{self as explored, Bell};
use crate::tasks::observer::Told;
use crate::tasks::state;
use corosensei::Yielder;
use raceproof::kernel::{Kernel, Stop};
use raceproof::run::{Machine, Outcome};
use raceproof::strategy::{Last, Strategy, Turn};
use raceproof_core::event::Observer;
use raceproof_core::ids::{SiteId, SyncId};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) type K = Kernel<Body, Told>;

/// What the kernel keeps of a task.
pub(crate) struct Body(pub(crate) Option<Box<Job>>);

static KERNEL: AtomicPtr<K> = AtomicPtr::new(ptr::null_mut());
static CURRENT: AtomicPtr<Job> = AtomicPtr::new(ptr::null_mut());

/// The running task; none before `main` begins.
pub(crate) fn job() -> Option<&'static mut Job> {
    // SAFETY: `resume` sets the pointer to a job that it keeps in place until the coroutine is left, and only the
    // coroutine's code, one function at a time, asks.
    unsafe { CURRENT.load(Ordering::Relaxed).as_mut() }
}

pub(crate) fn kernel() -> &'static mut K {
    // SAFETY: `resume` sets the pointer, made from the unique reference it was given, before it enters a coroutine, and does not
    // use that reference until the coroutine is left. Only code of coroutines asks.
    unsafe { &mut *KERNEL.load(Ordering::Relaxed) }
}

/// Leaves the running coroutine until it is resumed.
fn suspend(pause: Pause) {
    let job = job().expect("only tasks are suspended");
    // SAFETY: the coroutine has put its own yielder there when it began, and it runs now.
    unsafe { &*job.yielder }.suspend(pause);
    // Others have made calls meanwhile. It is in the same one still, and may wait there again.
    CALLER.store(job.pc, Ordering::Relaxed);
}

/// Does an operation of the kernel, as long as it takes.
pub(crate) fn wait(operation: impl FnMut(&mut K) -> Result<(), Stop>) {
    wait_or(operation, || suspend(Pause::Kernel));
}

/// The same; `let_go_on` lets those go on that the task gives way to.
#[inline]
fn wait_or(mut operation: impl FnMut(&mut K) -> Result<(), Stop>, let_go_on: impl FnOnce()) {
    signals::check();
    loop {
        let result = operation(kernel());
        let gives_way = kernel().gives_way();
        match result {
            Ok(()) if gives_way => return let_go_on(),
            Ok(()) => return,
            Err(Stop::Retry) => suspend(Pause::Kernel),
            Err(Stop::Fault(fault)) => {
                crate::report::program_error(fault.name(), fault.message());
                return explored::failed();
            }
        }
    }
}

/// With so many tasks under way, each with a stack of its own, a new one is put off until its creator waits or ends: a stack takes more memory than all
/// else that is known of a task.
pub(crate) const MANY: usize = 1 << 11;

/// Spawns a task, which the detector was told of; its creator goes on when it has ended or waits, if that is wanted.
pub(crate) fn spawn(job: Box<Job>, at_once: bool) {
    let mut job = Some(job);
    let at_once = at_once && detector().stacks.in_use() < MANY && !explored::is_on();
    let spawn = |kernel: &mut K| {
        kernel.set_eager(at_once);
        let spawned = kernel.spawn(SiteId(0), |_| Body(job.take())).map(drop);
        kernel.set_eager(false);
        spawned
    };
    if at_once { wait_or(spawn, run_newest) } else { wait(spawn) }
}

/// The running task, which has given way to its newest child, runs that on top of itself, and goes on when the child is left.
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

/// Lets the other tasks go first: it looks for what one of them does.
pub(crate) fn pass() {
    signals::check();
    explored::unexplored("a task waits by looking again and again, without saying what it waits for");
    kernel().pass();
    suspend(Pause::Kernel);
}

/// Lets the other tasks go first, for no reason of its own. A search tries them all anyway.
pub(crate) fn give_way() {
    if !explored::is_on() {
        pass();
    }
}

/// The running task goes no further.
pub(crate) fn fail() {
    suspend(Pause::Failed);
}

/// Waits for something that other tasks do without telling the kernel. If all tasks that could go on wait like this and
/// nothing happens, that is a deadlock. In a search whoever does it rings the bell.
pub(crate) fn wait_until(what: &'static str, bell: Bell, mut is_so: impl FnMut() -> bool) {
    if explored::is_on() {
        while !is_so() {
            explored::listen(bell);
        }
        return explored::heard(bell);
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
    suspend(Pause::Barrier);
}

/// The machine: resumes coroutines.
pub(crate) struct Coroutines;

impl Coroutines {
    /// Whether the job can begin: it waits for nothing any more.
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

    /// The job's thread waits at a barrier, and goes on as another task.
    #[inline(never)]
    fn park(mut job: Box<Job>, kernel: &mut K) {
        let detector = detector();
        let asked = detector.tasks[detector.current().index()].asked;
        job.parted = Some((detector.part(kernel.take_held()), asked));
        Team::park(job);
    }

    /// Gets a job that is new what it runs on, once it can begin.
    #[inline]
    fn begin(job: &mut Job, kernel: &mut K) -> Result<(), Stop> {
        if !(job.waits.is_empty() && job.locks.is_empty()) {
            Self::prepare(job, kernel)?;
        }
        if job.placement.is_some() {
            detector().look_at_storage(job.thread);
        }
        let fiber = if job.is_main { detector().main_stack.take(0) } else { detector().take_stack() };
        match fiber {
            Ok(fiber) => {
                explored::stack(fiber.memory());
                job.fiber = Some(fiber);
            }
            Err(error) => no_stack(error),
        }
        Ok(())
    }

    /// Runs the fiber until the task leaves it.
    #[inline]
    fn go_on(job: &mut Job, kernel: &mut K) -> Pause {
        KERNEL.store(kernel, Ordering::Relaxed);
        Self::go_to(job);
        let fiber: *mut Fiber = &mut **job.fiber.as_mut().expect("the driver resumes no task that is over");
        // SAFETY: the job has it, and the code that runs on it does not look there.
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

    /// No more. The storage stays that of the task's thread until another is wanted.
    #[inline]
    fn left(job: &mut Job) {
        if is_shared() {
            (state().after_turn)();
        }
        process::state().threads.swap_exceptions(&mut job.exceptions);
        CURRENT.store(ptr::null_mut(), Ordering::Relaxed);
        job.place = detector().contexts.now();
        job.pc = caller();
    }

    /// The task is over: gives back what the job has; what tells of its end.
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
            detector().look_at_storage(job.thread);
        }
        if let Some(memory) = job.memory.take() {
            explicit::free(memory);
        }
        job.future
    }
}

impl Machine<Told> for Coroutines {
    type Body = Body;
    type Error = &'static str;

    fn resume(&mut self, body: &mut Body, kernel: &mut K) -> Outcome<&'static str> {
        let job = body.0.as_deref_mut().expect("a task that runs has a job");
        let is_new = job.fiber.is_none();
        if !crate::workers::admit(job, is_new, kernel) {
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
