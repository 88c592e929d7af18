//! What several test files share; each uses what it needs.
#![allow(dead_code, unreachable_pub)]

pub mod command;
pub mod conforms;
pub mod golden;
pub mod graphs;
pub mod logs;
pub mod mutate;
pub mod native;
pub mod native_tools;
pub mod page;
pub mod programs;
#[path = "../../../../core/src/random.rs"]
pub mod random;
pub mod rearrange;
pub mod sample;
pub mod seeds;
