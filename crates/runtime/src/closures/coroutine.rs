//! Native tasks: each is a coroutine with a stack of its own, running a closure.
//!
//! # How a task reaches the kernel
//!
//! The driver resumes a coroutine with the kernel in hand ([`Machine::resume`]); the closure inside
//! calls plain functions (`spawn`, `x.get()`), which know nothing of kernels and observers. In
//! between is a thread-local pointer to `Env`, the kernel and the run's `World` behind the
//! object-safe trait `Ops`. It is set around each resume and cleared after it, and each operation
//! takes it out while it uses it. `act` turns the kernel's protocol into straight-line code: on
//! `Retry` the coroutine is suspended and the operation tried again when it is resumed.
//!
//! # How a task ends
//!
//! - Its closure returns: the stack goes back to the pool.
//! - It panics, or does something forbidden (raised as a panic that no hook sees): caught at the
//!   coroutine's root, it becomes the task's `Failure`. Locks the task held stay held, as for every
//!   failed task.
//! - The run is over before it: a deadlock, or a strategy that has seen enough. Then
//!   `Coroutines::abandon` resumes it once more and the operation it waits in unwinds its stack
//!   with the payload `Abandoned`, so that destructors run and nothing leaks. This is not
//!   corosensei's own `force_unwind`: that one unwinds again and again for as long as the task
//!   suspends again, which a `catch_unwind` in a loop can do for ever. After `PATIENCE` attempts,
//!   or if panics abort, the stack is leaked instead, with all that is on it: safe, since nothing
//!   on it is ever touched again. (`force_reset` would reuse the stack under objects that were
//!   never dropped.)
//!
//! While a task unwinds, its destructors may call operations. These do nothing (`act` gives
//! `None`): to suspend in the middle of unwinding would carry one task's panic into another. Should
//! the task catch its panic and go on, it has parted from the schedule, and its next operation
//! fails it. A destructor that waits for a promise without a value has nothing to go on with and
//! panics, which during unwinding aborts the process, as Rust has it.

use super::ops::{Env, Op, Ops, Step, TICKS};
use super::sites::{Caller, place};
use super::world::{Failure, Phase, World};
use crate::kernel::Kernel;
use crate::limits::Limits;
use crate::run::{Machine, Outcome};
use crate::stack::Stacks;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use raceproof_core::event::Observer;
use raceproof_core::finding::Place;
use raceproof_core::ids::{SiteId, SyncId};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Once;
use std::{mem, ptr, thread};

/// What a task runs.
pub(crate) type Job = Box<dyn FnOnce()>;

type TaskCoroutine = Coroutine<Resume, (), End, DefaultStack>;

/// How often a task that is over may catch its end before its stack is leaked.
const PATIENCE: u32 = 16;

enum Resume {
    GoOn,
    Unwind,
}

enum End {
    Done,
    Failed(Failure),
    Abandoned,
}

/// The payload with which a task is unwound that will never go on.
struct Abandoned;

/// A native task between two turns.
pub struct ClosureTask {
    stage: Stage,
    pub(crate) future: Option<SyncId>,
    /// Where it was suspended last.
    pub(crate) at: SiteId,
}

enum Stage {
    New(Job),
    Suspended(TaskCoroutine),
    Ended,
}

impl ClosureTask {
    pub(crate) fn new(job: Job, future: Option<SyncId>) -> Self {
        ClosureTask { stage: Stage::New(job), future, at: SiteId(0) }
    }
}

/// The machine of native tasks.
pub struct Coroutines<'a> {
    pub(crate) world: World,
    limits: Limits<'a>,
    /// Actions until the next look at the clock.
    ticks: u32,
    /// How often the limits were looked at.
    pub(crate) looks: u64,
    stacks: Rc<Stacks>,
    in_use: usize,
    most_in_use: usize,
}

/// What this thread is running.
struct Running {
    /// Set while a task runs, and taken out while one of its operations uses it.
    ops: Cell<Option<NonNull<dyn Ops>>>,
    /// Where the running coroutine is left from.
    yielder: Cell<*const Yielder<Resume, ()>>,
    /// Whether there is a run on this thread; its panics are its own affair.
    busy: Cell<bool>,
}

