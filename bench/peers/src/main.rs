//! `indexer` under loom and shuttle: how many executions they run in a fixed time, and how many they need.
//!
//! `cargo run --release --manifest-path bench/peers/Cargo.toml [SECONDS]` prints a markdown table; each row gets so many
//! seconds (30 unless given). docs/BENCHMARKS.md has the results and what they say.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const SLOTS: usize = 128;

/// What a row gives.
struct Row {
    executions: u64,
    elapsed: Duration,
    /// Whether all schedules were tried.
    all: bool,
}

/// The program, for the `Arc`, `Mutex` and `spawn` of either library: every task puts its items into a shared hash
/// table, each under the lock. As in `programs/tp/examples/indexer.tp`, with the number of items a task given.
macro_rules! indexer {
    ($library:ident, $tasks:expr, $items:expr) => {{
        use $library::sync::{Arc, Mutex};
        use $library::thread;
        let table = Arc::new(Mutex::new([0usize; SLOTS]));
        let tasks: Vec<_> = (0..$tasks)
            .map(|task| {
                let table = table.clone();
                thread::spawn(move || {
                    for m in 1..=$items {
                        let word = m * 11 + task;
                        let mut slot = word * 7 % SLOTS;
                        let mut table = table.lock().unwrap();
                        while table[slot] != 0 {
                            slot = (slot + 1) % SLOTS;
                        }
                        table[slot] = word;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.join().unwrap();
        }
    }};
}

fn loom(tasks: usize, items: usize, budget: Duration) -> Row {
    let executions = std::sync::Arc::new(AtomicU64::new(0));
    let mut model = loom::model::Builder::new();
    model.max_duration = Some(budget);
    model.max_branches = 100_000;
    let count = executions.clone();
    let start = Instant::now();
    model.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        indexer!(loom, tasks, items);
    });
    let elapsed = start.elapsed();
    Row { executions: executions.load(Ordering::Relaxed), elapsed, all: elapsed < budget }
}

fn shuttle(
    scheduler: impl shuttle::scheduler::Scheduler + 'static,
    tasks: usize,
    items: usize,
    budget: Duration,
    exhaustive: bool,
) -> Row {
    let mut config = shuttle::Config::new();
    config.max_time = Some(budget);
    let start = Instant::now();
    let executions = shuttle::Runner::new(scheduler, config).run(move || indexer!(shuttle, tasks, items));
    let elapsed = start.elapsed();
    Row { executions: executions as u64, elapsed, all: exhaustive && elapsed < budget }
}

/// The same for the Rust library of raceproof: the search, over and over until the time is up.
fn raceproof(tasks: usize, items: usize, budget: Duration) -> Row {
    use raceproof::{SharedArray, Verifier, finish, isolated, spawn};
    let program = move || {
        let table = SharedArray::new(SLOTS, 0usize);
        finish(|| {
            for task in 0..tasks {
                spawn(move || {
                    for m in 1..=items {
                        let word = m * 11 + task;
                        let mut slot = word * 7 % SLOTS;
                        isolated(|| {
                            while table.get(slot) != 0 {
                                slot = (slot + 1) % SLOTS;
                            }
                            table.set(slot, word);
                        });
                    }
                });
            }
        });
    };
    let start = Instant::now();
    let mut executions = 0;
    while start.elapsed() < budget {
        let report = Verifier::new().try_verify(program);
        assert!(report.limits.is_empty(), "{:?}", report.limits);
        executions += report.stats.executions;
    }
    Row { executions, elapsed: start.elapsed(), all: true }
}

fn main() {
    let seconds = std::env::args().nth(1).map_or(30, |arg| arg.parse().expect("SECONDS is a number"));
    let budget = Duration::from_secs(seconds);
    println!("| explorer | program | executions | seconds | executions a second | all schedules |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    let print = |explorer: &str, program: &str, row: Row| {
        let seconds = row.elapsed.as_secs_f64();
        let rate = row.executions as f64 / seconds;
        let all = if row.all { "yes" } else { "no" };
        println!("| {explorer} | {program} | {} | {seconds:.1} | {rate:.0} | {all} |", row.executions);
    };
    let random = shuttle::scheduler::RandomScheduler::new(usize::MAX);
    print("shuttle, random", "indexer, 14 tasks", shuttle(random, 14, 4, budget, false));
    print("raceproof, Rust library", "indexer, 14 tasks", raceproof(14, 4, budget));
    let dfs = shuttle::scheduler::DfsScheduler::new(None, false);
    print("shuttle, depth first", "indexer, 14 tasks", shuttle(dfs, 14, 4, budget, true));
    let dfs = shuttle::scheduler::DfsScheduler::new(None, false);
    print("shuttle, depth first", "indexer, 3 tasks, 2 items each", shuttle(dfs, 3, 2, budget, true));
    // More than four threads beside the main one are beyond loom.
    print("loom", "indexer, 3 tasks, 2 items each", loom(3, 2, budget));
    print("loom", "indexer, 4 tasks, 4 items each", loom(4, 4, budget));
}
