//! The deterministic task runtime of raceproof.
//!
//! One OS thread, one task at a time. A [`strategy::Strategy`] decides who runs next, [`run::Run`] drives, a
//! [`run::Machine`] says how the tasks of a front end run, and the [`kernel::Kernel`] is what they call: every
//! operation that touches another task goes through it, and it tells the observer of each. Given the same
//! program and the same decisions, a run is the same to the last event.

pub mod kernel;
pub mod path;
pub mod run;
pub mod strategy;
mod sync;
pub mod task;
