//! The runtime and the library for closures.

mod common;

mod misuse;
mod programs;
mod tasks;
mod verify;
