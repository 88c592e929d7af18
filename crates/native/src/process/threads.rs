//! Thread-local storage for virtual threads.
//!
//! All tasks run on one OS thread, but code compiled for threads reaches its thread-local variables
//! (`threadprivate`, `thread_local`, `errno`) through the FS register. So each virtual thread but
//! the first borrows the storage of an OS thread that does nothing else: it is created, sleeps, and
//! while a task of the virtual thread runs, FS points at the sleeper's block. The C library has set
//! the block up and knows of it, as of any thread's: its address is the thread's `pthread_t`.
//!
//! Threads of OpenMP and of pools keep their storage for the next team. A thread that the program
//! has created gets fresh storage, and its sleeper ends when the thread is over and joined.

use std::arch::asm;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A sleeper is made or ends: what the C library allocates and frees for it is not the program's.
static MAKING: AtomicBool = AtomicBool::new(false);

/// Whether the C library works for a sleeper.
#[inline]
pub(crate) fn is_making() -> bool {
    MAKING.load(Ordering::Relaxed)
}

/// The states of a sleeper.
const STARTING: u32 = 0;
const SLEEPING: u32 = 1;
const OVER: u32 = 2;

/// Wakes who waits for a change of the word.
fn wake(word: &AtomicU32) {
    let wake = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    super::system_call(libc::SYS_futex, [word.as_ptr() as usize, wake as usize, 1, 0, 0, 0]);
}

/// Waits as long as the word is this.
fn wait_while(word: &AtomicU32, state: u32) {
    while word.load(Ordering::Acquire) == state {
        let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        super::system_call(libc::SYS_futex, [word.as_ptr() as usize, wait as usize, state as usize, 0, 0, 0]);
    }
}

/// The storage of a virtual thread.
#[derive(Clone, Copy)]
struct Storage {
    /// The FS base.
    base: usize,
    /// What its sleeper waits for: that this word is [`OVER`]. None where there is no sleeper.
    over: Option<&'static AtomicU32>,
}

pub(crate) struct Threads {
    /// The virtual threads there are; the first is the OS thread. None: without storage now.
    all: Vec<Option<Storage>>,
    /// Storage that no virtual thread has yet.
    spare: VecDeque<Storage>,
    now: usize,
    /// Whether FS can be written without the help of the system.
    writable: bool,
    /// Bytes of thread-local variables below the base.
    size: usize,
    /// The C++ library's function that gives the record of the exceptions a thread is handling, if
    /// it is there.
    exceptions: Option<unsafe extern "C" fn() -> *mut [usize; 2]>,
}

impl Threads {
    pub(crate) fn new() -> Self {
        const FSGSBASE: u64 = 1 << 1;
        // SAFETY: asks the C library for a word of the auxiliary vector.
        let features = unsafe { libc::getauxval(libc::AT_HWCAP2) };
        // SAFETY: on x86-64 the handle of a thread is the address of its control block, which is
        // the FS base.
        let own = unsafe { libc::pthread_self() } as usize;
        // SAFETY: looks a name up; that is the type of the function of this name, in both C++
        // libraries.
        let exceptions = unsafe {
            let found = libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_get_globals".as_ptr());
            std::mem::transmute::<*mut libc::c_void, Option<unsafe extern "C" fn() -> *mut [usize; 2]>>(found)
        };
        let writable = features & FSGSBASE != 0;
        Threads {
            all: vec![Some(Storage { base: own, over: None })],
            spare: VecDeque::new(),
            now: 0,
            writable,
            size: storage_size(),
            exceptions,
        }
    }

    /// The memory of the thread-local variables of a thread.
    pub(crate) fn storage(&self, thread: u32) -> (usize, usize) {
        let base = self.base(thread);
        (base - self.size, base + 0x1000)
    }

    /// Where the thread-local variables of a thread end.
    pub(crate) fn base(&self, thread: u32) -> usize {
        self.all[thread as usize].map_or(0, |storage| storage.base)
    }

    /// Whether there is storage for a virtual thread.
    pub(crate) fn has(&self, thread: u32) -> bool {
        self.all.get(thread as usize).is_some_and(Option::is_some)
    }

