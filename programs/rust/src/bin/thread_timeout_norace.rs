// expect: race-free observed-schedule
//! Waits with a limit: of one that nothing comes to, and of one that ends before.

use corpus::Shared;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let (sender, receiver) = channel::<u32>();
    assert_eq!(receiver.recv_timeout(Duration::from_millis(2)), Err(RecvTimeoutError::Timeout));
    let child = thread::spawn(move || {
        thread::sleep(Duration::from_millis(2));
        unsafe { *CELL.at() = 1 };
        sender.send(7).unwrap();
    });
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(7));
    assert_eq!(unsafe { *CELL.at() }, 1);
    child.join().unwrap();
    thread::park_timeout(Duration::from_millis(2));
}
