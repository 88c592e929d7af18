// expect: race
// run: race-free
//! The lock orders the two writes if the first side comes first, as it does in one run. `raceproof verify` tries the other way.

use corpus::Shared;
use std::sync::Mutex;

static CELL: Shared<u32> = Shared::new(0);
static LOCK: Mutex<u32> = Mutex::new(0);

fn main() {
    rayon::join(
        || {
            unsafe { *CELL.at() = 1 }; //~ race CELL #1
            *LOCK.lock().unwrap() += 1;
        },
        || {
            *LOCK.lock().unwrap() += 1;
            unsafe { *CELL.at() = 2 }; //~ race CELL #1
        },
    );
    println!("{}", unsafe { *CELL.at() });
}
