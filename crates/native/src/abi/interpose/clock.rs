//! Limits on the time of waiting, as the C library's functions are given them.

use std::ffi::c_int;
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
