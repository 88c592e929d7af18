// expect: race
//! Two mutexes for one thing.

use corpus::Shared;
use std::sync::Mutex;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let (a, b) = (Mutex::new(()), Mutex::new(()));
    rayon::join(
        || {
            let _guard = a.lock().unwrap();
            unsafe { *CELL.at() += 1 }; //~ race CELL #1
        },
        || {
            let _guard = b.lock().unwrap();
            unsafe { *CELL.at() += 1 }; //~ race CELL #1
        },
    );
}
