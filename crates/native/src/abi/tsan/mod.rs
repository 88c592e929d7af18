//! The entry points that clang's `-fsanitize=thread` calls, at every access and function.
//!
//! `accesses` has the entry points of accesses, in assembly. What they do not decide they pass to
//! the functions here, and these to the detector.

mod accesses;
pub(crate) mod atomic;
mod contiguous;
mod fortran;
mod iterations;
pub(crate) mod lanes;
mod reach;

mod strided;

use crate::abi::begin;
use crate::detect;
use crate::detect::detector::{Detector, Manner};
use crate::detect::shadow::Cell;
use crate::report::signals::PENDING;
use crate::tasks::preemption;
use raceproof_core::event::AccessKind;
use reach::is_memory;
use std::arch::naked_asm;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// The detector, after the preemption or signal that is pending, if any.
#[inline(always)]
fn detector_after_pending(address: usize, size: usize, kind: AccessKind, pc: usize) -> &'static mut Detector {
    if PENDING.load(Ordering::Relaxed) {
        preemption::attend(address, size, kind, pc);
    }
    detect::detector()
}

#[cold]
extern "C" fn read_slow(address: usize, size: usize, pc: usize) {
    detector_after_pending(address, size, AccessKind::Read, pc).access(
        address,
        size,
        AccessKind::Read,
        Manner::Plain,
        pc,
    );
}

#[cold]
extern "C" fn write_slow(address: usize, size: usize, pc: usize) {
    detector_after_pending(address, size, AccessKind::Write, pc).access(
        address,
        size,
        AccessKind::Write,
        Manner::Plain,
        pc,
    );
}

// Aligned parts of a word.

extern "C" fn read_part(address: usize, size: usize, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !detect::detector().try_part(address, size, AccessKind::Read, pc) {
        read_slow(address, size, pc);
    }
}

extern "C" fn write_part(address: usize, size: usize, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !detect::detector().try_part(address, size, AccessKind::Write, pc) {
        write_slow(address, size, pc);
    }
}

// Aligned words that have cells like this one.

extern "C" fn read_words<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words::<N>(address, cell, AccessKind::Read, pc);
}

/// The same with a set of readers, of which one may stand for this one.
extern "C" fn read_nearly<const N: usize>(address: usize, cell: Cell, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !detect::detector().try_skip(cell, address, pc) {
        try_medium::<N>(address, cell, AccessKind::Read, pc);
    }
}

extern "C" fn write_words<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words::<N>(address, cell, AccessKind::Write, pc);
}

#[inline(always)]
fn words<const N: usize>(address: usize, cell: Cell, kind: AccessKind, pc: usize) {
    let detector = detect::detector();
    if PENDING.load(Ordering::Relaxed) || !detector.is_fast(cell) {
        try_medium::<N>(address, cell, kind, pc);
    } else if !detector.try_fast::<N>(cell, address, kind, pc) {
        words_slow::<N>(address, kind, pc);
    }
}

// The same if the cell names something, and all of it is below the happens-before watermark.

extern "C" fn read_below_watermark<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words_below_watermark::<N>(address, cell, AccessKind::Read, pc);
}

extern "C" fn write_below_watermark<const N: usize>(address: usize, cell: Cell, pc: usize) {
    words_below_watermark::<N>(address, cell, AccessKind::Write, pc);
}

#[inline(always)]
fn words_below_watermark<const N: usize>(address: usize, cell: Cell, kind: AccessKind, pc: usize) {
    let detector = detect::detector();
    if PENDING.load(Ordering::Relaxed) || !detector.try_next_iteration::<N>(cell, address, kind, pc) {
        try_below_watermark::<N>(address, cell, kind, pc);
    }
}

#[inline(never)]
fn try_below_watermark<const N: usize>(address: usize, cell: Cell, kind: AccessKind, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !detect::detector().try_fast::<N>(cell, address, kind, pc) {
        words_slow::<N>(address, kind, pc);
    }
}

#[inline(never)]
fn try_medium<const N: usize>(address: usize, cell: Cell, kind: AccessKind, pc: usize) {
    if PENDING.load(Ordering::Relaxed) || !detect::detector().try_medium::<N>(cell, address, kind, pc) {
        words_slow::<N>(address, kind, pc);
    }
}

#[cold]
#[inline(never)]
fn words_slow<const N: usize>(address: usize, kind: AccessKind, pc: usize) {
    detector_after_pending(address, 4 * N, kind, pc).words::<N>(address, kind, pc);
}

/// A function with its return address as a further argument, the fourth.
macro_rules! with_caller {
    ($($name:ident => $target:ident;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!("mov rcx, [rsp]", "jmp {target}", target = sym $target)
        }
    )* };
}
with_caller! {
    __tsan_memcpy => memcpy;
    __tsan_memmove => memmove;
    __tsan_memset => memset;
    __tsan_vptr_update => vptr_update;
    __tsan_read_range => read_range;
    __tsan_write_range => write_range;
}

pub(crate) extern "C" fn read_range(address: usize, size: usize, _: usize, pc: usize) {
    if is_memory(address, size) {
        read_slow(address, size, pc);
    }
}

pub(crate) extern "C" fn write_range(address: usize, size: usize, _: usize, pc: usize) {
    if is_memory(address, size) {
        write_slow(address, size, pc);
    }
}

extern "C" fn memcpy(to: *mut c_void, from: *const c_void, size: usize, pc: usize) -> *mut c_void {
    // The compiler copies structures with it, also onto themselves, so it must be able to move.
    memmove(to, from, size, pc)
}

extern "C" fn memmove(to: *mut c_void, from: *const c_void, size: usize, pc: usize) -> *mut c_void {
    if is_memory(from as usize, size) && is_memory(to as usize, size) {
        read_slow(from as usize, size, pc);
        write_slow(to as usize, size, pc);
    }
    // SAFETY: the program passes what it would pass to `memcpy` or `memmove`, whose contract it
    // upholds.
    unsafe { libc::memmove(to, from, size) }
}

extern "C" fn memset(to: *mut c_void, value: i32, size: usize, pc: usize) -> *mut c_void {
    if is_memory(to as usize, size) {
        write_slow(to as usize, size, pc);
    }
    // SAFETY: the program passes what it would pass to `memset`, whose contract it upholds.
    unsafe { libc::memset(to, value, size) }
}

/// An object's table of virtual functions is set; setting it to what it is, as destructors do, is
/// no write.
extern "C" fn vptr_update(address: *const usize, value: usize, _: usize, pc: usize) {
    // SAFETY: the program is about to write there.
    if unsafe { *address } != value {
        write_slow(address as usize, 8, pc);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_entry(call: usize) {
    detect::detector().contexts.enter(call);
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {
    detect::detector().contexts.leave();
}

/// Called by the constructor of every instrumented module.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    begin();
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_begin() {}
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_ignore_thread_end() {}
