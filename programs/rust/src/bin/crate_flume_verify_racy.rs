// expect: race
//! What is written after the message was sent.

use corpus::Shared;
use std::thread;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let (sender, receiver) = flume::bounded(1);
    let child = thread::spawn(move || {
        sender.send(7).unwrap();
        unsafe { *CELL.at() = 1 }; //~ race CELL #1
    });
    assert_eq!(receiver.recv(), Ok(7));
    println!("{}", unsafe { *CELL.at() }); //~ race CELL #1
    child.join().unwrap();
}
