//! Which thread of a pool runs a job, and when it can.
//!
//! A job that waits in the standard library, for a lock or a message, blocks its thread: libraries
//! rely on that, and keep one waiter a thread. A thread whose jobs all wait for jobs of their own
//! can take another one, as rayon's threads do. So a job begins on an idle thread, else on one
//! whose jobs all wait for jobs; which thread is asked first is the same in every run. If there is
//! none, the job is deferred; if no task makes progress, it may in the end begin beside a job that
//! only yields.
//!
//! A search over schedules chooses itself who runs, and takes no part in this.

use crate::detect::detector;
use crate::detect::detector::Detector;
use crate::process::is_shared;
use crate::report;
use crate::tasks::omp::Team;
use crate::tasks::sched::{Job, K};
use crate::tasks::{explorer, state, waits};
use raceproof_core::ids::TaskId;
use rustc_hash::FxHashMap;

/// The threads of pools, by their virtual threads.
#[derive(Default)]
pub(crate) struct Workers(FxHashMap<u32, Worker>);

#[derive(Default, Clone, Copy)]
struct Worker {
    /// Jobs that have begun and not ended, and those of them that wait for jobs.
    live: u32,
    waiting: u32,
    /// The task that waits for something else.
    blocked: Option<u64>,
}

/// Where a job may run.
#[derive(Clone, Copy)]
pub(crate) struct Placement {
    pub(crate) pool: *mut Team,
    /// The thread that is asked first.
    pub(crate) first: u32,
    /// No other will do.
    pub(crate) only: bool,
}

impl Workers {
    fn of(&mut self, thread: u32) -> &mut Worker {
        self.0.entry(thread).or_default()
    }

    /// The running job of a thread waits for jobs, or has waited.
    pub(crate) fn waits(&mut self, thread: u32, begins: bool) {
        let worker = self.of(thread);
        worker.waiting = if begins { worker.waiting + 1 } else { worker.waiting.saturating_sub(1) };
    }

    /// The running task of a thread waits for something else, or has waited.
    pub(crate) fn blocks(&mut self, thread: u32, task: Option<u64>) {
        self.of(thread).blocked = task;
    }

    /// A job of a thread has ended.
    pub(crate) fn ends(&mut self, thread: u32) {
        let worker = self.of(thread);
        worker.live = worker.live.saturating_sub(1);
    }
}

/// Rounds without progress after which a job may begin beside one that only yields, and after which
/// that is a deadlock.
const PATIENT: u64 = 64;
const STUCK: u64 = 1000;

/// Whether the task that the kernel is about to run may; if not, it is deferred.
#[inline]
pub(crate) fn admit(job: &mut Job, is_new: bool, kernel: &mut K) -> bool {
    !is_shared() || explorer::is_on() || admit_worker(job, is_new, kernel)
}

#[inline(never)]
fn admit_worker(job: &mut Job, is_new: bool, kernel: &mut K) -> bool {
    let task = detector().runs_as(kernel.current());
    let admitted = match job.placement.filter(|_| is_new) {
        Some(placement) => begin(job, placement, task),
        None => {
            let serial = serial(detector(), task);
            state()
                .workers
                .0
                .get(&job.thread)
                .is_none_or(|worker| worker.blocked.is_none_or(|by| by == serial))
        }
    };
    if admitted {
        if is_new {
            state().idle = 0;
        }
        return true;
    }
    state().idle += 1;
    if state().idle > STUCK + 4 * kernel.tasks().live() as u64 {
        // A job that waits with a limit keeps its thread until the time is up.
        if waits::expire(kernel) {
            state().idle = 0;
        } else {
            report::stuck("a thread of its pool, all of which wait");
        }
    }
    false
}

fn serial(detector: &Detector, task: TaskId) -> u64 {
    detector.tasks[task.index()].serial
}

/// Begins a job on a thread that can take it.
fn begin(job: &mut Job, placement: Placement, task: TaskId) -> bool {
    // SAFETY: `pools::create` leaks the teams of pools, and no caller of this function holds a
    // reference to one.
    let team = unsafe { &mut *placement.pool };
    let all = (0..team.size).map(|by| (placement.first + by) % team.size);
    let all: Vec<u32> = all.take(if placement.only { 1 } else { team.size as usize }).collect();
    let workers = &mut state().workers;
    let mut find = |fits: fn(Worker) -> bool| {
        all.iter().copied().find(|&number| fits(*workers.of(team.threads[number as usize].virtual_thread)))
    };
    let found = find(|worker| worker.live == 0)
        .or_else(|| find(|worker| worker.live == worker.waiting && worker.blocked.is_none()))
        .or_else(|| {
            let desperate = state().idle > PATIENT;
            desperate.then(|| find(|worker| worker.blocked.is_none())).flatten()
        });
    let Some(number) = found else { return false };
    let runner = &mut team.threads[number as usize];
    job.thread = runner.virtual_thread;
    // SAFETY: the region of a job that has not begun is its own.
    unsafe { (*job.scope).thread = runner };
    detector().tasks[task.index()].thread = job.thread;
    workers.of(job.thread).live += 1;
    true
}
