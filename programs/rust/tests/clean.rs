//! For `cargo raceproof test`: tests without a race.

use rayon::prelude::*;

#[test]
fn doubles() {
    let doubled: Vec<u32> = (0..20u32).into_par_iter().map(|x| 2 * x).collect();
    assert_eq!(doubled[7], 14);
}

#[test]
#[should_panic = "seven"]
fn a_panic_that_is_expected() {
    (0..20).into_par_iter().for_each(|x| assert!(x != 7, "seven"));
}
