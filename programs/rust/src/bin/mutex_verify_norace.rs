// expect: race-free all-schedules
// run: race-free
//! A lock that both sides hold, the one while others may come: shown for all schedules by `raceproof verify`.

use corpus::Shared;
use std::sync::Mutex;

static CELL: Shared<u32> = Shared::new(0);
static LOCK: Mutex<()> = Mutex::new(());

fn add() {
    let _guard = LOCK.lock().unwrap();
    unsafe { *CELL.at() += 1 };
}

fn main() {
    rayon::join(add, add);
    assert_eq!(unsafe { *CELL.at() }, 2);
}
