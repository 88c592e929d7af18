// expect: race-free observed-schedule
//! A message by release and acquire, and a counter.

use corpus::Shared;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static MESSAGE: Shared<u32> = Shared::new(0);
static READY: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU32 = AtomicU32::new(0);

fn main() {
    rayon::join(
        || {
            while !READY.load(Ordering::Acquire) {
                rayon::yield_now();
            }
            assert_eq!(unsafe { *MESSAGE.at() }, 7);
        },
        || {
            unsafe { *MESSAGE.at() = 7 };
            READY.store(true, Ordering::Release);
        },
    );
    rayon::broadcast(|_| COUNT.fetch_add(1, Ordering::Relaxed));
    assert_eq!(COUNT.load(Ordering::Relaxed) as usize, rayon::current_num_threads());
}
