//! The benchmark of native programs: `cargo bench -p raceproof-cli --bench native`.
//!
//! Builds the runtime, compiles the programs of `programs/c/bench` in four ways, runs them in turn,
//! and prints markdown tables; with `-- --write` they replace the sections of `docs/BENCHMARKS.md`,
//! which also says what is measured. Ends with status 1 if a target is missed, naming each.

mod build;
#[path = "../common/mod.rs"]
mod common;
// The tests use more of it.
#[allow(dead_code, unreachable_pub)]
#[path = "../../tests/support/native/expect.rs"]
mod expect;
mod explore;
mod growth;
mod programs;
mod promises;
mod run;
mod table;
mod threaded;
mod verdicts;

use common::document::Document;
use common::{Section, document};
use std::process::ExitCode;

const USAGE: &str =
    "usage: native [--write] [--quick] [--repeats N] [--threads N] [--only NAME]… [--no-growth] [--explore] [--verdicts] [--promises] [--threaded]

  --write      put the tables into docs/BENCHMARKS.md (not with --only or --quick: it holds whole tables)
  --quick      one repeat, the small inputs that the tests use: does everything work?
  --repeats N  how often each program is run in each way (3)
  --threads N  the size of teams under raceproof and, besides 1, under ThreadSanitizer (the number of cores)
  --only NAME  this program; may be given again
  --no-growth  leave out the growth with the number of tasks
  --explore    only what `raceproof verify` takes; may be written by itself
  --promises   only the programs of programs/c/drdp, on HClib; may be written by itself
  --threaded   only the programs with threads of their own; may be written by itself
  --verdicts   only what ThreadSanitizer with Archer says of programs/c; may be written by itself";

pub(crate) struct Options {
    write: bool,
    pub(crate) quick: bool,
    pub(crate) repeats: usize,
    pub(crate) threads: usize,
    pub(crate) only: Vec<String>,
    growth: bool,
    explore: bool,
    verdicts: bool,
    promises: bool,
    threaded: bool,
}

fn options(words: impl Iterator<Item = String>) -> Result<Options, String> {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).max(2);
    let mut options = Options {
        write: false,
        quick: false,
        repeats: 3,
        threads,
        only: Vec::new(),
        growth: true,
        explore: false,
        verdicts: false,
        promises: false,
        threaded: false,
    };
    // Cargo adds `--bench` of its own.
    let mut words = words.filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        let mut number = |what: &str| {
            let value = words.next().and_then(|value| value.parse().ok()).filter(|&value: &usize| value > 0);
            value.ok_or_else(|| format!("{what} wants a number from 1 on"))
        };
        match word.as_str() {
            "--write" => options.write = true,
            "--quick" => options.quick = true,
            "--no-growth" => options.growth = false,
            "--explore" => options.explore = true,
            "--verdicts" => options.verdicts = true,
            "--promises" => options.promises = true,
            "--threaded" => options.threaded = true,
            "--repeats" => options.repeats = number("--repeats")?,
            "--threads" => options.threads = number("--threads")?,
            "--only" => {
                let name = words.next().filter(|name| programs::ALL.iter().any(|known| known.name == name));
                options.only.push(name.ok_or_else(|| format!("--only wants one of: {}", programs::names()))?);
            }
            other => return Err(format!("{other} is no option")),
        }
    }
    if options.quick {
        options.repeats = 1;
    }
    if options.write && (options.quick || !options.only.is_empty() || !options.growth) {
        return Err("--write is for the whole tables".into());
    }
    Ok(options)
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if(|word| word == run::CHILD).is_some() {
        return run::serve(words.collect());
    }
    let options = match options(words) {
        Ok(options) => options,
        Err(wrong) => {
            eprintln!("{wrong}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match measure(&options) {
        Ok(missed) => {
            missed.iter().for_each(|target| eprintln!("missed: {target}"));
            ExitCode::from(u8::from(!missed.is_empty()))
        }
        Err(wrong) => {
            eprintln!("{wrong}");
            ExitCode::from(2)
        }
    }
}

fn measure(options: &Options) -> Result<Vec<String>, String> {
    let tools = build::Tools::find()?;
    let mut machine = document::machine();
    machine.text =
        format!("{}; runs of each program in each way: {}\n", machine.text.trim_end(), options.repeats);
    let mut sections = Vec::new();
    if options.verdicts {
        sections.push(("verdicts", verdicts::measure(&tools)?));
    } else if options.promises {
        sections.push(("promises", promises::measure(&tools, options)?));
    } else if options.threaded {
        sections.push(("threaded", threaded::measure(&tools, options)?));
    } else if !options.explore {
        sections = vec![("machine", machine), ("programs", table::measure(&tools, options)?)];
        if options.only.is_empty() {
            sections.push(("promises", promises::measure(&tools, options)?));
            sections.push(("threaded", threaded::measure(&tools, options)?));
        }
        if options.growth && options.only.is_empty() {
            sections.push(("growth", growth::measure(&tools, options)?));
        }
    }
    if options.only.is_empty() && !options.verdicts && !options.promises && !options.threaded {
        sections.push(("explore", explore::measure(&tools, options)?));
    }
    let mut document = options.write.then(Document::open);
    let mut all_missed = Vec::new();
    for (name, Section { text, missed }) in sections {
        println!("## {name}\n\n{text}");
        if let Some(document) = &mut document {
            document.replace(&format!("native:{name}"), &text);
        }
        all_missed.extend(missed);
    }
    if let Some(document) = document {
        document.save();
    }
    Ok(all_missed)
}
