//! Jobs: what is known of a task that has not ended, and where those of ended tasks wait for the
//! next.
//!
//! A program may create a task every few thousand instructions. A job is a few hundred bytes with
//! lists inside, so that it is made once and then renewed in place, with what its lists have room
//! for.

use crate::detect::contexts::Place;
use crate::detect::detector::Site;
use crate::process::fibers::Fiber;
use crate::tasks::explicit::KmpTask;
use crate::tasks::omp::{Scope, Thread};
use crate::tasks::sched::{MANY, Pause};
use crate::tasks::waits::Awaited;
use crate::tasks::workers::Placement;
use corosensei::Yielder;
use raceproof_core::ids::SyncId;
use std::ptr;

/// What a task does.
pub(crate) enum Work {
    /// What the compiler has made of an explicit task.
    Explicit(*mut KmpTask),
    Other(Box<dyn FnOnce()>),
}

/// A task that has not ended.
pub(crate) struct Job {
    /// What it does, until it begins.
    pub(crate) work: Option<Work>,
    /// What it runs on, once it has begun.
    pub(crate) fiber: Option<Box<Fiber>>,
    /// What it still has to wait for before it begins.
    pub(crate) waits: Vec<SyncId>,
    /// Locks it takes before it begins and holds to its end, and how many it has.
    pub(crate) locks: Vec<SyncId>,
    pub(crate) locked: usize,
    pub(crate) yielder: *const Yielder<(), Pause>,
    pub(crate) place: Place,
    /// Where it called what it waits in.
    pub(crate) pc: usize,
    /// The exceptions it is handling.
    pub(crate) exceptions: [usize; 2],
    /// The innermost task region it is in.
    pub(crate) scope: *mut Scope,
    /// Tells of its end, if anybody may ask.
    pub(crate) future: Option<SyncId>,
    /// The virtual thread.
    pub(crate) thread: u32,
    /// The threads that may run it, if it has not begun and there is a choice.
    pub(crate) placement: Option<Placement>,
    /// The atomic variable it has looked at last.
    pub(crate) looked: usize,
    /// The `pthread_t` of a thread that the program has created.
    pub(crate) started: usize,
    /// The address it sleeps at, and the end of a thread that it waits for; zero: none.
    pub(crate) sleeps: usize,
    pub(crate) joins: SyncId,
    pub(crate) awaits: Option<Awaited>,
    /// It is `main`, which has a larger stack.
    pub(crate) is_main: bool,
    /// A thread at a barrier: by which number the detector knows what it holds, and whether it has
    /// asked for its own.
    pub(crate) parted: Option<(u64, bool)>,
    /// Its own region, which `scope` begins with; `main` is in one that it finds there.
    pub(crate) region: Scope,
    /// Of an explicit task: what is given back when it has ended.
    pub(crate) memory: Option<*mut KmpTask>,
}

impl Job {
    /// Where it is, for reports.
    pub(crate) fn site(&self) -> Site {
        let pc = self.awaits.map_or(self.pc, |awaited| awaited.pc);
        Site { pc, context: self.place.context }
    }

    /// The job of `main`, in a region that is there.
    pub(crate) fn main(scope: *mut Scope, place: Place, work: Work) -> Box<Self> {
        let mut job = Box::new(Job::new());
        (job.scope, job.is_main, job.place, job.work) = (scope, true, place, Some(work));
        job
    }

    /// A job of a thread, with a region of its own. It stays where it is: what is handed on is the
    /// box.
    #[inline]
    pub(crate) fn in_region(thread: &mut Thread, is_explicit: bool, place: Place, work: Work) -> Box<Self> {
        let mut job = crate::tasks::state().jobs.take();
        job.work = Some(work);
        job.place = place;
        job.thread = thread.virtual_thread;
        job.region.thread = thread;
        job.region.is_explicit = is_explicit;
        job.scope = &raw mut job.region;
        job
    }

    #[cold]
    fn fresh() -> Box<Self> {
        Box::new(Job::new())
    }

    fn new() -> Self {
        Job {
            work: None,
            fiber: None,
            waits: Vec::new(),
            locks: Vec::new(),
            locked: 0,
            yielder: ptr::null(),
            place: Place::START,
            pc: 0,
            exceptions: [0; 2],
            scope: ptr::null_mut(),
            future: None,
            thread: 0,
            placement: None,
            looked: 0,
            started: 0,
            sleeps: 0,
            joins: SyncId(0),
            awaits: None,
            is_main: false,
            parted: None,
            region: Scope::new(ptr::null_mut(), false),
            memory: None,
        }
    }

    /// Back to what `new` makes, but for room in its lists.
    fn renew(&mut self) {
        // By name, so that none is left out.
        let Job {
            work,
            fiber,
            waits,
            locks,
            locked,
            yielder,
            place,
            pc,
            exceptions,
            scope,
            future,
            thread,
            placement,
            looked,
            started,
            sleeps,
            joins,
            awaits,
            is_main,
            parted,
            region,
            memory,
        } = self;
        *work = None;
        *fiber = None;
        waits.clear();
        locks.clear();
        *locked = 0;
        *yielder = ptr::null();
        *place = Place::START;
        *pc = 0;
        *exceptions = [0; 2];
        *scope = ptr::null_mut();
        *future = None;
        *thread = 0;
        *placement = None;
        *looked = 0;
        *started = 0;
        *sleeps = 0;
        *joins = SyncId(0);
        *awaits = None;
        *is_main = false;
        *parted = None;
        region.renew();
        *memory = None;
    }
}

/// Jobs that nobody has, to be used again. Boxed as the kernel has them.
#[derive(Default)]
pub(crate) struct Jobs(#[allow(clippy::vec_box)] Vec<Box<Job>>);

impl Jobs {
    #[inline]
    fn take(&mut self) -> Box<Job> {
        self.0.pop().unwrap_or_else(Job::fresh)
    }

    /// The task of a job has ended.
    #[inline]
    pub(crate) fn give_back(&mut self, mut job: Box<Job>) {
        if self.0.len() < MANY {
            job.renew();
            self.0.push(job);
        }
    }
}
