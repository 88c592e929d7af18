//! The command as a whole: its arguments, its outputs, its documents.

#[path = "../support/common/mod.rs"]
mod common;
#[path = "../support/expect/mod.rs"]
mod expect;

mod bad_programs;
mod checkpoint;
mod cli;
mod docs;
mod front_door;
mod graph;
mod html;
mod html_browser;
mod html_page;
mod inputs;
mod interrupt;
mod json;
mod modules;
mod next;
mod planted;
mod repeated;
mod text;
mod tidy;
