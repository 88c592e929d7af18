// expect: race
//! Two threads of a scope hold different mutexes. Who creates them drops their handles at once: what a thread that has ended gives back with
//! its handle must not order it before the next.

use corpus::Shared;
use std::sync::Mutex;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static LOCKS: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];

fn main() {
    thread::scope(|scope| {
        for lock in &LOCKS {
            scope.spawn(|| {
                let _guard = lock.lock().unwrap();
                unsafe { *CELL.at() += 1 }; //~ race CELL #1
            });
        }
    });
    println!("{}", unsafe { *CELL.at() });
}
