// expect: race-free all-schedules
//! Threads that are joined, and return what they have computed.

use corpus::Shared;
use std::thread;

static COUNT: Shared<u32> = Shared::new(0);

fn main() {
    for _ in 0..3 {
        let thread = thread::spawn(|| unsafe {
            *COUNT.at() += 1;
            *COUNT.at()
        });
        assert_eq!(thread.join().unwrap(), unsafe { *COUNT.at() });
    }
    assert_eq!(unsafe { *COUNT.at() }, 3);
}
