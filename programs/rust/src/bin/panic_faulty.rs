// expect: program-error
// message: exit status 101
//! A panic that nobody catches.

use rayon::prelude::*;

fn main() {
    let data = [1, 2, 0, 4];
    let sum: u32 = data.par_iter().map(|x| 12 / x).sum();
    println!("{sum}");
}
