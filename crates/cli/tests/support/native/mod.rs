//! The corpora of C, C++ and Fortran programs: what it expects of the tool, and whether the tool does it.
#![allow(dead_code, unreachable_pub)]

pub mod corpus;
pub mod expect;
pub mod generate;
pub mod interleavings;
pub mod judge;
pub mod loops;
pub mod promises;
pub mod promises_cpp;
pub mod threads;
pub mod toolchain;
pub mod wander;
pub mod worksharing;
