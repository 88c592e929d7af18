// expect: deadlock
// run: race-free
//! Two mutexes in two orders: a circle that one run does not show.

use std::sync::Mutex;
use std::thread;

static FIRST: Mutex<u32> = Mutex::new(0);
static SECOND: Mutex<u32> = Mutex::new(0);

fn main() {
    let child = thread::spawn(|| {
        let _second = SECOND.lock().unwrap();
        *FIRST.lock().unwrap() += 1;
    });
    let first = FIRST.lock().unwrap();
    *SECOND.lock().unwrap() += 1;
    drop(first);
    child.join().unwrap();
}
