//! Sums of a parallel iterator.

use raceproof_threads::size;
use rayon::prelude::*;

fn main() {
    let data: Vec<u64> = (0..size(1_000_000) as u64).collect();
    let count = data.len() as u64;
    for _ in 0..4 {
        let total: u64 = data.par_iter().map(|value| value * 2).sum();
        assert_eq!(total, count * (count - 1));
    }
}
