//! Pools, and questions about the current one.

use crate::broadcast::{broadcast_in, spawn_broadcast_in, BroadcastContext};
use crate::builder::ended;
#[allow(deprecated)]
use crate::builder::Configuration;
use crate::region::{current_pool, install};
use crate::runtime::{self, ANY};
use crate::scope::{in_place, Scope, ScopeFifo};
use crate::spawn::spawn_in;
use std::error::Error;

/// A pool of virtual threads.
#[derive(Debug)]
pub struct ThreadPool {
    pub(crate) number: u32,
}

/// The largest number of threads of a pool.
const MOST: usize = 256;

impl ThreadPool {
    #[deprecated(note = "Use `ThreadPoolBuilder::build`")]
    #[allow(deprecated)]
    pub fn new(configuration: Configuration) -> Result<ThreadPool, Box<dyn Error>> {
        configuration.build()
    }

    /// Runs the closure on a thread of the pool, and waits for it.
    #[inline(always)]
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        install(self.number, op)
    }

    /// As [`broadcast`](crate::broadcast), in this pool.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast_in(self.number, op)
    }

    pub fn current_num_threads(&self) -> usize {
        runtime::threads(self.number) as usize
    }

    /// Which thread of this pool the caller is, if any.
    pub fn current_thread_index(&self) -> Option<usize> {
        let own = runtime::worker().filter(|(pool, _)| *pool == self.number);
        own.map(|(_, thread)| {
            runtime::asked();
            thread as usize
        })
    }

    /// Tasks wait with the runtime, never with a thread.
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        runtime::worker().filter(|(pool, _)| *pool == self.number).map(|_| false)
    }

    /// As [`join`](crate::join), in this pool.
    #[inline(always)]
    pub fn join<A, B, RA, RB>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.install(|| crate::join(oper_a, oper_b))
    }

    /// As [`scope`](crate::scope), in this pool.
    #[inline(always)]
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| crate::scope(op))
    }

    /// As [`scope_fifo`](crate::scope_fifo), in this pool.
    #[inline(always)]
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| crate::scope_fifo(op))
    }

    /// A scope on this thread, with tasks in this pool.
    #[inline(always)]
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        in_place(self.number, op)
    }

    /// A scope on this thread, with tasks in this pool.
    #[inline(always)]
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        in_place(self.number, |scope| op(crate::scope::of(scope)))
    }

    /// Spawns a task that nobody waits for.
    #[inline(always)]
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn_in(self.number, ANY, op);
    }

    /// Spawns a task that nobody waits for.
    #[inline(always)]
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        spawn_in(self.number, ANY, op);
    }

    /// Spawns a task on every thread, which nobody waits for.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        spawn_broadcast_in(self.number, op);
    }

    /// Lets other tasks go first, if the caller is in this pool.
    pub fn yield_now(&self) -> Option<Yield> {
        yield_in(Some(self.number))
    }

    /// Lets other tasks go first, if the caller is in this pool.
    pub fn yield_local(&self) -> Option<Yield> {
        yield_in(Some(self.number))
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        ended(self.number);
    }
}

/// What came of yielding.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Yield {
    /// Something else may have run.
    Executed,
    /// Nothing else was there to run.
    Idle,
}

fn yield_in(pool: Option<u32>) -> Option<Yield> {
    let (own, _) = runtime::worker()?;
    if pool.is_some_and(|pool| pool != own) {
        return None;
    }
    runtime::give_way();
    Some(Yield::Executed)
}

/// Lets other tasks go first; none outside of pools.
pub fn yield_now() -> Option<Yield> {
    yield_in(None)
}

/// Lets other tasks go first; none outside of pools.
pub fn yield_local() -> Option<Yield> {
    yield_in(None)
}

/// The largest number of threads of a pool.
pub fn max_num_threads() -> usize {
    MOST
}

/// The number of threads of the current pool.
pub fn current_num_threads() -> usize {
    runtime::threads(current_pool()) as usize
}

/// Which thread of its pool the caller is; none outside of pools.
pub fn current_thread_index() -> Option<usize> {
    let (_, thread) = runtime::worker()?;
    runtime::asked();
    Some(thread as usize)
}

/// Tasks wait with the runtime, never with a thread.
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    runtime::worker().map(|_| false)
}
