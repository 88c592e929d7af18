// expect: race
// run: race-free
//! Who sets a cell first decides whether both tasks go on to the same place: only if the second one did.

use corpus::Shared;
use std::sync::OnceLock;

static FIRST: OnceLock<usize> = OnceLock::new();
static CELL: Shared<u32> = Shared::new(0);

fn main() {
    rayon::join(
        || {
            if *FIRST.get_or_init(|| 1) == 2 {
                unsafe { *CELL.at() = 1 }; //~ race CELL #1
            }
        },
        || {
            if *FIRST.get_or_init(|| 2) == 2 {
                unsafe { *CELL.at() = 2 }; //~ race CELL #1
            }
        },
    );
    // A variable that nobody reads is not written either, in an optimised build.
    std::hint::black_box(unsafe { *CELL.at() });
}
