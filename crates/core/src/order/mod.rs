//! Orders over the steps of a run: who precedes whom, one order a file.

pub mod conflicting;
pub mod dpst;
pub mod graph;
mod tree;
pub mod zippers;
