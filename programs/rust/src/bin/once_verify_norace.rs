// expect: race-free all-schedules
// run: race-free
//! Tasks want a table that whoever comes first computes, print, and take a number each.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};

static SQUARES: OnceLock<Vec<usize>> = OnceLock::new();
static NAME: LazyLock<String> = LazyLock::new(|| "work".to_owned());
static NEXT: AtomicUsize = AtomicUsize::new(0);

fn work() -> usize {
    let squares = SQUARES.get_or_init(|| (0..8).map(|at| at * at).collect());
    println!("{} on {squares:?}", *NAME);
    squares[NEXT.fetch_add(1, Ordering::Relaxed)]
}

fn main() {
    let (a, b) = rayon::join(work, work);
    assert_eq!(a + b, 1);
}
