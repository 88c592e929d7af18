// expect: deadlock
//! A reader of a lock wants to write without giving it back.

use std::sync::RwLock;

static LOCK: RwLock<u32> = RwLock::new(0);

fn main() {
    let reader = LOCK.read().unwrap();
    *LOCK.write().unwrap() += *reader;
}
