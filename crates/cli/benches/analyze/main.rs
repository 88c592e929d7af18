//! The benchmarks of traces: `cargo bench -p raceproof-cli --bench analyze`.
//!
//! Prints markdown tables; with `-- --write` they replace the sections of `docs/BENCHMARKS.md`,
//! which also says what is measured. Names of sections (`rates memory workers validation netzer`) select
//! some of them. Ends with status 1 if a target is missed. `-- --generate FILE THREADS EVENTS`
//! writes one of the traces.

mod child;
#[path = "../common/mod.rs"]
mod common;
mod document;
mod generate;
mod netzer;
mod plain;
mod rates;
mod validation;
mod workers;

use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;

/// What a section gives; a measurement can give several.
pub(crate) struct Section {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    pub(crate) missed: Vec<String>,
}

fn main() -> ExitCode {
    let args = common::frame::arguments();
    match &args[..] {
        [flag, job @ ..] if flag == common::process::FLAG => return child::serve(job),
        [flag, file, threads, events] if flag == "--generate" => {
            let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} is no number"));
            let out = BufWriter::new(File::create(file).expect("the trace can be written"));
            generate::generate(out, number(threads), number(events)).expect("the trace can be written");
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let (flags, names): (Vec<&str>, Vec<&str>) =
        args.iter().map(String::as_str).partition(|arg| arg.starts_with('-'));
    let known = ["rates", "workers", "validation", "netzer"];
    if flags.iter().any(|&flag| flag != "--write") || !names.iter().all(|name| known.contains(name)) {
        eprintln!("usage: analyze [--write] [{}]…", known.join("|"));
        return ExitCode::from(2);
    }
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    let mut sections = Vec::new();
    if wanted("rates") {
        sections.extend(rates::measure());
    }
    if wanted("workers") {
        sections.push(workers::measure());
    }
    if wanted("validation") {
        sections.push(validation::measure());
    }
    if wanted("netzer") {
        sections.push(netzer::measure());
    }
    for section in &sections {
        println!("## {}\n\n{}", section.name, section.text);
        section.missed.iter().for_each(|target| eprintln!("missed: {target}"));
    }
    if !flags.is_empty() {
        document::write(&sections);
    }
    ExitCode::from(u8::from(sections.iter().any(|section| !section.missed.is_empty())))
}
