//! Crashes of the program: reported with what was found up to then, and then as they would be without us.

use crate::{report, world};
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];
const STACK: usize = 1 << 20;

/// Handles the signals of crashes, on a stack of its own: the program's may have overflowed.
pub(crate) fn install() {
    // SAFETY: documented uses on values that live here; the stack is never freed.
    unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            STACK,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        );
        if memory == libc::MAP_FAILED {
            return;
        }
        let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: STACK };
        libc::sigaltstack(&stack, std::ptr::null_mut());
        for signal in SIGNALS {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

pub(crate) fn uninstall() {
    for signal in SIGNALS {
        // SAFETY: back to what the system does.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    static BUSY: AtomicBool = AtomicBool::new(false);
    uninstall();
    if !BUSY.swap(true, Ordering::Relaxed) && crate::world::is_up() {
        // SAFETY: the system passes a valid description.
        let address = unsafe { (*info).si_addr() } as usize;
        let is_guard = world().detector.stacks.is_guard(address) || world().main_stack.is_guard(address);
        let overflow = signal == libc::SIGSEGV && is_guard;
        if overflow {
            report::program_error(
                "stack-overflow",
                "the stack of a task overflowed: give tasks larger ones with OMP_STACKSIZE, or look for endless recursion",
            );
        } else {
            // SAFETY: the system's text for a signal it knows.
            let text = unsafe { CStr::from_ptr(libc::strsignal(signal)) };
            report::program_error("crash", &format!("the program crashed: {}", text.to_string_lossy()));
        }
        report::finish();
    }
    // SAFETY: the default action is set; the signal is unblocked when this returns, or sent again.
    unsafe {
        libc::raise(signal);
    }
}
