// expect: race
//! A flag that orders nothing.

use corpus::Shared;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{hint, thread};

static CELL: Shared<u32> = Shared::new(0);
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let child = thread::spawn(|| {
        while !READY.load(Ordering::Relaxed) {
            hint::spin_loop();
        }
        println!("{}", unsafe { *CELL.at() }); //~ race CELL #1
    });
    unsafe { *CELL.at() = 1 }; //~ race CELL #1
    READY.store(true, Ordering::Relaxed);
    child.join().unwrap();
}
