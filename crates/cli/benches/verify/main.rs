//! The benchmarks of the explorer: `cargo bench -p raceproof-cli --bench verify`.
//!
//! Prints markdown tables; with `-- --write` they replace the sections of `docs/BENCHMARKS.md`,
//! which also says what is measured. Names of sections (`findmax indexer speed table3 examples`)
//! select some of them. Ends with status 1 if a target is missed.

mod child;
#[path = "../common/mod.rs"]
mod common;
mod paper;
mod speed;
mod table3;

use common::frame::{self, Measure};
use common::{Section, document, process, programs};
use std::process::ExitCode;

const SECTIONS: [Measure; 6] = [
    ("machine", document::machine),
    ("findmax", paper::findmax),
    ("indexer", paper::indexer),
    ("speed", speed::measure),
    ("table3", table3::zipper),
    ("examples", table3::examples),
];

fn main() -> ExitCode {
    match frame::arguments().as_slice() {
        [flag, job @ ..] if flag == process::FLAG => child::serve(job),
        arguments => frame::run("verify", &SECTIONS, arguments),
    }
}
