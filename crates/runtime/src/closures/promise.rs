//! Promises: cells that are set once, by anyone, and waited for.

use super::coroutine::{act, with_ops};
use super::ops::{NewSync, Op};
use super::world::Claim;
use super::{make, sync};
use raceproof_core::ids::SyncId;
use std::any::Any;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

/// A cell that is empty until it is set. A handle: copies stand for the same promise.
///
/// ```
/// use raceproof::{Promise, Shared, check, spawn};
///
/// check(|| {
///     let x = Shared::new(0);
///     let ready = Promise::new();
///     spawn(move || {
///         x.set(5);
///         ready.set(());
///     });
///     ready.get();
///     assert_eq!(x.get(), 5);
/// });
/// ```
pub struct Promise<T> {
    claim: Claim,
    value: PhantomData<*const T>,
}

impl<T: 'static> Promise<T> {
    #[track_caller]
    #[allow(clippy::new_without_default, reason = "a default would hide where the promise is made")]
    pub fn new() -> Self {
        Promise { claim: make(NewSync::Promise, None), value: PhantomData }
    }

    /// As [`new`](Promise::new), with a name for reports.
    #[track_caller]
    pub fn named(name: impl Into<Cow<'static, str>>) -> Self {
        Promise { claim: make(NewSync::Promise, Some(name.into())), value: PhantomData }
    }

    /// Fulfils the promise. To do so twice is an error of the program.
    #[track_caller]
    pub fn set(&self, value: T) {
        let promise = sync(self.claim, "promise");
        let mut value = Some(Rc::new(value) as Rc<dyn Any>);
        act(Op::Set { promise, value: &mut value }, Location::caller());
    }
}

impl<T: Clone + 'static> Promise<T> {
    /// Waits until the promise is set and gives its value.
    #[track_caller]
    pub fn get(&self) -> T {
        wait_for(sync(self.claim, "promise"), Location::caller())
    }
}

impl<T> Clone for Promise<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Promise<T> {}

/// Waits for a promise or future and gives a copy of its value.
#[track_caller]
pub(super) fn wait_for<T: Clone + 'static>(sync: SyncId, at: &'static Location<'static>) -> T {
    act(Op::Get(sync), at);
    // Copied when the kernel is no longer in use: a `clone` may do anything.
    let value = with_ops(|ops| ops.world().value(sync)).flatten();
    match value.as_deref().and_then(<dyn Any>::downcast_ref::<T>) {
        Some(value) => value.clone(),
        // Only for a destructor of a task that will never go on.
        None => panic!("raceproof: a destructor waits for a value that will not come: the run is over"),
    }
}
