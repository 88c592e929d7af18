//! The `raceproof` command as a library: the TP language, reports, and the drivers behind each subcommand.

#![forbid(unsafe_code)]

pub mod analyze;
pub mod args;
mod budget;
pub mod cargo;
pub mod cc;
mod channel;
pub mod check;
pub mod checkpoint;
pub mod commands;
mod draw;
mod input;
mod interrupt;
mod native;
mod next;
mod output;
mod progress;
pub mod replay;
mod run;
pub use raceproof_report as report;
mod search;
pub mod tp;
pub mod traces;
pub mod verify;
pub mod witness_file;
