//! Renderers: findings in, text out.
//!
//! A renderer sees a [`raceproof_core::finding::Report`] or a [`raceproof_core::graph::Graph`] and
//! nothing else of the analysis; it returns a `String` and prints nothing itself.

#![forbid(unsafe_code)]

pub mod advice;
pub mod baseline;
pub mod cause;
pub mod command;
pub mod constructs;
mod coverage;
mod deadlock;
pub mod explain;
mod frames;
mod general;
pub mod github;
pub mod graph;
pub mod html;
pub mod json;
pub mod junit;
pub mod listed;
mod memory;
pub mod names;
pub mod plain;
pub mod playback;
mod project;
mod race;
pub mod replay;
pub mod sarif;
#[cfg(feature = "schema")]
pub mod schema;
mod snippet;
mod sources;
mod statements;
mod style;
pub mod suppress;
mod table;
pub mod text;
pub mod trace;
pub mod view;

pub use frames::{user_function, user_place};
pub use project::Project;
pub use sources::Sources;
pub use style::Style;
pub use suppress::{Suppressed, Suppressions};
