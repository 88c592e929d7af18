// expect: race-free
// advice: rust-atomic for sum_racy
//! The sum of sum_racy in an atomic.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

static SUM: AtomicU64 = AtomicU64::new(0);

fn main() {
    (0..64u64).into_par_iter().for_each(|i| {
        SUM.fetch_add(i, Ordering::Relaxed);
    });
    assert_eq!(SUM.load(Ordering::Relaxed), 64 * 63 / 2);
}
