//! The Rust front end: tasks are closures, and the functions here are what they may do.
//!
//! One file a primitive, named after it; `ops` is how they reach the kernel, `world` what they
//! share, `program` a closure as a program that can be run any number of times.

pub(crate) mod coroutine;
pub(crate) mod ops;
pub(crate) mod program;
pub(crate) mod sites;
pub(crate) mod world;

mod check;
mod event;
mod lock;
mod promise;
mod semaphore;
mod shared;
mod task;
mod verify;

pub use check::{Checker, check, try_check};
pub use event::Event;
pub use lock::{Lock, isolated};
pub use program::Closure;
pub use promise::Promise;
pub use semaphore::Semaphore;
pub use shared::{Shared, SharedArray};
pub use task::{Future, finish, future, spawn};
pub use verify::{Verifier, replay, try_replay, try_verify, verify};

use coroutine::{fail, outside, with_ops};
use ops::NewSync;
use raceproof_core::ids::SyncId;
use sites::{Caller, place};
use std::borrow::Cow;
use std::panic::Location;
use world::{Claim, Failure};

/// Makes something to synchronise through.
#[track_caller]
fn make(what: NewSync, name: Option<Cow<'static, str>>) -> Claim {
    let at = Location::caller();
    let made = with_ops(|ops| {
        let sync = ops.make(what);
        ops.world().add_sync(sync, name, at)
    });
    made.unwrap_or_else_outside()
}

/// The sync that a handle names.
#[track_caller]
fn sync(claim: Claim, what: &str) -> SyncId {
    match with_ops(|ops| ops.world().sync(claim)).unwrap_or_else_outside() {
        Some(sync) => sync,
        None => fail(stale(what, Location::caller())),
    }
}

#[cold]
fn stale(what: &str, at: Caller) -> Failure {
    let message = format!(
        "this {what} was made in another run of the closure; make it inside of the closure, so that every run has its own"
    );
    Failure::error("stale-handle", message, place(at))
}

trait Outside<T> {
    /// The value; panics at the caller's place if there is no run to have one.
    fn unwrap_or_else_outside(self) -> T;
}

impl<T> Outside<T> for Option<T> {
    #[track_caller]
    #[inline]
    fn unwrap_or_else_outside(self) -> T {
        match self {
            Some(value) => value,
            None => outside(),
        }
    }
}
