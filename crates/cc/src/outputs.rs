//! The files that a command line makes.

use super::arguments::{Item, value};
use super::plan::Plan;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file that `-o` names.
pub(super) fn output(plan: &Plan) -> Option<String> {
    let mut options = plan.kept.iter().filter_map(|item| match item {
        Item::Option(words) => value(words, "-o").or_else(|| value(words, "--output")),
        Item::Input { .. } => None,
    });
    options.next_back().map(|name| name.trim_start_matches('=').to_owned())
}

/// What the linker makes.
pub(super) fn output_of_linker(plan: &Plan) -> PathBuf {
    output(plan).map_or_else(|| PathBuf::from("a.out"), PathBuf::from)
}

/// The name that clang gives what it makes of a source.
pub(super) fn named(path: &OsStr, extension: &str) -> PathBuf {
    PathBuf::from(Path::new(path).file_name().unwrap_or(path)).with_extension(extension)
}
