//! Does one thing as often as it is told, for tests of what it costs: `costs WHAT COUNT`.

use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};

/// By one task, with another beside it.
fn beside(work: impl Fn() + Send) {
    rayon::join(work, || ());
}

fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().expect("what to do");
    let count: usize = words.next().expect("how often").parse().expect("a number");
    let (mutex, lock, number) = (Mutex::new(0), RwLock::new(0), AtomicUsize::new(0));
    let numbers: [AtomicUsize; 8] = Default::default();
    match what.as_str() {
        "items" => (0..count).into_par_iter().for_each(|_| ()),
        "mutex" => beside(|| (0..count).for_each(|_| *mutex.lock().expect("not poisoned") += 1)),
        "rwlock" => beside(|| (0..count).for_each(|_| *lock.write().expect("not poisoned") += 1)),
        "store" => beside(|| (0..count).for_each(|n| number.store(n, Ordering::Release))),
        "add" => beside(|| (0..count).for_each(|_| _ = number.fetch_add(1, Ordering::Release))),
        // What others have released is looked at, and nobody says that it is acquired.
        "look" => (0..count).into_par_iter().for_each(|_| {
            number.fetch_add(1, Ordering::Release);
            number.load(Ordering::Relaxed);
        }),
        "pass_on" => (0..count).into_par_iter().for_each(|_| {
            number.fetch_add(1, Ordering::AcqRel);
            number.load(Ordering::Relaxed);
        }),
        "several" => (0..count).into_par_iter().for_each(|at| {
            numbers[at % 8].fetch_add(1, Ordering::SeqCst);
            numbers[at / 8 % 8].load(Ordering::Relaxed);
        }),
        "publish" => (0..count).into_par_iter().for_each(|at| {
            if at % 4 == 0 { number.store(at, Ordering::Release) } else { _ = number.load(Ordering::Relaxed) }
        }),
        _ => panic!("{what} is not known"),
    }
}
