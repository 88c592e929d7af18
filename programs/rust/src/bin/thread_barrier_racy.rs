// expect: race
//! What follows a barrier is not before what precedes it.

use corpus::Shared;
use std::sync::Barrier;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static BARRIER: Barrier = Barrier::new(2);

fn main() {
    let child = thread::spawn(|| {
        BARRIER.wait();
        unsafe { *CELL.at() = 1 }; //~ race CELL #1
    });
    BARRIER.wait();
    println!("{}", unsafe { *CELL.at() }); //~ race CELL #1
    child.join().unwrap();
}
