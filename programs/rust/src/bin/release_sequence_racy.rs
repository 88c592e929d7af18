// expect: race
//! Many jobs release by one counter, and only the last acquires: none of the others comes after another, however many they are.

use corpus::Shared;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

const JOBS: usize = 40;
static COUNT: AtomicUsize = AtomicUsize::new(0);
static SLOTS: Shared<[usize; JOBS]> = Shared::new([0; JOBS]);
static EARLY: Shared<usize> = Shared::new(0);

fn main() {
    (0..JOBS).into_par_iter().for_each(|at| {
        unsafe { (*SLOTS.at())[at] = at };
        if at == 0 {
            unsafe { *EARLY.at() = 1 }; //~ race EARLY #1
        }
        if COUNT.fetch_add(1, Ordering::Release) + 1 < JOBS {
            if at == JOBS - 2 {
                unsafe { *EARLY.at() = 2 }; //~ race EARLY #1
            }
            return;
        }
        // The whole sequence is acquired: all others have stored theirs.
        COUNT.load(Ordering::Acquire);
        let sum: usize = unsafe { *SLOTS.at() }.iter().sum();
        assert_eq!(sum, JOBS * (JOBS - 1) / 2);
    });
    // What nobody reads is not written by optimised code.
    assert_ne!(unsafe { *EARLY.at() }, 0);
}
