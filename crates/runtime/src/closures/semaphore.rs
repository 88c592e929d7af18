//! Semaphores.

use super::coroutine::act;
use super::ops::{NewSync, Op};
use super::world::Claim;
use super::{make, sync};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::panic::Location;

/// A counting semaphore. A handle: copies stand for the same semaphore.
#[derive(Clone, Copy)]
pub struct Semaphore {
    claim: Claim,
    not_send: PhantomData<*const ()>,
}

impl Semaphore {
    #[track_caller]
    pub fn new(count: u64) -> Self {
        Semaphore { claim: make(NewSync::Semaphore(count), None), not_send: PhantomData }
    }

    /// As [`new`](Semaphore::new), with a name for reports.
    #[track_caller]
    pub fn named(name: impl Into<Cow<'static, str>>, count: u64) -> Self {
        Semaphore { claim: make(NewSync::Semaphore(count), Some(name.into())), not_send: PhantomData }
    }

    /// Waits for a positive count and takes one from it.
    #[track_caller]
    pub fn p(&self) {
        act(Op::Acquire(sync(self.claim, "semaphore")), Location::caller());
    }

    /// Adds one to the count.
    #[track_caller]
    pub fn v(&self) {
        act(Op::Release(sync(self.claim, "semaphore")), Location::caller());
    }
}
