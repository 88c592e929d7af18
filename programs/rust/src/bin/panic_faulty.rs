// expect: program-error
// message: the program panicked: attempt to divide by zero
//! A panic that nobody catches.

use rayon::prelude::*;

fn main() {
    let data = [1, 2, 0, 4];
    let sum: u32 = data.par_iter().map(|x| 12 / x).sum();
    println!("{sum}");
}
