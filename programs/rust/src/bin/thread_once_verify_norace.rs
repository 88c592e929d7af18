// expect: race-free all-schedules
// run: race-free
//! A cell that whoever comes first sets.

use std::sync::OnceLock;
use std::thread;

static TABLE: OnceLock<Vec<usize>> = OnceLock::new();

fn look(at: usize) -> usize {
    TABLE.get_or_init(|| (0..8).map(|at| at * at).collect())[at]
}

fn main() {
    let children = [2, 3].map(|at| thread::spawn(move || look(at)));
    let sum: usize = children.into_iter().map(|child| child.join().unwrap()).sum();
    assert_eq!(sum + look(1), 14);
}
