// expect: race-free all-schedules
// run: race-free
//! The end of a scope waits for its threads, also for those that nobody joins.

use corpus::{Pointer, Shared};
use std::thread;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let mut numbers = [1, 2];
    let whole = Pointer(numbers.as_mut_ptr());
    thread::scope(|scope| {
        scope.spawn(move || unsafe { *whole.at(0) += 1 });
        let joined = scope.spawn(move || unsafe { *whole.at(1) += 1 });
        joined.join().unwrap();
        unsafe { *whole.at(1) += 1 };
    });
    assert_eq!(numbers, [2, 4]);
    thread::scope(|scope| drop(scope.spawn(|| unsafe { *CELL.at() = 1 })));
    assert_eq!(unsafe { *CELL.at() }, 1);
}
