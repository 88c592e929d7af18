//! The `raceproof` command as a library: one folder a verb, and what they share.

#![forbid(unsafe_code)]

pub mod analyze;
pub mod args;
pub mod cargo;
pub mod check;
pub mod commands;
mod diff;
mod doctor;
mod explain;
mod graph;
pub mod manual;
mod page;
pub mod replay;
mod run;
pub mod shared;
pub mod trace;
pub mod verify;
