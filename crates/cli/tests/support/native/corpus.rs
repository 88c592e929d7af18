//! Programs of a corpus, compiled and run: does the report of each say what its comments expect?

use super::expect::Expected;
use super::judge::mistakes;
use super::toolchain::{compile_by, execute, runtime};
use crate::common::command::{Folder, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

/// Whether the user asked for this one, or for none in particular.
pub fn asked_for(program: &Path) -> bool {
    std::env::var("RACEPROOF_PROGRAM").map_or(true, |part| program.to_string_lossy().contains(&part))
}

/// One program in `every`, from the one at `first` on; or, if the user asked for some programs or
/// set `RACEPROOF_CASES`, all of those.
pub fn some_of(programs: Vec<PathBuf>, first: usize, every: usize) -> Vec<PathBuf> {
    let is_set = |name| std::env::var_os(name).is_some();
    let all = is_set("RACEPROOF_PROGRAM") || is_set("RACEPROOF_CASES");
    let numbered = programs.into_iter().enumerate();
    let wanted = numbered.filter(|(index, program)| (all || index % every == first) && asked_for(program));
    wanted.map(|(_, program)| program).collect()
}

fn judge(corpus: &str, program: &Path, clang: Option<&str>, level: &str, folder: &Folder) -> Vec<String> {
    let source = Path::new(corpus).join(program);
    let name = program.file_name().unwrap().to_string_lossy().into_owned();
    let attempt = || {
        let expected = Expected::read(&[&root().join(&source)])?;
        let binary = folder.path(&format!("{name}{level}.out"));
        let source = root().canonicalize().unwrap().join(&source);
        compile_by(clang, &source, level, &expected.flags, &binary)?;
        let done = execute(&binary, &expected)?;
        let _ = fs::remove_file(&binary);
        Ok(mistakes(&expected, std::slice::from_ref(&name), &done))
    };
    attempt().unwrap_or_else(|wrong: String| vec![wrong])
}

/// Judges the programs on two threads; one line for each that is not judged as it expects.
pub fn judge_all(corpus: &str, programs: Vec<PathBuf>, level: &str) {
    judge_all_by(None, corpus, programs, level);
}

/// The same, compiled by this clang.
pub fn judge_all_by(clang: Option<&str>, corpus: &str, programs: Vec<PathBuf>, level: &str) {
    runtime();
    let by = clang.unwrap_or_default();
    let folder = Folder::new(&format!("{}{by}{level}", corpus.replace('/', "-")));
    let count = programs.len();
    let (todo, failures) = (Mutex::new(programs), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(program) = todo.lock().unwrap().pop() else { break };
                    let wrong = judge(corpus, &program, clang, level, &folder);
                    if !wrong.is_empty() {
                        failures.lock().unwrap().push(format!("{}: {}", program.display(), wrong.join("; ")));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    assert!(failures.is_empty(), "{} of {count} at {level}:\n{}", failures.len(), failures.join("\n"));
}
