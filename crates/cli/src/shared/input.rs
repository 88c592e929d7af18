//! Input files: read within bounds, and recognised if they belong to another command.
//!
//! A device may never end, and users give `check` what is for `run`. The first bytes of a file, or
//! its name, tell what it is; the error names the right command.

use raceproof_core::finding::Report;
use raceproof_core::trace::writer::MAGIC;
use raceproof_report::baseline::read_report;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a source: of any that people write, and not too many for a machine that was
/// given a device instead.
const LONGEST_SOURCE: u64 = 64 << 20;

/// The most bytes of a report or witness.
const LONGEST_REPORT: u64 = 512 << 20;

/// The bytes of a source; `-` is standard input. With what it is called.
pub(crate) fn source(file: &Path) -> Result<(String, Vec<u8>), String> {
    if file == Path::new("-") {
        let name = "<stdin>".to_owned();
        return bounded(io::stdin().lock(), &name, LONGEST_SOURCE).map(|bytes| (name, bytes));
    }
    let name = file.display().to_string();
    let reader = File::open(file).map_err(|error| format!("cannot read {name}: {error}"))?;
    bounded(reader, &name, LONGEST_SOURCE).map(|bytes| (name, bytes))
}

/// The text of a report or witness.
pub(crate) fn report(file: &Path) -> Result<String, String> {
    let name = file.display().to_string();
    let reader = File::open(file).map_err(|error| format!("cannot read {name}: {error}"))?;
    let bytes = bounded(reader, &name, LONGEST_REPORT)?;
    String::from_utf8(bytes).map_err(|_| format!("cannot read {name}: it is not UTF-8 text"))
}

/// The findings of a report in JSON.
pub(crate) fn findings(file: &Path) -> Result<Report, String> {
    let text = report(file)?;
    let name = file.display();
    read_report(&text).map_err(|wrong| {
        let between = if wrong.starts_with(|c: char| c.is_ascii_digit()) { ":" } else { ": " };
        format!("{name}{between}{wrong}")
    })
}

fn bounded(reader: impl Read, name: &str, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = reader.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read {name}: {error}"))?;
    if bytes.len() as u64 > most {
        return Err(format!("{name}: more than {} MB, or endless: expected a file of text", most >> 20));
    }
    Ok(bytes)
}

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileKind {
    Tp,
    /// A program that the system can run.
    Native,
    Script,
    /// What a compiler makes of one source.
    Object,
    C,
    Cxx,
    Fortran,
    Rust,
    Trace,
    Unknown,
}

/// What a file is, as far as that can be told without taking anything out of a pipe.
pub(crate) fn kind(file: &Path) -> FileKind {
    let mut start = Vec::new();
    if fs::metadata(file).is_ok_and(|about| about.is_file())
        && let Ok(reader) = File::open(file)
    {
        let _ = reader.take(20).read_to_end(&mut start);
    }
    // Byte 16 of an ELF file says what it is for; 1 is to be linked.
    if start.starts_with(b"\x7fELF") {
        return if start.get(16) == Some(&1) { FileKind::Object } else { FileKind::Native };
    }
    if start.starts_with(&MAGIC) {
        return FileKind::Trace;
    }
    match file.extension().and_then(OsStr::to_str) {
        Some("tp") => FileKind::Tp,
        Some("c" | "i") => FileKind::C,
        Some("C" | "cc" | "cpp" | "cxx" | "c++" | "ii") => FileKind::Cxx,
        Some("f" | "F" | "for" | "f90" | "F90" | "f95" | "F95" | "f03" | "F03" | "f08" | "F08") => {
            FileKind::Fortran
        }
        Some("rs") => FileKind::Rust,
        Some("rpt") => FileKind::Trace,
        _ if start.starts_with(b"#!") => FileKind::Script,
        _ => FileKind::Unknown,
    }
}

/// Whether a file is a program that can be run.
pub(crate) fn is_native(file: &Path) -> bool {
    matches!(kind(file), FileKind::Native | FileKind::Script)
}

/// Whether a file is a trace, by its first bytes or its name.
pub(crate) fn is_trace(file: &Path) -> bool {
    kind(file) == FileKind::Trace || file.extension().is_some_and(|name| name == "std")
}

/// A command, what it takes, and what to type for what it does not take; `{}` is the file, or the
/// program made of it.
pub(crate) struct Verb {
    name: &'static str,
    takes: &'static str,
    native: &'static str,
    rust: &'static str,
    tp: &'static str,
    trace: &'static str,
}

const NO_TRACE: &str = "`raceproof analyze {}`, which finds its races";
const IN_PACKAGE: &str = "`cargo raceproof run` in its package";

