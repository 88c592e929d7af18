//! Trace files: read, written, damaged, analysed.

#[path = "../support/common/mod.rs"]
mod common;

mod trace_fuzz;
mod traces;
