//! How a program begins and ends.
//!
//! `_start` hands `main` to the C library. The symbols of an executable, and of the libraries it is
//! linked with in their order, precede the C library's, so the runtime gets it first. It arranges
//! two things:
//!
//! - The main task runs the executable's constructors (`__attribute__((constructor))`, static
//!   initialisers of C++) before `main`, so that the runtime sees what they do in parallel. The
//!   dynamic linker has run those of shared libraries before.
//! - `main` ends by `exit` in the main task ([`leave`]), so that the same holds for `atexit`
//!   handlers and the destructors of static objects. The runtime writes the report after the
//!   dynamic linker's own handler, which runs `__attribute__((destructor))` functions and comes
//!   last.

use crate::abi;
use crate::detect::contexts::Place;
use crate::detect::{detector, frames};
use crate::process::{self, Main};
use crate::tasks::deadlock::deadlock;
use crate::tasks::observer::KernelObserver;
use crate::tasks::sched::{self, Coroutines, Job, JobSlot, NewestFirst, Work, kernel};
use crate::tasks::{explorer, threads, waits};
use crate::{fatal, report, search, tasks};
use raceproof::run::Run;
use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> c_int;
}

static MAIN: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
/// The executable's constructors are still to be run: by this function, if it has brought one.
static UNBORN: AtomicBool = AtomicBool::new(false);
static INIT: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
/// What ends the dynamic linker's part of the process.
static FINI: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

unsafe extern "C" fn main(count: c_int, arguments: *mut *mut c_char, environment: *mut *mut c_char) -> c_int {
    // SAFETY: `__libc_start_main` has put the program's `main` there, and the C library calls this
    // once, as it would call that.
    unsafe {
        let main = transmute::<*mut c_void, Main>(MAIN.load(Ordering::Relaxed));
        run_main(main, count, arguments, environment)
    }
}

// The program's own `main`, if it was linked with `--wrap=main`. Weak: for a runtime that is a
// shared library, `__libc_start_main` brings it.
std::arch::global_asm!(".weak __real_main");

/// Whether the program has entered its `main`.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// What the executable starts instead of the program's `main` (linked with `--wrap=main`): runs it
/// as the main task.
///
/// # Safety
/// Called as `main` is: by the C library, and by the program if that calls its `main` again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_main(
    count: c_int,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> c_int {
    let main: *const c_void;
    // SAFETY: reads an address that the linker has put there.
    unsafe { std::arch::asm!("mov {}, [rip + __real_main@GOTPCREL]", out(reg) main) };
    if main.is_null() {
        fatal("the program was linked without --wrap=main");
    }
    // SAFETY: that address is the program's `main`; the rest is the caller's promise.
    unsafe {
        let main = std::mem::transmute::<*const c_void, Main>(main);
        // Another unit of the program calls `main`, and the linker has made this of it.
        if ENTERED.swap(true, Ordering::Relaxed) {
            return main(count, arguments, environment);
        }
        run_main(main, count, arguments, environment)
    }
}

/// Runs the program's `main` as the main task.
///
/// # Safety
/// Called once, with what the C library passes to `main`.
unsafe fn run_main(
    main: Main,
    count: c_int,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> c_int {
    abi::begin();
    let options = &process::state().options;
    detector().turn_on(options.detect && explorer::detects());
    if options.collect && !detector().is_recorded() {
        detector().collect_always();
    }
    let status = Rc::new(Cell::new(None));
    let ending = status.clone();
    let main = move || {
        outermost(|| {
            // SAFETY: the program's constructors and its main, with what the system passed.
            let status = unsafe {
                construct(count, arguments, environment);
                frames::call_main(main, count, arguments, environment)
            };
            tasks::threads::begin_at_last();
            // What it does at the exit may wait as well: only a return ends it.
            leave(status);
            ending.set(Some(status));
        });
    };
    let job = Job::main(tasks::state().omp.initial, Place::START, Work::Other(Box::new(main)));
    let mut run = Run::new(Coroutines, KernelObserver, JobSlot(Some(job)));
    if search::is_on() {
        return search::drive(run, &status);
    }
    if !detector().is_recorded() {
        run.kernel.recycle();
    }
    loop {
        run.drive(&mut NewestFirst);
        // Tasks may wait for time to pass.
        if status.get().is_some() || !waits::expire(&mut run.kernel) {
            break;
        }
    }
    process::state().threads.switch(0);
    if let Some(status) = status.get() {
        return status;
    }
    deadlock(&run, |_| None);
    report::finish_and_fail()
}

/// Runs something as the outermost function of its stack, as it is to an unwinder: an exception
/// that leaves it is found to be caught by nobody before anything is unwound, so that
/// `std::terminate` is called for it as without us. Otherwise it would come to the driver, which is
/// Rust, and cannot be left by it.
pub(crate) fn outermost<F: FnOnce()>(work: F) {
    unsafe extern "C-unwind" fn call<F: FnOnce()>(work: *mut Option<F>) {
        // SAFETY: the value below.
        unsafe { (*work).take() }.expect("it is called once")();
    }
    let mut work = Some(work);
    // SAFETY: the function takes the value that it is called with.
    unsafe { as_outermost((&raw mut work).cast(), call::<F> as *const c_void) };
}

/// Calls a function with an argument. Where it returns to itself, it does not tell an unwinder.
#[unsafe(naked)]
unsafe extern "C-unwind" fn as_outermost(argument: *mut c_void, function: *const c_void) {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "push rbp",
        "mov rbp, rsp",
        "call rsi",
        "pop rbp",
        "ret",
        ".cfi_endproc",
    )
}

