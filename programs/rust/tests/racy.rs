//! For `cargo raceproof test`: a test that passes, with a race.

use corpus::Shared;
use rayon::prelude::*;

#[test]
fn passes_most_of_the_time() {
    let count = Shared::new(0);
    (0..20).into_par_iter().for_each(|_| unsafe { *count.at() += 1 });
    assert_eq!(count.into_inner(), 20);
}
