// expect: race
//! The mutex orders the two writes if the thread comes first.

use corpus::Shared;
use std::sync::Mutex;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static COUNT: Mutex<u32> = Mutex::new(0);

fn main() {
    let child = thread::spawn(|| {
        unsafe { *CELL.at() = 1 }; //~ race CELL #1
        *COUNT.lock().unwrap() += 1;
    });
    *COUNT.lock().unwrap() += 1;
    unsafe { *CELL.at() = 2 }; //~ race CELL #1
    child.join().unwrap();
    println!("{}", unsafe { *CELL.at() });
}
