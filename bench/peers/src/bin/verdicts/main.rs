//! Four small programs, each written three times: what loom, shuttle and raceproof say of them, and after how many
//! executions. `cargo run --release --manifest-path bench/peers/Cargo.toml --bin verdicts` prints the table of
//! docs/COMPARISON.md.
//!
//! - *unjoined*: two tasks write a cell each, and the parent waits for one of them before it reads both. Racy.
//! - *order*: one task writes a cell and then passes a lock, another passes the lock and then reads the cell. Racy, but
//!   ordered by the lock if the writer comes first.
//! - *own cells*: three tasks write a cell of their own ten times each, and the parent reads them all. Race-free.
//! - *counter*: three tasks add to a counter, each in a section of one lock. Race-free.
//!
//! loom watches `loom::cell::UnsafeCell`, raceproof `Shared`. shuttle watches no plain memory: the cell is an
//! `UnsafeCell` of the standard library there, and what shuttle could find is a failed assertion.

mod with_loom;
mod with_raceproof;
mod with_shuttle;

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// How many times the program under test has begun.
static EXECUTIONS: AtomicUsize = AtomicUsize::new(0);

/// To be called first by every program.
pub fn begin() {
    EXECUTIONS.fetch_add(1, Relaxed);
}

type Program = (&'static str, bool, [fn() -> bool; 3]);

const PROGRAMS: [Program; 4] = [
    ("unjoined", true, [with_loom::unjoined, with_shuttle::unjoined, with_raceproof::unjoined]),
    ("order", true, [with_loom::order, with_shuttle::order, with_raceproof::order]),
    ("own cells", false, [with_loom::own_cells, with_shuttle::own_cells, with_raceproof::own_cells]),
    ("counter", false, [with_loom::counter, with_shuttle::counter, with_raceproof::counter]),
];

fn main() {
    println!(
        "| program | races | loom | shuttle, every schedule | raceproof |\n| --- | --- | --- | --- | --- |"
    );
    for (name, racy, tools) in PROGRAMS {
        let cells = tools.map(|judge| {
            // The failures are counted, not read; shuttle sets a hook of its own, which prints.
            panic::set_hook(Box::new(|_| {}));
            EXECUTIONS.store(0, Relaxed);
            let start = Instant::now();
            let found = judge();
            let seconds = start.elapsed().as_secs_f64();
            let executions = EXECUTIONS.load(Relaxed);
            let verdict = match (found, racy) {
                (true, true) => "found",
                (false, true) => "**missed**",
                (true, false) => "**false alarm**",
                (false, false) => "none",
            };
            let plural = if executions == 1 { "" } else { "s" };
            format!("{verdict}, {executions} execution{plural}, {:.1} ms", seconds * 1e3)
        });
        println!("| {name} | {} | {} |", if racy { "yes" } else { "no" }, cells.join(" | "));
    }
}
