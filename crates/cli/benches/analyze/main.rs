//! The benchmarks of traces: `cargo bench -p raceproof-cli --bench analyze`.
//!
//! Prints markdown tables; with `-- --write` they replace the sections of `docs/BENCHMARKS.md`,
//! which also says what is measured. Names of sections (`rates workers validation netzer`; `rates`
//! measures the memory as well) select some of them. `--events N` adds traces of so many events to
//! those of `workers`. Ends with status 1 if a target is missed. `-- --generate FILE THREADS
//! EVENTS` writes one of the traces.

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
    let known = ["rates", "workers", "validation", "netzer"];
    let (mut write, mut events, mut names) = (false, None, Vec::new());
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        match arg {
            "--write" => write = true,
            "--events" => match rest.next().and_then(|number| number.parse::<u64>().ok()) {
                Some(number) if number > workers::EVENTS => events = Some(number),
                _ => {
                    eprintln!("--events is followed by a number above {}", workers::EVENTS);
                    return ExitCode::from(2);
                }
            },
            name if known.contains(&name) => names.push(name),
            _ => {
                eprintln!("usage: analyze [--write] [--events N] [{}]…", known.join("|"));
                return ExitCode::from(2);
            }
        }
    }
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    // Measurements take minutes: there has to be a place for them.
    if write {
        document::check();
    }
    let mut sections = Vec::new();
    if wanted("rates") {
        sections.extend(rates::measure());
    }
    if wanted("workers") {
        sections.push(workers::measure(events));
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
    if write {
        document::write(&sections);
    }
    ExitCode::from(u8::from(sections.iter().any(|section| !section.missed.is_empty())))
}
