//! `cargo raceproof`: cargo, with what it compiles instrumented and `rayon-core` replaced by ours.
//!
//! Cargo does the work. It is told
//!
//! - to call us in place of rustc (`RUSTC_WRAPPER`): [`compiler`] adds what instruments a crate
//!   and, for `rayon-core`, takes our source. So neither `Cargo.toml` nor `Cargo.lock` is touched,
//!   whatever version of rayon they name;
//! - to build for the host by name, by which it keeps build scripts and procedural macros apart,
//!   which are left as they are;
//! - to build in a folder of its own, `target/raceproof`;
//! - to start what it has built by us (`runner`), as `raceproof run` does.

mod arguments;
mod compiler;
mod drop_in;
mod each_test;
mod executable;
mod folder;
mod linker;
mod partition;
mod records;
mod runner;
mod standard;

use crate::args::{self as cli, Args};
use crate::commands::{self, ProgramOutcome};
use crate::shared::look;
use crate::shared::next::FOLDER;
use crate::shared::project;
use arguments::CargoRequest;
use clap::{CommandFactory, FromArgMatches};
use folder::Folder;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use raceproof_cc::runtime;
use raceproof_host::interrupt;
use raceproof_host::note;
use raceproof_host::output::deliver;
use records::Records;
use runner::{RUNNER, TEST_RUNNER};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{self, Command, ExitCode};
use std::thread;
use std::time::Duration;

/// The only system that native programs run on; see `crates/native`.
const TARGET: &str = "x86_64-unknown-linux-gnu";

pub const HELP: &str = "\
Build a crate that uses rayon or threads with instrumentation, run it, and report its data races

Usage: cargo raceproof build|run|test|bench [OPTIONS] [CARGO'S OPTIONS] [-- ARGS]
       cargo raceproof verify|replay [OPTIONS] [--test NAME|--lib|--bin NAME] [CARGO'S OPTIONS] [-- TEST|ARGS]

`test` runs each test in a process of its own, and judges it by itself. `verify` runs one test, or one
program, under every schedule that can differ, and `replay` under the schedule of a finding; their options
are those of `raceproof verify` and `raceproof replay`.

Options of the others, besides those of cargo's command of the same name:
      --format <FORMAT>      What the report looks like: text, json, html, sarif or github [default: text]
      --threads <N,…>        Run once for pools of each of these sizes, and join what is found [default: RAYON_NUM_THREADS, or 4]
  -o, --output <OUT>         Write the report to a file instead of standard output; of several tests, one for all
      --junit <FILE>         Write what came of each test as JUnit's XML
      --partition <PART>     Run a part of the tests: count:M/N or hash:M/N, with M from 1 to N
      --suppressions <FILE>  Leave out the findings that this file names
      --print-suppressions   Print lines for --suppressions that name what was found
      --baseline <FILE>      Fail for new findings only: not for those in this file, a JSON report or a written baseline
      --write-baseline <FILE>  Write what was found to a file for --baseline
      --time-limit <S>       End each run after so many seconds, with what was found by then
      --trace <FILE>         Record the run in a file, for `raceproof analyze`; with `run`
      --max-findings <N>     Show so many findings in a text report [default: 20]
      --once                 Do not run a program again that has races, for all pairs of accesses and a witness
      --strict               Inconclusive, not race-free, if C code in the program is not instrumented

What is built is in target/raceproof. docs/RAYON.md and docs/THREADS.md tell how it works and what is promised.

Exit status:
  0  no race
  1  a race, a deadlock or a program error was found; a test failed
  2  bad usage or bad input: the crate does not compile
  3  inconclusive: a limit was reached first, or nothing ran in parallel";

/// What `cargo raceproof` does; `words` as the process was given them.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let mut words: Vec<OsString> = words.skip(1).collect();
    if linker::is_wanted() {
        return linker::run(&words);
    }
    if let Some(runner) = words.first().filter(|word| *word == RUNNER || *word == TEST_RUNNER) {
        return start(&words[1..], runner == TEST_RUNNER);
    }
    if words.first().is_some_and(|word| word == executable::ACT) {
        return act(&words[1..]);
    }
    if words.first().is_some_and(|word| word == "raceproof") {
        words.remove(0);
    } else if compiler::is_wanted() {
        return compiler::run(&words);
    }
    let done = match words.first().and_then(|word| word.to_str()) {
        Some("--version" | "-V") => {
            deliver(&format!("cargo-raceproof {}\n", env!("CARGO_PKG_VERSION")), None)
                .map(|()| ExitCode::SUCCESS)
        }
        None | Some("--help" | "-h" | "help") => {
            deliver(&format!("{HELP}\n"), None).map(|()| ExitCode::from(u8::from(words.is_empty()) * 2))
        }
        _ => build(&words),
    };
    done.unwrap_or_else(|wrong| {
        note(&format!("raceproof: error: {wrong}"));
        ExitCode::from(2)
    })
}

/// Has cargo build and start what is asked for.
fn build(words: &[OsString]) -> Result<ExitCode, String> {
    let request = CargoRequest::parse(words)?;
    if request.asks_for_help {
        return deliver(&format!("{HELP}\n"), None).map(|()| ExitCode::SUCCESS);
    }
    let own = env::current_exe().map_err(|error| format!("cannot tell where this program is: {error}"))?;
    let library = runtime::find_shared()?;
    let folder = Folder::prepare(&request, &library)?;
    let mut cargo = Command::new(cargo());
    cargo.arg(request.cargo_s()).args(["--target", TARGET, "--target-dir"]).arg(&folder.path);
    if request.runs() {
        let name = if request.has_harness() { TEST_RUNNER } else { RUNNER };
        runner::ask_for(&mut cargo, &own, name, &request.own)?;
    }
    if !request.searches() {
        cargo.args(&request.cargo);
    }
    cargo.env("RUSTC_WRAPPER", &own).env(OUTCOMES, folder.outcomes());
    if let Ok(here) = env::current_dir() {
        cargo.env(FOLDER, here);
    }
    compiler::ask_for(&mut cargo, &library, &folder.drop_in());
    if request.has_harness() && env::var_os(TEST_THREADS).is_none() {
        // Where the harness is not Rust's own, but keeps to its variable: one test after the other.
        cargo.env(TEST_THREADS, "1");
    }
    if let Some(part) = &request.partition {
        cargo.env(each_test::PARTITION, part);
    }
    if request.searches() {
        return executable::act_on(cargo, &own, &request);
    }
    let records = Records::new(&folder.path)?;
    records.ask_for(&mut cargo);
    cargo.env(OWNER, process::id().to_string());
    let status = interrupt::status_of(&mut cargo).map_err(|error| format!("cannot start cargo: {error}"))?;
    let status = folder.verdict(status.success());
    Ok(ExitCode::from(if request.runs() { records.finish(&request, status)? } else { status }))
}

/// How many tests the harness runs at a time.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// Where the statuses of the programs that were run are gathered: cargo has its own.
const OUTCOMES: &str = "RACEPROOF_OUTCOMES";

/// The process that cargo works for.
const OWNER: &str = "RACEPROOF_OWNER";

/// Has this process asked to end when cargo, which has started it, does, or the process that cargo
/// works for.
fn end_with_owner() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGTERM);
    let Some(owner) = env::var(OWNER).ok().and_then(|number| number.parse().ok()) else { return };
    thread::spawn(move || {
        while kill(Pid::from_raw(owner), None).is_ok() {
            thread::sleep(Duration::from_millis(200));
        }
        let _ = kill(Pid::this(), Signal::SIGTERM);
    });
}

