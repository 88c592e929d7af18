//! Golden files: `check("name.txt", &actual)` compares with `tests/golden/name.txt`.
//!
//! `BLESS=1 cargo test -p raceproof-cli` writes the actual output over the golden files; read the
//! diff before committing it. Output that varies from run to run has to be normalised by the
//! caller.

use similar::TextDiff;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Lines shown around a difference.
const CONTEXT: usize = 3;

#[track_caller]
pub fn check(name: &str, actual: &str) {
    let path = path(name);
    if env::var_os("BLESS").is_some_and(|v| !v.is_empty() && v != "0") {
        bless(&path, actual);
        return;
    }
    let expected = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("{}: {error}; `BLESS=1 cargo test` writes it\n\n{actual}", path.display()),
    };
    if expected != actual {
        panic!(
            "{} differs (- expected, + actual); if the change is meant, run again with BLESS=1\n\n{}",
            path.display(),
            diff(&expected, actual)
        );
    }
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn bless(path: &Path, actual: &str) {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    }
    fs::write(path, actual).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

/// The hunks of a unified diff, with escapes made visible: a lost colour or a trailing space is a
/// difference too.
fn diff(expected: &str, actual: &str) -> String {
    let diff = TextDiff::from_lines(expected, actual);
    let mut out = String::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        out.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches('\n').escape_debug().to_string();
            let end = if change.missing_newline() { " (no line break)" } else { "" };
            out.push_str(&format!("{}{}{end}\n", change.tag(), line.replace("\\\"", "\"")));
        }
    }
    out
}
