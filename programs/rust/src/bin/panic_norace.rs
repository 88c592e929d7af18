// expect: race-free all-schedules
//! Panics come out where the jobs are waited for, and only after all of them are done.

use std::panic::{AssertUnwindSafe, catch_unwind};

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut other = 0;
    let joined = catch_unwind(AssertUnwindSafe(|| rayon::join(|| panic!("left"), || other = 1)));
    assert_eq!(*joined.map(|_: ((), ())| ()).unwrap_err().downcast::<&str>().unwrap(), "left");
    assert_eq!(other, 1);

    let mut cells = [0; 4];
    let scoped = catch_unwind(AssertUnwindSafe(|| {
        rayon::scope(|scope| {
            for (i, cell) in cells.iter_mut().enumerate() {
                scope.spawn(move |_| {
                    *cell = 1;
                    assert!(i != 2, "the third");
                });
            }
        });
    }));
    assert_eq!(*scoped.unwrap_err().downcast::<&str>().unwrap(), "the third");
    assert_eq!(cells, [1; 4]);
}
