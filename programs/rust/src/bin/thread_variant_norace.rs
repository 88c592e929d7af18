// expect: race-free all-schedules
//! A thread asks for the variant of an enum while another changes the value in it: without optimisation rustc loads both.

use corpus::Shared;
use std::thread;

static CELL: Shared<Option<u64>> = Shared::new(Some(1));

fn main() {
    let child = thread::spawn(|| {
        if let Some(value) = unsafe { &mut *CELL.at() } {
            *value = 2;
        }
    });
    let is_there = unsafe { (*CELL.at()).is_some() };
    child.join().unwrap();
    assert!(is_there);
}
