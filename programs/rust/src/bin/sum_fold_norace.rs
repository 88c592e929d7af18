// expect: race-free all-schedules
// advice: par-reduce for sum_racy
//! The sum of sum_racy, gathered by the iterator.

use rayon::prelude::*;

fn main() {
    let sum = (0..64u64).into_par_iter().fold(|| 0, |sum, i| sum + i).reduce(|| 0, |a, b| a + b);
    assert_eq!(sum, 64 * 63 / 2);
}
