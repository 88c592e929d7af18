// expect: race-free all-schedules
//! What belongs to a thread is used by one job at a time.

use rayon::prelude::*;
use std::cell::Cell;

thread_local!(static USED: Cell<u32> = const { Cell::new(0) });

fn main() {
    (0..40).into_par_iter().for_each(|_| USED.with(|used| used.set(used.get() + 1)));
    let all: u32 = rayon::broadcast(|_| USED.with(Cell::get)).into_iter().sum();
    assert_eq!(all, 40);
}
