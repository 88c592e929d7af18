// expect: race-free observed-schedule
//! A counter behind a mutex, some of whose holders wait for others with the lock in their hands.

use corpus::Shared;
use rayon::prelude::*;
use std::sync::Mutex;

static COUNT: Mutex<u32> = Mutex::new(0);
static BESIDE: Shared<u32> = Shared::new(0);

fn main() {
    (0..32).into_par_iter().for_each(|i| {
        let mut count = COUNT.lock().unwrap();
        if i % 8 == 3 {
            // Others get their turn, and find the lock taken.
            rayon::yield_now();
        }
        *count += 1;
        unsafe { *BESIDE.at() += 1 };
    });
    assert_eq!((*COUNT.lock().unwrap(), unsafe { *BESIDE.at() }), (32, 32));
}
