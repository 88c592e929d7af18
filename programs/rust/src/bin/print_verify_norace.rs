// expect: race-free all-schedules
// run: race-free
//! Prints before two tasks take a lock in either order: the standard output is a cell that is set once, before both.

use std::sync::Mutex;

fn main() {
    println!("begins");
    let log = Mutex::new(Vec::new());
    rayon::join(|| log.lock().unwrap().push(1), || log.lock().unwrap().push(2));
    println!("{}", log.into_inner().unwrap().len());
}