/// A command line of `raceproof`, as [`executable`] asks for it in a process of its own.
fn act(words: &[OsString]) -> ExitCode {
    interrupt::install();
    end_with_owner();
    match parsed([OsString::from("raceproof")].into_iter().chain(words.iter().cloned()).collect()) {
        Ok(args) => ExitCode::from(commands::act(args)),
        Err(wrong) => commands::refuse(&wrong),
    }
}

/// Runs a program that cargo has built; the words are those of `raceproof run`. Of several test
/// programs, those in which nothing ran in parallel do not keep cargo from starting the others;
/// they count if there are no others.
fn start(words: &[OsString], is_test: bool) -> ExitCode {
    interrupt::install();
    end_with_owner();
    let words = runner::words(words);
    let outcomes = env::var_os(OUTCOMES);
    let folder = outcomes.as_deref().and_then(|outcomes| Path::new(outcomes).parent());
    if let Some(status) = runner::run_for_host(&words, folder) {
        folder::note_outcome(outcomes, ProgramOutcome::Status(status));
        return ExitCode::from(status);
    }
    let all = ["raceproof", "run"].map(OsString::from).into_iter().chain(words).collect();
    // These variables were for cargo; the program may call cargo itself.
    let outcome = match parsed(all) {
        Ok(mut args) => {
            if is_test {
                records::of_several(&mut args);
            }
            look::keep(args.look);
            match &args.command {
                cli::Command::Run(run) => {
                    let tests = if is_test { each_test::run(run) } else { None };
                    tests.unwrap_or_else(|| {
                        let now = !is_test || !records::is_deferred(run);
                        let (outcome, ran) = commands::started_by_cargo(run, now);
                        records::note(&run.program[0], None, ran.as_ref().map_err(String::as_str));
                        outcome
                    })
                }
                _ => ProgramOutcome::Status(commands::act(args)),
            }
        }
        Err(wrong) => {
            note(&format!("raceproof: {wrong}"));
            ProgramOutcome::Status(2)
        }
    };
    // A program that is the only one is as inconclusive as it says.
    let outcome =
        if outcome == ProgramOutcome::Sequential && !is_test { ProgramOutcome::Status(3) } else { outcome };
    folder::note_outcome(outcomes, outcome);
    ExitCode::from(match outcome {
        ProgramOutcome::Sequential => 0,
        ProgramOutcome::Status(status) => status,
    })
}

/// A command line of `raceproof`, with what the project file adds to it.
fn parsed(words: Vec<OsString>) -> Result<Args, String> {
    let first = |error: clap::Error| error.to_string().trim_start_matches("error: ").to_owned();
    let matches = Args::command().try_get_matches_from(words).map_err(first)?;
    let mut args = Args::from_arg_matches(&matches).map_err(first)?;
    project::complete(&mut args, &matches)?;
    Ok(args)
}

fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn text(word: &OsStr) -> Result<String, String> {
    word.to_str().map(str::to_owned).ok_or_else(|| format!("{} is not UTF-8", word.display()))
}
