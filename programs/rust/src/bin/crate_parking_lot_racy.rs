// expect: race
//! Two mutexes of parking_lot for one thing.

use corpus::Shared;
use parking_lot::Mutex;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static LOCKS: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];

fn main() {
    let child = thread::spawn(|| {
        let _guard = LOCKS[0].lock();
        unsafe { *CELL.at() = 1 }; //~ race CELL #1
    });
    let guard = LOCKS[1].lock();
    unsafe { *CELL.at() = 2 }; //~ race CELL #1
    drop(guard);
    child.join().unwrap();
    println!("{}", unsafe { *CELL.at() });
}
