// expect: race-free all-schedules
// run: race-free
//! A thread that parks first, and is unparked.

use corpus::Shared;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let child = thread::spawn(|| {
        thread::park();
        assert_eq!(unsafe { *CELL.at() }, 1);
    });
    unsafe { *CELL.at() = 1 };
    child.thread().unpark();
    child.join().unwrap();
}
