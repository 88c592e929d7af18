// expect: race-free observed-schedule
//! A channel of flume without room, and one with.

use corpus::Shared;
use std::thread;

static CELLS: [Shared<u32>; 2] = [const { Shared::new(0) }; 2];

fn main() {
    let (sender, receiver) = flume::bounded(0);
    let (answer, answers) = flume::unbounded();
    let child = thread::spawn(move || {
        assert_eq!(receiver.recv(), Ok(7));
        assert_eq!(unsafe { *CELLS[0].at() }, 1);
        unsafe { *CELLS[1].at() = 2 };
        answer.send(()).unwrap();
    });
    unsafe { *CELLS[0].at() = 1 };
    sender.send(7).unwrap();
    answers.recv().unwrap();
    assert_eq!(unsafe { *CELLS[1].at() }, 2);
    child.join().unwrap();
}
