//! Orders over the steps of a run: who precedes whom, one order a file.

pub mod graph;
mod labels;
pub mod dpst;
pub mod zippers;
