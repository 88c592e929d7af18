// expect: race-free all-schedules
// run: race-free
//! Both orders of `park` and `unpark`: shown for all schedules by `raceproof verify`.

use corpus::Shared;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let main = thread::current();
    let child = thread::spawn(move || {
        unsafe { *CELL.at() = 1 };
        main.unpark();
    });
    thread::park();
    assert_eq!(unsafe { *CELL.at() }, 1);
    child.join().unwrap();
}
