//! Reports about OpenMP programs, built by hand.

use super::sample::{access, race, report};
use raceproof_core::event::AccessKind::{self, Read, Write};
use raceproof_core::finding::*;
use raceproof_report::Sources;

pub const SOURCE: &str = "\
#include <stdlib.h>
int sum;
static void add(int *to, int n) { *to += n; }
int main(void) {
  int *a = malloc(40), last = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 10; i++) add(&a[i], sum += i);
#pragma omp for
    for (int i = 0; i < 10; i++) last = a[9 - i];
#pragma omp single
    {
#pragma omp task
      add(&a[0], 1);
#pragma omp task
      a[0] = 2;
    }
  }
  return last;
}
";

pub fn sources() -> Sources {
    let mut sources = Sources::new();
    sources.insert("f.c", SOURCE);
    sources
}

pub fn at(line: u32, column: u32) -> Place {
    Place { file: "f.c".into(), line, column }
}

fn by_thread(kind: AccessKind, n: u32, place: Place, region: u32) -> RaceAccess {
    let task = format!("main/{}", n + 1);
    let spawned = Spawned {
        task: task.clone(),
        at: at(6, 1),
        construct: Some(Construct::Parallel),
        thread: Some(n),
        name: None,
    };
    RaceAccess {
        spawned: vec![spawned],
        region: Some(Region { construct: Construct::For, at: at(region, 1) }),
        bytes: Some(4),
        stack: vec![Frame { function: "main".into(), call: Place { file: "".into(), line: 0, column: 0 } }],
        ..access(kind, &task, place)
    }
}

fn by_task(kind: AccessKind, n: u32, place: Place, created: u32) -> RaceAccess {
    let task = format!("main/1/{n}");
    let spawn = Spawned {
        task: task.clone(),
        at: at(created, 1),
        construct: Some(Construct::Task),
        thread: None,
        name: None,
    };
    let mut access = by_thread(kind, 0, place, 0);
    access.spawned.push(spawn);
    RaceAccess { task, region: None, ..access }
}

fn block(offset: u64) -> Option<Object> {
    let (at, stack) = place_and_calls([("main".to_owned(), at(5, 12))]);
    Some(Object::Heap { offset, size: 40, task: "main".into(), at, stack })
}

/// A sum without a reduction.
pub fn update() -> Report {
    let (one, other) = (by_thread(Write, 0, at(9, 45), 8), by_thread(Write, 1, at(9, 45), 8));
    let mut race = race("sum", one, other);
    race.object = Some(Object::Global { name: "sum".into(), offset: 0, size: 4 });
    let mut report = report(vec![race]);
    report.threads = vec![2, 4];
    report.suppressed = 1;
    report
}

/// Two loops, the first without its barrier.
pub fn nowait() -> Report {
    let mut write = by_thread(Write, 0, at(3, 35), 8);
    let calls = [("add", at(3, 35)), ("main", at(9, 34))].map(|(f, p)| (f.to_owned(), p));
    write.stack = place_and_calls(calls).1;
    let mut race = race("a[3]", write, by_thread(Read, 1, at(11, 41), 10));
    race.object = block(12);
    report(vec![race])
}

/// Two tasks without a dependence.
pub fn siblings() -> Report {
    let mut race = race("a[0]", by_task(Write, 1, at(15, 7), 14), by_task(Write, 2, at(17, 7), 16));
    race.fork = "main/1".into();
    race.object = block(0);
    report(vec![race])
}

/// A task against the thread that created it.
pub fn spawner() -> Report {
    let mut race = race("last", by_task(Write, 1, at(15, 7), 14), by_thread(Read, 0, at(17, 7), 8));
    race.fork = "main/1".into();
    race.object = Some(Object::Stack { task: "main".into(), name: Some("last".into()) });
    report(vec![race])
}

/// As [`spawner`], by a task of the task.
pub fn grandchild() -> Report {
    let mut report = spawner();
    let first = &mut report.races[0].first;
    first.task = "main/1/1/1".into();
    let inner = Spawned { task: first.task.clone(), at: at(15, 1), ..first.spawned[1].clone() };
    first.spawned.push(inner);
    report
}

/// An atomic access beside a plain one.
pub fn half_atomic() -> Report {
    let mut report = update();
    report.races[0].first.operation = Operation::Atomic;
    report
}

/// Memory given back while another task uses it.
pub fn freed() -> Report {
    let mut report = siblings();
    report.races[0].second.operation = Operation::Free;
    report
}

/// One side in a critical section.
pub fn half_locked() -> Report {
    let mut report = update();
    report.races[0].first.locks = vec!["critical(sum)".into()];
    report
}
