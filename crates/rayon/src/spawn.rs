//! Tasks that nobody waits for.

use crate::builder::panicked_alone;
use crate::region::{current_pool, RegionTask, RunOnce};
use crate::runtime::ANY;
use std::panic::{catch_unwind, AssertUnwindSafe};

struct Alone<F> {
    function: Option<F>,
    pool: u32,
}

impl<F: FnOnce()> RunOnce for Alone<F> {
    #[inline(always)]
    fn run(&mut self) {
        if let Some(function) = self.function.take() {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(function)) {
                panicked_alone(self.pool, panic);
            }
        }
    }
}

/// Spawns a task that nobody waits for.
#[inline(always)]
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    spawn_in(current_pool(), ANY, func);
}

/// Spawns a task that nobody waits for.
#[inline(always)]
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    spawn(func);
}

#[inline(always)]
pub(crate) fn spawn_in(pool: u32, worker: u32, function: impl FnOnce() + Send + 'static) {
    let task = RegionTask::owned(Alone { function: Some(function), pool });
    // SAFETY: the data are the task's own, and live as long as the program if they refer to
    // anything.
    unsafe { task.spawn_alone(pool, worker) }
}
