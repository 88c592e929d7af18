//! Renderers: findings in, text out.
//!
//! A renderer sees a [`raceproof_core::finding::Report`] or a [`raceproof_core::graph::Graph`] and
//! nothing else of the analysis; it returns a `String` and prints nothing itself.

mod advice;
mod deadlock;
mod fold;
pub mod graph;
pub mod json;
mod snippet;
mod sources;
mod style;
pub mod text;
pub mod trace;

pub use sources::Sources;
pub use style::Style;
