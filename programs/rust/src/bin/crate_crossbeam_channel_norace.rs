// expect: race-free observed-schedule
//! Workers that take from a channel with little room and answer by another, and one that selects.

use corpus::Shared;
use crossbeam_channel::{bounded, select, unbounded};
use std::thread;

static CELL: Shared<u32> = Shared::new(0);

fn main() {
    let (work, works) = bounded(1);
    let (answer, answers) = unbounded();
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let (works, answer) = (works.clone(), answer.clone());
            thread::spawn(move || works.iter().for_each(|number: u32| answer.send(2 * number).unwrap()))
        })
        .collect();
    drop((works, answer));
    (1..=5).for_each(|number| work.send(number).unwrap());
    drop(work);
    assert_eq!(answers.iter().sum::<u32>(), 30);
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    let ((first, firsts), (_second, seconds)) = (bounded(0), unbounded::<u32>());
    let child = thread::spawn(move || {
        unsafe { *CELL.at() = 1 };
        first.send(1).unwrap();
    });
    select! {
        recv(firsts) -> number => assert_eq!(number, Ok(unsafe { *CELL.at() })),
        recv(seconds) -> _ => unreachable!("nothing is sent"),
    }
    child.join().unwrap();
}
