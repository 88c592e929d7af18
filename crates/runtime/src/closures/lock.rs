//! Mutual exclusion: `isolated` and named locks.

use super::coroutine::{Section, act, with_ops};
use super::ops::{NewSync, Op};
use super::world::Claim;
use super::{make, sync};
use std::borrow::Cow;
use std::panic::Location;

/// Runs `body` while no other isolated section runs: one lock for the whole program. Nested
/// sections count as one.
///
/// What could wait (`spawn`, `finish`, `get`, `p`, `wait`, a lock) is an error of the program in
/// there.
#[track_caller]
pub fn isolated<R>(body: impl FnOnce() -> R) -> R {
    let at = Location::caller();
    let entered = act(Op::IsolatedEnter, at);
    let section = Section(at);
    let result = body();
    drop(section);
    if entered.is_some() {
        with_ops(|ops| ops.isolated_leave());
    }
    result
}

/// A lock. Sections of one lock exclude each other and do not nest. A handle: copies stand for the
/// same lock.
#[derive(Clone, Copy)]
pub struct Lock {
    claim: Claim,
    not_send: std::marker::PhantomData<*const ()>,
}

impl Lock {
    #[track_caller]
    #[allow(clippy::new_without_default, reason = "a default would hide where the lock is made")]
    pub fn new() -> Self {
        Lock { claim: make(NewSync::Lock, None), not_send: std::marker::PhantomData }
    }

    /// As [`new`](Lock::new), with a name for reports.
    #[track_caller]
    pub fn named(name: impl Into<Cow<'static, str>>) -> Self {
        Lock { claim: make(NewSync::Lock, Some(name.into())), not_send: std::marker::PhantomData }
    }

    /// Runs `body` while no other task is in a section of this lock.
    #[track_caller]
    pub fn with<R>(&self, body: impl FnOnce() -> R) -> R {
        let at = Location::caller();
        let lock = sync(self.claim, "lock");
        let entered = act(Op::Lock(lock), at);
        let section = Section(at);
        let result = body();
        drop(section);
        if entered.is_some() {
            with_ops(|ops| ops.unlock(lock));
        }
        result
    }
}
