// expect: race-free all-schedules
//! Parallel iterators that only read, and gather by rayon's own means.

use rayon::prelude::*;

fn main() {
    let data: Vec<u64> = (0..200).collect();
    let sum: u64 = data.par_iter().sum();
    let squares: Vec<u64> = data.par_iter().map(|x| x * x).collect();
    let largest = squares.par_iter().copied().reduce(|| 0, u64::max);
    let even = data.par_iter().filter(|x| **x % 2 == 0).count();
    assert_eq!((sum, largest, even), (19900, 199 * 199, 100));
    let folded: u64 = data.par_chunks(7).map(|chunk| chunk.iter().sum::<u64>()).sum();
    assert_eq!(folded, sum);
}
