// expect: race-free observed-schedule
// threads: 4
//! A job that waits for a message keeps its thread from other jobs, and what belongs to the thread to itself.

use std::cell::Cell;
use std::sync::mpsc::channel;

thread_local!(static WAITS: Cell<bool> = const { Cell::new(false) });

fn main() {
    let mut senders = Vec::new();
    rayon::scope(|scope| {
        for number in 0..3u32 {
            let (sender, receiver) = channel();
            senders.push(sender);
            scope.spawn(move |_| {
                assert!(!WAITS.replace(true), "somebody waits here");
                assert_eq!(receiver.recv(), Ok(number));
                WAITS.set(false);
            });
        }
        for _ in 0..6 {
            scope.spawn(|_| assert!(!WAITS.get(), "somebody waits here"));
        }
        scope.spawn(|_| (0..).zip(&senders).for_each(|(number, sender)| sender.send(number).unwrap()));
    });
}
