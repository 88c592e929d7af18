// expect: race
//! The same, with a use of what only the outer scope waits for.

use corpus::Shared;
use rayon::{join, scope};

static FIRST: Shared<u32> = Shared::new(0);
static SECOND: Shared<u32> = Shared::new(0);
static THIRD: Shared<u32> = Shared::new(0);

fn main() {
    scope(|outer| {
        outer.spawn(|outer| {
            outer.spawn(|_| unsafe { *FIRST.at() = 1 }); //~ race FIRST #1
            scope(|inner| {
                inner.spawn(|_| outer.spawn(|_| unsafe { *SECOND.at() = 2 })); //~ race SECOND #2
            });
            join(|| outer.spawn(|_| unsafe { *THIRD.at() = 3 }), || ()); //~ race THIRD #3
            println!("{}", unsafe { *FIRST.at() }); //~ race FIRST #1
            println!("{}", unsafe { *SECOND.at() }); //~ race SECOND #2
            println!("{}", unsafe { *THIRD.at() }); //~ race THIRD #3
        });
    });
}
