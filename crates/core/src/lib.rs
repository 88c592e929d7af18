//! The analysis core of raceproof: what a run of a task-parallel program looks like as events, the
//! orders and detectors that judge it, and the findings that come out.
//!
//! The path of the data: a front end drives the runtime, the runtime notifies an
//! [`event::Observer`] of what happens, orders answer "does step a precede step b?", detectors keep
//! shadow memory and ask, and what they find becomes a [`finding::Report`]. Nothing here reads
//! files or prints.
#![forbid(unsafe_code)]

pub mod debug;
pub mod detect;
pub mod event;
pub mod explore;
pub mod finding;
pub mod graph;
pub mod ids;
pub mod marks;
pub mod order;
pub mod random;
pub mod trace;
mod varint;
