//! Sweeps over rows by `par_chunks_mut`.

use raceproof_threads::size;
use rayon::prelude::*;

const SWEEPS: usize = 4;

fn main() {
    let side = size(1_000);
    let mut from = vec![0.0f64; side * side];
    from[..side].fill(1.0);
    let mut to = from.clone();
    for _ in 0..SWEEPS {
        to.par_chunks_mut(side).enumerate().skip(1).take(side - 2).for_each(|(row, to)| {
            let above = &from[(row - 1) * side..row * side];
            let here = &from[row * side..(row + 1) * side];
            let below = &from[(row + 1) * side..(row + 2) * side];
            for column in 1..side - 1 {
                to[column] = 0.25 * (here[column - 1] + here[column + 1] + above[column] + below[column]);
            }
        });
        std::mem::swap(&mut from, &mut to);
    }
    assert!(from[side + side / 2] > 0.2);
}
