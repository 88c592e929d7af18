// expect: race
//! Two threads and `main` add to a number, and nobody waits before.

use corpus::Shared;
use std::thread;

static COUNT: Shared<u32> = Shared::new(0);

fn main() {
    let thread = thread::Builder::new().name("adds".to_owned());
    let thread = thread.spawn(|| unsafe { *COUNT.at() += 1 }).unwrap(); //~ race COUNT #1
    unsafe { *COUNT.at() += 1 }; //~ race COUNT #1
    thread.join().unwrap();
    println!("{}", unsafe { *COUNT.at() });
}
