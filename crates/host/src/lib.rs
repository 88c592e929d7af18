//! What a command of raceproof shares with the system: notes on standard error, files that are there whole or not at all,
//! signals, and the tools that end with it.
//!
//! A crate of its own, since the command and the compiler driver both need it.

#![forbid(unsafe_code)]

pub mod interrupt;
mod note;
pub mod output;

pub use note::note;
