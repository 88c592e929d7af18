// expect: race
//! Threads of one scope, of which the first is joined by no other.

use corpus::Shared;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| unsafe { *CELL.at() = 1 }); //~ race CELL #1
        scope.spawn(|| unsafe { *CELL.at() = 2 }); //~ race CELL #1
    });
    println!("{}", unsafe { *CELL.at() });
}
