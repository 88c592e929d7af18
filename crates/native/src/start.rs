//! How a program that has us as a shared library begins.
//!
//! `_start` hands `main` to the C library. An executable's libraries are searched in the order in which they were linked, and we come
//! before the C library, so that it is handed to us first. Where we are part of the executable it was linked with
//! `--wrap=main`, and there is nothing to do.

use crate::{__wrap_main, Main, run_main};
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

static MAIN: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static SHARED: AtomicBool = AtomicBool::new(false);

/// Whether we are a library beside the program: then it is a Rust program, of whose standard library we do not see all.
pub(crate) fn is_shared() -> bool {
    SHARED.load(Ordering::Relaxed)
}

/// Finds out which it is: whether this code and the headers of the executable are parts of one module.
pub(crate) fn look() {
    // SAFETY: asks the linker about addresses; it writes the description.
    let module = |address: usize| unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        (libc::dladdr(address as *const c_void, &mut info) != 0).then_some(info.dli_fbase as usize)
    };
    // SAFETY: asks the C library for a word of the auxiliary vector.
    let program = unsafe { libc::getauxval(libc::AT_PHDR) } as usize;
    SHARED.store(module(look as *const () as usize) != module(program), Ordering::Relaxed);
}

unsafe extern "C" fn main(count: c_int, arguments: *mut *mut c_char, environment: *mut *mut c_char) -> c_int {
    // SAFETY: `__libc_start_main` has put the program's `main` there, and the C library calls this once, as it would call that.
    unsafe {
        let main = transmute::<*mut c_void, Main>(MAIN.load(Ordering::Relaxed));
        run_main(main, count, arguments, environment)
    }
}

type Start = unsafe extern "C" fn(
    Main,
    c_int,
    *mut *mut c_char,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
) -> c_int;

/// # Safety
/// Called once, by `_start`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __libc_start_main(
    program: Main,
    count: c_int,
    arguments: *mut *mut c_char,
    init: *mut c_void,
    fini: *mut c_void,
    rtld_fini: *mut c_void,
    stack_end: *mut c_void,
) -> c_int {
    let wraps = ptr::fn_addr_eq(program, __wrap_main as Main);
    MAIN.store(program as *mut c_void, Ordering::Relaxed);
    // SAFETY: looks the C library's own function up, whose type this is, and passes on what it was meant to be given.
    unsafe {
        let real = libc::dlsym(libc::RTLD_NEXT, c"__libc_start_main".as_ptr());
        if real.is_null() {
            crate::fatal("the C library has no __libc_start_main: only that of GNU is known");
        }
        let main = if wraps { program } else { main };
        transmute::<*mut c_void, Start>(real)(main, count, arguments, init, fini, rtld_fini, stack_end)
    }
}
