//! The benchmarks of the core: `cargo bench -p raceproof-cli --bench core`.
//!
//! Prints markdown tables; with `-- --write` they replace the sections of `docs/BENCHMARKS.md`,
//! which also says what is measured. Names of sections (`table3 growth detectors ratio search`)
//! select some of them. Ends with status 1 if a target is missed.

mod child;
#[path = "../common/mod.rs"]
mod common;
mod detectors;
mod growth;
mod ratio;
mod search;
mod table3;

use common::frame::{self, Measure};
use common::{Section, document, process, programs};
use std::process::ExitCode;

const SECTIONS: [Measure; 6] = [
    ("machine", document::machine),
    ("table3", table3::measure),
    ("growth", growth::measure),
    ("detectors", detectors::measure),
    ("ratio", ratio::measure),
    ("search", search::measure),
];

fn main() -> ExitCode {
    match frame::arguments().as_slice() {
        [flag, job @ ..] if flag == process::FLAG => child::serve(job),
        arguments => frame::run("core", &SECTIONS, arguments),
    }
}
