//! The same on every thread of a pool.

use crate::region::{current_pool, Call, Region, RegionTask};
use crate::runtime;
use crate::spawn::spawn_in;
use std::fmt;
use std::marker::PhantomData;
use std::panic::resume_unwind;
use std::sync::Arc;

/// Which thread of how many a broadcast closure runs on.
pub struct BroadcastContext<'a> {
    index: usize,
    threads: usize,
    of: PhantomData<&'a mut dyn Fn()>,
}

impl BroadcastContext<'_> {
    /// That of the running thread.
    pub(crate) fn here() -> Self {
        let (pool, index) = runtime::worker().unwrap_or((0, 0));
        BroadcastContext { index: index as usize, threads: runtime::threads(pool) as usize, of: PhantomData }
    }

    /// The number of the thread in its pool.
    #[inline]
    pub fn index(&self) -> usize {
        runtime::asked();
        self.index
    }

    /// The number of threads in the pool.
    #[inline]
    pub fn num_threads(&self) -> usize {
        self.threads
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, threads) = (&self.index, &self.threads);
        f.debug_struct("BroadcastContext").field("index", index).field("num_threads", threads).finish()
    }
}

/// Runs the closure on every thread of the current pool, and gathers the results.
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    broadcast_in(current_pool(), op)
}

pub(crate) fn broadcast_in<R: Send>(pool: u32, op: impl Fn(BroadcastContext<'_>) -> R + Sync) -> Vec<R> {
    let region = Region::begin();
    let op = &op;
    let mut calls: Vec<_> =
        (0..runtime::threads(pool)).map(|_| Call::new(move || op(BroadcastContext::here()))).collect();
    for (call, worker) in calls.iter_mut().zip(0..) {
        // SAFETY: the data live on this stack until the region has ended.
        unsafe { region.spawn(pool, worker, false, RegionTask::at(call)) };
    }
    region.end();
    // SAFETY: the region has waited for them.
    let results = calls.into_iter().map(|call| unsafe { call.result() });
    results.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

/// Spawns a task on every thread of the current pool, which nobody waits for.
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    spawn_broadcast_in(current_pool(), op);
}

pub(crate) fn spawn_broadcast_in(pool: u32, op: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static) {
    let op = Arc::new(op);
    for worker in 0..runtime::threads(pool) {
        let op = op.clone();
        spawn_in(pool, worker, move || op(BroadcastContext::here()));
    }
}
