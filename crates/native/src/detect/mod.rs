//! The detector, shadow memory, and what both name memory and code by: blocks, calling contexts, stack frames.

pub(crate) mod contexts;
pub(crate) mod detector;
pub(crate) mod frames;
pub(crate) mod memory;
pub(crate) mod now;
pub(crate) mod shadow;
pub(crate) mod spots;
