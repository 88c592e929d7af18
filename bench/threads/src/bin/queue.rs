//! A bounded queue of a mutex and two condition variables, between producers and consumers.

use raceproof_threads::size;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::thread;

const SIDES: u64 = 2;
const ROOM: usize = 64;

#[derive(Default)]
struct Queue {
    waiting: Mutex<VecDeque<u64>>,
    filled: Condvar,
    emptied: Condvar,
}

impl Queue {
    fn push(&self, value: u64) {
        let waiting = self.waiting.lock().unwrap();
        let mut waiting = self.emptied.wait_while(waiting, |waiting| waiting.len() == ROOM).unwrap();
        waiting.push_back(value);
        self.filled.notify_one();
    }

    fn pop(&self) -> u64 {
        let waiting = self.waiting.lock().unwrap();
        let mut waiting = self.filled.wait_while(waiting, |waiting| waiting.is_empty()).unwrap();
        self.emptied.notify_one();
        waiting.pop_front().unwrap()
    }
}

fn main() {
    let each = size(60_000) as u64;
    let queue = &Queue::default();
    let total: u64 = thread::scope(|scope| {
        for _ in 0..SIDES {
            scope.spawn(move || (1..=each).for_each(|value| queue.push(value)));
        }
        let consumers: Vec<_> =
            (0..SIDES).map(|_| scope.spawn(move || (0..each).map(|_| queue.pop()).sum::<u64>())).collect();
        consumers.into_iter().map(|consumer| consumer.join().unwrap()).sum()
    });
    assert_eq!(total, SIDES * (each * (each + 1) / 2));
}
