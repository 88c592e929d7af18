// expect: race
//! Branch and bound. The best value so far is shared without any synchronisation.

use corpus::Shared;

const ITEMS: [(i64, i64); 10] =
    [(10, 3), (9, 3), (12, 5), (7, 3), (6, 4), (7, 5), (4, 3), (5, 4), (3, 3), (1, 2)];

static BEST: Shared<i64> = Shared::new(0);

fn search(items: &[(i64, i64)], capacity: i64, value: i64) -> i64 {
    if capacity < 0 {
        return i64::MIN;
    }
    let Some((&(worth, weight), rest)) = items.split_first() else {
        return value;
    };
    if capacity == 0 {
        return value;
    }
    let known = unsafe { *BEST.at() }; //~ race BEST #1
    if value + capacity * worth / weight < known {
        return i64::MIN;
    }
    let (with, without) =
        rayon::join(|| search(rest, capacity - weight, value + worth), || search(rest, capacity, value));
    let best = with.max(without);
    let known = unsafe { *BEST.at() }; //~ race BEST #2
    if best > known {
        unsafe { *BEST.at() = best }; //~ race BEST #1 #2 race? BEST #3
    }
    best
}

fn main() {
    assert!(search(&ITEMS, 20, 0) > 0);
}
