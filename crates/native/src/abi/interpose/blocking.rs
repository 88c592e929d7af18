//! Calls that wait in the system for several descriptors, for a connection, or for a process: other
//! virtual threads go on meanwhile, as in [`descriptors`](super::descriptors), which says how.

use super::descriptors::{SOCKETS, has_changed, is_nonblocking, is_ready, limit, sends, time_of, was_told};
use super::syscall::answer;
use super::threads::duration;
use crate::abi::is_up;
use crate::process::system_call;
use crate::tasks::{threads, waits};
use std::ffi::c_int;
use std::time::Instant;

fn has_others() -> bool {
    is_up() && waits::has_others()
}

/// As the kernel has a set of signals.
const SIGNALS: usize = 8;

/// Those whose accesses the table of the library knows: it takes them for the library's.
pub(crate) fn functions() -> [usize; 5] {
    [
        epoll_wait as *const () as usize,
        epoll_pwait as *const () as usize,
        ppoll as *const () as usize,
        connect as *const () as usize,
        select as *const () as usize,
    ]
}

/// # Safety
/// As `epoll_wait`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn epoll_wait(file: c_int, events: usize, most: c_int, time: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { epoll_pwait(file, events, most, time, 0) }
}

/// # Safety
/// As `epoll_pwait`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn epoll_pwait(
    file: c_int,
    events: usize,
    most: c_int,
    time: c_int,
    mask: usize,
) -> c_int {
    let once = |time: c_int| {
        let arguments = [file as usize, events, most as usize, time as usize, mask, SIGNALS];
        system_call(libc::SYS_epoll_pwait, arguments)
    };
    let mut result = 0;
    if has_others() {
        threads::test_cancel();
        let is_so = || {
            result = once(0);
            result != 0
        };
        if waits::until_outside(Some(SOCKETS), limit(time), is_so) || time >= 0 {
            was_told();
            return answer(result) as c_int;
        }
    }
    answer(once(time)) as c_int
}

/// # Safety
/// As `ppoll`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ppoll(
    files: usize,
    count: libc::nfds_t,
    time: *const libc::timespec,
    mask: usize,
) -> c_int {
    // The system writes what is left of the time; the library's function does not.
    let once = |mut time: Option<libc::timespec>| {
        let time = time.as_mut().map_or(0, |time| &raw mut *time as usize);
        system_call(libc::SYS_ppoll, [files, count as usize, time, mask, SIGNALS, 0])
    };
    // SAFETY: the caller's promise: null, or the program's variable.
    let wanted = unsafe { time.as_ref() }.copied();
    if has_others() {
        threads::test_cancel();
        let mut result = 0;
        let is_so = || {
            result = once(Some(libc::timespec { tv_sec: 0, tv_nsec: 0 }));
            result != 0
        };
        // A time that makes no sense is for the system to refuse.
        let left = wanted.as_ref().map(duration);
        if left != Some(None) {
            let limit = left.flatten().and_then(waits::after);
            if waits::until_outside(Some(SOCKETS), limit, is_so) || left.is_some() {
                was_told();
                return answer(result) as c_int;
            }
        }
    }
    answer(once(wanted)) as c_int
}

/// Connects without waiting in the system: other virtual threads may be the ones that accept.
///
/// # Safety
/// As `connect`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn connect(file: c_int, to: usize, length: libc::socklen_t) -> c_int {
    let once = || system_call(libc::SYS_connect, [file as usize, to, length as usize, 0, 0, 0]);
    if !has_others() {
        return answer(once()) as c_int;
    }
    sends(file);
    if is_nonblocking(file) {
        let result = once();
        has_changed(file);
        return answer(result) as c_int;
    }
    threads::test_cancel();
    let control = |command: c_int, flags: usize| {
        system_call(libc::SYS_fcntl, [file as usize, command as usize, flags, 0, 0, 0])
    };
    let flags = control(libc::F_GETFL, 0) as usize;
    let try_once = || {
        control(libc::F_SETFL, flags | libc::O_NONBLOCK as usize);
        let result = once();
        control(libc::F_SETFL, flags);
        result
    };
    let limit = time_of(file, libc::SO_SNDTIMEO).and_then(waits::after);
    let is_over = || limit.is_some_and(|limit| limit <= Instant::now());
    let mut result = try_once();
    has_changed(file);
    if result == -i64::from(libc::EAGAIN) {
        // A local socket whose peer has enough to accept has to be asked again.
        let is_so = || {
            result = try_once();
            result != -i64::from(libc::EAGAIN)
        };
        if !waits::until_outside(Some(SOCKETS), limit, is_so) && !is_over() {
            result = once();
        }
    }
    if result != -i64::from(libc::EINPROGRESS) {
        return answer(result) as c_int;
    }
    while !waits::until_outside(Some(SOCKETS), limit, || is_ready(file, libc::POLLOUT)) {
        if is_over() {
            return answer(result) as c_int;
        }
        // There is nobody else.
        let mut polled = libc::pollfd { fd: file, events: libc::POLLOUT, revents: 0 };
        let left =
            limit.map_or(-1, |limit| limit.saturating_duration_since(Instant::now()).as_millis() as i64);
        system_call(libc::SYS_poll, [&raw mut polled as usize, 1, left as usize, 0, 0, 0]);
    }
    let (mut error, mut size) = (0 as c_int, size_of::<c_int>() as libc::socklen_t);
    let (level, option) = (libc::SOL_SOCKET as usize, libc::SO_ERROR as usize);
    let arguments = [file as usize, level, option, &raw mut error as usize, &raw mut size as usize, 0];
    let asked = system_call(libc::SYS_getsockopt, arguments);
    answer(if asked == 0 { -i64::from(error) } else { asked }) as c_int
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
        // SAFETY: the caller's promise: `time` is null or the program's variable.
        let left = unsafe { time.as_ref() }.and_then(|time| {
            let nanoseconds = time.tv_usec.checked_mul(1000)?;
            duration(&libc::timespec { tv_sec: time.tv_sec, tv_nsec: nanoseconds })
        });
        let mut result = 0;
        let is_so = || {
            for (set, wanted) in sets.iter().zip(wanted) {
                if let Some(wanted) = wanted {
                    // SAFETY: the program's variable, by the caller's promise, and not null, since
                    // `wanted` was read from it.
                    unsafe { **set = wanted };
                }
            }
            let mut none = libc::timeval { tv_sec: 0, tv_usec: 0 };
            result = once(&raw mut none);
            result != 0
        };
        if waits::until_outside(Some(SOCKETS), left.and_then(waits::after), is_so) || left.is_some() {
            was_told();
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
        if waits::until_outside(None, None, is_so) {
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
        if waits::until_outside(None, None, is_so) {
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
