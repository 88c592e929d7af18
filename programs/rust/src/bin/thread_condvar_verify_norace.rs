// expect: race-free all-schedules
// run: race-free
//! A flag behind a mutex, whose change is notified.

use corpus::Shared;
use std::sync::{Condvar, Mutex};
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn main() {
    let child = thread::spawn(|| {
        unsafe { *CELL.at() = 1 };
        *READY.lock().unwrap() = true;
        CHANGED.notify_one();
    });
    let ready = READY.lock().unwrap();
    drop(CHANGED.wait_while(ready, |ready| !*ready).unwrap());
    assert_eq!(unsafe { *CELL.at() }, 1);
    child.join().unwrap();
}
