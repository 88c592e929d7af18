//! The process as the other modules find it: what the environment asks for, the channel to the
//! process that runs this one, stacks and thread-local storage, and where the program called the
//! runtime. Nothing here knows of tasks, the detector or reports.

pub(crate) mod call_site;
pub(crate) mod channel;
pub(crate) mod fibers;
pub(crate) mod files;
pub(crate) mod global;
pub(crate) mod openmp;
pub(crate) mod options;
pub(crate) mod stacks;
pub(crate) mod threads;

use global::InPlace;
use options::Options;
use std::arch::asm;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Instant;
use threads::Threads;

/// The type of the program's `main`.
pub(crate) type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

/// What this module owns.
pub(crate) struct State {
    pub(crate) options: Options,
    pub(crate) threads: Threads,
    /// The number of this process.
    pub(crate) id: u32,
    pub(crate) started: Instant,
}

static STATE: InPlace<State> = InPlace::new();

#[inline(always)]
pub(crate) fn state() -> &'static mut State {
    STATE.get()
}

/// Sets the module up.
pub(crate) fn begin(options: Options) {
    STATE.set(State { options, threads: Threads::new(), id: std::process::id(), started: Instant::now() });
}

/// This process is a copy of another, and begins now.
pub(crate) fn reborn() {
    (state().id, state().started) = (std::process::id(), Instant::now());
    state().threads.forget_sleepers();
}

static SHARED: AtomicBool = AtomicBool::new(false);

/// Whether we are a library beside the program: then it is a Rust program, of whose standard
/// library we do not see all.
#[inline]
pub(crate) fn is_shared() -> bool {
    SHARED.load(Ordering::Relaxed)
}

/// Finds out which it is: whether this code and the headers of the executable are parts of one
/// module.
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

/// Says something to the user, about us.
pub(crate) fn say(text: &str) {
    // Nobody can be told if standard error is closed.
    let _ = files::quietly(|| writeln!(std::io::stderr(), "raceproof: {text}"));
}

/// Ends the process: it cannot be checked.
pub(crate) fn fatal(text: &str) -> ! {
    say(text);
    channel::write(raceproof::channel::Kind::Limit, text.as_bytes());
    end(2)
}

/// Ends the process, past all that waits for its end.
pub(crate) fn end(status: i32) -> ! {
    loop {
        system_call(libc::SYS_exit_group, [status as usize, 0, 0, 0, 0, 0]);
    }
}

/// What the system says.
pub(crate) fn system_call(number: i64, [a, b, c, d, e, f]: [usize; 6]) -> i64 {
    let result: i64;
    // SAFETY: what the program asked for, or its end.
    unsafe {
        asm!("syscall", inlateout("rax") number => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e,
            in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// A function of the C library that one of ours hides.
pub(crate) fn real(name: &CStr) -> *mut c_void {
    // SAFETY: looks a name up.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

/// The C library's `sigaction`: the program's calls go another way.
///
/// # Safety
/// As `sigaction`.
pub(crate) unsafe fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    type Action = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    // Looked up when the runtime is set up: a handler must not.
    static FOUND: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    if FOUND.load(Ordering::Relaxed).is_null() {
        FOUND.store(real(c"sigaction"), Ordering::Relaxed);
    }
    let found = FOUND.load(Ordering::Relaxed);
    if found.is_null() {
        return -1;
    }
    // SAFETY: that is the type of the function of this name; the rest is the caller's promise.
    unsafe { std::mem::transmute::<*mut c_void, Action>(found)(signal, new, old) }
}

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_free(memory: *mut c_void);
}

/// Memory of our own, which no report is about.
pub(crate) fn plain_malloc(size: usize) -> *mut c_void {
    // SAFETY: `malloc` takes any size.
    unsafe { __libc_malloc(size) }
}

pub(crate) fn plain_free(memory: *mut c_void) {
    // SAFETY: it comes from `plain_malloc`, and nobody uses it any more.
    unsafe { __libc_free(memory) }
}