thread_local! {
    static RUNNING: Running = const {
        Running {
            ops: Cell::new(None),
            yielder: Cell::new(ptr::null()),
            busy: Cell::new(false),
        }
    };

    /// Where the last panic was that has not become a failure. Apart from the above, which every
    /// operation looks at and which needs no destructor.
    static PANICKED: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// Whether this thread is inside a run.
pub(crate) fn is_running() -> bool {
    RUNNING.with(|running| running.busy.get())
}

/// Uses kernel and world. `None` outside of a run.
#[inline]
pub(crate) fn with_ops<R>(body: impl FnOnce(&mut dyn Ops) -> R) -> Option<R> {
    RUNNING.with(|running| {
        let mut ops = running.ops.take()?;
        // SAFETY: `enter` upholds this. It put the pointer there, made from a unique reference that
        // it holds until the code it runs is back; and taking the pointer out keeps anyone else
        // from making a second reference before this one is gone. No task is resumed or suspended
        // in between: operations do not switch.
        let result = body(unsafe { ops.as_mut() });
        running.ops.set(Some(ops));
        Some(result)
    })
}

/// Runs `code` with `ops` as what operations on this thread reach.
fn enter<R>(ops: &mut dyn Ops, code: impl FnOnce() -> R) -> R {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            RUNNING.with(|running| {
                running.ops.set(None);
                running.busy.set(false);
            });
        }
    }
    // SAFETY: only the lifetime of what `ops` borrows is forgotten, and `Leave` removes the pointer
    // before `ops` ends.
    let pointer = unsafe { mem::transmute::<NonNull<dyn Ops + '_>, NonNull<dyn Ops>>(NonNull::from(ops)) };
    RUNNING.with(|running| {
        assert!(!running.busy.get(), "runs do not nest");
        running.ops.set(Some(pointer));
        running.busy.set(true);
    });
    let _leave = Leave;
    code()
}

/// Does an operation of the running task, waiting as long as it takes. `None` if the task is
/// unwinding: nothing is done then.
#[track_caller]
#[inline]
pub(crate) fn act(mut op: Op<'_>, at: Caller) -> Option<()> {
    loop {
        if thread::panicking() {
            with_ops(|ops| ops.break_off(caught(at)));
            return None;
        }
        let step = with_ops(|ops| match ops.world().phase {
            Phase::Running => Some(ops.perform(&mut op, at)),
            Phase::Unwinding => Some(Step::Again),
            Phase::Dropping => None,
        });
        let Some(step) = step else { outside() };
        match step? {
            Step::Done => return Some(()),
            Step::GaveWay => {
                suspend();
                return Some(());
            }
            Step::Again => suspend(),
            Step::Failed(failure) => fail(failure),
        }
    }
}

/// Fails the running task, even if it catches what is raised here.
pub(crate) fn fail(failure: Failure) -> ! {
    with_ops(|ops| ops.break_off(failure.clone()));
    panic::resume_unwind(Box::new(failure))
}

fn caught(at: Caller) -> Failure {
    let message = "the task caught a panic that had cut short a section, or operations of destructors: it is not where \
                   the schedule says it is; catch panics inside sections only";
    Failure::error("caught-panic", message, place(at))
}

#[track_caller]
#[cold]
pub(crate) fn outside() -> ! {
    panic!(
        "raceproof: tasks, shared data and synchronisation exist only inside of raceproof::check, on its thread; \
         this was used outside of it"
    )
}

/// Held while a task is in a section (finish, isolated, lock) that must be left in order.
pub(crate) struct Section(pub(crate) Caller);

impl Drop for Section {
    fn drop(&mut self) {
        if thread::panicking() {
            with_ops(|ops| ops.break_off(caught(self.0)));
        }
    }
}

/// Leaves the running coroutine until it is resumed.
fn suspend() {
    let yielder = RUNNING.with(|running| running.yielder.get());
    // SAFETY: `start` upholds this. Operations that reach this point run on a coroutine, whose root
    // has put its yielder there; and whoever switches to a coroutine comes back through the line
    // below or that root, so it is this coroutine's. The yielder lives as long as the coroutine's
    // stack is in use.
    let resume = unsafe { &*yielder }.suspend(());
    RUNNING.with(|running| running.yielder.set(yielder));
    if let Resume::Unwind = resume {
        panic::resume_unwind(Box::new(Abandoned));
    }
}

fn start(stack: DefaultStack, job: Job) -> TaskCoroutine {
    Coroutine::with_stack(stack, move |yielder, _| {
        RUNNING.with(|running| running.yielder.set(ptr::from_ref(yielder)));
        match panic::catch_unwind(AssertUnwindSafe(job)) {
            Ok(()) => End::Done,
            Err(payload) if payload.is::<Abandoned>() => End::Abandoned,
            Err(payload) => End::Failed(failure(payload)),
        }
    })
}

/// What a panic says.
fn failure(payload: Box<dyn Any + Send>) -> Failure {
    let at = PANICKED.take();
    let payload = match payload.downcast::<Failure>() {
        Ok(failure) => return *failure,
        Err(payload) => payload,
    };
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "the task panicked".to_owned(),
    };
    Failure { kind: Some("panic"), message, at, by_chance: false }
}

/// Has panics of tasks noted instead of printed: the report has them, once.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // A second panic before the first is caught may be about to abort: it must be heard.
            let noted = |at| PANICKED.replace(Some(place(at))).is_none();
            let quiet = is_running() && info.location().is_some_and(noted);
            if !quiet {
                before(info);
            }
        }));
    });
}

