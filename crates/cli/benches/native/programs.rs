//! What is measured: the programs of `programs/c/bench` that have no race.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A program, by its name without the ending.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// The slowdown that the DRDP paper gives for its version of the program; the seven have one.
    pub(crate) drdp: Option<f64>,
    /// Whether that was measured as compiled, and is to be beaten; the others had check loops
    /// written by hand.
    pub(crate) compiled: bool,
}

const fn published(name: &'static str, slowdown: f64, compiled: bool) -> Program {
    Program { name, drdp: Some(slowdown), compiled }
}

const fn ours(name: &'static str) -> Program {
    Program { name, drdp: None, compiled: false }
}

pub(crate) const ALL: [Program; 34] = [
    published("matmul", 20.6, false),
    published("sort", 41.4, true),
    published("strassen", 29.2, false),
    published("poisson", 46.1, false),
    published("sparselu", 28.1, false),
    published("knapsack", 5.0, true),
    published("health", 21.2, true),
    ours("fib"),
    ours("nqueens"),
    ours("fft"),
    ours("tree_build"),
    ours("list_nodes"),
    ours("mergesort"),
    ours("quicksort"),
    ours("floyd_blocks"),
    ours("stencil_depend"),
    ours("histogram_critical"),
    ours("reduction"),
    ours("loop_static"),
    ours("loop_dynamic"),
    ours("consecutive"),
    ours("strided"),
    ours("rows"),
    ours("shared_reads"),
    ours("lookups"),
    ours("bfs_cas"),
    ours("components_cas"),
    ours("graph_critical"),
    ours("deep_calls"),
    ours("deep_tasks"),
    ours("tasks_flat"),
    ours("tasks_batches"),
    ours("tasks_tree"),
    ours("tasks_chain"),
];

/// Those whose argument is the number of their tasks.
pub(crate) const GROWING: [&str; 4] = ["tasks_flat", "tasks_batches", "tasks_tree", "tasks_chain"];

/// Those whose argument is the number of their promises, in `programs/c/promise`: of HClib, and of
/// the standard library.
pub(crate) const GROWING_PROMISES: [&str; 2] = ["many", "std_many"];

pub(crate) fn names() -> String {
    ALL.map(|program| program.name).join(" ")
}
