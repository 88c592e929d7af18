//! Calls that wait in the system for several descriptors, or for a process: other virtual threads go
//! on meanwhile, as in [`descriptors`](super::descriptors), which says how.

use super::descriptors::{limit, was_told};
use super::syscall::answer;
use super::threads::duration;
use crate::abi::is_up;
use crate::process::system_call;
use crate::tasks::{threads, waits};
use std::ffi::c_int;

fn has_others() -> bool {
    is_up() && waits::has_others()
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
            was_told();
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
/// As `waitid`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn waitid(
    kind: libc::idtype_t,
    id: libc::id_t,
    status: *mut libc::siginfo_t,
    options: c_int,
) -> c_int {
    let once = |status: *mut libc::siginfo_t, options: c_int| {
        let arguments = [kind as usize, id as usize, status as usize, options as usize, 0, 0];
        system_call(libc::SYS_waitid, arguments)
    };
    if has_others() && options & libc::WNOHANG == 0 {
        threads::test_cancel();
        // SAFETY: the system writes it; no process has the number zero.
        let mut found: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let mut result = 0;
        let is_so = || {
            result = once(&raw mut found, options | libc::WNOHANG);
            // SAFETY: the field that `waitid` sets.
            result != 0 || unsafe { found.si_pid() } != 0
        };
        if waits::until_outside(None, is_so) {
            if !status.is_null() {
                // SAFETY: the program's variable, to be written.
                unsafe { *status = found };
            }
            return answer(result) as c_int;
        }
    }
    answer(once(status, options)) as c_int
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
