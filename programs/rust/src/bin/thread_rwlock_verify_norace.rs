// expect: race-free all-schedules
// run: race-free
//! One writes under the lock, another reads.

use corpus::Shared;
use std::sync::RwLock;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);
static LOCK: RwLock<()> = RwLock::new(());

fn main() {
    let child = thread::spawn(|| {
        let _guard = LOCK.write().unwrap();
        unsafe { *CELL.at() = 1 };
    });
    {
        let _guard = LOCK.read().unwrap();
        assert!(unsafe { *CELL.at() } < 2);
    }
    child.join().unwrap();
}
