//! Builds and runs a racy program for each front end: raceproof works if it finds the race.

use super::{Check, Outcome};
use crate::args::FrontEnd;
use raceproof_host::beside;
use raceproof_host::interrupt::output_of;
use raceproof_host::output::private_folder;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TP: &str = include_str!("trial/race.tp");
const C: &str = include_str!("trial/race.c");
const FORTRAN: &str = include_str!("trial/race.f90");
const RUST: &str = include_str!("trial/rust.txt");

/// A package that has the name of rayon's core, in whose place `cargo raceproof` compiles its own:
/// so nothing has to be fetched.
const CORE_MANIFEST: &str = "[package]\nname = \"rayon-core\"\nversion = \"1.0.0\"\nedition = \"2021\"\n";
const MANIFEST: &str = "[package]\nname = \"trial\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n\
                        rayon-core = { path = \"rayon-core\" }\n\n[workspace]\n";

pub(super) fn tp() -> Check {
    outcome(FrontEnd::Tp, "a TP program", || {
        let folder = private_folder()?;
        let file = write(folder.path(), "race.tp", TP)?;
        verdict(own()?.args(["check", "--format", "json"]).arg(file))
    })
}

pub(super) fn openmp() -> Check {
    outcome(FrontEnd::Openmp, "a C program with OpenMP", || compiled("cc", "race.c", C))
}

pub(super) fn fortran() -> Check {
    outcome(FrontEnd::Fortran, "a Fortran program", || compiled("fc", "race.f90", FORTRAN))
}

fn compiled(verb: &str, name: &str, text: &str) -> Result<(), String> {
    let folder = private_folder()?;
    let source = write(folder.path(), name, text)?;
    let program = folder.path().join("race");
    let mut build = own()?;
    build.arg(verb).args(["-fopenmp", "-O1"]).arg(source).arg("-o").arg(&program);
    let built = output_of(build.current_dir(folder.path())).map_err(|error| error.to_string())?;
    if !built.status.success() {
        return Err(format!("it does not compile: {}", first_error(&built.stderr)));
    }
    verdict(own()?.args(["run", "--format", "json", "--threads", "2", "--"]).arg(program))
}

pub(super) fn rayon() -> Check {
    outcome(FrontEnd::Rust, "a Rust program with rayon", || {
        let folder = private_folder()?;
        write(folder.path(), "Cargo.toml", MANIFEST)?;
        write(folder.path(), "src/main.rs", RUST)?;
        write(folder.path(), "rayon-core/Cargo.toml", CORE_MANIFEST)?;
        write(folder.path(), "rayon-core/src/lib.rs", "")?;
        let report = folder.path().join("report.json");
        let mut command = Command::new(beside::find("cargo-raceproof"));
        command.args(["raceproof", "run", "--offline", "--format", "json", "--output"]).arg(&report);
        command.current_dir(folder.path()).env_remove("CARGO_TARGET_DIR").env_remove("RACEPROOF_OPTIONS");
        let done =
            output_of(&mut command).map_err(|error| format!("cannot start cargo-raceproof: {error}"))?;
        let text = fs::read_to_string(report).unwrap_or_default();
        judged(&text).map_err(|wrong| format!("{wrong}: {}", first_error(&done.stderr)))
    })
}

fn outcome(area: FrontEnd, program: &str, trial: impl FnOnce() -> Result<(), String>) -> Check {
    let name = format!("trial: {program}");
    match trial() {
        Ok(()) => Check::new(area, name, Outcome::Ok, "built and run, and its race was found"),
        Err(wrong) => Check::new(area, name, Outcome::Missing, wrong),
    }
}

fn own() -> Result<Command, String> {
    let own = env::current_exe().map_err(|error| format!("cannot tell where this program is: {error}"))?;
    let mut command = Command::new(own);
    command.env_remove("RACEPROOF_OPTIONS");
    Ok(command)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    let written = fs::create_dir_all(path.parent().unwrap_or(folder)).and_then(|()| fs::write(&path, text));
    written.map(|()| path.clone()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Runs a command that reports in JSON, and wants it to find a race.
fn verdict(command: &mut Command) -> Result<(), String> {
    let done = output_of(command).map_err(|error| format!("cannot start raceproof: {error}"))?;
    judged(&String::from_utf8_lossy(&done.stdout))
        .map_err(|wrong| format!("{wrong}: {}", first_error(&done.stderr)))
}

fn judged(report: &str) -> Result<(), String> {
    let report: serde_json::Value =
        serde_json::from_str(report).map_err(|_| "there is no report".to_owned())?;
    match report["verdict"].as_str() {
        Some("race") => Ok(()),
        Some(other) => Err(format!("its race was not found; the verdict is {other}")),
        None => Err("the report has no verdict".to_owned()),
    }
}

/// The line that tells most.
fn first_error(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let error = lines.clone().find(|line| line.contains("error"));
    error.or_else(|| lines.next()).unwrap_or("it said nothing").trim().to_owned()
}
