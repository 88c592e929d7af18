// expect: deadlock
//! A token is one, however often it was put: the second `park` waits for ever.

use std::thread;

fn main() {
    let main = thread::current();
    main.unpark();
    main.unpark();
    thread::park();
    thread::park();
}
