//! The entry points: functions that an instrumented program calls, and those of the C library that it reaches through the
//! runtime.

pub(crate) mod interpose;
pub(crate) mod jumps;
pub(crate) mod kmpc;
pub(crate) mod library;
pub(crate) mod panics;
pub(crate) mod rayon;
pub(crate) mod start;
pub(crate) mod tsan;
pub(crate) mod world;
