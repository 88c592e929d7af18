//! Functions of the C library that a program must not reach unseen: memory, processes, threads, the
//! end.
//!
//! They have the library's names, and an executable's symbols go before a library's, so that
//! everybody calls these.

pub(crate) mod blocking;
mod clock;
mod confine;
pub(crate) mod descriptors;
mod exec;
pub(crate) mod fortran;

mod mutex;
mod own;
mod processors;
pub(crate) mod reserve;
mod signals;
mod syscall;
mod threads;

use crate::abi::entry::{caller, entry};
use crate::abi::is_up;
use crate::abi::{library, panics};
use crate::detect::callers;
use crate::detect::detector;
use crate::process;
use crate::process::threads::is_making;
use crate::process::{is_shared, real};
use crate::report::{self, calls, exceptions};
use crate::search::Fork;
use crate::tasks::{self, explorer, heap};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;

unsafe extern "C" {
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(memory: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
    fn __libc_free(memory: *mut c_void);
}

entry! {
    malloc => malloc_noted;
    calloc => calloc_noted;
    realloc => realloc_noted;
    free => free_noted;
    memalign => memalign_noted;
    aligned_alloc => memalign_noted;
    posix_memalign => posix_memalign_noted;
    valloc => valloc_noted;
}

/// The program has got memory.
fn got(memory: *mut c_void, size: usize) -> *mut c_void {
    if !memory.is_null() && is_up() && !is_making() {
        heap::allocated(memory as usize, size, || match is_shared() {
            true => callers::of_program(caller()),
            false => library::allocates_for(exceptions::thrown_at(caller())),
        });
        if is_shared() && callers::is_librarys() {
            heap::allocated_by_library(memory as usize);
        }
    }
    memory
}

/// The program frees memory; how much.
fn freed(memory: *mut c_void) -> Option<usize> {
    let is_noted = !memory.is_null() && is_up() && !is_making();
    let is_librarys = || is_shared() && callers::is_librarys();
    is_noted.then(|| heap::freed(memory as usize, caller(), is_librarys)).flatten()
}

pub(crate) extern "C" fn malloc_noted(size: usize) -> *mut c_void {
    got(process::plain_malloc(size), size)
}

pub(crate) extern "C" fn calloc_noted(count: usize, size: usize) -> *mut c_void {
    // SAFETY: `calloc` takes any arguments.
    got(unsafe { __libc_calloc(count, size) }, count.wrapping_mul(size))
}

pub(crate) extern "C" fn memalign_noted(align: usize, size: usize) -> *mut c_void {
    // SAFETY: `memalign` takes any arguments.
    got(unsafe { __libc_memalign(align, size) }, size)
}

unsafe extern "C" fn posix_memalign_noted(to: *mut *mut c_void, align: usize, size: usize) -> c_int {
    if !align.is_power_of_two() || align < size_of::<usize>() {
        return libc::EINVAL;
    }
    let memory = memalign_noted(align, size);
    if memory.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the program's pointer, to be written.
    unsafe { *to = memory };
    0
}

extern "C" fn valloc_noted(size: usize) -> *mut c_void {
    memalign_noted(4096, size)
}

pub(crate) extern "C" fn realloc_noted(memory: *mut c_void, size: usize) -> *mut c_void {
    let is_noted = !memory.is_null() && is_up();
    let parts = if is_noted { heap::accessed_parts(memory as usize) } else { Vec::new() };
    let before = freed(memory);
    // SAFETY: the program's promise: `memory` is null or a block of this allocator that nobody has
    // freed.
    let new = unsafe { __libc_realloc(memory, size) };
    if new.is_null() {
        // The old block is still there, unless the program asked for no bytes, which frees it.
        if let Some(before) = before
            && size > 0
        {
            got(memory, before);
        }
        return new;
    }
    got(new, size);
    if let Some(before) = before {
        detector().moved(new as usize, before.min(size), &parts, caller());
    }
    new
}

pub(crate) extern "C" fn free_noted(memory: *mut c_void) {
    freed(memory);
    // SAFETY: the program's promise: `memory` is null or a block of this allocator that nobody has
    // freed.
    unsafe { __libc_free(memory) }
}

// ---- threads and processes ----

entry! {
    fork => fork_noted;
    abort => abort_noted;
    exit => exit_noted;
    __assert_fail => assert_fail;
}

/// The C library's own `fork`, or its `_Fork`.
pub(crate) fn real_fork(name: &CStr) -> Option<Fork> {
    // SAFETY: that is the type of the functions of these names; null is none.
    unsafe { std::mem::transmute::<*mut c_void, Option<Fork>>(real(name)) }
}

extern "C" fn fork_noted() -> c_int {
    let Some(fork) = real_fork(c"fork") else { return -1 };
    // SAFETY: what the program has asked for.
    let child = unsafe { fork() };
    if is_up() {
        if child == 0 {
            report::leave_alone();
        } else {
            report::limit("the program forked: what the child process did was not checked");
        }
    }
    child
}

#[unsafe(no_mangle)]
pub extern "C" fn dlclose(library: *mut c_void) -> c_int {
    type Close = unsafe extern "C" fn(*mut c_void) -> c_int;
    if is_up() {
        crate::report::coverage::closing();
    }
    let found = real(c"dlclose");
    if found.is_null() {
        return -1;
    }
    // SAFETY: that is the type of the function of this name, and the argument is the program's.
    unsafe { std::mem::transmute::<*mut c_void, Close>(found)(library) }
}

fn die() -> ! {
    crate::report::faults::uninstall();
    process::state().threads.switch(0);
    // SAFETY: the way abort ends a process: by the signal, whose action is the default one now.
    unsafe {
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        libc::raise(libc::SIGABRT);
        libc::_exit(127)
    }
}

extern "C" fn abort_noted() -> ! {
    if is_up() {
        if panics::reported() {
            // A panic that must not be caught.
        } else if let Some(error) = exceptions::terminated() {
            report::failed(error);
        } else {
            report::program_error_at("abort", "the program called abort", calls::here());
        }
        explorer::failed();
        report::finish();
    }
    die()
}

extern "C" fn exit_noted(status: c_int) -> ! {
    type Exit = unsafe extern "C" fn(c_int) -> !;
    if is_up() {
        panics::ends(status);
        // The C library knows of those of the OS thread.
        tasks::threads::run_at_exit();
    }
    let found = real(c"exit");
    if found.is_null() {
        _exit(status);
    }
    // SAFETY: that is the type of the function of this name.
    unsafe { std::mem::transmute::<*mut c_void, Exit>(found)(status) }
}

unsafe extern "C" fn assert_fail(text: *const c_char, file: *const c_char, line: u32, _: *const c_char) -> ! {
    // SAFETY: the C library's macro passes strings.
    let (text, file) = unsafe { (CStr::from_ptr(text), CStr::from_ptr(file)) };
    let (text, file) = (text.to_string_lossy(), file.to_string_lossy());
    // If standard error is closed, nobody can read it.
    let _ = writeln!(std::io::stderr(), "{file}:{line}: assertion `{text}' failed");
    if is_up() {
        report::program_error_at("assertion", &format!("assertion failed: {text}"), calls::here());
        explorer::failed();
        report::finish();
    }
    die()
}

#[unsafe(no_mangle)]
pub extern "C" fn _exit(status: c_int) -> ! {
    let status = if is_up() { report::finish_with(status) } else { status };
    process::end(status)
}

#[unsafe(no_mangle)]
pub extern "C" fn _Exit(status: c_int) -> ! {
    _exit(status)
}
