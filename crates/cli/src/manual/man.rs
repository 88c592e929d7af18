//! Man pages: one for the command, one for each verb, and one for `cargo raceproof`, whose options
//! are cargo's and not ours to parse.

use super::help;
use clap::Command as Definition;
use clap_mangen::Man;
use std::io;
use std::sync::OnceLock;

/// The help of `cargo raceproof`, which is another program's.
static CARGO: OnceLock<&str> = OnceLock::new();

/// Says what the page of `cargo raceproof` is made of.
pub fn set_cargo_help(text: &'static str) {
    let _ = CARGO.set(text);
}

/// A page: the name of its file and its text.
pub(super) fn pages() -> io::Result<Vec<(String, String)>> {
    let mut command = help::command().help_template("{options}");
    // Every verb knows the name it is called by.
    command.build();
    let mut pages = vec![page(&command, "raceproof")?];
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set()) {
        pages.push(page(verb, &format!("raceproof-{}", verb.get_name()))?);
    }
    let about = "cargo, with what it compiles instrumented, and the races of what it runs";
    let cargo = Definition::new("cargo-raceproof").about(about).version(env!("CARGO_PKG_VERSION"));
    let cargo = cargo.disable_help_flag(true).disable_version_flag(true);
    let cargo = cargo.long_about(*CARGO.get().unwrap_or(&about));
    pages.push(page(&cargo, "cargo-raceproof")?);
    Ok(pages)
}

/// The page of one command.
pub(super) fn page(command: &Definition, name: &str) -> io::Result<(String, String)> {
    let mut text = Vec::new();
    Man::new(command.clone()).title(name).render(&mut text)?;
    Ok((format!("{name}.1"), String::from_utf8_lossy(&text).into_owned()))
}
