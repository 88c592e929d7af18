//! Programs that create their threads themselves, in C++ (`programs/c/bench/threads_…`) and Rust
//! (`bench/threads`, with rayon's iterators beside them): time and memory as they are, with
//! raceproof, and with ThreadSanitizer.
//!
//! ThreadSanitizer for Rust is that of the same toolchain: `-Zsanitizer=thread`, for which the
//! compiler is told to take unstable options. The standard library is not instrumented, neither for
//! raceproof nor for ThreadSanitizer.

use crate::build::{Tools, Way, small_input, source, succeed};
use crate::document::{Table, number};
use crate::programs::repository;
use crate::run::{Cost, Job, interleaved};
use crate::{Options, Section};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const CPP: [&str; 6] = ["compress", "hashmap", "queue", "pipeline", "sort", "stencil"];
/// And the argument for a quick trial.
const RUST: [(&str, &str); 8] = [
    ("compress", "4"),
    ("hashmap", "1000"),
    ("queue", "300"),
    ("pipeline", "40"),
    ("rayon_sort", "20000"),
    ("rayon_join", "20000"),
    ("rayon_sum", "1000"),
    ("rayon_stencil", "64"),
];

const WAYS: [Way; 3] = [Way::Plain, Way::Raceproof, Way::Tsan];
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

struct Program {
    name: String,
    /// One for each of [`WAYS`].
    built: [PathBuf; 3],
    arguments: Vec<String>,
}

fn cpp(tools: &Tools, name: &str, quick: bool) -> Result<Program, String> {
    let name = format!("threads_{name}");
    let compile = |way: Way| {
        let output = tools.folder().join(format!("{name}-{way:?}").to_lowercase());
        let mut command = match way {
            Way::Raceproof => {
                let mut command = Command::new(tools.raceproof());
                command.arg("c++");
                command
            }
            _ => Command::new(tools.clang(true)),
        };
        command.args(["-O2", "-std=c++17", "-pthread"]);
        if way == Way::Tsan {
            command.args(["-g", "-fsanitize=thread"]);
        }
        succeed(command.arg(source(&name)).arg("-o").arg(&output)).map(|()| output)
    };
    let [plain, raceproof, tsan] = WAYS.map(compile);
    let arguments = if quick { small_input(&name)? } else { Vec::new() };
    Ok(Program { built: [plain?, raceproof?, tsan?], arguments, name })
}

/// Builds all programs in Rust in one way; the folder they are in.
fn build_rust(tools: &Tools, way: Way) -> Result<PathBuf, String> {
    let target = tools.folder().join(format!("rust-{way:?}").to_lowercase());
    let mut command = match way {
        Way::Raceproof => {
            let mut command = Command::new(tools.raceproof().with_file_name("cargo-raceproof"));
            command.args(["raceproof", "build"]);
            command
        }
        _ => {
            let mut command = Command::new(env!("CARGO"));
            command.args(["build", "--target", TRIPLE]);
            command
        }
    };
    if way == Way::Tsan {
        // The second option: the standard library was built without.
        let flags = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer";
        command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", flags);
    }
    command.args(["--release", "--quiet"]).env("CARGO_TARGET_DIR", &target);
    succeed(command.current_dir(repository().join("bench/threads")))?;
    let target = if way == Way::Raceproof { target.join("raceproof") } else { target };
    Ok(target.join(TRIPLE).join("release"))
}

impl Program {
    fn measure(&self, tools: &Tools, options: &Options) -> Result<[Cost; 3], String> {
        let job = |(program, way): (&PathBuf, Way)| Job {
            program: program.clone(),
            way,
            threads: options.threads,
            arguments: self.arguments.clone(),
        };
        let jobs: Vec<Job> = self.built.iter().zip(WAYS).map(job).collect();
        let mut costs = interleaved(tools, &jobs, options.repeats).into_iter().zip(WAYS);
        let mut next = || {
            let (cost, way) = costs.next().ok_or("it was not run")?;
            cost.map_err(|wrong| format!("{}, {way:?}: {wrong}", self.name))
        };
        Ok([next()?, next()?, next()?])
    }
}

pub(crate) fn measure(tools: &Tools, options: &Options) -> Result<Section, String> {
    fs::create_dir_all(tools.folder()).map_err(|error| error.to_string())?;
    let mut programs = Vec::new();
    for name in CPP {
        programs.push(cpp(tools, name, options.quick)?);
    }
    let [plain, raceproof, tsan] = WAYS.map(|way| build_rust(tools, way));
    let folders = [plain?, raceproof?, tsan?];
    for (name, small) in RUST {
        let arguments = if options.quick { vec![small.to_owned()] } else { Vec::new() };
        let built = folders.each_ref().map(|folder| folder.join(name));
        programs.push(Program { name: format!("{name} (Rust)"), built, arguments });
    }
    let mut table = Table::new(&[
        "program",
        "plain s",
        "raceproof s",
        "× plain",
        "TSan s",
        "raceproof / TSan",
        "plain MB",
        "raceproof MB",
        "TSan MB",
        "MB / TSan",
    ]);
    let mut missed = Vec::new();
    for program in &programs {
        eprintln!("{} …", program.name);
        let [plain, raceproof, tsan] = program.measure(tools, options)?;
        let slowdown = raceproof.seconds / plain.seconds;
        let (time, memory) = (raceproof.seconds / tsan.seconds, raceproof.megabytes / tsan.megabytes);
        let cells = [
            plain.seconds,
            raceproof.seconds,
            slowdown,
            tsan.seconds,
            time,
            plain.megabytes,
            raceproof.megabytes,
            tsan.megabytes,
            memory,
        ];
        let cells: Vec<String> = std::iter::once(program.name.clone()).chain(cells.map(number)).collect();
        table.row(&cells);
        for (value, what) in [(time, "time"), (memory, "memory")] {
            if value > 1.0 {
                let value = number(value);
                missed
                    .push(format!("{}: {value} of ThreadSanitizer's {what}, at most 1 wanted", program.name));
            }
        }
    }
    Ok(Section { text: table.into_text(), missed })
}
