// expect: race
//! A message by a flag that orders nothing.

use corpus::Shared;
use std::sync::atomic::{AtomicBool, Ordering};

static MESSAGE: Shared<u32> = Shared::new(0);
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    rayon::join(
        || {
            while !READY.load(Ordering::Relaxed) {
                rayon::yield_now();
            }
            assert_eq!(unsafe { *MESSAGE.at() }, 7); //~ race MESSAGE #1
        },
        || {
            unsafe { *MESSAGE.at() = 7 }; //~ race MESSAGE #1
            READY.store(true, Ordering::Relaxed);
        },
    );
}
