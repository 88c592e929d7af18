//! The fork server: executions of a search without a new process image each.
//!
//! `raceproof verify` starts the program once for each of its workers. When the runtime is set up,
//! and before any code of the executable runs, the process becomes a server: for each request it
//! forks, and the child goes on as an execution. So the system loads and links the program once,
//! and the runtime sets itself up once. All children begin in the same state and at the same
//! addresses. (Zalewski's AFL starts programs to be fuzzed like this.)
//!
//! | pipe | bytes |
//! | --- | --- |
//! | requests | one byte: what is asked for is in the channel |
//! | replies | [`SERVING`] when the server is ready; then for each request the status of the child, when it has ended |
//! | children | for each request the number of the child, which is negative if there is none |
//!
//! Whoever asks looks at a number only if it wants to end the child: it waits once for an execution.
//!
//! Request and answer themselves are in the channel, which the children share. What a child must
//! not share with the next one is made anew ([`be_execution`]): its process group, timers, the
//! position in standard input.

use super::code;
use crate::process::{self, channel};
use crate::report::signals;
use raceproof::remote::SERVING;
use std::ffi::{CStr, c_int};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::IntoRawFd;
use std::os::unix::process::parent_id;
use std::path::Path;

/// The C library's `fork`, and `_Fork`.
pub(crate) type Fork = unsafe extern "C" fn() -> c_int;

/// The most virtual threads for which storage is made before.
const PREPARED: usize = 64;

/// Serves, if that is wanted; returns in each execution. `fork` finds the C library's functions.
pub(crate) fn serve(fork: fn(&CStr) -> Option<Fork>) {
    let options = &process::state().options;
    let (Some(requests), Some(replies), Some(children)) =
        (&options.requests, &options.replies, &options.children)
    else {
        return;
    };
    // A program that an execution becomes or starts is no server.
    if owner(requests) != Some(parent_id()) {
        return;
    }
    let write = |path| OpenOptions::new().write(true).open(path);
    let opened = File::open(requests).and_then(|file| Ok((file, write(replies)?, write(children)?)));
    let Ok((mut requests, mut replies, mut children)) = opened else {
        crate::fatal("cannot open the pipes of the search: is /proc there?")
    };
    let server = std::process::id();
    signals::rest();
    // `fork` would take the storage of other threads for free memory, which `_Fork` does not. Nor
    // does it call handlers, of which there are none yet but those of allocators for their locks:
    // nobody holds these here.
    let bare = fork(c"_Fork");
    let Some(fork) = bare.or_else(|| fork(c"fork")) else { crate::fatal("the C library has no fork") };
    if bare.is_some() {
        process::state().threads.prepare((options.threads as usize - 1).min(PREPARED));
    }
    code::prepare();
    let say = |pipe: &mut File, number: i32| pipe.write_all(&number.to_le_bytes()).is_ok();
    let mut served = say(&mut replies, SERVING);
    while served && requests.read_exact(&mut [0]).is_ok() {
        // SAFETY: what the child does is up to `be_execution`; beside this thread there are
        // sleepers only.
        let child = unsafe { fork() };
        if child == 0 {
            // Before the program can see them.
            for file in [requests, replies, children] {
                // SAFETY: closes a file of ours.
                unsafe { libc::close(file.into_raw_fd()) };
            }
            return be_execution(server);
        }
        let told = say(&mut children, child);
        let status = if child < 0 { 0 } else { ended(child) };
        served = told && say(&mut replies, status);
        code::learn();
    }
    process::end(0)
}

/// The process that has opened a file of `/proc`.
fn owner(path: &Path) -> Option<u32> {
    path.components().find_map(|part| part.as_os_str().to_str()?.parse().ok())
}

/// Waits for a child, and ends what it has left behind; its status as the system tells it.
fn ended(child: c_int) -> i32 {
    let mut status = 0;
    // SAFETY: documented uses on values that live here. The child's number stays its own until the
    // last call.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let look = libc::WEXITED | libc::WNOWAIT;
        while libc::waitid(libc::P_PID, child as libc::id_t, &mut info, look) != 0
            && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
        {}
        libc::kill(-child, libc::SIGKILL);
        libc::waitpid(child, &mut status, 0);
    }
    status
}

/// Makes this child of the server a process as if it had been started by itself.
fn be_execution(server: u32) {
    // SAFETY: documented uses.
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    if parent_id() != server {
        process::end(0);
    }
    process::reborn();
    channel::adopt();
    signals::wake();
    // SAFETY: a documented use, on a description that lives here.
    let is_file = unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        libc::fstat(0, &mut about) == 0 && about.st_mode & libc::S_IFMT == libc::S_IFREG
    };
    // A position of its own, at the beginning.
    if is_file && let Ok(again) = File::open("/proc/self/fd/0") {
        // SAFETY: files of ours.
        unsafe {
            let again = again.into_raw_fd();
            libc::dup2(again, 0);
            libc::close(again);
        }
    }
}
