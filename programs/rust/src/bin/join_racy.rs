// expect: race
//! Both sides of a join write the same variable.

use corpus::Shared;

static TOTAL: Shared<u64> = Shared::new(0);

fn main() {
    rayon::join(
        || unsafe { *TOTAL.at() = 1 }, //~ race TOTAL #1
        || unsafe { *TOTAL.at() = 2 }, //~ race TOTAL #1
    );
    println!("{}", unsafe { *TOTAL.at() });
}
