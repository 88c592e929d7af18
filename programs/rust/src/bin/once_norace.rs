// expect: race-free observed-schedule
//! Cells that whoever comes first sets, in the part of the standard library that is not instrumented.

use rayon::prelude::*;
use std::sync::{LazyLock, OnceLock};

static TABLE: LazyLock<Vec<u32>> = LazyLock::new(|| {
    // The others find it under way.
    rayon::yield_now();
    (0..10).collect()
});
static FIRST: OnceLock<String> = OnceLock::new();

fn main() {
    let sum: u32 = (0..20usize).into_par_iter().map(|i| TABLE[i % 10]).sum();
    assert_eq!(sum, 90);
    (0..8).into_par_iter().for_each(|i| assert!(FIRST.get_or_init(|| format!("{i}")).len() == 1));
}
