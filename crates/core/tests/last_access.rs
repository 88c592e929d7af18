//! The default detector where the random programs of the other tests are too small: long searches,
//! many readers.

use crate::support::Rng;
use raceproof_core::detect::last_access::LastAccess;
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use std::collections::BTreeSet;

const MAIN: TaskId = TaskId::MAIN;
const SITE: SiteId = SiteId(0);
const FINISH: ScopeId = ScopeId(1);

fn write(detector: &mut LastAccess, task: TaskId, location: u64) {
    detector.access(task, AccessKind::Write, Location(location), SITE);
}

fn read(detector: &mut LastAccess, task: TaskId, location: u64) {
    detector.access(task, AccessKind::Read, Location(location), SITE);
}

fn racy(detector: &LastAccess) -> BTreeSet<u64> {
    detector.racy().iter().map(|location| location.0).collect()
}

/// Each of many tasks sets a promise between two writes; main gets all the promises and then writes
/// everything. Only what was written after a set races, however many joins lie between.
#[test]
fn joins_are_found_however_many_there_are() {
    let tasks: u32 = 500;
    let mut detector = LastAccess::default();
    for task in 1..=tasks {
        detector.spawn(MAIN, TaskId(task), ScopeId::PROGRAM, SITE);
        write(&mut detector, TaskId(task), u64::from(task));
        detector.signal(TaskId(task), SyncId(task), SyncKind::Promise);
        write(&mut detector, TaskId(task), u64::from(tasks + task));
        detector.end(TaskId(task));
    }
    for sync in 1..=tasks {
        detector.join(MAIN, SyncId(sync), SyncKind::Promise);
    }
    for location in 1..=2 * u64::from(tasks) {
        write(&mut detector, MAIN, location);
    }
    let after_the_sets: BTreeSet<u64> = (u64::from(tasks) + 1..=2 * u64::from(tasks)).collect();
    assert_eq!(racy(&detector), after_the_sets);
}

/// The same through a grid: every task joins two of the row before, so that there are very many
/// ways back to a task and no search may go them all.
#[test]
fn searches_do_not_go_all_ways() {
    let (rows, width) = (60, 20);
    let sync = |row: u32, column: u32| SyncId(row * width + column % width);
    let mut detector = LastAccess::default();
    for row in 0..rows {
        for column in 0..width {
            let task = TaskId(1 + row * width + column);
            detector.spawn(MAIN, task, ScopeId::PROGRAM, SITE);
            if row > 0 {
                detector.join(task, sync(row - 1, column), SyncKind::Promise);
                detector.join(task, sync(row - 1, column + 1), SyncKind::Promise);
            }
            // Of the first row all are behind a task after as many rows as there are columns, and
            // not before.
            let behind = |first: u32| (first + width - column) % width <= row;
            for first in (0..width).filter(|&first| row == 0 || behind(first)) {
                if row == 0 && first == column {
                    write(&mut detector, task, u64::from(first));
                } else if row > 0 {
                    read(&mut detector, task, u64::from(first));
                }
            }
            detector.signal(task, sync(row, column), SyncKind::Promise);
            detector.end(task);
        }
    }
    assert_eq!(racy(&detector), BTreeSet::new());
    // One that joined nothing sees none of it.
    let stranger = TaskId(1 + rows * width);
    detector.spawn(MAIN, stranger, ScopeId::PROGRAM, SITE);
    read(&mut detector, stranger, 3);
    assert_eq!(racy(&detector), BTreeSet::from([3]));
}

/// Hundreds of parallel readers in very many different sets, more than the table of sets remembers.
/// What one reader outside the finish has read races with main's writes, the rest does not.
#[test]
fn no_reader_is_forgotten() {
    let (tasks, locations) = (300, 200);
    let mut random = Rng(1);
    for outside in [1, 2, 150, 299, 300] {
        let mut detector = LastAccess::default();
        let mut expected = BTreeSet::new();
        detector.finish_begin(MAIN, FINISH);
        for task in 1..=tasks {
            let scope = if task == outside { ScopeId::PROGRAM } else { FINISH };
            detector.spawn(MAIN, TaskId(task), scope, SITE);
            for location in (0..locations).filter(|_| random.below(3) > 0) {
                read(&mut detector, TaskId(task), location);
                if task == outside {
                    expected.insert(location);
                }
            }
            detector.end(TaskId(task));
        }
        detector.finish_end(MAIN, FINISH);
        for location in 0..locations {
            write(&mut detector, MAIN, location);
        }
        assert_eq!(racy(&detector), expected, "outside: task {outside}");
    }
}
