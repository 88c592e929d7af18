//! Tasks as coroutines on the kernel of the runtime.
//!
//! A task is a [`Job`]: what it has to wait for before it begins, then a coroutine. What it does that can wait goes through
//! [`wait`]: the kernel's operation is tried, and if it says so the coroutine is left until the driver resumes it.
//!
//! A thread of a team that reaches a barrier ends its task and goes on, after the barrier, as a new one
//! ([`Pause::Barrier`]): the phases of a parallel region are then finish scopes of the task that opened the region, one after the
//! other, and a barrier orders all that was done before it, by threads and their tasks, before all that follows, without
//! a join of each with each.

use crate::contexts::Place;
use crate::detector::Site;
use crate::explored::{self, Bell};
use crate::kmpc::tasks::{self, KmpTask};
use crate::omp::{Scope, Team};
use crate::stacks::TaskStack;
use crate::world::{Told, world};
use corosensei::stack::Stack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use raceproof::kernel::{Kernel, Stop};
use raceproof::run::{Machine, Outcome};
use raceproof::strategy::{Last, Strategy, Turn};
use raceproof_core::event::Observer;
use raceproof_core::ids::{SiteId, SyncId};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) type K = Kernel<Body, Told>;

/// Why a coroutine was left.
pub(crate) enum Pause {
    /// As the kernel was told.
    Kernel,
    /// The thread is at a barrier of its team.
    Barrier,
    /// The task has failed, and goes no further.
    Failed,
}

type Task = Coroutine<(), Pause, (), TaskStack>;

/// What a task does.
pub(crate) enum Work {
    /// What the compiler has made of an explicit task.
    Explicit(*mut KmpTask),
    Other(Box<dyn FnOnce()>),
}

enum Stage {
    New(Work),
    Suspended(Task),
    Over,
}

/// A task that has not ended.
pub(crate) struct Job {
    stage: Stage,
    /// What it still has to wait for before it begins.
    pub(crate) waits: Vec<SyncId>,
    /// Locks it takes before it begins and holds to its end, and how many it has.
    pub(crate) locks: Vec<SyncId>,
    locked: usize,
    yielder: *const Yielder<(), Pause>,
    place: Place,
    /// Where it called what it waits in.
    pc: usize,
    /// The exceptions it is handling.
    exceptions: [usize; 2],
    /// The innermost task region it is in.
    pub(crate) scope: *mut Scope,
    /// Tells of its end, if anybody may ask.
    pub(crate) future: Option<SyncId>,
    /// The virtual thread.
    pub(crate) thread: u32,
    /// The threads that may run it, if it has not begun and there is a choice.
    pub(crate) placement: Option<crate::workers::Placement>,
    /// The atomic variable it has looked at last.
    pub(crate) looked: usize,
    /// It is `main`, which has a larger stack.
    pub(crate) is_main: bool,
    /// A thread at a barrier: by which number the detector knows what it holds, and whether it has asked for its own.
    pub(crate) parted: Option<(u64, bool)>,
    /// Its own region, if it has one.
    region: Option<Scope>,
    /// Of an explicit task: what is given back when it has ended.
    pub(crate) memory: Option<*mut KmpTask>,
}

impl Job {
    /// Where it is, for reports.
    pub(crate) fn site(&self) -> Site {
        Site { pc: self.pc, context: self.place.context }
    }

    /// A job with a region of its own. It stays where it is: what is handed on is the box.
    pub(crate) fn in_region(region: Scope, thread: u32, place: Place, work: Work) -> Box<Self> {
        let mut job = Box::new(Job::new(ptr::null_mut(), thread, place, work));
        job.scope = job.region.insert(region);
        job
    }

    pub(crate) fn new(scope: *mut Scope, thread: u32, place: Place, work: Work) -> Self {
        Job {
            stage: Stage::New(work),
            waits: Vec::new(),
            locks: Vec::new(),
            locked: 0,
            yielder: ptr::null(),
            place,
            pc: 0,
            exceptions: [0; 2],
            scope,
            future: None,
            thread,
            placement: None,
            looked: 0,
            is_main: false,
            parted: None,
            region: None,
            memory: None,
        }
    }
}

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
}

/// Does an operation of the kernel, as long as it takes.
pub(crate) fn wait(mut operation: impl FnMut(&mut K) -> Result<(), Stop>) {
    loop {
        let result = operation(kernel());
        let gives_way = kernel().gives_way();
        match result {
            Ok(()) if gives_way => return suspend(Pause::Kernel),
            Ok(()) => return,
            Err(Stop::Retry) => suspend(Pause::Kernel),
            Err(Stop::Fault(fault)) => {
                crate::report::program_error(fault.name(), fault.message());
                return explored::failed();
            }
        }
    }
}

/// With so many tasks under way, each with a stack of its own, a new one is put off until its creator waits or ends.
const MANY: usize = 1 << 12;

