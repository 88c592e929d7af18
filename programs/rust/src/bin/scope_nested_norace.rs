// expect: race-free all-schedules
//! Jobs that spawn into the scope they are in, from inside of another scope too. The outer scope waits for all of them, and only it.

use corpus::Shared;
use rayon::{join, scope};

static CELLS: [Shared<u32>; 4] = [Shared::new(0), Shared::new(0), Shared::new(0), Shared::new(0)];

fn main() {
    scope(|outer| {
        outer.spawn(|outer| {
            outer.spawn(|_| unsafe { *CELLS[0].at() = 1 });
            scope(|inner| {
                inner.spawn(|_| outer.spawn(|_| unsafe { *CELLS[1].at() = 2 }));
            });
            join(|| outer.spawn(|_| unsafe { *CELLS[2].at() = 3 }), || ());
            unsafe { *CELLS[3].at() = 4 };
        });
    });
    let sum: u32 = CELLS.iter().map(|cell| unsafe { *cell.at() }).sum();
    assert_eq!(sum, 10);
}
