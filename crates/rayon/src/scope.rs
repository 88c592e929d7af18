//! Scopes: tasks that may borrow what outlives the scope.

use crate::broadcast::BroadcastContext;
use crate::region::{current_pool, install, Region, RegionTask, RunOnce};
use crate::runtime::{self, ANY};
use std::fmt;
use std::marker::PhantomData;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Arc;

type ScopedFn<'scope> = dyn FnOnce(&Scope<'scope>) + Send + Sync + 'scope;

/// A scope, into which tasks are spawned that it waits for.
pub struct Scope<'scope> {
    region: Region,
    pool: u32,
    of: PhantomData<Box<ScopedFn<'scope>>>,
}

/// The same with tasks that are begun in the order in which they were spawned; here as everywhere,
/// any order may show.
#[repr(transparent)]
pub struct ScopeFifo<'scope>(Scope<'scope>);

/// Where a scope stands. It outlives the tasks that know it.
struct Address<'scope>(*const Scope<'scope>);

impl<'scope> Clone for Address<'scope> {
    fn clone(&self) -> Self {
        Address(self.0)
    }
}

/// A task of a scope.
struct Spawned<'scope, F> {
    scope: Address<'scope>,
    body: Option<F>,
}

impl<'scope, F: FnOnce(&Scope<'scope>)> RunOnce for Spawned<'scope, F> {
    #[inline(always)]
    fn run(&mut self) {
        // SAFETY: the scope waits for the task before it ends.
        let scope = unsafe { &*self.scope.0 };
        if let Some(body) = self.body.take() {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(scope))) {
                scope.region.panicked(panic);
            }
        }
    }
}

impl<'scope> Scope<'scope> {
    /// Spawns a task that the scope waits for, in parallel to all that follows.
    #[inline(always)]
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        self.spawn_on(ANY, body);
    }

    #[inline(always)]
    fn spawn_on(&self, worker: u32, body: impl FnOnce(&Scope<'scope>) + Send + 'scope) {
        let task = RegionTask::owned(Spawned { scope: Address(self), body: Some(body) });
        // SAFETY: the data are the task's own, and what they refer to outlives the scope.
        unsafe { self.region.spawn(self.pool, worker, false, task) };
    }

    /// Spawns a task on every thread of the pool.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Scope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let body = Arc::new(body);
        for worker in 0..runtime::threads(self.pool) {
            let body = body.clone();
            self.spawn_on(worker, move |scope| body(scope, BroadcastContext::here()));
        }
    }
}

impl<'scope> ScopeFifo<'scope> {
    /// Spawns a task that the scope waits for, in parallel to all that follows.
    #[inline(always)]
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        self.0.spawn(move |scope| body(of(scope)));
    }

    /// Spawns a task on every thread of the pool.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        self.0.spawn_broadcast(move |scope, context| body(of(scope), context));
    }
}

/// The scope that this is the inside of.
pub(crate) fn of<'a, 'scope>(scope: &'a Scope<'scope>) -> &'a ScopeFifo<'scope> {
    // SAFETY: the one has the other as its only field, and its layout.
    unsafe { &*std::ptr::from_ref(scope).cast() }
}

/// Opens a scope on a thread of the current pool.
#[inline(always)]
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    let pool = current_pool();
    install(pool, || in_place(pool, op))
}

/// Opens a scope on a thread of the current pool.
#[inline(always)]
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    scope(|scope| op(of(scope)))
}

/// Opens a scope on this thread.
#[inline(always)]
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    in_place(current_pool(), op)
}

/// Opens a scope on this thread.
#[inline(always)]
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    in_place(current_pool(), |scope| op(of(scope)))
}

/// Opens a scope whose tasks run in a pool.
#[inline(always)]
pub(crate) fn in_place<'scope, R>(pool: u32, op: impl FnOnce(&Scope<'scope>) -> R) -> R {
    let scope = Scope { region: Region::begin(), pool, of: PhantomData };
    let result = catch_unwind(AssertUnwindSafe(|| op(&scope)));
    let result = result.map_err(|panic| scope.region.panicked(panic));
    match (scope.region.end(), result) {
        (None, Ok(result)) => result,
        (Some(panic), _) => resume_unwind(panic),
        (None, Err(())) => unreachable!("the region was told of the panic"),
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("pool", &self.pool).finish()
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeFifo").field("pool", &self.0.pool).finish()
    }
}
