// expect: race-free observed-schedule
//! Crates whose memory is a thread's own: entries of a table that are chosen by the thread (`thread_local`), and what a thread that frees memory later has noted
//! for itself (`crossbeam_epoch`).

use crossbeam_epoch::{Atomic, Owned, pin};
use rayon::prelude::*;
use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering::AcqRel;
use thread_local::ThreadLocal;

fn main() {
    let (found, count) = (ThreadLocal::<RefCell<Vec<u32>>>::new(), ThreadLocal::<Cell<u32>>::new());
    (0..100).into_par_iter().for_each(|number| {
        found.get_or_default().borrow_mut().push(number);
        let count = count.get_or_default();
        count.set(count.get() + 1);
    });
    let mut all: Vec<u32> = found.into_iter().flat_map(RefCell::into_inner).collect();
    all.sort_unstable();
    assert_eq!(all, (0..100).collect::<Vec<_>>());
    assert_eq!(count.into_iter().map(Cell::into_inner).sum::<u32>(), 100);

    let newest = Atomic::new(0);
    (0..300).into_par_iter().for_each(|number| {
        let guard = pin();
        let before = newest.swap(Owned::new(number), AcqRel, &guard);
        // SAFETY: it was there, and nobody gets it any more.
        unsafe {
            assert!(*before.deref() < 300);
            guard.defer_destroy(before);
        }
    });
    // SAFETY: nobody else has it.
    drop(unsafe { newest.into_owned() });
}
