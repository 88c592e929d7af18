//! Trace files: read, written, damaged, analysed.

#[path = "../support/common/mod.rs"]
mod common;

mod hostile;
mod parts;
mod rapid;
mod trace_fuzz;
mod traces;
