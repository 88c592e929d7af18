//! The functions by which a process takes files or memory from itself. If it reports by itself, what names its findings is read before.

use crate::process::real;
use crate::report;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;

/// Defines functions of the C library that read the symbols and go on as they are.
macro_rules! confining {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),*) -> c_int {
            report::prepare();
            let found = real(match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => return -1,
            });
            if found.is_null() {
                return -1;
            }
            // SAFETY: that is the type of the function of this name, and the arguments are the program's.
            unsafe { transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> c_int>(found)($($argument),*) }
        }
    )* };
}

type Limit = *const libc::rlimit;

confining! {
    chroot(path: *const c_char);
    setrlimit(resource: c_int, limit: Limit);
    setrlimit64(resource: c_int, limit: Limit);
    prlimit(process: libc::pid_t, resource: c_int, limit: Limit, before: *mut libc::rlimit);
    prlimit64(process: libc::pid_t, resource: c_int, limit: Limit, before: *mut libc::rlimit);
}
