//! Zipper against the closure detector on graphs shaped like those of the Zipper paper's Table 3,
//! both in one run: `cargo run --release -p raceproof-core --example zipper_vs_closure`.

use raceproof_core::detect::{closure, zipper};
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::graph::{Graph, GraphBuilder};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use std::hint::black_box;
use std::time::{Duration, Instant};

const MAIN: TaskId = TaskId::MAIN;

fn read(b: &mut GraphBuilder, task: TaskId, location: u64) {
    b.access(task, AccessKind::Read, Location(location), SiteId(1));
}

fn write(b: &mut GraphBuilder, task: TaskId, location: u64) {
    b.access(task, AccessKind::Write, Location(location), SiteId(2));
}

/// `forall i in 0..tasks { body(i) }`.
fn forall(tasks: u32, body: impl Fn(&mut GraphBuilder, TaskId, u64)) -> Graph {
    let mut b = GraphBuilder::new();
    b.finish_begin(MAIN, ScopeId(1));
    for child in 1..=tasks {
        let task = TaskId(child);
        b.spawn(MAIN, task, ScopeId(1), SiteId(0));
        body(&mut b, task, u64::from(child) - 1);
        b.end(task);
    }
    b.finish_end(MAIN, ScopeId(1));
    b.end(MAIN);
    b.finish()
}

fn isolated(b: &mut GraphBuilder, task: TaskId) {
    b.join(task, SyncId(0), SyncKind::Isolated);
    read(b, task, 0);
    write(b, task, 0);
    b.signal(task, SyncId(0), SyncKind::Isolated);
}

/// Five times: three futures in a row, and an async that gets the last.
fn pipeline() -> Graph {
    let mut b = GraphBuilder::new();
    let mut spawned = 0;
    let mut spawn = |b: &mut GraphBuilder| {
        spawned += 1;
        b.spawn(MAIN, TaskId(spawned), ScopeId(1), SiteId(0));
        TaskId(spawned)
    };
    b.finish_begin(MAIN, ScopeId(1));
    for item in 0..5 {
        for stage in 0..4 {
            let task = spawn(&mut b);
            if stage > 0 {
                b.join(task, SyncId(4 * item + stage - 1), SyncKind::Future);
                read(&mut b, task, u64::from(4 * item + stage - 1));
            }
            write(&mut b, task, u64::from(4 * item + stage));
            if stage < 3 {
                b.signal(task, SyncId(4 * item + stage), SyncKind::Future);
            }
            b.end(task);
        }
    }
    b.finish_end(MAIN, ScopeId(1));
    b.end(MAIN);
    b.finish()
}

/// Five times a finish around a finish with one async; the halves are summed into two locations.
fn reciprocal_array_sum() -> Graph {
    let mut b = GraphBuilder::new();
    for round in 0..5 {
        let (outer, inner) = (ScopeId(2 * round + 1), ScopeId(2 * round + 2));
        let task = TaskId(round + 1);
        b.finish_begin(MAIN, outer);
        b.finish_begin(MAIN, inner);
        b.spawn(MAIN, task, inner, SiteId(0));
        for (task, half) in [(task, 0), (MAIN, 1)] {
            for i in 0..500 {
                read(&mut b, task, 2 + half * 500 + i);
                write(&mut b, task, half);
            }
        }
        b.end(task);
        b.finish_end(MAIN, inner);
        b.finish_end(MAIN, outer);
    }
    b.end(MAIN);
    b.finish()
}

/// The best of many runs: the least disturbed one.
fn time(mut run: impl FnMut() -> usize) -> (Duration, usize) {
    let started = Instant::now();
    let (mut best, mut races) = (Duration::MAX, 0);
    while started.elapsed() < Duration::from_millis(300) {
        let start = Instant::now();
        races = black_box(run());
        best = best.min(start.elapsed());
    }
    (best, races)
}

fn main() {
    let programs = [
        ("isolated counters", forall(9, |b, t, _| isolated(b, t))),
        (
            "20×20, row i reads row i+1",
            forall(19, |b, t, i| {
                for j in 0..20 {
                    read(b, t, 20 * i + j);
                    read(b, t, 20 * (i + 1) + j);
                    write(b, t, 20 * i + j);
                }
            }),
        ),
        ("reciprocal array sum", reciprocal_array_sum()),
        ("pipeline with futures", pipeline()),
        (
            "a[i] = a[i] + 1",
            forall(100, |b, t, i| {
                read(b, t, i);
                write(b, t, i);
            }),
        ),
        (
            "a[i][j] = a[i][j] + 1",
            forall(100, |b, t, i| {
                for j in 0..100 {
                    read(b, t, 100 * i + j);
                    write(b, t, 100 * i + j);
                }
            }),
        ),
        (
            "a[i] = a[i+1] + 1",
            forall(999, |b, t, i| {
                read(b, t, i + 1);
                write(b, t, i);
            }),
        ),
        ("isolated counters, 1000", forall(1000, |b, t, _| isolated(b, t))),
    ];
    println!(
        "{:<28} {:>6} {:>7} {:>12} {:>12} {:>7}",
        "program", "nodes", "races", "closure", "zipper", "ratio"
    );
    for (name, graph) in &programs {
        let (closure, expected) = time(|| closure::races(graph).map_or(0, |races| races.len()));
        let (zipper, races) = time(|| zipper::races(graph).len());
        assert_eq!(races, expected, "{name}");
        let ratio = closure.as_secs_f64() / zipper.as_secs_f64();
        let nodes = graph.nodes.len();
        println!("{name:<28} {nodes:>6} {races:>7} {closure:>12.1?} {zipper:>12.1?} {ratio:>6.1}×");
    }
}
