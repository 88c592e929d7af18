//! Orders over the steps of a run: who precedes whom, one order a file.
//!
//! Each file is one order, with the paper it comes from, its cost, and why it is right. An order knows nothing of
//! shadow memory or races: detectors ask it.

pub mod dpst;
pub mod graph;
mod labels;
pub mod zippers;
