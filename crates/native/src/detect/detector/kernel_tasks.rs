//! As which task of the order each task of the kernel runs. The kernel reuses the ids of its tasks;
//! and a thread that executes a unit of work runs as that.

use raceproof_core::ids::TaskId;

/// In `runs_as`: the task of the kernel has ended.
const NOBODY: TaskId = TaskId(u32::MAX);

#[derive(Debug)]
pub(super) struct KernelTasks {
    /// By task of the kernel.
    runs_as: Vec<TaskId>,
    /// The task of the kernel that runs. Invariant: it has not ended.
    running: TaskId,
}

impl KernelTasks {
    pub(super) fn new() -> Self {
        KernelTasks { runs_as: vec![TaskId::MAIN], running: TaskId::MAIN }
    }

    #[inline]
    pub(super) fn runs_as(&self, task: TaskId) -> TaskId {
        self.runs_as[task.index()]
    }

    #[inline]
    pub(super) fn running(&self) -> TaskId {
        self.running
    }

    /// The kernel resumes a task.
    #[inline]
    pub(super) fn resume(&mut self, task: TaskId) {
        self.running = task;
    }

    /// The running task continues as another one of the order.
    pub(super) fn run_as(&mut self, task: TaskId) {
        self.runs_as[self.running.index()] = task;
    }

    /// The kernel has begun a task.
    #[inline]
    pub(super) fn begin(&mut self, task: TaskId, runs_as: TaskId) {
        match self.runs_as.get_mut(task.index()) {
            Some(spare) => *spare = runs_as,
            None => self.runs_as.push(runs_as),
        }
    }

    /// A task of the kernel has ended; as what it ran.
    #[inline]
    pub(super) fn end(&mut self, task: TaskId) -> TaskId {
        std::mem::replace(&mut self.runs_as[task.index()], NOBODY)
    }

    /// The tasks of the order that tasks of the kernel run as.
    pub(super) fn live(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.runs_as.iter().copied().filter(|&task| task != NOBODY)
    }

    /// The collector has renumbered the order's tasks.
    pub(super) fn renumber(&mut self, new: impl Fn(TaskId) -> TaskId) {
        self.runs_as.iter_mut().filter(|task| **task != NOBODY).for_each(|task| *task = new(*task));
    }
}
