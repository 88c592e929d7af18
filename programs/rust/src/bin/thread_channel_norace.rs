// expect: race-free observed-schedule
//! A message, which orders what was written before.

use corpus::Shared;
use std::sync::mpsc::channel;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let (sender, receiver) = channel();
    let child = thread::spawn(move || {
        unsafe { *CELL.at() = 1 };
        sender.send(7).unwrap();
    });
    assert_eq!(receiver.recv(), Ok(7));
    assert_eq!(unsafe { *CELL.at() }, 1);
    child.join().unwrap();
}
