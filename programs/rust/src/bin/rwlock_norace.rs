// expect: race-free observed-schedule
//! Readers and writers of what a lock protects, with waiting on both sides.

use corpus::Shared;
use rayon::prelude::*;
use std::sync::RwLock;

static LOCK: RwLock<()> = RwLock::new(());
static CELL: Shared<u32> = Shared::new(0);

fn main() {
    (0..24).into_par_iter().for_each(|i| {
        if i % 4 == 0 {
            let _guard = LOCK.write().unwrap();
            rayon::yield_now();
            unsafe { *CELL.at() += 1 };
        } else {
            let _guard = LOCK.read().unwrap();
            let before = unsafe { *CELL.at() };
            rayon::yield_now();
            assert_eq!(before, unsafe { *CELL.at() });
        }
    });
}
