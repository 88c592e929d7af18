//! How many events a second each predictive order takes, on a run of many tasks with locks, nested
//! and not.
//!
//! `cargo run --release -p raceproof-core --example orders_throughput [MILLIONS [TASKS]]`
//!
//! Beside the orders stands a detector that does nothing but the look-up of the location: the
//! baseline.

use raceproof_core::detect::predict::Predictor;
use raceproof_core::event::{AccessKind, Event, Observer, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use raceproof_core::order::{Order, dc::Dc, hb::Hb, shb::Shb, wcp::Wcp, weak::Weak};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Most accesses are to a task's own data, some to data of its lock, some read what nobody writes;
/// one section in sixteen is inside of another.
fn record(events: usize, tasks: u32) -> Vec<Event> {
    let mut all = Vec::with_capacity(events + 64);
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |n: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % n
    };
    for child in 1..tasks {
        all.spawn(TaskId::MAIN, TaskId(child), ScopeId::PROGRAM, SiteId(0));
    }
    let locks = 16;
    while all.len() < events {
        let task = TaskId(next(u64::from(tasks)) as u32);
        for _ in 0..32 {
            let own = 1_000_000 + u64::from(task.0) * 1_000 + next(200);
            let kind = if next(3) == 0 { AccessKind::Write } else { AccessKind::Read };
            all.access(task, kind, Location(own), SiteId(1 + next(4) as u32));
        }
        all.access(task, AccessKind::Read, Location(next(1_000)), SiteId(5));
        let lock = next(locks) as u32;
        let outer = if next(16) == 0 { Some(SyncId(locks as u32)) } else { None };
        outer.into_iter().for_each(|outer| all.join(task, outer, SyncKind::Lock));
        all.join(task, SyncId(lock), SyncKind::Lock);
        for _ in 0..4 {
            let shared = 10_000 + u64::from(lock) * 1_000 + next(500);
            let kind = if next(4) == 0 { AccessKind::Write } else { AccessKind::Read };
            all.access(task, kind, Location(shared), SiteId(6));
        }
        all.signal(task, SyncId(lock), SyncKind::Lock);
        outer.into_iter().for_each(|outer| all.signal(task, outer, SyncKind::Lock));
    }
    all
}

fn measure<O: Order + Default>(name: &str, events: &[Event]) {
    let start = Instant::now();
    let mut predictor = Predictor::<O>::default();
    events.iter().for_each(|event| event.deliver(&mut predictor));
    let seconds = start.elapsed().as_secs_f64();
    let races = predictor.predictions().len();
    let rate = events.len() as f64 / seconds / 1e6;
    println!("{name:8} {seconds:8.2} s {rate:8.1} million events a second, {races} races");
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<u32>().ok());
    let millions = arguments.next().unwrap_or(10) as usize;
    let tasks = arguments.next().unwrap_or(512).max(2);
    let events = record(millions * 1_000_000, tasks);
    println!("{} events of {tasks} tasks", events.len());
    let start = Instant::now();
    let mut counts: FxHashMap<Location, u64> = FxHashMap::default();
    for event in &events {
        if let Event::Access { location, .. } = *event {
            *counts.entry(location).or_default() += 1;
        }
    }
    println!("{:8} {:8.2} s, {} locations", "look-up", start.elapsed().as_secs_f64(), counts.len());
    measure::<Hb>("hb", &events);
    measure::<Shb>("shb", &events);
    measure::<Wcp>("wcp", &events);
    measure::<Dc>("dc", &events);
    measure::<Weak>("weak", &events);
}
