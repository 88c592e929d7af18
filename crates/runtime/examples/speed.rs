//! How fast native tasks run: `cargo run --release -p raceproof --example speed [SECONDS]`.
//!
//! Executions a second of indexer (Flanagan, Godefroid, POPL 2005) with 14 tasks of 4 isolated
//! sections each, and what an access and a task cost; all with no observer.

use raceproof::program::{Bounds, run_once};
use raceproof::strategy::DepthFirst;
use raceproof::{Closure, Shared, SharedArray, finish, isolated, spawn};
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

fn once(program: &Closure) {
    let execution = run_once(program, &mut DepthFirst, (), Bounds::default());
    assert!(execution.is_complete() && execution.run.kernel.tasks().live() == 0);
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let program = Closure::new(|| indexer(14));
    let (start, mut executions) = (Instant::now(), 0_u64);
    while start.elapsed() < Duration::from_secs_f64(seconds) {
        once(&program);
        executions += 1;
    }
    let rate = executions as f64 / start.elapsed().as_secs_f64();
    println!("indexer(14): {rate:.0} executions a second, {} stacks", program.stacks_mapped());

    const MANY: u32 = 1_000_000;
    let accesses = Closure::new(|| {
        let x = Shared::new(0);
        for i in 0..MANY {
            x.set(i);
        }
    });
    let tasks = Closure::new(|| {
        for _ in 0..MANY {
            spawn(|| ());
        }
    });
    for (what, program) in [("access", accesses), ("task", tasks)] {
        let start = Instant::now();
        once(&program);
        println!("{what}: {:.0} ns", start.elapsed().as_secs_f64() * 1e9 / f64::from(MANY));
    }
}
