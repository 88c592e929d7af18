//! The benchmarks of the core: `cargo bench -p raceproof-cli --bench core`.
//!
//! Prints markdown tables; with `-- --write` they replace the sections of `docs/BENCHMARKS.md`, which also says what
//! is measured. Names of sections (`table3 growth detectors ratio search`) select some of them. Ends with
//! status 1 if a target is missed.

mod child;
mod detectors;
mod document;
mod growth;
mod programs;
mod ratio;
mod search;
mod table3;

use document::Document;
use std::process::ExitCode;

/// What a section gives: its text, and the targets it missed.
pub(crate) struct Section {
    pub(crate) text: String,
    pub(crate) missed: Vec<String>,
}

type Measure = fn() -> Section;

const SECTIONS: [(&str, Measure); 6] = [
    ("machine", document::machine),
    ("table3", table3::measure),
    ("growth", growth::measure),
    ("detectors", detectors::measure),
    ("ratio", ratio::measure),
    ("search", search::measure),
];

fn main() -> ExitCode {
    // Cargo adds `--bench` of its own.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [flag, job @ ..] = args.as_slice()
        && flag == child::FLAG
    {
        return child::serve(job);
    }
    let (flags, names): (Vec<&str>, Vec<&str>) =
        args.iter().map(String::as_str).partition(|arg| arg.starts_with('-'));
    let known = |name: &&str| SECTIONS.iter().any(|(known, _)| known == name);
    if flags.iter().any(|&flag| flag != "--write") || !names.iter().all(known) {
        eprintln!("usage: core [--write] [machine|table3|growth|detectors|ratio|search]…");
        return ExitCode::from(2);
    }
    let mut document = if flags.is_empty() { None } else { Some(Document::open()) };
    let mut missed = Vec::new();
    for (name, measure) in SECTIONS {
        if names.is_empty() || names.contains(&name) {
            let section = measure();
            println!("## {name}\n\n{}", section.text);
            if let Some(document) = &mut document {
                document.replace(&format!("core:{name}"), &section.text);
            }
            missed.extend(section.missed);
        }
    }
    if let Some(document) = document {
        document.save();
    }
    for target in &missed {
        eprintln!("missed: {target}");
    }
    ExitCode::from(u8::from(!missed.is_empty()))
}
