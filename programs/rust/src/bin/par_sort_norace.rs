// expect: race-free all-schedules
//! Rayon's own sorts, stable and not, which are full of raw pointers.

use corpus::numbers;
use rayon::prelude::*;

fn main() {
    let mut stable = numbers(6000);
    let mut unstable = stable.clone();
    let mut expected = stable.clone();
    expected.sort_unstable();
    stable.par_sort();
    unstable.par_sort_unstable();
    assert!(stable == expected && unstable == expected);
}
