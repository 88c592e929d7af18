//! Rust programs with rayon, built by cargo.
#![cfg(unix)]

#[path = "../support/advice/mod.rs"]
mod advice_support;
#[path = "../support/common/mod.rs"]
mod common;
#[path = "../support/native/mod.rs"]
mod native;
#[path = "../support/rayon/mod.rs"]
mod rayon;
#[path = "../support/transcript/mod.rs"]
mod transcript;

mod advice;
mod coverage;
mod crashes;
mod formats;
mod pages;
mod published;
mod rayon_corpus;
mod rayon_generated;
mod rayon_graph;
mod real_world;
mod threads;
mod threads_generated;
