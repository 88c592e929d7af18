// expect: race-free all-schedules
// run: race-free
//! Who notifies goes on while it holds the mutex: the one who wakes up comes after that, too.

use corpus::Shared;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static SEEN: AtomicU32 = AtomicU32::new(0);
static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn main() {
    let child = thread::spawn(|| {
        let mut ready = READY.lock().unwrap();
        while !*ready {
            SEEN.load(Ordering::Relaxed);
            ready = CHANGED.wait(ready).unwrap();
        }
        assert_eq!(unsafe { *CELL.at() }, 1);
    });
    let mut ready = READY.lock().unwrap();
    CHANGED.notify_all();
    *ready = true;
    unsafe { *CELL.at() = 1 };
    drop(ready);
    child.join().unwrap();
}
