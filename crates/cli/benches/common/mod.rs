//! What several benchmarks share; each uses what it needs.
#![allow(dead_code)]

pub(crate) mod document;
pub(crate) mod frame;
pub(crate) mod process;
pub(crate) mod programs;

/// What a section gives: its text, and the targets it missed.
pub(crate) struct Section {
    pub(crate) text: String,
    pub(crate) missed: Vec<String>,
}
