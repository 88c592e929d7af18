//! raceproof decides whether a task-parallel program has a data race, on its input, for all
//! schedules.
//!
//! Write the program with the tasks and shared data of this crate, as a closure, and [`check()`]
//! it:
//!
//! ```
//! use raceproof::{Shared, check, finish, future, spawn};
//!
//! check(|| {
//!     let (left, right) = (Shared::new(0), Shared::new(0));
//!     finish(|| {
//!         spawn(move || left.set(1));
//!         spawn(move || right.set(2));
//!     });
//!     let sum = future(move || left.get() + right.get());
//!     assert_eq!(sum.get(), 3);
//! });
//! ```
//!
//! If there is a race, `check` panics and says where, between which tasks, and by which schedule it
//! comes about:
//!
//! ```should_panic
//! # use raceproof::{Shared, check, spawn};
//! check(|| {
//!     let x = Shared::named("x", 0);
//!     spawn(move || x.set(1));
//!     assert_eq!(x.get(), 0); // the task may have run already
//! });
//! ```
//! ```text
//! race on x (feasible: a schedule brings the two accesses together)
//!   write by main/1 at src/lib.rs:4:19
//!     main/1 spawned at src/lib.rs:4:5
//!   read by main at src/lib.rs:5:18
//!   witness: rp1:main*1
//! ```
//!
//! | to | there is |
//! | --- | --- |
//! | start tasks | [`spawn`], [`finish`], [`future`] |
//! | share data | [`Shared`], [`SharedArray`] |
//! | wait for each other | [`Future::get`], [`Promise`], [`Event`], [`Semaphore`] |
//! | keep each other out | [`isolated`], [`Lock`] |
//!
//! All of them are handles that can be copied into any closure. They mean what the same words mean
//! in TP, the language of the `raceproof` command.
//!
//! # What passing means
//!
//! One run decides all schedules if the program has no mutual exclusion (isolated sections, locks,
//! semaphores): there is no race in any of them, and all end in the same state. With mutual
//! exclusion, the verdict is for the order in which the sections were entered; [`try_check`] gives
//! the report, and its `scope` says which of the two it is. [`verify()`] runs the closure under
//! every order of the sections that can make a difference, and passing means that no schedule has a
//! race, a deadlock or an error. The witness of a report goes back in through [`replay()`].
//!
//! # Limits
//!
//! - Only data in [`Shared`] and [`SharedArray`] is watched. Tasks that share anything else (an
//!   `Rc<Cell<_>>`, a static, an atomic) can race on it unseen: *missed races*.
//! - The closure has to be deterministic but for the schedule. One that is not is reported, as far
//!   as two runs show it.
//! - All tasks run on one OS thread. A task that blocks it (a `std` mutex held by another task, a
//!   channel) blocks all.
//! - A task's stack has a fixed size ([`Checker::stack_size`]). To overflow it crashes the process.
//! - A task that computes for ever without an operation of this crate is not interrupted by any
//!   limit.
//! - Panics of tasks are caught and reported. With `panic = "abort"` they cannot be.
//!
//! # How it works
//!
//! One OS thread, one task at a time, each task a coroutine with a stack of its own. A
//! [`strategy::Strategy`] decides who runs next, [`run::Run`] drives, a [`run::Machine`] says how
//! the tasks of a front end run, and the [`kernel::Kernel`] is what they call: every operation that
//! touches another task goes through it, and it notifies the observer of each. Given the same
//! program and the same decisions, a run is the same to the last event. [`program::run_once`] is
//! one such run; [`mod@check`] is made of them.

pub mod channel;
pub mod check;
mod closures;
pub mod env_options;
mod execution;
pub mod kernel;
pub mod limits;
pub mod program;
pub mod remote;
pub mod replay;
pub mod run;
mod sections;
pub mod spawn_path;
mod stack;
pub mod strategy;
mod sync;
pub mod task;
pub mod verify;
pub mod witness;

pub use closures::{
    Checker, Closure, Event, Future, Lock, Promise, Semaphore, Shared, SharedArray, Verifier, check, finish,
    future, isolated, replay, spawn, try_check, try_replay, try_verify, verify,
};
pub use raceproof_report::plain::render;
