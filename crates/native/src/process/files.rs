//! Files of our own in the program's process: out of the way of its descriptors, and written so
//! that a limit is an error.

use super::system_call;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;
use std::ptr;

/// Descriptors of ours are kept from here on, where the limit allows: programs count on the numbers
/// of theirs.
const HIGH: [i32; 2] = [900, 200];

/// Bytes of a set of signals, as the system has it.
const KERNEL_SET: usize = 8;

/// A file with a descriptor out of the program's way.
pub(crate) fn high(file: File) -> File {
    let moved = HIGH.into_iter().find_map(|least| {
        // SAFETY: duplicates a descriptor; the new one is nobody's yet.
        let new = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, least) };
        // SAFETY: `fcntl` has just made this descriptor, which nobody else knows.
        (new >= 0).then(|| unsafe { File::from_raw_fd(new) })
    });
    moved.unwrap_or(file)
}

/// Writes, so that a file that is too large or a pipe that nobody reads is an error and not the end
/// of the program.
pub(crate) fn quietly<T>(write: impl FnOnce() -> T) -> T {
    // SAFETY: documented uses, on values that live here. A signal that was pending before stays so:
    // it is blocked.
    unsafe {
        let (mut signals, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut signals);
        libc::sigaddset(&mut signals, libc::SIGXFSZ);
        libc::sigaddset(&mut signals, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &signals, &mut before);
        let done = write();
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        for signal in [libc::SIGXFSZ, libc::SIGPIPE] {
            if libc::sigismember(&before, signal) == 0 {
                let mut one: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&mut one);
                libc::sigaddset(&mut one, signal);
                // The system call: the function is the program's way to wait for a signal.
                let (set, time) = (ptr::from_ref(&one) as usize, ptr::from_ref(&now) as usize);
                system_call(libc::SYS_rt_sigtimedwait, [set, 0, time, KERNEL_SET, 0, 0]);
            }
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
        done
    }
}

/// A file whose size may come to a limit.
pub(crate) struct Quiet(File);

impl Quiet {
    pub(crate) fn create(path: &Path) -> io::Result<Quiet> {
        File::create(path).map(high).map(Quiet)
    }
}

impl Write for Quiet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        quietly(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
