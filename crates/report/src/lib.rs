//! Renderers: findings in, text out.
//!
//! A renderer sees a [`raceproof_core::finding::Report`] or a [`raceproof_core::graph::Graph`] and
//! nothing else of the analysis; it returns a `String` and prints nothing itself.

#![forbid(unsafe_code)]

mod advice;
pub mod cause;
pub mod command;
mod coverage;
mod deadlock;
mod frames;
pub mod graph;
pub mod html;
pub mod json;
mod memory;
pub mod names;
pub mod plain;
pub mod playback;
mod project;
pub mod replay;
#[cfg(feature = "schema")]
pub mod schema;
mod snippet;
mod sources;
mod style;
mod suppress;
pub mod text;
pub mod trace;

pub use frames::{user_function, user_place};
pub use project::Project;
pub use sources::Sources;
pub use style::Style;
pub use suppress::Suppressions;
