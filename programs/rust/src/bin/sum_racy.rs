// expect: race
//! A parallel iterator that adds to a captured variable.

use corpus::Shared;
use rayon::prelude::*;

static SUM: Shared<u64> = Shared::new(0);

fn main() {
    (0..64u64).into_par_iter().for_each(|i| unsafe {
        *SUM.at() += i; //~ race SUM #1
    });
}
