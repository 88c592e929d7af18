//! Finds the library that programs are linked with.

use std::env;
use std::path::{Path, PathBuf};

const LIBRARY: &str = "libraceproof_native.a";
const SHARED: &str = "libraceproof_native.so";

/// As the user says, or beside this program: in the build folder, or installed.
pub(super) fn find() -> Result<PathBuf, String> {
    find_as(LIBRARY)
}

/// The shared library, for Rust programs: they have a standard library of their own.
pub fn find_shared() -> Result<PathBuf, String> {
    find_as(SHARED)
}

fn find_as(library: &str) -> Result<PathBuf, String> {
    if let Some(named) = env::var_os("RACEPROOF_RUNTIME").filter(|value| !value.is_empty()) {
        let path = PathBuf::from(named);
        let path = match path.parent() {
            _ if path.is_dir() => path.join(library),
            // One stands beside the other.
            Some(folder) if library == SHARED => folder.join(library),
            _ => path,
        };
        return if path.is_file() {
            Ok(path)
        } else {
            Err(format!("RACEPROOF_RUNTIME names {}, which is not there", path.display()))
        };
    }
    let program = env::current_exe().and_then(|path| path.canonicalize());
    let folder = program.ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
    let places = candidates(&folder, library);
    places.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        format!(
            "{library}, the runtime that programs are linked with, is not in {} nor installed; build it with \
             `cargo build --release -p raceproof-native`, or set RACEPROOF_RUNTIME to it",
            folder.display()
        )
    })
}

fn candidates(folder: &Path, library: &str) -> [PathBuf; 4] {
    [
        folder.join(library),
        folder.join("deps").join(library),
        // Tests run in `deps` themselves.
        folder.join("..").join(library),
        folder.join("../lib/raceproof").join(library),
    ]
}
