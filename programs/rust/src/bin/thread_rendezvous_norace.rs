// expect: race-free observed-schedule
//! A channel without room: who sends comes after who receives as well.

use corpus::Shared;
use std::sync::mpsc::sync_channel;
use std::thread;

static CELLS: [Shared<u32>; 2] = [const { Shared::new(0) }; 2];

fn main() {
    let (sender, receiver) = sync_channel(0);
    let child = thread::spawn(move || {
        unsafe { *CELLS[0].at() = 1 };
        sender.send(7).unwrap();
        assert_eq!(unsafe { *CELLS[1].at() }, 2);
    });
    unsafe { *CELLS[1].at() = 2 };
    assert_eq!(receiver.recv(), Ok(7));
    assert_eq!(unsafe { *CELLS[0].at() }, 1);
    child.join().unwrap();
}
