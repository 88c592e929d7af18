//! What the racy programs have in common: a way around the borrow checker, as `unsafe` code in the wild has it.

use std::cell::UnsafeCell;

/// Something that is shared and changed by whoever likes.
#[derive(Default)]
pub struct Shared<T>(UnsafeCell<T>);

// SAFETY: there is none. The programs that use it either order their accesses themselves or are meant to race.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub const fn new(value: T) -> Self {
        Shared(UnsafeCell::new(value))
    }

    /// Where it is.
    #[inline(always)]
    pub fn at(&self) -> *mut T {
        self.0.get()
    }

    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

/// A pointer that may go to other threads.
#[derive(Clone, Copy)]
pub struct Pointer<T>(pub *mut T);

// SAFETY: as above.
unsafe impl<T> Send for Pointer<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Pointer<T> {}

impl<T> Pointer<T> {
    /// The element at an index.
    #[inline(always)]
    pub fn at(self, index: usize) -> *mut T {
        self.0.wrapping_add(index)
    }
}

/// Numbers that look like chance and are always the same.
pub fn numbers(count: usize) -> Vec<u32> {
    let mut state = 12345u32;
    let next = |_| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        state >> 8
    };
    (0..count).map(next).collect()
}
