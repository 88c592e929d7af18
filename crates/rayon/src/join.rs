//! `join`.

use crate::region::{call, install, Call, Region, RegionTask};
use crate::runtime::{self, ANY};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::resume_unwind;

/// What `join_context` tells its closures.
pub struct FnContext {
    /// Contexts stay where they are made.
    of: PhantomData<*mut ()>,
}

impl FnContext {
    /// Whether the closure runs on another thread than the one that called `join_context`: here as
    /// if it did, so that iterators split, until they have split so often that they would never
    /// end.
    #[inline(always)]
    pub fn migrated(&self) -> bool {
        runtime::splits()
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
    match runtime::worker() {
        Some((pool, _)) => both(pool, oper_a, oper_b),
        None => install(0, move || both(0, oper_a, oper_b)),
    }
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
    join(move || oper_a(FnContext { of: PhantomData }), move || oper_b(FnContext { of: PhantomData }))
}

/// Every level of a split iterator comes through here, mostly in unoptimised programs: the closures
/// stay where they are until they are called.
#[inline(always)]
fn both<RA, RB>(pool: u32, a: impl FnOnce() -> RA, b: impl FnOnce() -> RB) -> (RA, RB) {
    let region = Region::begin();
    let (a, mut b) = (ManuallyDrop::new(a), Call::new(b));
    // SAFETY: the data live on this stack until the region has ended.
    unsafe { region.spawn(pool, ANY, true, RegionTask::at(&mut b)) };
    // SAFETY: nobody else calls it, and it is not dropped.
    let a = unsafe { call(&raw const *a) };
    region.end();
    // SAFETY: the region has waited for it.
    let b = unsafe { b.result() };
    match (a, b) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(panic), _) | (_, Err(panic)) => resume_unwind(panic),
    }
}
