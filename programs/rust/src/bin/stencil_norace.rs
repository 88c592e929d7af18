// expect: race-free all-schedules
//! The same from one array to another.

use rayon::prelude::*;

fn main() {
    let data: Vec<u32> = (0..40).collect();
    let mut next = vec![0; 39];
    next.par_iter_mut().zip(data.par_windows(2)).for_each(|(to, pair)| *to = pair[1] - pair[0]);
    assert!(next.iter().all(|x| *x == 1));
}
