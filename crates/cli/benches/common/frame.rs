//! A benchmark of several sections: the command line, the tables on standard output and in
//! `docs/BENCHMARKS.md`, the status.

use super::Section;
use super::document::Document;
use std::process::ExitCode;

/// The name of a section, and how it is measured.
pub(crate) type Measure = (&'static str, fn() -> Section);

/// The arguments of the benchmark; Cargo adds `--bench` of its own.
pub(crate) fn arguments() -> Vec<String> {
    std::env::args().skip(1).filter(|arg| arg != "--bench").collect()
}

/// Measures the sections that the arguments name, or all of them; status 1 if a target is missed.
pub(crate) fn run(benchmark: &str, sections: &[Measure], arguments: &[String]) -> ExitCode {
    let (flags, names): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|arg| arg.starts_with('-'));
    let known: Vec<&str> = sections.iter().map(|&(name, _)| name).collect();
    let usage = format!(
        "usage: {benchmark} [--write] [{}]…\n\n  --write  put the tables into docs/BENCHMARKS.md",
        known.join("|")
    );
    if flags.contains(&"--help") {
        println!("{usage}");
        return ExitCode::SUCCESS;
    }
    if flags.iter().any(|&flag| flag != "--write") || !names.iter().all(|name| known.contains(name)) {
        eprintln!("{usage}");
        return ExitCode::from(2);
    }
    let mut document = if flags.is_empty() { None } else { Some(Document::open()) };
    let mut missed = Vec::new();
    for (name, measure) in sections {
        if names.is_empty() || names.contains(name) {
            let section = measure();
            println!("## {name}\n\n{}", section.text);
            if let Some(document) = &mut document {
                document.replace(&format!("{benchmark}:{name}"), &section.text);
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
