// expect: race-free all-schedules
// advice: rust-scope for spawn_racy
//! The job of spawn_racy, in the scope that waits for it.

use corpus::Shared;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    rayon::scope(|scope| {
        scope.spawn(|scope| scope.spawn(|_| unsafe { *CELL.at() = 1 }));
    });
    unsafe { *CELL.at() = 2 };
    assert_eq!(unsafe { *CELL.at() }, 2);
}
