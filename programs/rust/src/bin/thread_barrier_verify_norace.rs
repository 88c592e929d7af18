// expect: race-free all-schedules
// run: race-free
//! Who comes first to a barrier writes before the other reads, in every schedule.

use corpus::Shared;
use std::sync::Barrier;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static BARRIER: Barrier = Barrier::new(2);

fn main() {
    let child = thread::spawn(|| {
        unsafe { *CELL.at() = 1 };
        BARRIER.wait();
    });
    BARRIER.wait();
    assert_eq!(unsafe { *CELL.at() }, 1);
    child.join().unwrap();
}
