// expect: race
//! What one thread has allocated is not for that reason its own: jobs of one thread that share a vector race, also where they use thread-local storage
//! besides; and what was in the storage and was published is shared from then on.

use corpus::{Pointer, Shared};
use std::cell::{Cell, RefCell};

thread_local! {
    static BUFFER: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

static PUBLISHED: Shared<Pointer<u32>> = Shared::new(Pointer(std::ptr::null_mut()));

fn own(n: u32) {
    BUFFER.with_borrow_mut(|buffer| buffer.push(n));
}

/// Two jobs that the vector of their parent is shared by.
fn shared() {
    let mut vector = vec![0; 4];
    let at = Pointer(vector.as_mut_ptr());
    let set = |n: u32| {
        own(n);
        // SAFETY: it is there. Both write it.
        unsafe { *at.at(1) = n }; //~ race vector[] #1
        own(n);
    };
    rayon::join(|| set(1), || set(2));
    assert!(vector[1] > 0);
}

/// A buffer is taken from the storage for good, and its place told to others.
fn published() {
    SCRATCH.set(vec![0; 4]);
    let mut buffer = SCRATCH.take();
    // SAFETY: nobody else runs.
    unsafe { *PUBLISHED.at() = Pointer(buffer.as_mut_ptr()) };
    let set = |n: u32| {
        own(n);
        // SAFETY: it is there. Both write it.
        unsafe { *(*PUBLISHED.at()).at(2) = n }; //~ race buffer[] #2
    };
    rayon::join(|| set(1), || set(2));
    assert!(buffer[2] > 0);
    buffer.clear();
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    pool.install(shared);
    pool.install(published);
    // The storage of one thread, written by two.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
    pool.broadcast(|context| {
        if context.index() == 0 {
            own(0);
            BUFFER.with_borrow_mut(|buffer| {
                // SAFETY: the others only look later.
                unsafe { *PUBLISHED.at() = Pointer(buffer.as_mut_ptr()) };
            });
        }
    });
    pool.broadcast(|context| {
        if context.index() == 0 {
            BUFFER.with_borrow_mut(|buffer| buffer[0] += 1); //~ race buffer[] #3
        } else {
            // SAFETY: it is there. The other thread writes it as well.
            unsafe { *(*PUBLISHED.at()).at(0) += 1 }; //~ race buffer[] #3
        }
    });
}
