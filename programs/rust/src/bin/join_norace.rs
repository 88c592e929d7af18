// expect: race-free all-schedules
//! What a join has waited for may be used.

use corpus::Shared;

static LEFT: Shared<u64> = Shared::new(0);
static RIGHT: Shared<u64> = Shared::new(0);

fn main() {
    rayon::join(|| unsafe { *LEFT.at() = 1 }, || unsafe { *RIGHT.at() = 2 });
    let sum = unsafe { *LEFT.at() + *RIGHT.at() };
    rayon::join(|| unsafe { *RIGHT.at() = sum }, || unsafe { *LEFT.at() = sum });
    assert_eq!(unsafe { (*LEFT.at(), *RIGHT.at()) }, (3, 3));
}
