//! What each program that cargo starts leaves for the end: its report, and how it went.
//!
//! `cargo test` starts one program after the other, each through a process of ours. A file that is
//! about all of them (`--output`, `--junit`, `--write-baseline`) is written when cargo has ended, by
//! the process that the user has started.

use super::arguments::CargoRequest;
use crate::args::{Args, Command, ReportFormat, RunArgs};
use crate::page;
use crate::run::command::Ran;
use crate::run::join;
use crate::shared::harness::Test;
use crate::shared::known::Known;
use crate::shared::present::{Wanted, plain_text, render_native};
use crate::shared::status::{BadInput, status};
use raceproof_core::finding::Report;
use raceproof_host::output::{deliver, replace};
use raceproof_report::baseline::new_only;
use raceproof_report::junit::{self, Case, Outcome};
use raceproof_report::listed::list;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs, process};
use tempfile::TempDir;

/// The folder of the records, for the processes that cargo starts.
const RECORDS: &str = "RACEPROOF_RECORDS";

/// A program that was run.
#[derive(Serialize, Deserialize)]
struct Record {
    case: Case,
    /// As it was found, before suppressions and baseline.
    report: Option<Report>,
}

/// The records of one `cargo raceproof`.
pub(super) struct Records {
    folder: TempDir,
}

impl Records {
    /// None yet, in a folder below this one.
    pub(super) fn new(below: &Path) -> Result<Records, String> {
        let folder = tempfile::Builder::new().prefix("records-").tempdir_in(below);
        let folder = folder.map_err(|error| format!("{}: {error}", below.display()))?;
        Ok(Records { folder })
    }

    /// Has what cargo starts leave records.
    pub(super) fn ask_for(&self, cargo: &mut process::Command) {
        cargo.env(RECORDS, self.folder.path());
    }

    /// Those that were left, in the order in which the programs ended.
    fn read(&self) -> Vec<Record> {
        let entries = fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        let text = files.iter().filter_map(|file| fs::read(file).ok());
        text.filter_map(|text| serde_json::from_slice(&text).ok()).collect()
    }

    /// Writes the files that are about all programs. `status` is that of all of them; the new one
    /// if that of the joined report is another.
    pub(super) fn finish(&self, request: &CargoRequest, status: u8) -> Result<u8, String> {
        let records = self.read();
        if let Some(file) = &request.junit {
            let mut cases: Vec<Case> = records.iter().map(|record| record.case.clone()).collect();
            if cases.is_empty() {
                let message = "cargo has started no program: see what it says".to_owned();
                let outcome = Outcome::Error { message, text: String::new() };
                cases.push(Case::new("build", outcome));
            }
            deliver(&junit::render(&format!("cargo raceproof {}", request.subcommand), &cases), Some(file))?;
        }
        let run = run_args(&request.own)?;
        if !request.has_harness() || !(is_deferred(&run) || run.known.write_baseline.is_some()) {
            return Ok(status);
        }
        let reports = records.into_iter().filter_map(|record| record.report);
        let Some(joined) = reports.reduce(join::join) else { return Ok(status) };
        let said = |BadInput(message): BadInput| message.trim_start_matches("raceproof: ").to_owned();
        let known = Known::load(&run.known).map_err(said)?;
        let output = run.output.as_deref();
        let program = OsStr::new("cargo raceproof test");
        let wanted = Wanted { format: run.format, output, known: &known, strict: run.strict, program };
        if is_deferred(&run) {
            render_native(joined, wanted, |_, _| page::of_several()).map_err(said)?;
        } else {
            crate::shared::present::write_baseline(joined, wanted).map_err(said)?;
        }
        Ok(status)
    }
}

/// Our options, as `raceproof run` understands them; with what the project file says.
fn run_args(own: &[String]) -> Result<RunArgs, String> {
    let words = ["raceproof", "run"].into_iter().chain(own.iter().map(String::as_str));
    let words = words.chain(["--", "program"]).map(Into::into).collect();
    match super::parsed(words)?.command {
        Command::Run(run) => Ok(run),
        _ => Err("expected options of `raceproof run`".to_owned()),
    }
}

/// Whether the reports of several programs become one, at the end: text on standard output is read
/// as the programs go.
pub(super) fn is_deferred(run: &RunArgs) -> bool {
    run.output.is_some()
        || !matches!(run.format, ReportFormat::Text | ReportFormat::Json | ReportFormat::Github)
}

/// Leaves a record of a program, or of one test of it, if somebody wants one.
pub(super) fn note(program: &OsStr, test: Option<&Test>, ran: Result<&Ran, &str>) {
    let Some(folder) = env::var_os(RECORDS) else { return };
    let program = name_of(program);
    let name = test.map_or(&program, |test| &test.name);
    let (case, report) = match ran {
        Ok(ran) => {
            let shown = new_only(&ran.report);
            let found = list(&shown);
            let title = match &found[..] {
                [] => None,
                [one] => Some(one.title()),
                [first, ..] => Some(format!("{} and {} more", first.title(), found.len() - 1)),
            };
            let found = title.filter(|_| status(&shown) == crate::shared::status::FOUND);
            let case = Case::of(name, &ran.report, found, ran.is_sequential(), &plain_text(&shown));
            (case, Some(ran.raw.clone()))
        }
        Err(wrong) => {
            let outcome = Outcome::Error { message: wrong.to_owned(), text: String::new() };
            (Case::new(name, outcome), None)
        }
    };
    let at = test.and_then(|test| test.at.clone());
    let case = Case { program: test.is_some().then(|| program.clone()), at, ..case };
    let record = Record { case, report };
    // Without it the file at the end has one program less; what cargo prints has it.
    let number = fs::read_dir(&folder).map_or(0, Iterator::count);
    let file = Path::new(&folder).join(format!("{number:06}-{}.json", process::id()));
    let _ = serde_json::to_string(&record).map(|text| replace(&file, &text));
}

/// The name of a program as people know it.
pub(super) fn name_of(program: &OsStr) -> String {
    without_hash(&Path::new(program).file_name().unwrap_or(program).to_string_lossy())
}

/// Without the hash that cargo appends to the name of a test: `-` and 16 digits.
fn without_hash(name: &str) -> String {
    match name.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            name.to_owned()
        }
        _ => name.to_owned(),
    }
}

/// The options of one of several programs that cargo starts, which share their files.
pub(super) fn of_several(args: &mut Args) {
    if let Command::Run(run) = &mut args.command {
        run.known.is_one_of_several = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn hashes_of_cargo_are_dropped() {
        assert_eq!(without_hash("sums-0123456789abcdef"), "sums");
        assert_eq!(without_hash("two-words"), "two-words");
    }

    #[test]
    fn text_is_shown_as_programs_go() {
        let run = |words: &str| {
            let words: Vec<&str> = ["raceproof", "run"].into_iter().chain(words.split_whitespace()).collect();
            match Args::try_parse_from(words).expect("options of run").command {
                Command::Run(run) => is_deferred(&run),
                _ => panic!("another command"),
            }
        };
        assert!(!run("-- p"));
        assert!(run("-o out -- p"));
        assert!(run("--format sarif -- p"));
    }
}
