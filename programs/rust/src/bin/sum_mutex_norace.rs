// expect: race-free observed-schedule
// advice: rust-mutex for sum_racy
//! The sum of sum_racy behind a mutex.

use rayon::prelude::*;
use std::sync::Mutex;

static SUM: Mutex<u64> = Mutex::new(0);

fn main() {
    (0..64u64).into_par_iter().for_each(|i| *SUM.lock().unwrap() += i);
    assert_eq!(*SUM.lock().unwrap(), 64 * 63 / 2);
}
