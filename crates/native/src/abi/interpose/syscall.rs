//! `syscall`: Rust's standard library waits by it ([`futex`]), and programs end or replace
//! themselves by it.

use crate::abi::entry::{CALLER, caller, entry};
use crate::abi::is_up;
use crate::detect::callers;
use crate::process::{self, is_shared};
use crate::tasks::{futex, sched};
use std::ffi::c_char;
use std::sync::atomic::Ordering;

entry! { syscall => called; }

/// What the C library's function is given: the numbers of all that the system can do have at most
/// six arguments.
extern "C" fn called(number: i64, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> i64 {
    if number == libc::SYS_futex && is_up() && sched::job().is_some() {
        // The other bits are flags that make no difference to a single thread.
        let operation = b as i32 & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
        match operation {
            libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
                // What the report says of who waits is where the program called the library.
                if is_shared() {
                    CALLER.store(callers::of_program(caller()), Ordering::Relaxed);
                }
                // SAFETY: the program's pointer to the limit, which it passes for this.
                let limit = unsafe { (d as *const libc::timespec).as_ref() };
                let limit = limit.map(|time| futex::limit(*time, b as i32));
                return answer(futex::wait(a, c as u32, limit));
            }
            libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => return answer(futex::wake(a, c as u32)),
            libc::FUTEX_REQUEUE => return answer(futex::wake_all(a, c as u32, d as u32, None)),
            libc::FUTEX_CMP_REQUEUE => return answer(futex::wake_all(a, c as u32, d as u32, Some(f as u32))),
            libc::FUTEX_WAKE_OP => return answer(futex::change_and_wake(a, c as u32, e, d as u32, f as u32)),
            _ => {}
        }
    }
    match number {
        // There is one thread that can ask for it: the end of it is that of the process.
        libc::SYS_exit | libc::SYS_exit_group => super::_exit(a as i32),
        libc::SYS_execve => super::exec::announce(a as *const c_char),
        libc::SYS_execveat => super::exec::announce(b as *const c_char),
        _ => {}
    }
    let result = process::system_call(number, [a, b, c, d, e, f]);
    if matches!(number, libc::SYS_execve | libc::SYS_execveat) {
        super::exec::renounce();
    }
    answer(result)
}

/// The C library's result for that of the system: errors are in `errno`.
pub(super) fn answer(result: i64) -> i64 {
    if !(-4095..0).contains(&result) {
        return result;
    }
    // SAFETY: the running thread's own variable.
    unsafe { *libc::__errno_location() = -result as i32 };
    -1
}
