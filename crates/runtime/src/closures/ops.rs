//! What a task can ask for, without knowing who observes the run.
//!
//! [`Env`] is the kernel, whose type has the observer in it, and the run's [`World`]; [`Ops`] is
//! the same as an object, which is what the functions of the API reach (see
//! [`coroutine`](super::coroutine)).

use super::coroutine::{ClosureTask, Job};
use super::sites::{Caller, place};
use super::stale;
use super::world::{Claim, Failure, World};
use crate::kernel::{Kernel, Stop};
use crate::limits::{Limits, Reached};
use raceproof_core::event::{AccessKind, Observer};
use raceproof_core::ids::{Location, SiteId, SyncId};
use std::any::Any;
use std::rc::Rc;

/// Actions between two looks at the clock.
pub(crate) const TICKS: u32 = 1 << 14;

/// Stacks in use above which a task that spawns goes on before its child runs, so that a chain of
/// tasks, each spawned by the one before, needs no stack a link. Still deterministic.
const EAGER_STACKS: usize = 1 << 13;

/// An operation of a task that may have to wait for its turn or for another task.
pub(crate) enum Op<'a> {
    Access { claim: Claim, kind: AccessKind, location: Location },
    Spawn { job: &'a mut Option<Job>, future: Option<SyncId> },
    FinishBegin,
    FinishEnd,
    Set { promise: SyncId, value: &'a mut Option<Rc<dyn Any>> },
    Get(SyncId),
    Post(SyncId),
    Acquire(SyncId),
    Release(SyncId),
    Lock(SyncId),
    IsolatedEnter,
}

/// Something to synchronise through that is to be made.
#[derive(Clone, Copy)]
pub(crate) enum NewSync {
    Promise,
    Future,
    Event,
    Lock,
    Semaphore(u64),
}

/// What became of an operation.
pub(crate) enum Step {
    Done,
    /// Done, and others go first.
    GaveWay,
    /// To be tried again once the task is resumed.
    Again,
    Failed(Failure),
}

/// Kernel and world, whatever the observer.
pub(crate) trait Ops {
    fn world(&mut self) -> &mut World;
    /// Notifies the observer that the current task has made cells, from `first` on.
    fn fresh(&mut self, first: Location);
    /// Tries an operation of the current task.
    fn perform(&mut self, op: &mut Op<'_>, at: Caller) -> Step;
    fn unlock(&mut self, lock: SyncId);
    fn isolated_leave(&mut self);
    fn make(&mut self, what: NewSync) -> SyncId;
    /// Lets the current task never go on, although it may catch the panic it is in.
    fn break_off(&mut self, why: Failure);
}

pub(crate) struct Env<'r, 'a, O: Observer> {
    pub(crate) kernel: &'r mut Kernel<ClosureTask, O>,
    pub(crate) world: &'r mut World,
    pub(crate) limits: Limits<'a>,
    pub(crate) ticks: &'r mut u32,
    pub(crate) looks: &'r mut u64,
    pub(crate) stacks_in_use: usize,
}

impl<O: Observer> Env<'_, '_, O> {
    /// Now and then looks at the clock: whether the run may go on.
    #[inline]
    fn tick(&mut self) -> bool {
        *self.ticks -= 1;
        *self.ticks > 0 || self.poll_limits()
    }

    #[cold]
    fn poll_limits(&mut self) -> bool {
        *self.ticks = TICKS;
        *self.looks += 1;
        self.world.stopped = self.limits.reached_at(*self.looks).map(|reached| {
            let advice = match reached {
                Reached::Seconds => "; raise Checker::max_seconds, or give the program a smaller input",
                Reached::Memory(_) => "; raise Checker::max_memory, or give the program a smaller input",
                Reached::Interrupted => "",
            };
            Failure { by_chance: true, ..Failure::limit(format!("{reached}{advice}"), None) }
        });
        self.world.stopped.is_none()
    }

    fn spawn(&mut self, site: SiteId, job: &mut Option<Job>, future: Option<SyncId>) -> Result<(), Stop> {
        let eager = self.kernel.eager;
        self.kernel.eager = eager && self.stacks_in_use < EAGER_STACKS;
        let spawned = self.kernel.spawn(site, |_| {
            ClosureTask::new(job.take().expect("an operation that was done is not tried again"), future)
        });
        self.kernel.eager = eager;
        spawned.map(|_| ())
    }
}

impl<O: Observer> Ops for Env<'_, '_, O> {
    fn world(&mut self) -> &mut World {
        self.world
    }

    fn fresh(&mut self, first: Location) {
        self.kernel.observer.fresh(first);
    }

    fn perform(&mut self, op: &mut Op<'_>, at: Caller) -> Step {
        let site = self.world.sites.id(at);
        self.world.at = site;
        let task = self.kernel.current();
        if let Some((_, why)) = self.world.broken.iter().find(|(broken, _)| *broken == task) {
            return Step::Failed(why.clone());
        }
        if !self.tick() {
            return Step::Again;
        }
        let kernel = &mut *self.kernel;
        let done = match op {
            Op::Access { claim, .. } if !self.world.owns(*claim) => {
                return Step::Failed(stale("variable or array", at));
            }
            Op::Access { kind, location, .. } => {
                let accessed = kernel.access(*kind, *location, site);
                if accessed.is_ok() {
                    match kind {
                        AccessKind::Read => self.world.reads += 1,
                        AccessKind::Write => self.world.writes += 1,
                    }
                    self.world.note(location.0 << 1 | *kind as u64);
                }
                accessed
            }
            Op::Spawn { job, future } => self.spawn(site, job, *future),
            Op::FinishBegin => kernel.finish_begin().map(|_| ()),
            Op::FinishEnd => kernel.finish_end(),
            Op::Set { promise, value } => {
                let set = kernel.set(*promise);
                // Before anyone who waits for it runs.
                if let (Ok(()), Some(value)) = (set, value.take_if(|_| set.is_ok())) {
                    self.world.put(*promise, value);
                }
                set
            }
            Op::Get(sync) => kernel.get(*sync),
            Op::Post(event) => kernel.post(*event),
            Op::Acquire(semaphore) => kernel.acquire_token(*semaphore),
            Op::Release(semaphore) => kernel.release_token(*semaphore),
            Op::Lock(lock) => kernel.lock(*lock),
            Op::IsolatedEnter => kernel.isolated_enter(),
        };
        match done {
            Ok(()) => {
                self.world.note(u64::from(task.0) << 32 | u64::from(site.0));
                if self.kernel.gives_way() { Step::GaveWay } else { Step::Done }
            }
            Err(Stop::Retry) => Step::Again,
            Err(Stop::Fault(fault)) => Step::Failed(Failure::error(fault.name(), fault.message(), place(at))),
        }
    }

    fn unlock(&mut self, lock: SyncId) {
        self.kernel.unlock(lock);
    }

    fn isolated_leave(&mut self) {
        self.kernel.isolated_leave();
    }

    fn make(&mut self, what: NewSync) -> SyncId {
        match what {
            NewSync::Promise => self.kernel.new_promise(),
            NewSync::Future => self.kernel.new_future(),
            NewSync::Event => self.kernel.new_event(),
            NewSync::Lock => self.kernel.new_lock(),
            NewSync::Semaphore(count) => self.kernel.new_semaphore(count),
        }
    }

    fn break_off(&mut self, why: Failure) {
        let task = self.kernel.current();
        if self.world.broken.iter().all(|(broken, _)| *broken != task) {
            self.world.broken.push((task, why));
        }
    }
}
