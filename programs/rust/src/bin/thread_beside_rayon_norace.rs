// expect: race-free
// threads: 2
//! Threads that hand work to the pool of rayon, and wait for it.

use rayon::prelude::*;
use std::thread;

fn main() {
    let sums = [10u32, 20].map(|most| thread::spawn(move || (0..most).into_par_iter().sum::<u32>()));
    let sums = sums.map(|sum| sum.join().unwrap());
    assert_eq!(sums, [45, 190]);
}
