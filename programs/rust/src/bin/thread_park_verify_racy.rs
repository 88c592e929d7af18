// expect: race
// run: race-free
//! Two threads unpark `main`, which parks once: it comes after the first of them only.

use corpus::Shared;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let main = thread::current();
    let (first, second) = (main.clone(), main);
    let first = thread::spawn(move || first.unpark());
    let second = thread::spawn(move || {
        unsafe { *CELL.at() = 1 }; //~ race CELL #1
        second.unpark();
    });
    thread::park();
    println!("{}", unsafe { *CELL.at() }); //~ race CELL #1
    first.join().unwrap();
    second.join().unwrap();
}