pub(crate) const CHECK: Verb = Verb {
    name: "check",
    takes: "TP programs",
    native: "`raceproof run {}` for one run, or `raceproof verify {}` for all schedules",
    rust: IN_PACKAGE,
    tp: "",
    trace: NO_TRACE,
};

pub(crate) const VERIFY: Verb = Verb {
    name: "verify",
    takes: "TP programs and programs built by `raceproof cc` or `cargo raceproof`",
    native: "`raceproof verify {}`",
    rust: "`cargo raceproof build` in its package, then `raceproof verify target/raceproof/…/NAME`",
    tp: "",
    trace: NO_TRACE,
};

/// The same behind `--`.
pub(crate) const VERIFY_PROGRAM: Verb = Verb { tp: "`raceproof verify {}`", ..VERIFY };

pub(crate) const REPLAY: Verb = Verb {
    name: "replay",
    takes: "TP programs and programs built by `raceproof cc` or `cargo raceproof`",
    native: "`raceproof replay --witness REPORT.json {}`",
    rust: "`cargo raceproof build` in its package, then `raceproof replay --witness REPORT.json target/raceproof/…/NAME`",
    tp: "",
    trace: NO_TRACE,
};

pub(crate) const REPLAY_PROGRAM: Verb = Verb { tp: "`raceproof replay --witness REPORT.json {}`", ..REPLAY };

pub(crate) const GRAPH: Verb = Verb {
    name: "graph",
    takes: "TP programs, programs built by `raceproof cc` or `cargo raceproof`, and traces",
    native: "`raceproof graph {}`",
    rust: "`cargo raceproof build` in its package, then `raceproof graph target/raceproof/…/NAME`",
    tp: "",
    trace: "",
};

/// The same behind `--`.
pub(crate) const GRAPH_PROGRAM: Verb =
    Verb { tp: "`raceproof graph {}`", trace: "`raceproof graph {}`", ..GRAPH };

pub(crate) const TRACE: Verb = Verb {
    name: "trace",
    takes: "TP programs, which it records",
    native: "`raceproof run --trace run.rpt {}` to record it",
    rust: "`cargo raceproof run --trace run.rpt` in its package",
    tp: "",
    trace: "`raceproof analyze {}` to find its races, `raceproof trace --stat {}` to see what is in it, or `raceproof trace --convert {} -o \
            OUT`",
};

pub(crate) const ANALYZE: Verb = Verb {
    name: "analyze",
    takes: "traces",
    native: "`raceproof run --trace run.rpt {}`, then `raceproof analyze run.rpt`",
    rust: "`cargo raceproof run --trace run.rpt` in its package, then `raceproof analyze run.rpt`",
    tp: "`raceproof check {}`, or `raceproof trace {} -o run.rpt` and then `raceproof analyze run.rpt`",
    trace: "",
};

/// `trace` with `--stat`, `--check` or `--convert`.
pub(crate) const TRACES: Verb = Verb { name: "trace --stat, --check and --convert", ..ANALYZE };

pub(crate) const RUN: Verb = Verb {
    name: "run",
    takes: "programs built by `raceproof cc` or `cargo raceproof`",
    native: "`raceproof run {}`",
    rust: IN_PACKAGE,
    tp: "`raceproof check {}`",
    trace: NO_TRACE,
};

/// What to say of a file that a command does not take; nothing if it may.
pub(crate) fn refuse(file: &Path, verb: &Verb) -> Option<String> {
    let kind = kind(file);
    let name = file.display().to_string();
    // By its name alone the shell would look for it elsewhere.
    let here = |name: String| if name.contains('/') { name } else { format!("./{name}") };
    let filled = |what: &str, with: &str| what.replace("{}", with);
    let built = |compiler: &str| {
        let made = file.with_extension("").display().to_string();
        let then = filled(verb.native, &here(made.clone()));
        format!("`raceproof {compiler} -fopenmp -g {name} -o {made}`, then {then}")
    };
    let (what, do_instead) = match kind {
        FileKind::Tp => ("a TP program", filled(verb.tp, &name)),
        FileKind::Native => ("a compiled program", filled(verb.native, &here(name.clone()))),
        FileKind::Script => ("a script", filled(verb.native, &here(name.clone()))),
        FileKind::Object => ("an object file", "`raceproof cc` to link it into a program".to_owned()),
        FileKind::C => ("a C source", built("cc")),
        FileKind::Cxx => ("a C++ source", built("c++")),
        FileKind::Fortran => ("a Fortran source", built("fc")),
        FileKind::Rust => ("a Rust source", verb.rust.to_owned()),
        FileKind::Trace => ("a trace", filled(verb.trace, &name)),
        FileKind::Unknown => return None,
    };
    let Verb { name: verb, takes, .. } = verb;
    (!do_instead.is_empty())
        .then(|| format!("{name} is {what}, and `{verb}` takes {takes}; type {do_instead}"))
}
