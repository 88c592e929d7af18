//! A command as a process of its system: notes on standard error, files written atomically,
//! signals, and child processes that end with it.
//!
//! A crate of its own, since the command and the compiler driver both need it.

#![forbid(unsafe_code)]

pub mod beside;
pub mod cache;
pub mod interrupt;
mod note;
pub mod output;
pub mod terminal;

pub use note::note;
