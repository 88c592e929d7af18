//! Calls that wait in the system: other virtual threads go on meanwhile.
//!
//! The OS thread must not sleep while another virtual thread could run. So a call that would wait is
//! made when it need not: the thread polls for that, and sleeps in between ([`waits`]). If it is the
//! only one, it waits in the system as always. What instrumented C and C++ calls comes here by way
//! of [`library`](crate::abi::library) where that knows the function.

use super::syscall::answer;
use super::threads::duration;
use crate::abi::is_up;
use crate::process::system_call;
use crate::tasks::{threads, waits};
use std::ffi::{CStr, c_int};
use std::time::{Duration, Instant};

/// A limit in milliseconds, as `poll` has it: none if it is for ever.
fn limit(milliseconds: c_int) -> Option<Instant> {
    let time = Duration::from_millis(u64::try_from(milliseconds).ok()?);
    waits::after(time)
}

/// Whether something can be read from a file.
fn is_readable(file: c_int) -> bool {
    let mut polled = libc::pollfd { fd: file, events: libc::POLLIN, revents: 0 };
    system_call(libc::SYS_poll, [&raw mut polled as usize, 1, 0, 0, 0, 0]) != 0
}

fn has_others() -> bool {
    is_up() && waits::has_others()
}

/// The program is about to call a function of the C library, with these arguments.
pub(crate) fn before(function: &CStr, arguments: &[usize; 6]) {
    if !has_others() {
        return;
    }
    match function.to_bytes() {
        b"read" | b"readv" | b"recv" | b"recvfrom" | b"recvmsg" | b"accept" | b"accept4" => {
            threads::test_cancel();
            waits::until_outside(None, || is_readable(arguments[0] as c_int));
            threads::test_cancel();
        }
        b"poll" => {
            threads::test_cancel();
            let [files, count, time, ..] = *arguments;
            waits::until_outside(limit(time as c_int), || {
                system_call(libc::SYS_poll, [files, count, 0, 0, 0, 0]) != 0
            });
        }
        _ => {}
    }
}

/// # Safety
/// As `epoll_wait`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn epoll_wait(file: c_int, events: usize, most: c_int, time: c_int) -> c_int {
    let once = |time: c_int| {
        let arguments = [file as usize, events, most as usize, time as usize, 0, 0];
        system_call(libc::SYS_epoll_wait, arguments)
    };
    let mut result = 0;
    if has_others() {
        threads::test_cancel();
        let is_so = || {
            result = once(0);
            result != 0
        };
        if waits::until_outside(limit(time), is_so) || time >= 0 {
            return answer(result) as c_int;
        }
    }
    answer(once(time)) as c_int
}

/// # Safety
/// As `select`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn select(
    count: c_int,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    except: *mut libc::fd_set,
    time: *mut libc::timeval,
) -> c_int {
    let sets = [read, write, except];
    let once = |time: *mut libc::timeval| {
        let [read, write, except] = sets.map(|set| set as usize);
        system_call(libc::SYS_select, [count as usize, read, write, except, time as usize, 0])
    };
    if has_others() {
        threads::test_cancel();
        // SAFETY: the caller's promise: null, or the program's variables.
        let wanted = sets.map(|set| unsafe { set.as_ref().copied() });
        // SAFETY: as above.
        let left = unsafe { time.as_ref() }.and_then(|time| {
            let nanoseconds = time.tv_usec.checked_mul(1000)?;
            duration(&libc::timespec { tv_sec: time.tv_sec, tv_nsec: nanoseconds })
        });
        let mut result = 0;
        let is_so = || {
            for (set, wanted) in sets.iter().zip(wanted) {
                if let Some(wanted) = wanted {
                    // SAFETY: as above; it is not null.
                    unsafe { **set = wanted };
                }
            }
            let mut none = libc::timeval { tv_sec: 0, tv_usec: 0 };
            result = once(&raw mut none);
            result != 0
        };
        if waits::until_outside(left.and_then(waits::after), is_so) || left.is_some() {
            return answer(result) as c_int;
        }
    }
    answer(once(time)) as c_int
}

/// Waits for a child process.
fn wait_for(process: c_int, status: *mut c_int, options: c_int, usage: usize) -> c_int {
    let once = |options: c_int| {
        let arguments = [process as usize, status as usize, options as usize, usage, 0, 0];
        system_call(libc::SYS_wait4, arguments)
    };
    if has_others() && options & libc::WNOHANG == 0 {
        threads::test_cancel();
        let mut result = 0;
        let is_so = || {
            result = once(options | libc::WNOHANG);
            result != 0
        };
        if waits::until_outside(None, is_so) {
            return answer(result) as c_int;
        }
    }
    answer(once(options)) as c_int
}

/// # Safety
/// As `waitpid`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int {
    wait_for(process, status, options, 0)
}

/// # Safety
/// As `wait4`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn wait4(
    process: c_int,
    status: *mut c_int,
    options: c_int,
    usage: usize,
) -> c_int {
    wait_for(process, status, options, usage)
}

/// # Safety
/// As `wait`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn wait(status: *mut c_int) -> c_int {
    wait_for(-1, status, 0, 0)
}
