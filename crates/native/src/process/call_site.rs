//! Where the program called the runtime last. The entry points note it in assembly, before anything
//! else.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Where the last construct that notes it was called from, as a return address.
pub(crate) static CALLER: AtomicUsize = AtomicUsize::new(0);

/// The frame of who has called it, if it has one.
pub(crate) static FRAME: AtomicUsize = AtomicUsize::new(0);

/// Where on the stack the return address stands.
pub(crate) static STACK: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn caller() -> usize {
    CALLER.load(Ordering::Relaxed)
}

/// The registers that calls preserve, and the stack pointer, as they were where the program made the
/// last atomic operation by which it may wait; noted if a search asks for it.
pub(crate) static PRESERVED: [AtomicUsize; 7] = [const { AtomicUsize::new(0) }; 7];
pub(crate) static NOTES_REGISTERS: AtomicBool = AtomicBool::new(false);
