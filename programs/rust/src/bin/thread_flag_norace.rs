// expect: race-free observed-schedule
//! A flag that another thread looks at again and again.

use corpus::Shared;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{hint, thread};

static CELL: Shared<u32> = Shared::new(0);
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let child = thread::spawn(|| {
        while !READY.load(Ordering::Acquire) {
            hint::spin_loop();
        }
        assert_eq!(unsafe { *CELL.at() }, 1);
    });
    unsafe { *CELL.at() = 1 };
    READY.store(true, Ordering::Release);
    child.join().unwrap();
}
