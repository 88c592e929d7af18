// expect: race-free
//! Two threads and `main` meet twice at a barrier, and read what the others have written before.

use corpus::Shared;
use std::sync::Barrier;
use std::thread;

static CELLS: [Shared<u32>; 3] = [const { Shared::new(0) }; 3];

fn work(barrier: &Barrier, own: usize) -> u32 {
    unsafe { *CELLS[own].at() = 1 };
    barrier.wait();
    let sum = (0..3).map(|other| unsafe { *CELLS[other].at() }).sum();
    barrier.wait();
    unsafe { *CELLS[own].at() = sum };
    sum
}

fn main() {
    let barrier = Barrier::new(3);
    thread::scope(|scope| {
        for own in 0..2 {
            let barrier = &barrier;
            scope.spawn(move || assert_eq!(work(barrier, own), 3));
        }
        assert_eq!(work(&barrier, 2), 3);
    });
}