    /// Makes storage for a virtual thread that has none.
    pub(crate) fn add(&mut self, thread: u32) -> io::Result<()> {
        let now = self.now;
        self.switch(0);
        let tables = tables_of_the_process();
        MAKING.store(true, Ordering::Relaxed);
        let made = self.spare.pop_front().map_or_else(sleeper, Ok);
        if let Ok(storage) = made {
            if self.all.len() <= thread as usize {
                self.all.resize(thread as usize + 1, None);
            }
            self.all[thread as usize] = Some(storage);
            self.switch(thread);
            // An execution of a search would have the system copy a page for each thread.
            if tables != Some(tables_now()) {
                begin();
            }
        }
        MAKING.store(false, Ordering::Relaxed);
        self.switch(now as u32);
        made.map(drop)
    }

    /// Makes storage for so many virtual threads beside the first, for processes that are forked from
    /// this one: their threads are gone, and the storage is there. A sleeper that sleeps holds no
    /// lock of the C library.
    pub(crate) fn prepare(&mut self, count: usize) {
        MAKING.store(true, Ordering::Relaxed);
        while self.all.len() + self.spare.len() <= count
            && let Ok(storage) = sleeper()
        {
            self.spare.push_back(storage);
        }
        MAKING.store(false, Ordering::Relaxed);
    }

    /// This process is a copy of another: it has the storage of that one's sleepers, and not them.
    pub(crate) fn forget_sleepers(&mut self) {
        for storage in self.all.iter_mut().flatten().chain(&mut self.spare) {
            storage.over = None;
        }
    }

    /// A virtual thread is over, and nobody uses its storage again: its sleeper ends.
    pub(crate) fn end(&mut self, thread: u32) {
        let Some(Storage { base, over: Some(over) }) = self.all[thread as usize].take() else { return };
        let now = if self.now == thread as usize { 0 } else { self.now };
        self.switch(0);
        MAKING.store(true, Ordering::Relaxed);
        over.store(OVER, Ordering::Release);
        wake(over);
        type Join = unsafe extern "C" fn(libc::pthread_t, *mut *mut libc::c_void) -> libc::c_int;
        let join = super::real(c"pthread_join");
        if !join.is_null() {
            // SAFETY: that is the type of the function of this name; the thread is one of ours,
            // which nobody has joined.
            unsafe { std::mem::transmute::<*mut libc::c_void, Join>(join)(base as _, std::ptr::null_mut()) };
        }
        MAKING.store(false, Ordering::Relaxed);
        // SAFETY: `sleeper` has leaked it, and the thread that read it has ended.
        drop(unsafe { Box::from_raw(std::ptr::from_ref(over).cast_mut()) });
        self.switch(now as u32);
    }

    /// The exception that the running thread has caught last and is not done with: the address of
    /// its header.
    pub(crate) fn caught_exception(&self) -> Option<usize> {
        // SAFETY: the record is the running thread's own.
        self.exceptions.map(|record| unsafe { *record() }[0]).filter(|&header| header != 0)
    }

    /// Exchanges what the running thread's record of exceptions holds. Tasks that share a thread
    /// may each be in a handler.
    #[inline]
    pub(crate) fn swap_exceptions(&self, with: &mut [usize; 2]) {
        if let Some(record) = self.exceptions {
            // SAFETY: the record is the running thread's own: the head of a list, and a count.
            std::mem::swap(unsafe { &mut *record() }, with);
        }
    }

    /// From here on the storage of `thread` is used.
    #[inline]
    pub(crate) fn switch(&mut self, thread: u32) {
        let thread = thread as usize;
        if thread == self.now {
            return;
        }
        self.now = thread;
        let base = self.base(thread as u32);
        if self.writable {
            // SAFETY: the system lets programs write FS (asked in `new`), and `base` is the control
            // block of a thread of the C library that is this thread or sleeps. Nothing in this
            // function uses thread-local storage.
            unsafe { asm!("wrfsbase {}", in(reg) base, options(nostack, preserves_flags)) };
        } else {
            const ARCH_SET_FS: usize = 0x1002;
            // SAFETY: `base` is the control block of a thread of the C library that is this thread
            // or sleeps, and the system sets FS to it. It is the raw call, since that of the C
            // library would write `errno`.
            unsafe {
                asm!(
                    "syscall",
                    inlateout("rax") libc::SYS_arch_prctl as usize => _,
                    in("rdi") ARCH_SET_FS,
                    in("rsi") base,
                    lateout("rcx") _,
                    lateout("r11") _,
                    options(nostack)
                );
            }
        }
    }
}

