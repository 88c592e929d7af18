//! State that one module owns and that lives as long as the process.
//!
//! One OS thread runs all of the program's code and all of the runtime's: threads that the program
//! creates are tasks on it, the OS threads that lend their storage (`threads.rs`) only sleep, and
//! signal handlers touch nothing but atomic variables. So a module may keep its state in a plain
//! static. Only this file argues that; the callers of `get` uphold the rest: none keeps a reference
//! across a switch of coroutines, nor across a call that asks for the same state again.

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
        // SAFETY: only `setup::begin` and what it calls set state, before any code of the program
        // runs, on the one OS thread. What the pointer led to before, if anything, is leaked, so
        // references to it stay valid.
        unsafe { *self.0.get() = Box::into_raw(Box::new(value)) };
    }

    #[inline(always)]
    pub(crate) fn is_set(&self) -> bool {
        // SAFETY: the one OS thread reads the pointer here, so that `set` does not write it
        // meanwhile.
        unsafe { !(*self.0.get()).is_null() }
    }

    /// The value, which has been set.
    #[inline(always)]
    pub(crate) fn get(&self) -> &'static mut T {
        // SAFETY: `set` has put a leaked box there. One OS thread runs all callers, and each
        // upholds the rule in the header.
        unsafe { &mut **self.0.get() }
    }

    /// The value, if it has been set.
    #[inline(always)]
    pub(crate) fn find(&self) -> Option<&'static mut T> {
        // SAFETY: the pointer is null or `set` has put a leaked box there. One OS thread runs all
        // callers, and each upholds the rule in the header.
        unsafe { (*self.0.get()).as_mut() }
    }
}

/// The same where no caller asks whether it has been set: in the static itself, so that reaching it
/// takes no load.
#[repr(transparent)]
pub(crate) struct InPlace<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: one OS thread runs all code that uses the value, as said in the header.
unsafe impl<T> Sync for InPlace<T> {}

impl<T> InPlace<T> {
    pub(crate) const fn new() -> Self {
        InPlace(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Sets the value; called once.
    pub(crate) fn set(&self, value: T) {
        // SAFETY: only `setup::begin` and what it calls set state, on the one OS thread, before any
        // code of the program runs; it is called once, so that no reference to the value exists.
        unsafe { (*self.0.get()).write(value) };
    }

    /// The value, which has been set: the runtime is set up before any entry point gets here.
    #[inline(always)]
    pub(crate) fn get(&self) -> &'static mut T {
        // SAFETY: `set` has put a value there; for the rest as `Global::get`.
        unsafe { (*self.0.get()).assume_init_mut() }
    }
}
