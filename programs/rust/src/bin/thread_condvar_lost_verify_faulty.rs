// expect: deadlock
//! Whoever waits without having looked at the flag misses the notification that comes first.

use std::sync::{Condvar, Mutex};
use std::thread;

static LOCK: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

fn main() {
    let child = thread::spawn(|| drop(CHANGED.wait(LOCK.lock().unwrap()).unwrap()));
    drop(LOCK.lock().unwrap());
    CHANGED.notify_one();
    child.join().unwrap();
}
