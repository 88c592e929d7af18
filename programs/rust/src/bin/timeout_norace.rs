// expect: race-free observed-schedule
//! Jobs that wait for a message with a limit on the time, on a pool of one thread: while one waits no other can begin, so the time is up, and
//! what was to be sent is sent afterwards.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let (sender, receiver) = channel::<u32>();
    let mut got = Vec::new();
    pool.scope(|scope| {
        // Jobs of one thread begin with the newest.
        scope.spawn(move |_| sender.send(7).expect("somebody listens"));
        scope.spawn(|_| {
            let receiver = receiver;
            loop {
                match receiver.recv_timeout(Duration::from_millis(5)) {
                    Ok(number) => break got.push(Some(number)),
                    Err(RecvTimeoutError::Timeout) => {
                        got.push(None);
                        rayon::yield_now();
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
    });
    assert_eq!(got.last(), Some(&Some(7)));
    let (mutex, condition) = (Mutex::new(false), Condvar::new());
    pool.scope(|scope| {
        scope.spawn(|_| {
            let guard = mutex.lock().expect("not poisoned");
            let wait = condition.wait_timeout_while(guard, Duration::from_millis(5), |set| !*set);
            let (guard, result) = wait.expect("not poisoned");
            assert_eq!(*guard, !result.timed_out());
        });
        scope.spawn(|_| {
            *mutex.lock().expect("not poisoned") = true;
            condition.notify_all();
        });
    });
}
