//! The advice about races of OpenMP programs, applied: each fix compiles, the result is race-free,
//! and it prints what the race-free version prints.
//!
//! One program alone: `RACEPROOF_PROGRAM=phases cargo test --test native advice::` (a part of its
//! path).
#![cfg(unix)]

use crate::advice_support as advice;
use crate::common;
use crate::native;

use advice::{ROUNDS, Wanted, all_fixes, assert_all_tried, mended, next};
use common::command::{Folder, finish_within, root};
use native::corpus::{asked_for, some_of};
use native::expect::Expected;
use native::toolchain::{compile, runtime, tool};
use raceproof_core::finding::{Report, Verdict};
use raceproof_report::advice::{Fix, Language, Template};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use std::{fs, thread};

/// Every racy program of `programs/c` below a folder.
fn racy(folder: &str) -> Vec<PathBuf> {
    let folder = root().canonicalize().unwrap().join("programs/c").join(folder);
    let files = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.to_string_lossy().contains("_racy.") && asked_for(file)).collect();
    files.sort();
    files
}

/// A program at one stage of its mending.
struct Stage {
    file: String,
    source: String,
    report: Report,
    printed: String,
}

impl Stage {
    fn of(source: String, name: &str, folder: &Folder, expected: &Expected) -> Result<Stage, String> {
        let file = folder.write(name, &source);
        let binary = folder.path(&format!("{name}.out"));
        compile(&file, "-O1", &expected.flags, &binary)?;
        let out = folder.path(&format!("{name}.json"));
        let mut command = tool();
        command.args(["run", "--format", "json", "-o"]).arg(&out).arg("--").arg(&binary);
        command.env("OMP_NUM_THREADS", expected.threads.as_deref().unwrap_or("4"));
        command.envs(expected.environment.iter().map(|(name, value)| (name, value)));
        let done = finish_within(&mut command, Duration::from_secs(60))?;
        let text = fs::read_to_string(&out).map_err(|e| format!("no report ({e}): {}", done.stderr))?;
        let report = serde_json::from_str(&text).map_err(|e| format!("{e}: {text}"))?;
        let _ = fs::remove_file(&binary);
        Ok(Stage { file: file.to_string_lossy().into_owned(), source, report, printed: done.stdout })
    }

    fn fixes(&self) -> Vec<Fix> {
        all_fixes(&self.report, &self.file, &self.source)
    }
}

/// Applies one fix, and then those of the races that are left, until there is none.
fn mend(
    stage: &Stage,
    fix: &Fix,
    name: &str,
    folder: &Folder,
    expected: &Expected,
) -> Result<(Stage, bool), String> {
    let (stem, extension) = name.rsplit_once('.').expect("a program has an extension");
    let mut source = mended(fix, &stage.file, &stage.source)?;
    let mut unconditional = true;
    for round in 0..ROUNDS {
        let name = format!("{stem}-{}-{round}.{extension}", fix.template.name());
        let now = Stage::of(source.clone(), &name, folder, expected).map_err(|e| format!("{e}\n{source}"))?;
        if now.report.verdict != Verdict::Race {
            return Ok((now, unconditional));
        }
        let fixes = now.fixes();
        let Some(following) = next(&fixes) else { return Ok((now, unconditional)) };
        unconditional &= following.condition.is_none();
        source = mended(following, &now.file, &now.source)?;
    }
    Err(format!("still races after {ROUNDS} fixes:\n{source}"))
}

/// What is wrong with the advice about a program that says what it expects.
fn judge(program: &Path, folder: &Folder, tried: &Mutex<BTreeSet<Template>>) -> Result<Vec<String>, String> {
    let source = fs::read_to_string(program).map_err(|e| e.to_string())?;
    let (wanted, expected) = (Wanted::read(&source)?, Expected::read(&[program])?);
    let name = program.file_name().unwrap().to_string_lossy().into_owned();
    let stage = Stage::of(source, &name, folder, &expected)?;
    let fixes = stage.fixes();
    let found: BTreeSet<String> = fixes.iter().map(|fix| fix.template.name()).collect();
    let mut wrong = Vec::new();
    if found != wanted.advice {
        wrong.push(format!("advice {:?} expected, {found:?} came", wanted.advice));
    }
    let mut seen = BTreeSet::new();
    for fix in fixes.iter().filter(|fix| seen.insert(fix.template)) {
        let (after, unconditional) = mend(&stage, fix, &name, folder, &expected)?;
        let verdict = after.report.verdict;
        if verdict != Verdict::RaceFree {
            wrong.push(format!("{verdict:?} after {}:\n{}", fix.sentence(), after.source));
        } else if wanted.is_right(fix) && unconditional {
            if after.printed.trim() != wanted.prints {
                wrong.push(format!("prints {:?} after {}:\n{}", after.printed, fix.sentence(), after.source));
            }
            tried.lock().unwrap().insert(fix.template);
        }
    }
    Ok(wrong)
}

/// Does something with every program on two threads.
fn with_all(programs: Vec<PathBuf>, work: impl Fn(&Path) -> Result<Vec<String>, String> + Sync) {
    let (todo, wrong) = (Mutex::new(programs), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(program) = todo.lock().unwrap().pop() else { break };
                    let found = work(&program).unwrap_or_else(|error| vec![error]);
                    let name = program.file_name().unwrap().to_string_lossy().into_owned();
                    wrong.lock().unwrap().extend(found.into_iter().map(|what| format!("{name}: {what}")));
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_fix_is_right() {
    runtime();
    let (folder, tried) = (Folder::new("advice"), Mutex::new(BTreeSet::new()));
    let programs = racy("advice");
    let all = std::env::var_os("RACEPROOF_PROGRAM").is_none();
    with_all(programs, |program| judge(program, &folder, &tried));
    if all {
        let tried = tried.into_inner().unwrap();
        assert_all_tried(Language::OpenMp, &tried);
        assert_all_tried(Language::Hclib, &tried);
        assert_all_tried(Language::Threads, &tried);
    }
}

/// Programs that were not written for their advice: what is advised compiles, runs to its end, and
/// leaves no race but those for which there are only hints.
#[test]
fn fixes_of_other_programs_compile_and_end() {
    runtime();
    let folder = Folder::new("advice-corpus");
    let folders = ["sync", "task", "depend", "loop", "parallel", "reduction", "data"];
    let programs: Vec<PathBuf> = folders.iter().flat_map(|folder| racy(folder)).collect();
    let mut programs = some_of(programs, 2, 16);
    // A finish around one of its tasks would never end.
    programs.extend(racy("promise").into_iter().filter(|file| file.ends_with("await_later_racy.cpp")));
    with_all(programs, |program| {
        let source = fs::read_to_string(program).map_err(|e| e.to_string())?;
        let expected = Expected::read(&[program])?;
        let name = program.file_name().unwrap().to_string_lossy().into_owned();
        let stage = Stage::of(source, &name, &folder, &expected)?;
        let fixes = stage.fixes();
        let Some(fix) = next(&fixes) else { return Ok(Vec::new()) };
        let (after, _) = mend(&stage, fix, &name, &folder, &expected)?;
        let is_over = after.report.verdict == Verdict::RaceFree
            || after.report.verdict == Verdict::Race && after.fixes().is_empty();
        let wrong = || format!("{:?} after {}:\n{}", after.report.verdict, fix.sentence(), after.source);
        Ok(if is_over { Vec::new() } else { vec![wrong()] })
    });
}
