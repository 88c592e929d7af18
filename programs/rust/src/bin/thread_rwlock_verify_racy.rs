// expect: race
// run: race-free
//! Readers of a lock do not exclude each other.

use corpus::Shared;
use std::sync::RwLock;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static LOCK: RwLock<()> = RwLock::new(());

fn main() {
    let child = thread::spawn(|| {
        let _guard = LOCK.read().unwrap();
        unsafe { *CELL.at() = 1 }; //~ race CELL #1
    });
    {
        let _guard = LOCK.read().unwrap();
        unsafe { *CELL.at() = 2 }; //~ race CELL #1
    }
    child.join().unwrap();
    println!("{}", unsafe { *CELL.at() });
}
