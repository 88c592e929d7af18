//! How many executions a second: `cargo run --release -p raceproof --example speed [SECONDS]`.
//!
//! indexer (Flanagan, Godefroid, POPL 2005) with 14 tasks of 4 isolated sections each, run again and again with no
//! observer.

use raceproof::program::{Bounds, run_once};
use raceproof::strategy::DepthFirst;
use raceproof::{Closure, SharedArray, finish, isolated, spawn};
use std::time::{Duration, Instant};

fn indexer(tasks: usize) {
    let table = SharedArray::named("table", 128, 0);
    finish(|| {
        for task in 0..tasks {
            spawn(move || {
                for m in 1..=4 {
                    let word = m * 11 + task;
                    let mut hash = (word * 7) % 128;
                    isolated(|| {
                        while table.get(hash) != 0 {
                            hash = (hash + 1) % 128;
                        }
                        table.set(hash, word);
                    });
                }
            });
        }
    });
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let program = Closure::new(|| indexer(14));
    let (start, mut executions) = (Instant::now(), 0_u64);
    while start.elapsed() < Duration::from_secs_f64(seconds) {
        let execution = run_once(&program, &mut DepthFirst, (), Bounds::default());
        assert!(execution.is_complete() && execution.run.kernel.tasks().live() == 0);
        executions += 1;
    }
    let rate = executions as f64 / start.elapsed().as_secs_f64();
    println!("indexer(14): {rate:.0} executions a second, {} stacks", program.stacks_mapped());
}
