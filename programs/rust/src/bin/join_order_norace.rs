// expect: race-free all-schedules
// advice: rust-order for join_racy
//! The writes of join_racy, one before the join.

use corpus::Shared;

static TOTAL: Shared<u64> = Shared::new(0);

fn main() {
    unsafe { *TOTAL.at() = 1 };
    rayon::join(|| (), || unsafe { *TOTAL.at() = 2 });
    assert_eq!(unsafe { *TOTAL.at() }, 2);
}
