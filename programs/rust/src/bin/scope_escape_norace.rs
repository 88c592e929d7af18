// expect: race-free all-schedules
// env: RACEPROOF_OPTIONS=collect=always
//! A job that outlives the one that spawned it, which another job has waited for by then: it still comes after what its parent did before.

use corpus::Shared;
use rayon::{join, scope, yield_now};

static CELLS: [Shared<u32>; 8] = [const { Shared::new(0) }; 8];

fn main() {
    scope(|outer| {
        for (number, cell) in CELLS.iter().enumerate() {
            let write = || {
                unsafe { *cell.at() = number as u32 };
                outer.spawn(move |_| {
                    yield_now();
                    assert_eq!(unsafe { *cell.at() }, number as u32);
                });
            };
            join(|| (), write);
            join(|| (), || ());
        }
    });
}
