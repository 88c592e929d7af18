// expect: race-free all-schedules
// advice: par-collect for stencil_racy
//! The cells of stencil_racy, read from one collection and collected into another.

use rayon::prelude::*;

fn main() {
    let data: Vec<u32> = (0..40).collect();
    let moved: Vec<u32> = (0..39usize).into_par_iter().map(|i| data[i + 1]).collect();
    assert_eq!(moved[20], 21);
}
