//! `join`.

use crate::region::{current_pool, install, Call, Region, Run, Task};
use crate::runtime::ANY;
use std::fmt;
use std::marker::PhantomData;
use std::panic::resume_unwind;

/// What `join_context` tells its closures.
pub struct FnContext {
    /// Contexts stay where they are made.
    of: PhantomData<*mut ()>,
}

impl FnContext {
    /// Whether the closure runs on another thread than the one that called `join_context`: here, always as if it did.
    #[inline]
    pub fn migrated(&self) -> bool {
        true
    }
}

impl fmt::Debug for FnContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnContext").field("migrated", &self.migrated()).finish()
    }
}

/// Runs two closures, in parallel to each other, and waits for both.
#[inline(always)]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    install(current_pool(), || both(oper_a, oper_b))
}

/// As [`join`], and tells the closures whether they were moved to another thread.
#[inline(always)]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let context = || FnContext { of: PhantomData };
    install(current_pool(), || both(move || oper_a(context()), move || oper_b(context())))
}

#[inline(always)]
fn both<RA, RB>(a: impl FnOnce() -> RA, b: impl FnOnce() -> RB) -> (RA, RB) {
    let region = Region::begin();
    let (mut a, mut b) = (Call::new(a), Call::new(b));
    // SAFETY: the data live on this stack until the region has ended.
    unsafe { region.spawn(current_pool(), ANY, true, Task::at(&mut b)) };
    a.run();
    if let Some(panic) = region.end() {
        resume_unwind(panic);
    }
    (a.result(), b.result())
}
