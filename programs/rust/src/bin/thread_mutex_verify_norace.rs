// expect: race-free all-schedules
// run: race-free
//! A counter behind a mutex, which two threads and `main` add to.

use corpus::Shared;
use std::sync::Mutex;
use std::thread;

static COUNT: Shared<u32> = Shared::new(0);
static LOCK: Mutex<()> = Mutex::new(());

fn add() {
    let _guard = LOCK.lock().unwrap();
    unsafe { *COUNT.at() += 1 };
}

fn main() {
    let children = [thread::spawn(add), thread::spawn(add)];
    add();
    children.into_iter().for_each(|child| child.join().unwrap());
    assert_eq!(unsafe { *COUNT.at() }, 3);
}
