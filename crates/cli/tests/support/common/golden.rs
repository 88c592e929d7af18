//! Golden files: `check("name.txt", &actual)` compares with `tests/golden/name.txt`.
//!
//! `BLESS=1 cargo test -p raceproof-cli` writes the actual output over the golden files; read the diff
//! before committing it. Output that varies from run to run has to be normalised by the caller.

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

/// The lines between the common head and the common tail of the two texts, with some context: not
/// minimal, but never misleading.
fn diff(expected: &str, actual: &str) -> String {
    let old: Vec<&str> = expected.split('\n').collect();
    let new: Vec<&str> = actual.split('\n').collect();
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let limit = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(limit).take_while(|(a, b)| a == b).count();
    let mut out = String::new();
    let mut show = |sign: char, line: &str| {
        // Escapes made visible: a lost colour or a trailing space is a difference too.
        out.push_str(&format!("{sign} {}\n", line.escape_debug().to_string().replace("\\\"", "\"")));
    };
    for line in &old[head.saturating_sub(CONTEXT)..head] {
        show(' ', line);
    }
    for line in &old[head..old.len() - tail] {
        show('-', line);
    }
    for line in &new[head..new.len() - tail] {
        show('+', line);
    }
    for line in old[old.len() - tail..].iter().take(CONTEXT) {
        show(' ', line);
    }
    format!("from line {}:\n{out}", head + 1)
}
