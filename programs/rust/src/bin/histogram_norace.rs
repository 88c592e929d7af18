// expect: race-free all-schedules
//! A histogram by folding, and one with bins of their own for every thread.

use corpus::{Pointer, numbers};
use rayon::prelude::*;

fn main() {
    let numbers = numbers(50);
    let folded = numbers.par_iter().fold(
        || [0u32; 4],
        |mut bins, number| {
            bins[*number as usize % 4] += 1;
            bins
        },
    );
    let bins = folded.reduce(|| [0; 4], |a, b| std::array::from_fn(|i| a[i] + b[i]));
    assert_eq!(bins.iter().sum::<u32>(), 50);

    let mut own = vec![[0u32; 4]; rayon::current_num_threads()];
    let at = Pointer(own.as_mut_ptr());
    numbers.par_iter().for_each(|number| unsafe {
        let thread = rayon::current_thread_index().unwrap();
        (*at.at(thread))[*number as usize % 4] += 1;
    });
    assert_eq!(own.iter().flatten().sum::<u32>(), 50);
}
