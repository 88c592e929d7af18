// expect: race-free observed-schedule
//! A job waits for either of two flags and looks at them in turn.

use corpus::Shared;
use std::sync::atomic::{AtomicBool, Ordering};

static MESSAGE: Shared<u32> = Shared::new(0);
static READY: AtomicBool = AtomicBool::new(false);
static STOPPED: AtomicBool = AtomicBool::new(false);

fn main() {
    rayon::join(
        || {
            while !READY.load(Ordering::Acquire) && !STOPPED.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            assert_eq!(unsafe { *MESSAGE.at() }, 7);
        },
        || {
            unsafe { *MESSAGE.at() = 7 };
            READY.store(true, Ordering::Release);
        },
    );
}
