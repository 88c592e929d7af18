// expect: race-free observed-schedule
//! A job that nobody waits for, whose result comes by a channel.

use corpus::Shared;
use std::sync::Arc;
use std::sync::mpsc::channel;

fn main() {
    let (sender, receiver) = channel();
    let cell = Arc::new(Shared::new(0));
    let theirs = cell.clone();
    rayon::spawn(move || {
        unsafe { *theirs.at() = 1 };
        sender.send(()).unwrap();
    });
    receiver.recv().unwrap();
    assert_eq!(unsafe { *cell.at() }, 1);
}
