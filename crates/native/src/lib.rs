//! What an instrumented program is linked with.

pub mod symbols;
