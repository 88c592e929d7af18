// expect: race-free all-schedules
//! Heap memory that a thread reaches through its thread-local storage is its own: a buffer that is used where it is, one that is taken and put back, one that is
//! replaced, a structure of several blocks, and a generator of numbers behind a counted pointer.

use rayon::prelude::*;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::BTreeMap;
use std::rc::Rc;

thread_local! {
    static BUFFER: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: Cell<Vec<usize>> = const { Cell::new(Vec::new()) };
    static NAMES: RefCell<BTreeMap<usize, String>> = const { RefCell::new(BTreeMap::new()) };
    static RANDOM: Rc<UnsafeCell<u64>> = Rc::new(UnsafeCell::new(1));
}

/// As `rand::rng` has it.
fn random() -> u64 {
    let state = RANDOM.with(Rc::clone);
    // SAFETY: the state is the thread's own.
    unsafe {
        *state.get() = (*state.get()).wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state.get() >> 33
    }
}

fn in_place(n: usize) -> usize {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.extend(0..=n);
        buffer.iter().sum()
    })
}

fn taken(n: usize) -> usize {
    let mut scratch = SCRATCH.take();
    scratch.clear();
    scratch.extend(0..=n);
    let sum = scratch.iter().sum();
    if n % 7 == 0 {
        // Freed by another job than the one that has allocated it.
        scratch = Vec::with_capacity(n + 1);
    }
    SCRATCH.set(scratch);
    sum
}

fn name(n: usize) -> usize {
    NAMES.with_borrow_mut(|names| {
        let name = names.entry(n % 5).or_default();
        name.push('x');
        name.len()
    })
}

fn main() {
    let expected: usize = (0..60).map(|n| n * (n + 1) / 2).sum();
    assert_eq!((0..60).into_par_iter().map(in_place).sum::<usize>(), expected);
    assert_eq!((0..60).into_par_iter().map(taken).sum::<usize>(), expected);
    assert_eq!((0..60).into_par_iter().map(name).filter(|length| *length > 0).count(), 60);
    assert!((0..60).into_par_iter().map(|_| random()).sum::<u64>() > 0);
}
