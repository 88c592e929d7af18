//! Thread-local storage for virtual threads.
//!
//! All tasks run on one OS thread, but code compiled for threads reaches its thread-local variables (`threadprivate`,
//! `thread_local`, `errno`) through the FS register. So each virtual thread but the first borrows the storage of an OS
//! thread that does nothing else: it is created, sleeps for ever, and while a task of the virtual thread runs, FS points at
//! the sleeper's block. The C library has set the block up and knows of it, as of any thread's.

use std::arch::asm;
use std::io;

pub(crate) struct Threads {
    /// The FS bases of the virtual threads there are; the first is the OS thread's own.
    bases: Vec<usize>,
    now: usize,
    /// Whether FS can be written without the help of the system.
    writable: bool,
    /// Bytes of thread-local variables below the base.
    size: usize,
    /// The C++ library's function that gives the record of the exceptions a thread is handling, if it is there.
    exceptions: Option<unsafe extern "C" fn() -> *mut [usize; 2]>,
}

impl Threads {
    pub(crate) fn new() -> Self {
        const FSGSBASE: u64 = 1 << 1;
        // SAFETY: asks the C library for a word of the auxiliary vector.
        let features = unsafe { libc::getauxval(libc::AT_HWCAP2) };
        // SAFETY: on x86-64 the handle of a thread is the address of its control block, which is the FS base.
        let own = unsafe { libc::pthread_self() } as usize;
        // SAFETY: looks a name up; that is the type of the function of this name, in both C++ libraries.
        let exceptions = unsafe {
            let found = libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_get_globals".as_ptr());
            std::mem::transmute::<*mut libc::c_void, Option<unsafe extern "C" fn() -> *mut [usize; 2]>>(found)
        };
        let writable = features & FSGSBASE != 0;
        Threads { bases: vec![own], now: 0, writable, size: storage_size(), exceptions }
    }

    /// The memory of the thread-local variables of a thread.
    pub(crate) fn storage(&self, thread: u32) -> (usize, usize) {
        let base = self.bases[thread as usize];
        (base - self.size, base + 0x1000)
    }

    /// Where the thread-local variables of a thread end.
    pub(crate) fn base(&self, thread: u32) -> usize {
        self.bases[thread as usize]
    }

    /// Whether there is storage for a virtual thread.
    pub(crate) fn has(&self, thread: u32) -> bool {
        (thread as usize) < self.bases.len()
    }

    /// Makes storage for the next virtual thread.
    pub(crate) fn add(&mut self) -> io::Result<u32> {
        let now = self.now;
        self.switch(0);
        let made = sleeper();
        if let Ok(base) = made {
            self.bases.push(base);
            self.switch(self.bases.len() as u32 - 1);
            begin();
        }
        self.switch(now as u32);
        made.map(|_| self.bases.len() as u32 - 1)
    }

    /// The exception that the running thread has caught last and is not done with: the address of its header.
    pub(crate) fn caught_exception(&self) -> Option<usize> {
        // SAFETY: the record is the running thread's own.
        self.exceptions.map(|record| unsafe { *record() }[0]).filter(|&header| header != 0)
    }

    /// Exchanges what the running thread's record of exceptions holds. Tasks that share a thread may each be in a handler.
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
        let base = self.bases[thread];
        if self.writable {
            // SAFETY: the system lets programs write FS (asked in `new`), and `base` is the control block of a thread of the C
            // library that is this thread or sleeps. Nothing in this function uses thread-local storage.
            unsafe { asm!("wrfsbase {}", in(reg) base, options(nostack, preserves_flags)) };
        } else {
            const ARCH_SET_FS: usize = 0x1002;
            // SAFETY: as above, by the system. The raw call, since that of the C library would write `errno`.
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

extern "C" fn sleep(_: *mut libc::c_void) -> *mut libc::c_void {
    loop {
        // SAFETY: waits for a signal; all are blocked.
        unsafe { libc::pause() };
    }
}

/// Sets up what the C library leaves to a new thread itself, in the storage that is used now: the tables of `<ctype.h>`. The sleeper
/// may not have begun yet, and `toupper` would find no table.
fn begin() {
    /// The C library's `LC_GLOBAL_LOCALE`.
    const OF_THE_PROCESS: libc::locale_t = std::ptr::without_provenance_mut(usize::MAX);
    // SAFETY: a documented use. The thread has the locale of the process already; to set it sets the tables as well.
    unsafe { libc::uselocale(OF_THE_PROCESS) };
}

/// An OS thread that sleeps for ever: its FS base.
fn sleeper() -> io::Result<usize> {
    // SAFETY: the documented use of these functions, on values that live here. Signals are blocked while the thread is made, so
    // that it starts with all of them blocked and none meant for the program is ever handled on it.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let mut attributes = std::mem::zeroed();
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_setstacksize(&mut attributes, (64 << 10) + storage_size().next_multiple_of(4096));
        let mut thread = 0;
        let failed = real_pthread_create(&mut thread, &attributes, sleep);
        libc::pthread_attr_destroy(&mut attributes);
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        if failed != 0 { Err(io::Error::from_raw_os_error(failed)) } else { Ok(thread as usize) }
    }
}

type Routine = extern "C" fn(*mut libc::c_void) -> *mut libc::c_void;

/// # Safety
/// As `pthread_create`.
unsafe fn real_pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    routine: Routine,
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
    unsafe {
        std::mem::transmute::<*mut libc::c_void, Create>(found)(
            thread,
            attributes,
            routine,
            std::ptr::null_mut(),
        )
    }
}

/// Bytes of thread-local variables of the executable and the libraries it was started with.
fn storage_size() -> usize {
    unsafe extern "C" fn add(
        info: *mut libc::dl_phdr_info,
        _: libc::size_t,
        total: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the C library calls this with a valid description, and `total` is the number below.
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
