//! For `cargo raceproof verify` and `replay`: tests with threads.

use corpus::Shared;
use std::sync::Mutex;
use std::thread;

static COUNT: Mutex<u32> = Mutex::new(0);
static CELL: Shared<u32> = Shared::new(0);

fn add() {
    *COUNT.lock().unwrap() += 1;
}

#[test]
fn locked() {
    thread::scope(|scope| {
        scope.spawn(add);
        scope.spawn(add);
    });
    assert_eq!(*COUNT.lock().unwrap(), 2);
}

/// The thread that comes first is ordered by the mutex before the other.
#[test]
fn published() {
    let child = thread::spawn(|| {
        unsafe { *CELL.at() = 1 };
        add();
    });
    add();
    unsafe { *CELL.at() = 2 };
    child.join().unwrap();
}
