//! Rayon's own parallel sort.

use raceproof_threads::{Random, size};
use rayon::prelude::*;

fn main() {
    let mut random = Random(3);
    let mut data: Vec<u64> = (0..size(1_000_000)).map(|_| random.next()).collect();
    data.par_sort_unstable();
    assert!(data.is_sorted());
}
