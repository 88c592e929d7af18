//! What is generated from the definition of the command line: the help with its groups, completions
//! for shells, and man pages.

pub(crate) mod command;
pub mod help;
mod man;

pub use man::set_cargo_help;

use clap_complete::{Shell, generate};

/// The completions for a shell.
pub(crate) fn completions(shell: Shell) -> String {
    let mut text = Vec::new();
    generate(shell, &mut help::command(), "raceproof", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
