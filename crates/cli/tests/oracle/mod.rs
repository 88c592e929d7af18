//! The oracle: decides what a tiny TP program can do by running all its interleavings, from LANGUAGE.md alone.
#![allow(dead_code, unreachable_pub, unused_imports)]
mod action;
mod explore;
mod generate;
mod local;
mod names;
mod outcome;
mod rng;
mod state;
pub use explore::{Limits, explore, schedules};
pub use generate::{Profile, generate};
pub use outcome::{Access, Blocked, Memory, Outcome, ProgramError, Race, Side};
pub use rng::Rng;
