//! The programs of `programs/c` as ThreadSanitizer with Archer judges them, beside what each
//! program expects. That raceproof's verdicts are the expected ones, its tests hold.
//!
//! The programs were written for raceproof's tests, so the table shows which kinds of races
//! ThreadSanitizer sees in one schedule, and not how often such races are in other programs.

use crate::build::Tools;
use crate::common::Section;
use crate::common::document::Table;
use crate::common::programs::repository;
use crate::expect::Expected;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

/// The folders whose programs end by themselves, with a verdict about races.
const FOLDERS: [&str; 13] = [
    "parallel",
    "loop",
    "simd",
    "sync",
    "lock",
    "reduction",
    "data",
    "task",
    "depend",
    "memory",
    "library",
    "cpp",
    "verify",
];

/// How often ThreadSanitizer runs each program; each run is another schedule.
const RUNS: usize = 5;

/// How many programs of a folder race, and what ThreadSanitizer says of them.
#[derive(Default)]
struct Tally {
    racy: usize,
    /// Found in every run, and in at least one.
    always: usize,
    sometimes: usize,
    race_free: usize,
    alarms: usize,
    /// Those that did not compile or did not end.
    failed: Vec<String>,
}

pub(crate) fn measure(tools: &Tools) -> Result<Section, String> {
    let mut programs = Vec::new();
    for folder in FOLDERS {
        programs.extend(sources(folder)?.into_iter().map(|source| (folder, source)));
    }
    fs::create_dir_all(tools.folder()).map_err(|error| format!("{}: {error}", tools.folder().display()))?;
    let todo = Mutex::new(programs);
    let tallies: Mutex<BTreeMap<&str, Tally>> = Mutex::default();
    thread::scope(|scope| {
        for worker in 0..2 {
            let (todo, tallies) = (&todo, &tallies);
            scope.spawn(move || {
                let binary = tools.folder().join(format!("verdict-{worker}"));
                loop {
                    let next = todo.lock().unwrap_or_else(|all| all.into_inner()).pop();
                    let Some((folder, source)) = next else { break };
                    let found = judge(tools, &source, &binary);
                    let mut tallies = tallies.lock().unwrap_or_else(|all| all.into_inner());
                    tallies.entry(folder).or_default().count(&source, found);
                }
                let _ = fs::remove_file(binary);
            });
        }
    });
    let tallies = tallies.into_inner().unwrap_or_else(|all| all.into_inner());
    Ok(Section { text: table(&tallies), missed: Vec::new() })
}

/// The programs of a folder that race or do not.
fn sources(folder: &str) -> Result<Vec<PathBuf>, String> {
    let path = repository().join("programs/c").join(folder);
    let entries = fs::read_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let files = entries.filter_map(|entry| entry.ok()).map(|entry| entry.path());
    Ok(files.filter(|file| file.extension().is_some_and(|end| end == "c" || end == "cpp")).collect())
}

impl Tally {
    fn count(&mut self, source: &Path, found: Result<Option<(bool, usize)>, String>) {
        match found {
            Ok(Some((true, runs))) => {
                self.racy += 1;
                self.always += usize::from(runs == RUNS);
                self.sometimes += usize::from(runs > 0);
            }
            Ok(Some((false, runs))) => {
                self.race_free += 1;
                self.alarms += usize::from(runs > 0);
            }
            Ok(None) => {}
            Err(wrong) => {
                let name = source.file_name().unwrap_or_default().to_string_lossy();
                self.failed.push(format!("{name}: {wrong}"));
            }
        }
    }

    fn add(&mut self, other: &Tally) {
        self.racy += other.racy;
        self.always += other.always;
        self.sometimes += other.sometimes;
        self.race_free += other.race_free;
        self.alarms += other.alarms;
    }
}

/// Whether the program races, and in how many runs ThreadSanitizer says so; none if it is about
/// something else.
fn judge(tools: &Tools, source: &Path, binary: &Path) -> Result<Option<(bool, usize)>, String> {
    let expected = Expected::read(&[source])?;
    let races = match expected.verdict.as_str() {
        "race" => true,
        "race-free" => false,
        _ => return Ok(None),
    };
    let cpp = source.extension().is_some_and(|end| end == "cpp");
    let mut compiler = Command::new(tools.clang(cpp));
    compiler.args(["-g", "-O1", "-fopenmp", "-fsanitize=thread"]).args(&expected.flags).arg(source);
    let done = compiler.arg("-o").arg(binary).arg("-lm").output().map_err(|error| error.to_string())?;
    if !done.status.success() {
        let words = String::from_utf8_lossy(&done.stderr);
        return Err(words.lines().find(|line| line.contains("error")).unwrap_or("no executable").to_owned());
    }
    let mut found = 0;
    for _ in 0..RUNS {
        // A program that waits forever in one schedule is ended, with what was reported until then.
        let mut run = Command::new("timeout");
        run.args(["-k", "1", "20"]).arg(binary).args(&expected.arguments);
        run.env("OMP_NUM_THREADS", expected.threads.as_deref().unwrap_or("4"));
        run.envs(expected.environment.iter().map(|(name, value)| (name, value)));
        run.env("OMP_TOOL_LIBRARIES", &tools.archer);
        run.env("TSAN_OPTIONS", "ignore_noninstrumented_modules=1");
        let done = run.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        found += usize::from(String::from_utf8_lossy(&done.stderr).contains("ThreadSanitizer: data race"));
    }
    Ok(Some((races, found)))
}

fn table(tallies: &BTreeMap<&str, Tally>) -> String {
    let mut table = Table::new(&[
        "folder",
        "racy programs",
        "TSan finds a race, every run",
        "in some run",
        "race-free programs",
        "TSan reports a race",
    ]);
    let mut all = Tally::default();
    let mut failed = Vec::new();
    let row = |name: &str, tally: &Tally| {
        [tally.racy, tally.always, tally.sometimes, tally.race_free, tally.alarms].iter().fold(
            vec![name.to_owned()],
            |mut cells, count| {
                cells.push(count.to_string());
                cells
            },
        )
    };
    for (folder, tally) in tallies {
        table.row(&row(&format!("`{folder}/`"), tally));
        all.add(tally);
        failed.extend(tally.failed.iter().cloned());
    }
    table.row(&row("all", &all));
    let mut text = table.into_text();
    if !failed.is_empty() {
        failed.sort();
        text += &format!("\nNot compiled by clang alone: {}.\n", failed.join("; "));
    }
    text
}
