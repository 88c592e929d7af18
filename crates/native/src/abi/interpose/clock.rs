//! The time: limits on waiting, as the C library's functions are given them, and looks at the clock.

use crate::detect::modules;
use crate::process::call_site::NOTES_REGISTERS;
use crate::process::real;
use crate::tasks::repeats;
use std::arch::naked_asm;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::{Duration, Instant};

/// The time of a clock as a time of the process; none if it is no time, or so late that it never
/// comes.
///
/// # Safety
/// A null pointer, or one to a time.
pub(super) unsafe fn limit(clock: c_int, time: *const libc::timespec) -> Option<Instant> {
    // SAFETY: the caller's promise.
    let time = unsafe { time.as_ref() }?;
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the time.
    unsafe { libc::clock_gettime(clock, &mut now) };
    let nanoseconds =
        |time: &libc::timespec| i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    let left = u64::try_from((nanoseconds(time) - nanoseconds(&now)).max(0)).ok()?;
    Instant::now().checked_add(Duration::from_nanos(left))
}

/// `clock_gettime`, in Rust programs: by what it returns a loop may end that waits for something
/// else. With the return address as the third argument.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn clock_gettime() {
    naked_asm!("mov rdx, [rsp]", "jmp {target}", target = sym time_of)
}

extern "C" fn time_of(clock: c_int, to: *mut libc::timespec, pc: usize) -> c_int {
    type Function = unsafe extern "C" fn(c_int, *mut libc::timespec) -> c_int;
    static REAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    if NOTES_REGISTERS.load(Ordering::Relaxed) {
        static OWN: OnceLock<Range<usize>> = OnceLock::new();
        let own = OWN.get_or_init(|| modules::module_of(time_of as *const () as usize));
        if !own.contains(&pc) {
            repeats::acted();
        }
    }
    let mut function = REAL.load(Ordering::Relaxed);
    if function.is_null() {
        function = real(c"clock_gettime");
        REAL.store(function, Ordering::Relaxed);
    }
    if function.is_null() {
        return -1;
    }
    // SAFETY: the C library's function of this name has this type; the pointer is the program's.
    unsafe { transmute::<*mut c_void, Function>(function)(clock, to) }
}