/// Spawns a task, which the detector was told of; its creator goes on when it has ended or waits, if that is wanted.
pub(crate) fn spawn(job: Box<Job>, at_once: bool) {
    let mut job = Some(job);
    let at_once = at_once && world().detector.stacks.in_use() < MANY && !explored::is_on();
    wait(|kernel| {
        kernel.set_eager(at_once);
        let spawned = kernel.spawn(SiteId(0), |_| Body(job.take())).map(drop);
        kernel.set_eager(false);
        spawned
    });
}

/// Lets the other tasks go first: it looks for what one of them does.
pub(crate) fn pass() {
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
        let idle = &mut world().idle;
        *idle += 1;
        if *idle > 1000 + 4 * kernel().tasks().live() as u64 {
            crate::report::stuck(what);
        }
        pass();
    }
    world().idle = 0;
}

/// Waits for all threads of the team, and the tasks they have created.
pub(crate) fn barrier() {
    suspend(Pause::Barrier);
}

/// The machine: resumes coroutines.
pub(crate) struct Coroutines;

impl Coroutines {
    /// Whether the job can begin: it waits for nothing any more.
    fn prepare(job: &mut Job, kernel: &mut K) -> Result<(), Stop> {
        while let Some(&before) = job.waits.last() {
            world().detector.set_preparing(true);
            let got = kernel.get(before);
            world().detector.set_preparing(false);
            got?;
            job.waits.pop();
        }
        while let Some(&lock) = job.locks.get(job.locked) {
            kernel.lock(lock)?;
            job.locked += 1;
        }
        Ok(())
    }
}

impl Machine<Told> for Coroutines {
    type Body = Body;
    type Error = &'static str;

    fn resume(&mut self, body: &mut Body, kernel: &mut K) -> Outcome<&'static str> {
        let job = body.0.as_deref_mut().expect("a task that runs has a job");
        if !crate::workers::admit(job, matches!(job.stage, Stage::New(_)), kernel) {
            kernel.pass();
            return Outcome::Suspended;
        }
        let mut task = match std::mem::replace(&mut job.stage, Stage::Over) {
            Stage::Suspended(task) => task,
            Stage::New(work) => {
                if Self::prepare(job, kernel).is_err() {
                    job.stage = Stage::New(work);
                    return Outcome::Suspended;
                }
                match start(work, job.is_main) {
                    Ok(task) => task,
                    Err(error) => crate::fatal(&format!(
                        "no stack for another task ({error}): raise the system's limit on mappings (vm.max_map_count) or give \
                         the program a smaller input"
                    )),
                }
            }
            Stage::Over => unreachable!("the driver resumes no task that is over"),
        };
        KERNEL.store(kernel, Ordering::Relaxed);
        CURRENT.store(job, Ordering::Relaxed);
        world().detector.contexts.go_to(job.place);
        world().threads.switch(job.thread);
        world().threads.swap_exceptions(&mut job.exceptions);
        let result = task.resume(());
        crate::tsan::unseen::left();
        world().threads.swap_exceptions(&mut job.exceptions);
        world().threads.switch(0);
        CURRENT.store(ptr::null_mut(), Ordering::Relaxed);
        job.place = world().detector.contexts.now();
        job.pc = crate::kmpc::caller();
        match result {
            CoroutineResult::Yield(Pause::Kernel) => {
                job.stage = Stage::Suspended(task);
                Outcome::Suspended
            }
            CoroutineResult::Yield(Pause::Failed) => {
                job.stage = Stage::Suspended(task);
                Outcome::Failed("it has failed")
            }
            CoroutineResult::Yield(Pause::Barrier) => {
                job.stage = Stage::Suspended(task);
                let detector = &mut world().detector;
                let asked = detector.tasks[detector.current().index()].asked;
                job.parted = Some((detector.part(kernel.take_held()), asked));
                Team::park(body.0.take().expect("it was there above"));
                Outcome::Ended(None)
            }
            CoroutineResult::Return(()) => {
                if !job.is_main {
                    world().detector.stacks.give_back(task.into_stack());
                }
                for &lock in job.locks.iter().rev() {
                    kernel.unlock(lock);
                }
                if job.placement.is_some() {
                    world().workers.ends(job.thread);
                }
                if let Some(memory) = job.memory.take() {
                    tasks::free(memory);
                }
                Outcome::Ended(job.future)
            }
        }
    }
}

fn start(work: Work, is_main: bool) -> std::io::Result<Task> {
    let stack = if is_main { world().main_stack.take(0)? } else { world().detector.take_stack()? };
    explored::stack(stack.limit().get(), stack.base().get());
    Ok(Coroutine::with_stack(stack, move |yielder, ()| {
        job().expect("it runs").yielder = yielder;
        match work {
            Work::Explicit(task) => tasks::run_whole(task),
            Work::Other(work) => work(),
        }
    }))
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
