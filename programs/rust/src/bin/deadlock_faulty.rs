// expect: deadlock
//! A lock that is held while its holder waits for somebody who wants it.

use std::sync::Mutex;

fn main() {
    let lock = Mutex::new(0);
    rayon::join(
        || {
            let _guard = lock.lock().unwrap();
            rayon::join(|| (), || *lock.lock().unwrap() += 1);
        },
        || (),
    );
}
