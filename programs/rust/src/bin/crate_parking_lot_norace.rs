// expect: race-free observed-schedule
//! A queue behind a mutex of parking_lot, with a condition variable, and a reader-writer lock.

use corpus::Shared;
use parking_lot::{Condvar, Mutex, RwLock};
use std::thread;

static QUEUE: Mutex<Vec<u32>> = Mutex::new(Vec::new());
static FILLED: Condvar = Condvar::new();
static CELL: Shared<u32> = Shared::new(0);
static LOCK: RwLock<()> = RwLock::new(());

fn take() -> u32 {
    let mut queue = QUEUE.lock();
    while queue.is_empty() {
        FILLED.wait(&mut queue);
    }
    queue.pop().unwrap()
}

fn main() {
    let takers = [(); 2].map(|()| {
        thread::spawn(|| {
            let number = take();
            let _guard = LOCK.write();
            unsafe { *CELL.at() += number };
        })
    });
    for number in [3, 4] {
        QUEUE.lock().push(number);
        FILLED.notify_one();
        let _guard = LOCK.read();
        assert!(unsafe { *CELL.at() } < 8);
    }
    takers.into_iter().for_each(|taker| taker.join().unwrap());
    assert_eq!(unsafe { *CELL.at() }, 7);
}
