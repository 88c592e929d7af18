//! Guards of local statics: the task that comes first initialises the variable, the others wait for
//! it.
//!
//! The first byte of a guard is set once the variable is initialised; the program looks at it
//! without the runtime. The second byte says that a task is initialising it.

use crate::tasks::atomics;
use crate::tasks::explorer::{self, WaitEvent};
use crate::tasks::sched;
use raceproof_core::event::AccessKind;

/// Whether the running task has to initialise the variable.
///
/// # Safety
/// The guard is the compiler's own variable, of eight bytes.
pub(crate) unsafe fn acquire(guard: *mut u8, pc: usize) -> bool {
    explorer::atomic(guard as usize, 1, AccessKind::Write, pc);
    // SAFETY: the caller's promise.
    let (is_done, busy) = unsafe { (|| guard.read_volatile() != 0, guard.add(1)) };
    if is_done() {
        atomics::acquired_by_schedule(guard as usize);
        return false;
    }
    // SAFETY: the caller's promise.
    let is_busy = || unsafe { busy.read_volatile() } != 0;
    while is_busy() && sched::job().is_some() {
        match explorer::is_on() {
            true => explorer::wait(WaitEvent::of(guard as usize)),
            false => sched::pass(),
        }
    }
    explorer::join_last(WaitEvent::of(guard as usize));
    if is_done() {
        atomics::acquired_by_schedule(guard as usize);
        return false;
    }
    // SAFETY: the caller's promise.
    unsafe { busy.write_volatile(1) };
    true
}

/// The running task has initialised the variable.
///
/// # Safety
/// As for [`acquire`].
pub(crate) unsafe fn release(guard: *mut u8, pc: usize) {
    explorer::atomic(guard as usize, 1, AccessKind::Write, pc);
    atomics::released(guard as usize);
    // SAFETY: the caller's promise.
    unsafe {
        guard.write_volatile(1);
        guard.add(1).write_volatile(0);
    }
    explorer::notify(WaitEvent::of(guard as usize));
}

/// The running task has failed to initialise the variable.
///
/// # Safety
/// As for [`acquire`].
pub(crate) unsafe fn abort(guard: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { guard.add(1).write_volatile(0) };
    explorer::notify(WaitEvent::of(guard as usize));
}
