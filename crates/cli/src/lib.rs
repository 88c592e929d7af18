//! The `raceproof` command as a library: the TP language, reports, and the drivers behind each subcommand.

pub mod args;
pub mod check;
pub mod commands;
pub mod report;
pub mod tp;
pub mod verify;
