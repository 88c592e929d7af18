//! State that one module owns and that lives as long as the process.
//!
//! All of the program's code runs on one OS thread, and so does all of the runtime's: `pthread_create` is refused, the threads that
//! lend their storage (`threads.rs`) only sleep, and signal handlers touch nothing but atomic variables. So a module may keep
//! its state in a plain static. This is the one place where that is argued.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ptr;

/// A value that is set once, before any code of the program runs.
#[repr(transparent)]
pub(crate) struct Global<T>(UnsafeCell<*mut T>);

// SAFETY: one OS thread runs all code that uses the value, as said above.
unsafe impl<T> Sync for Global<T> {}

impl<T> Global<T> {
    pub(crate) const fn new() -> Self {
        Global(UnsafeCell::new(ptr::null_mut()))
    }

    pub(crate) fn set(&self, value: T) {
        // SAFETY: nobody else runs, and what the pointer led to before, if anything, is leaked.
        unsafe { *self.0.get() = Box::into_raw(Box::new(value)) };
    }

    #[inline(always)]
    pub(crate) fn is_set(&self) -> bool {
        // SAFETY: nobody writes the pointer meanwhile.
        unsafe { !(*self.0.get()).is_null() }
    }

    /// The value, which has been set.
    #[inline(always)]
    pub(crate) fn get(&self) -> &'static mut T {
        // SAFETY: `set` has put a leaked box there. One OS thread runs all callers, and none of them keeps the reference
        // across a switch of coroutines or a call that asks for it again.
        unsafe { &mut **self.0.get() }
    }

    /// The value, if it has been set.
    #[inline(always)]
    pub(crate) fn find(&self) -> Option<&'static mut T> {
        // SAFETY: as in `get`.
        unsafe { (*self.0.get()).as_mut() }
    }
}

/// The same where nobody asks whether it has been set: in place, so that to reach it takes no load.
#[repr(transparent)]
pub(crate) struct InPlace<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: as for `Global`.
unsafe impl<T> Sync for InPlace<T> {}

impl<T> InPlace<T> {
    pub(crate) const fn new() -> Self {
        InPlace(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Sets the value; called once.
    pub(crate) fn set(&self, value: T) {
        // SAFETY: nobody else runs.
        unsafe { (*self.0.get()).write(value) };
    }

    /// The value, which has been set: the runtime is set up before any entry point gets here.
    #[inline(always)]
    pub(crate) fn get(&self) -> &'static mut T {
        // SAFETY: `set` has put a value there; for the rest as `Global::get`.
        unsafe { (*self.0.get()).assume_init_mut() }
    }
}
