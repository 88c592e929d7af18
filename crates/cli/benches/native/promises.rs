//! The seven programs of the DRDP paper on HClib's interface: time and memory against a plain
//! runtime, beside the paper's (Table 2 of Jin et al., ECOOP 2023).
//!
//! The plain runtime (`hclib_plain.cpp`) has one worker and no detector. It is leaner than HClib,
//! which the paper compares with, so that programs of small tasks show a larger slowdown here.

use crate::build::{Tools, Way, succeed};
use crate::document::{Table, number};
use crate::programs::repository;
use crate::run::{Cost, Job, interleaved};
use crate::{Options, Section};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program, and what the paper gives: time and memory with detection, times those without.
struct Program {
    name: &'static str,
    slowdown: f64,
    memory: f64,
}

const ALL: [Program; 7] = [
    Program { name: "matmul", slowdown: 20.6, memory: 224.0 },
    Program { name: "sort", slowdown: 41.4, memory: 27.3 },
    Program { name: "strassen", slowdown: 29.2, memory: 130.6 },
    Program { name: "poisson", slowdown: 46.1, memory: 25.1 },
    Program { name: "sparselu", slowdown: 28.1, memory: 417.5 },
    Program { name: "knapsack", slowdown: 5.0, memory: 11.6 },
    Program { name: "health", slowdown: 21.2, memory: 25.9 },
];

/// Of the paper's slowdown, and of the paper's memory.
const OF_SLOWDOWN: f64 = 0.5;
const OF_MEMORY: f64 = 0.1;

impl Program {
    fn source(&self) -> PathBuf {
        repository().join("programs/c/drdp").join(format!("{}_norace.cpp", self.name))
    }

    fn compile(&self, tools: &Tools, way: Way) -> Result<PathBuf, String> {
        let output = tools.folder().join(format!("drdp-{}-{way:?}", self.name).to_lowercase());
        let mut command = match way {
            Way::Raceproof => {
                let mut command = Command::new(tools.raceproof());
                command.args(["c++", "-O2"]).arg(self.source());
                command
            }
            _ => {
                let mut command = Command::new(tools.clang(true));
                command.arg("-O2").arg("-I").arg(repository().join("crates/cc/include/hclib"));
                command
                    .arg(self.source())
                    .arg(repository().join("crates/cli/benches/native/hclib_plain.cpp"));
                command
            }
        };
        fs::create_dir_all(tools.folder()).map_err(|error| error.to_string())?;
        succeed(command.arg("-o").arg(&output))?;
        Ok(output)
    }

    /// The small input that its header names.
    fn small_input(&self) -> Result<Vec<String>, String> {
        let path: &Path = &self.source();
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let arguments = text.lines().find_map(|line| line.strip_prefix("// args: ")).unwrap_or_default();
        Ok(arguments.split_whitespace().map(str::to_owned).collect())
    }

    fn measure(&self, tools: &Tools, options: &Options) -> Result<[Cost; 2], String> {
        let arguments = if options.quick { self.small_input()? } else { Vec::new() };
        let mut jobs = Vec::new();
        for way in [Way::Plain, Way::Raceproof] {
            let program = self.compile(tools, way)?;
            jobs.push(Job { program, way, threads: options.threads, arguments: arguments.clone() });
        }
        let mut costs = interleaved(tools, &jobs, options.repeats).into_iter();
        let mut next = || {
            let cost = costs.next().unwrap_or_else(|| Err("it was not run".to_owned()));
            cost.map_err(|wrong| format!("{}: {wrong}", self.name))
        };
        Ok([next()?, next()?])
    }
}

pub(crate) fn measure(tools: &Tools, options: &Options) -> Result<Section, String> {
    let mut table = Table::new(&[
        "program",
        "plain s",
        "raceproof s",
        "× plain",
        "DRDP × plain",
        "plain MB",
        "raceproof MB",
        "× MB",
        "DRDP × MB",
    ]);
    let mut missed = Vec::new();
    for program in &ALL {
        eprintln!("{} on HClib …", program.name);
        let [plain, raceproof] = program.measure(tools, options)?;
        let slowdown = raceproof.seconds / plain.seconds;
        let memory = raceproof.megabytes / plain.megabytes;
        let cells = [
            plain.seconds,
            raceproof.seconds,
            slowdown,
            program.slowdown,
            plain.megabytes,
            raceproof.megabytes,
            memory,
            program.memory,
        ];
        let cells: Vec<String> = std::iter::once(program.name.to_owned()).chain(cells.map(number)).collect();
        table.row(&cells);
        let mut above = |value: f64, most: f64, what: &str| {
            if value > most {
                let (value, most) = (number(value), number(most));
                missed.push(format!("{} on HClib: {what} {value}, at most {most} wanted", program.name));
            }
        };
        above(slowdown, OF_SLOWDOWN * program.slowdown, "the slowdown over the plain program is");
        above(memory, OF_MEMORY * program.memory, "the memory over that of the plain program is");
    }
    Ok(Section { text: table.into_text(), missed })
}
