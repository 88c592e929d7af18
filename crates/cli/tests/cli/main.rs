//! The command as a whole: its arguments, its outputs, its documents.

#[path = "../support/browser/mod.rs"]
mod browser;
#[path = "../support/common/mod.rs"]
mod common;
#[path = "../support/expect/mod.rs"]
mod expect;
#[path = "../support/transcript/mod.rs"]
mod transcript;

mod bad_programs;
mod checkpoint;
mod cli;
mod docs;
mod front_door;
mod graph;
mod html;
mod html_page;
mod inputs;
mod install;
mod interrupt;
mod json;
mod known;
mod machine;
mod modules;
mod next;
mod pages;
mod planted;
mod playback;
mod repeated;
mod text;
mod tidy;
