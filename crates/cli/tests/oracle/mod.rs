//! The oracle: decides what a tiny TP program can do by running all its interleavings, from LANGUAGE.md alone.
#![allow(dead_code, unreachable_pub)]
mod action;
mod explore;
mod local;
mod names;
mod outcome;
mod state;
pub use explore::{Limits, explore, schedules};
pub use outcome::{Access, Blocked, Memory, Outcome, ProgramError, Race, Side};
