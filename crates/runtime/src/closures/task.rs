//! Tasks: `spawn`, `finish`, `future`.

use super::coroutine::{Section, act, with_ops};
use super::ops::{NewSync, Op};
use super::promise::wait_for;
use super::world::Claim;
use super::{make, sync};
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

/// Starts a task that may run at any time from now on.
///
/// The task belongs to the innermost [`finish`] around this call. The program ends when every task
/// has ended.
///
/// ```
/// use raceproof::{Shared, check, finish, spawn};
///
/// check(|| {
///     let x = Shared::new(0);
///     finish(|| spawn(move || x.set(1)));
///     assert_eq!(x.get(), 1);
/// });
/// ```
#[track_caller]
pub fn spawn(task: impl FnOnce() + 'static) {
    let mut job = Some(Box::new(task) as _);
    act(Op::Spawn { job: &mut job, future: None }, Location::caller());
}

/// Runs `body`, then waits for every task started inside it, and for theirs.
#[track_caller]
pub fn finish<R>(body: impl FnOnce() -> R) -> R {
    let at = Location::caller();
    act(Op::FinishBegin, at);
    let section = Section(at);
    let result = body();
    drop(section);
    act(Op::FinishEnd, at);
    result
}

/// Starts a task whose value [`Future::get`] waits for.
///
/// ```
/// use raceproof::{check, future};
///
/// fn fib(n: u64) -> u64 {
///     if n < 2 {
///         return n;
///     }
///     let left = future(move || fib(n - 1));
///     fib(n - 2) + left.get()
/// }
///
/// check(|| assert_eq!(fib(10), 55));
/// ```
#[track_caller]
pub fn future<T: 'static>(task: impl FnOnce() -> T + 'static) -> Future<T> {
    let claim = make(NewSync::Future, None);
    let sync = sync(claim, "future");
    let job = move || {
        let value = task();
        with_ops(|ops| ops.world().put(sync, Rc::new(value)));
    };
    let mut job = Some(Box::new(job) as _);
    act(Op::Spawn { job: &mut job, future: Some(sync) }, Location::caller());
    Future { claim, value: PhantomData }
}

/// The value of a task started with [`future`]. A handle: copies stand for the same task.
pub struct Future<T> {
    claim: Claim,
    value: PhantomData<*const T>,
}

impl<T: Clone + 'static> Future<T> {
    /// Waits for the task to end and gives its value.
    #[track_caller]
    pub fn get(&self) -> T {
        wait_for(sync(self.claim, "future"), Location::caller())
    }
}

impl<T> Clone for Future<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Future<T> {}