impl<'a> Coroutines<'a> {
    pub(crate) fn new(world: World, stacks: Rc<Stacks>, limits: Limits<'a>) -> Self {
        install_hook();
        Coroutines { world, limits, ticks: TICKS, looks: 0, stacks, in_use: 0, most_in_use: 0 }
    }

    /// The most stacks that were in use at one time.
    pub fn most_stacks(&self) -> usize {
        self.most_in_use
    }

    fn env<'r, O: Observer>(&'r mut self, kernel: &'r mut Kernel<ClosureTask, O>) -> Env<'r, 'a, O> {
        Env {
            kernel,
            world: &mut self.world,
            limits: self.limits,
            ticks: &mut self.ticks,
            looks: &mut self.looks,
            stacks_in_use: self.in_use,
        }
    }

    fn give_back(&mut self, task: TaskCoroutine) {
        self.in_use -= 1;
        self.stacks.give_back(task.into_stack());
    }

    fn no_stack(&self, error: &std::io::Error) -> Failure {
        let in_use = self.in_use;
        let message = format!(
            "no stack for another task ({error}): {in_use} tasks have begun and not ended, each with a stack of its own; \
             give the program a smaller input, or raise the system's limit on mappings (vm.max_map_count)"
        );
        Failure::limit(message, None)
    }

    /// Takes apart the tasks that have not ended, and drops what the program left. The run is over.
    pub(crate) fn abandon<O: Observer>(&mut self, kernel: &mut Kernel<ClosureTask, O>) {
        for slot in 0..kernel.bodies.len() {
            let Some(body) = &mut kernel.bodies[slot] else { continue };
            match mem::replace(&mut body.stage, Stage::Ended) {
                Stage::New(job) => self.discard(kernel, job),
                Stage::Suspended(task) => self.unwind(kernel, task),
                Stage::Ended => {}
            }
        }
        let values = self.world.take_values();
        if !values.is_empty() {
            self.discard(kernel, values);
        }
    }

    fn unwind<O: Observer>(&mut self, kernel: &mut Kernel<ClosureTask, O>, mut task: TaskCoroutine) {
        self.world.phase = Phase::Unwinding;
        let attempts = if cfg!(panic = "abort") { 0 } else { PATIENCE };
        for _ in 0..attempts {
            let mut env = self.env(kernel);
            if let CoroutineResult::Return(_) = enter(&mut env, || task.resume(Resume::Unwind)) {
                return self.give_back(task);
            }
        }
        mem::forget(task);
    }

    /// Drops what is the program's: its destructors may do anything.
    fn discard<O: Observer, T>(&mut self, kernel: &mut Kernel<ClosureTask, O>, what: T) {
        self.world.phase = Phase::Dropping;
        let mut env = self.env(kernel);
        // Nobody could report a destructor that panics: the run has ended.
        let _ = enter(&mut env, || panic::catch_unwind(AssertUnwindSafe(|| drop(what))));
        PANICKED.take();
    }
}

impl<O: Observer> Machine<O> for Coroutines<'_> {
    type Body = ClosureTask;
    type Error = Failure;

    fn resume(&mut self, body: &mut ClosureTask, kernel: &mut Kernel<ClosureTask, O>) -> Outcome<Failure> {
        let mut task = match mem::replace(&mut body.stage, Stage::Ended) {
            Stage::Suspended(task) => task,
            Stage::New(job) => match self.stacks.take() {
                Ok(stack) => {
                    self.in_use += 1;
                    self.most_in_use = self.most_in_use.max(self.in_use);
                    start(stack, job)
                }
                Err(error) => {
                    body.stage = Stage::New(job);
                    return Outcome::Stopped(self.no_stack(&error));
                }
            },
            Stage::Ended => unreachable!("the driver resumes no task that has ended"),
        };
        let mut env = self.env(kernel);
        let result = enter(&mut env, || task.resume(Resume::GoOn));
        let end = match result {
            CoroutineResult::Yield(()) => {
                body.stage = Stage::Suspended(task);
                body.at = self.world.at;
                return match self.world.stopped.take() {
                    Some(limit) => Outcome::Stopped(limit),
                    None => Outcome::Suspended,
                };
            }
            CoroutineResult::Return(end) => end,
        };
        self.give_back(task);
        let current = kernel.current();
        let broken = self.world.broken.iter().position(|(broken, _)| *broken == current);
        match (end, broken) {
            (End::Failed(failure), _) => Outcome::Failed(failure),
            (_, Some(at)) => Outcome::Failed(self.world.broken.swap_remove(at).1),
            (End::Done | End::Abandoned, None) => {
                self.world.note(u64::from(current.0) << 32 | u64::from(u32::MAX));
                Outcome::Ended(body.future)
            }
        }
    }
}