type Constructor = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char);

type Start = unsafe extern "C" fn(
    Main,
    c_int,
    *mut *mut c_char,
    Option<Constructor>,
    *mut c_void,
    Option<unsafe extern "C" fn()>,
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
    INIT.store(init, Ordering::Relaxed);
    FINI.store(rtld_fini, Ordering::Relaxed);
    UNBORN.store(true, Ordering::Relaxed);
    // SAFETY: looks the C library's own function up, whose type this is, and passes on what it was
    // meant to be given, or what calls that.
    unsafe {
        let real = libc::dlsym(libc::RTLD_NEXT, c"__libc_start_main".as_ptr());
        if real.is_null() {
            crate::fatal("the C library has no __libc_start_main: only that of GNU is known");
        }
        let main = if wraps { program } else { main };
        let start = transmute::<*mut c_void, Start>(real);
        start(main, count, arguments, Some(later), fini, Some(ended), stack_end)
    }
}

/// In the place of what runs the constructors: the main task does it.
unsafe extern "C" fn later(_: c_int, _: *mut *mut c_char, _: *mut *mut c_char) {}

/// Runs the executable's constructors, once.
///
/// # Safety
/// Called with what the C library passes to `main`, before `main`.
pub(crate) unsafe fn construct(count: c_int, arguments: *mut *mut c_char, environment: *mut *mut c_char) {
    if !UNBORN.swap(false, Ordering::Relaxed) {
        return;
    }
    let init = INIT.load(Ordering::Relaxed);
    let list = if init.is_null() { constructors() } else { vec![init as usize] };
    for constructor in list {
        // SAFETY: the linker has put functions of this type there, to be called like this; or
        // `_start` has brought one that does.
        unsafe {
            transmute::<usize, Constructor>(constructor)(count, arguments, environment);
        }
    }
}

/// The constructors in the order in which the C library would run them: `DT_INIT`, then
/// `DT_INIT_ARRAY`.
fn constructors() -> Vec<usize> {
    #[repr(C)]
    struct Entry {
        tag: i64,
        value: usize,
    }
    const END: i64 = 0;
    const INIT: i64 = 12;
    const INIT_ARRAY: i64 = 25;
    const INIT_ARRAY_SIZE: i64 = 27;
    /// Finds the dynamic section of the first module, which is the executable: its address, and
    /// what is added to addresses in it.
    unsafe extern "C" fn find(info: *mut libc::dl_phdr_info, _: libc::size_t, to: *mut c_void) -> c_int {
        // SAFETY: the C library calls this with a valid description, and `to` is the pair below.
        let (info, to) = unsafe { (&*info, &mut *to.cast::<(usize, usize)>()) };
        for index in 0..info.dlpi_phnum {
            // SAFETY: the table has that many entries.
            let header = unsafe { &*info.dlpi_phdr.add(index as usize) };
            if header.p_type == libc::PT_DYNAMIC {
                *to = ((info.dlpi_addr + header.p_vaddr) as usize, info.dlpi_addr as usize);
            }
        }
        1
    }
    let mut found = (0usize, 0usize);
    // SAFETY: the function has the right type and outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(find), (&raw mut found).cast()) };
    let (mut at, base) = (found.0 as *const Entry, found.1);
    let mut list = Vec::new();
    let (mut array, mut bytes) = (0, 0);
    // SAFETY: the section ends with an entry that says so.
    while let Some(entry) = unsafe { at.as_ref() }.filter(|entry| entry.tag != END) {
        match entry.tag {
            INIT => list.push(base + entry.value),
            INIT_ARRAY => array = base + entry.value,
            INIT_ARRAY_SIZE => bytes = entry.value,
            _ => {}
        }
        // SAFETY: this entry is not the last, so that another follows.
        at = unsafe { at.add(1) };
    }
    let array = array as *const usize;
    // SAFETY: the array has that many bytes.
    list.extend((0..bytes / size_of::<usize>()).map(|index| unsafe { *array.add(index) }));
    list
}

/// `main` has returned: ends the program in its task, unless other tasks are left that have to go
/// on first; then it returns. Threads end with the program, wherever they are; but in a search they
/// come first, since what they can still do is to be seen.
pub(crate) fn leave(status: c_int) {
    if kernel().tasks().live() > 1 && (!threads::are_live() || explorer::is_on()) {
        return;
    }
    debug_assert!(sched::job().is_some_and(|job| job.is_main), "only `main` returns");
    // SAFETY: `main` has returned on the OS thread that called it, which is where the C library
    // calls `exit`.
    unsafe { libc::exit(status) };
}

/// The runtime is up. `quick_exit` has handlers of its own; and if the end will not be seen by
/// [`ended`], the report is written when other handlers are done.
pub(crate) fn begun() {
    // SAFETY: registered before anything of the program is, so that it runs last; but a library's
    // constructor may come before `_start`.
    unsafe {
        if MAIN.load(Ordering::Relaxed).is_null() {
            libc::atexit(report::at_end);
        }
        at_quick_exit(report::at_end);
    }
}

/// Registered first, this is the last handler of the process.
unsafe extern "C" fn ended() {
    let fini = FINI.load(Ordering::Relaxed);
    if !fini.is_null() {
        // SAFETY: the function of the dynamic linker that `_start` was given for this.
        unsafe { transmute::<*mut c_void, unsafe extern "C" fn()>(fini)() };
    }
    if abi::is_up() {
        report::at_end();
    }
}