/// What a sleeper does: nothing, until its storage is not needed any more.
extern "C" fn sleep(over: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: `sleeper` passes a word that lives until this thread was joined.
    let over = unsafe { &*over.cast::<AtomicU32>() };
    over.store(SLEEPING, Ordering::Release);
    wake(over);
    wait_while(over, SLEEPING);
    std::ptr::null_mut()
}

/// The C library's `LC_GLOBAL_LOCALE`.
const OF_THE_PROCESS: libc::locale_t = std::ptr::without_provenance_mut(usize::MAX);

/// The tables of `<ctype.h>` of the thread whose storage is used now.
fn tables_now() -> *const libc::c_ushort {
    unsafe extern "C" {
        fn __ctype_b_loc() -> *mut *const libc::c_ushort;
    }
    // SAFETY: a documented function of glibc: the address of a variable of the thread.
    unsafe { *__ctype_b_loc() }
}

/// Those of the locale of the process, if the thread whose storage is used now has no other.
fn tables_of_the_process() -> Option<*const libc::c_ushort> {
    // SAFETY: a documented use: asks for the locale of the thread.
    let locale = unsafe { libc::uselocale(std::ptr::null_mut()) };
    (locale == OF_THE_PROCESS).then(tables_now)
}

/// Sets up what the C library leaves to a new thread itself, in the storage that is used now: the
/// tables of `<ctype.h>`. The sleeper may not have begun yet, and `toupper` would find no table; or
/// it has begun, and the program has chosen another locale since.
fn begin() {
    // SAFETY: a documented use. The thread has the locale of the process already; to set it sets
    // the tables as well.
    unsafe { libc::uselocale(OF_THE_PROCESS) };
}

/// An OS thread that sleeps.
fn sleeper() -> io::Result<Storage> {
    let over = Box::leak(Box::new(AtomicU32::new(STARTING)));
    // SAFETY: the documented use of these functions, on values that live here. Signals are blocked
    // while the thread is made, so that it starts with all of them blocked and none meant for the
    // program is ever handled on it.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let mut attributes = std::mem::zeroed();
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_setstacksize(&mut attributes, (64 << 10) + storage_size().next_multiple_of(4096));
        // It never uses its stack up. Without guards in between, the system keeps the stacks of all
        // sleepers as one mapping: a server of executions forks with half as many.
        libc::pthread_attr_setguardsize(&mut attributes, 0);
        let mut thread = 0;
        let failed = real_pthread_create(&mut thread, &attributes, sleep, over.as_ptr().cast());
        libc::pthread_attr_destroy(&mut attributes);
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        if failed != 0 {
            drop(Box::from_raw(over));
            return Err(io::Error::from_raw_os_error(failed));
        }
        // What the C library does when a thread starts, it does to the storage.
        wait_while(over, STARTING);
        Ok(Storage { base: thread as usize, over: Some(over) })
    }
}

type Routine = extern "C" fn(*mut libc::c_void) -> *mut libc::c_void;

/// # Safety
/// As `pthread_create`.
unsafe fn real_pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    routine: Routine,
    argument: *mut libc::c_void,
) -> libc::c_int {
    type Create = unsafe extern "C" fn(
        *mut libc::pthread_t,
        *const libc::pthread_attr_t,
        Routine,
        *mut libc::c_void,
    ) -> libc::c_int;
    let found = super::real(c"pthread_create");
    if found.is_null() {
        return libc::ENOSYS;
    }
    // SAFETY: that is the type of the function of this name; the rest is the caller's promise.
    unsafe { std::mem::transmute::<*mut libc::c_void, Create>(found)(thread, attributes, routine, argument) }
}

/// Bytes of thread-local variables of the executable and the libraries it was started with.
fn storage_size() -> usize {
    unsafe extern "C" fn add(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        total: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the C library calls this with a valid description, and `total` is the number
        // below.
        let (info, total) = unsafe { (&*info, &mut *total.cast::<usize>()) };
        for index in 0..info.dlpi_phnum {
            // SAFETY: the table has that many entries.
            let header = unsafe { &*info.dlpi_phdr.add(index as usize) };
            if header.p_type == libc::PT_TLS {
                *total += (header.p_memsz as usize).next_multiple_of(header.p_align.max(64) as usize);
            }
        }
        0
    }
    let mut total = 0usize;
    // SAFETY: the function has the right type and outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut total).cast()) };
    total + 1024
}
