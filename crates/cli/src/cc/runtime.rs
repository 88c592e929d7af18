//! Finds the library that programs are linked with.

use std::env;
use std::path::{Path, PathBuf};

const LIBRARY: &str = "libraceproof_native.a";

/// As the user says, or beside this program: in the build folder, or installed.
pub(super) fn find() -> Result<PathBuf, String> {
    if let Some(named) = env::var_os("RACEPROOF_RUNTIME").filter(|value| !value.is_empty()) {
        let path = PathBuf::from(named);
        let path = if path.is_dir() { path.join(LIBRARY) } else { path };
        return if path.is_file() {
            Ok(path)
        } else {
            Err(format!("RACEPROOF_RUNTIME names {}, which is not there", path.display()))
        };
    }
    let program = env::current_exe().and_then(|path| path.canonicalize());
    let folder = program.ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
    let places = candidates(&folder);
    places.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        format!(
            "{LIBRARY}, the runtime that programs are linked with, is not in {} nor installed; build it with \
             `cargo build --release -p raceproof-native`, or set RACEPROOF_RUNTIME to it",
            folder.display()
        )
    })
}

fn candidates(folder: &Path) -> [PathBuf; 4] {
    [
        folder.join(LIBRARY),
        folder.join("deps").join(LIBRARY),
        // Tests run in `deps` themselves.
        folder.join("..").join(LIBRARY),
        folder.join("../lib/raceproof").join(LIBRARY),
    ]
}
