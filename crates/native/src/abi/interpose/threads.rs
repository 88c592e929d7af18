//! Threads of the program's own, where they are refused rather than the end of the run: who is refused one is told by whom.
//!
//! Rust's test harness runs a test itself if there is no thread for it (`EAGAIN`), so the refusal has to look like the system's. Its text is ours:
//! Rust's standard library asks the C library for it when it prints the error.

use std::ffi::{c_char, c_int};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a thread was refused.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// The standard library has room for 128 bytes.
const TEXT: &[u8] =
    b"raceproof refused the thread: it runs all tasks on one OS thread, and would not see what others do\0";
const _: () = assert!(TEXT.len() < 128);

/// What `pthread_create` says.
pub(super) fn refuse() -> c_int {
    REFUSED.store(true, Ordering::Relaxed);
    libc::EAGAIN
}

/// The C library's `strerror_r`, as the standard says it is.
///
/// # Safety
/// As there: the buffer has room for so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __xpg_strerror_r(number: c_int, buffer: *mut c_char, size: usize) -> c_int {
    if number == libc::EAGAIN && REFUSED.load(Ordering::Relaxed) && size >= TEXT.len() {
        // SAFETY: the caller's promise.
        unsafe { ptr::copy_nonoverlapping(TEXT.as_ptr().cast(), buffer, TEXT.len()) };
        return 0;
    }
    type Describe = unsafe extern "C" fn(c_int, *mut c_char, usize) -> c_int;
    let found = crate::process::real(c"__xpg_strerror_r");
    if found.is_null() {
        return libc::ENOSYS;
    }
    // SAFETY: that is the type of the function of this name; the rest is the caller's promise.
    unsafe { transmute::<*mut std::ffi::c_void, Describe>(found)(number, buffer, size) }
}
