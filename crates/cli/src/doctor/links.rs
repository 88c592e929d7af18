//! The names of one word for the compilers. cargo installs `raceproof-cc` and its like as programs,
//! but allows no plus signs in a name: `raceproof-c++` and `raceproof-clang++` are links to
//! `raceproof`, which knows what it is called.

use super::{Check, Outcome};
use crate::args::FrontEnd;
use raceproof_host::beside;
use std::env;
use std::fs;
use std::path::PathBuf;

const NAMES: [&str; 6] = [
    "raceproof-cc",
    "raceproof-cxx",
    "raceproof-c++",
    "raceproof-fc",
    "raceproof-clang",
    "raceproof-clang++",
];

pub(super) fn checks() -> Vec<Check> {
    let missing: Vec<&str> = NAMES.into_iter().filter(|name| !beside::find(name).is_absolute()).collect();
    if missing.is_empty() {
        let detail = format!("{} stand beside this program", NAMES.join(", "));
        return vec![Check::new(FrontEnd::Openmp, "names", Outcome::Ok, detail)];
    }
    let detail = format!(
        "{} not beside this program: build tools that want a compiler of one word need it",
        missing.join(", ")
    );
    let check = Check::new(FrontEnd::Openmp, "names", Outcome::Note, detail);
    vec![check.with_install(Some("raceproof doctor --links".to_owned()))]
}

/// Makes the links that are missing; says which.
pub(super) fn make() -> Result<String, String> {
    let own = env::current_exe().map_err(|error| format!("cannot tell where this program is: {error}"))?;
    let mut text = String::new();
    for name in NAMES {
        let place = own.with_file_name(name);
        if fs::symlink_metadata(&place).is_ok() {
            continue;
        }
        let target = PathBuf::from(own.file_name().unwrap_or_default());
        link(&target, &place).map_err(|error| {
            format!(
                "cannot make {}: {error}; as a user who may, run `raceproof doctor --links`",
                place.display()
            )
        })?;
        text.push_str(&format!("{} -> {}\n", place.display(), target.display()));
    }
    if text.is_empty() {
        text.push_str("all names are there\n");
    }
    Ok(text)
}

fn link(target: &std::path::Path, place: &std::path::Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}
