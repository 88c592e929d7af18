//! Reading and writing by file descriptors: whoever waits lets the other virtual threads go on, and
//! what goes through a pipe or a socket orders.
//!
//! The OS thread must not sleep while another virtual thread could run. So a call that would wait is
//! made when it need not: the thread polls for that, and sleeps in between ([`waits`]). If it is the
//! only one, it waits in the system as always.
//!
//! What instrumented C and C++ calls comes here by way of [`library`](crate::abi::library). Rust's
//! standard library is not instrumented: of a Rust program, the functions themselves are ours. They
//! are not of a program in C, from which `crates/prelink` hides them.
//!
//! A thread that has read something from a pipe comes after all that was written to it, and one that
//! has got something from a socket, or was told by `poll` that it can, after all that was sent by
//! any. That may be more than the system orders: a *missed race*. In a search all that is sent and
//! received is an operation on one variable, so that every order of these calls is explored; what
//! other calls do to a channel (`close`) is not. Standard input, output and
//! error order nothing, since a program's verdict must not depend on where they lead.

use super::signals::is_interrupted;
use super::syscall::answer;
use crate::abi::is_up;
use crate::detect::{callers, detector, modules};
use crate::process::call_site::{CALLER, FRAME, STACK, caller};
use crate::process::{is_shared, system_call};
use crate::tasks::{atomics, explorer, threads, waits};
use raceproof_core::event::AccessKind;
use std::arch::naked_asm;
use std::ffi::{CStr, c_int};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a call does with its descriptor. A flag `MSG_DONTWAIT` would be in that argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Input(Option<usize>),
    Output(Option<usize>),
    /// `poll`, which has a list of them.
    Poll,
    /// Input by a stream, which is that argument; whether it is a line that is read.
    StreamInput(usize, bool),
    StreamOutput(usize),
}

fn use_of(function: &CStr) -> Option<Use> {
    Some(match function.to_bytes() {
        b"read" | b"__read_chk" | b"readv" | b"accept" | b"accept4" => Use::Input(None),
        b"recv" | b"recvfrom" | b"__recv_chk" => Use::Input(Some(3)),
        b"recvmsg" => Use::Input(Some(2)),
        b"write" | b"writev" => Use::Output(None),
        b"send" | b"sendto" => Use::Output(Some(3)),
        b"sendmsg" => Use::Output(Some(2)),
        b"poll" | b"__poll_chk" => Use::Poll,
        b"fgets" | b"fgets_unlocked" | b"getline" => Use::StreamInput(2, true),
        b"getdelim" | b"__getdelim" | b"__fgets_chk" | b"__fgets_unlocked_chk" => Use::StreamInput(3, true),
        b"fgetc" | b"getc" | b"fgetc_unlocked" | b"getc_unlocked" => Use::StreamInput(0, false),
        b"fscanf" | b"vfscanf" | b"__isoc99_fscanf" | b"__isoc99_vfscanf" => Use::StreamInput(0, false),
        b"__isoc23_fscanf" | b"__isoc23_vfscanf" => Use::StreamInput(0, false),
        b"fread" | b"fread_unlocked" => Use::StreamInput(3, false),
        b"__fread_chk" | b"__fread_unlocked_chk" => Use::StreamInput(4, false),
        b"fprintf" | b"vfprintf" | b"__fprintf_chk" | b"__vfprintf_chk" => Use::StreamOutput(0),
        b"fflush" | b"fflush_unlocked" | b"fclose" => Use::StreamOutput(0),
        b"fputs" | b"fputs_unlocked" | b"fputc" | b"putc" => Use::StreamOutput(1),
        b"fputc_unlocked" | b"putc_unlocked" => Use::StreamOutput(1),
        b"fwrite" | b"fwrite_unlocked" => Use::StreamOutput(3),
        _ => return None,
    })
}

/// A call of a stream's function as one of its descriptor: none if it need not reach that, or there is
/// none, as of a stream in memory.
fn of_stream(as_what: Use, arguments: &[usize; 6]) -> Option<(Use, [usize; 6])> {
    let (at, as_what) = match as_what {
        Use::StreamInput(at, is_line) if !has_buffered(arguments[at], is_line) => (at, Use::Input(None)),
        Use::StreamInput(..) => return None,
        Use::StreamOutput(at) => (at, Use::Output(None)),
        _ => return Some((as_what, *arguments)),
    };
    if arguments[at] == 0 {
        return None;
    }
    // SAFETY: the stream that the program passes to the function that is called.
    let file = unsafe { libc::fileno(arguments[at] as *mut libc::FILE) };
    let mut call = *arguments;
    call[0] = file as usize;
    (file > libc::STDERR_FILENO || file == libc::STDIN_FILENO && as_what == Use::Input(None))
        .then_some((as_what, call))
}

/// Whether a stream has input that it has read before: a whole line of it, if that is asked for.
fn has_buffered(stream: usize, is_line: bool) -> bool {
    // Where the C library keeps what is left of it: from, and to.
    const READ: usize = 8;
    if stream == 0 {
        return true;
    }
    // SAFETY: as above; the two words are part of it, and what is between them can be read.
    unsafe {
        let [from, to] = *((stream + READ) as *const [usize; 2]);
        let rest = std::slice::from_raw_parts(from.max(1) as *const u8, to.saturating_sub(from));
        if is_line { rest.contains(&b'\n') } else { !rest.is_empty() }
    }
}

/// The program is about to call a function of the C library, with these arguments; whether a handler of
/// its own has run while it would have waited there.
pub(crate) fn before(function: &CStr, arguments: &[usize; 6]) -> bool {
    let Some(as_what) = use_of(function) else { return false };
    let has_others = waits::has_others();
    if !has_others && !explorer::is_on() {
        return false;
    }
    let Some((as_what, arguments)) = of_stream(as_what, arguments) else { return false };
    prepare(as_what, &arguments, has_others) == Wait::Interrupted
}

/// What such a call returns.
pub(crate) extern "C" fn interrupted() -> i64 {
    answer(-i64::from(libc::EINTR))
}

/// It has called it.
pub(crate) fn after(function: &CStr, arguments: &[usize; 6]) {
    let Some(as_what) = use_of(function).filter(|_| HAS_SENT.load(Ordering::Relaxed) || explorer::is_on())
    else {
        return;
    };
    // The stream of `fclose` is gone.
    if function == c"fclose" {
        return if explorer::is_on() {
            waits::notify(SOCKETS)
        };
    }
    let is_input = matches!(as_what, Use::StreamInput(..));
    let (as_what, file) = match as_what {
        Use::StreamInput(at, _) | Use::StreamOutput(at) => {
            if arguments[at] == 0 {
                return;
            }
            // SAFETY: as in `of_stream`.
            let file = unsafe { libc::fileno(arguments[at] as *mut libc::FILE) };
            (if is_input { Use::Input(None) } else { Use::Output(None) }, file as usize)
        }
        _ => (as_what, arguments[0]),
    };
    has_come(as_what, file);
    if as_what != Use::Poll {
        has_changed(file as c_int);
    }
}

/// How a wait before a call has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// The call need not wait, or nobody else could run.
    Over,
    /// A limit of the descriptor's own was reached.
    Late,
    /// A handler of the program has run.
    Interrupted,
}

/// Waits until the call need not, and releases what is about to be sent.
fn prepare(as_what: Use, arguments: &[usize; 6], has_others: bool) -> Wait {
    if !has_others && !explorer::is_on() {
        return Wait::Over;
    }
    let ended = wait_for(as_what, arguments);
    if matches!(as_what, Use::Output(_)) {
        release(arguments[0] as c_int);
    }
    ended
}

fn wait_for(as_what: Use, arguments: &[usize; 6]) -> Wait {
    let handled = threads::signals::of_own();
    let file = arguments[0] as c_int;
    let (events, flags, option) = match as_what {
        Use::Input(flags) => (libc::POLLIN, flags, libc::SO_RCVTIMEO),
        Use::Output(flags) => (libc::POLLOUT, flags, libc::SO_SNDTIMEO),
        Use::Poll => {
            threads::test_cancel();
            let [files, count, time, ..] = *arguments;
            let is_interrupted = || threads::signals::of_own() != handled;
            let is_so = || system_call(libc::SYS_poll, [files, count, 0, 0, 0, 0]) != 0 || is_interrupted();
            waits::until_outside(Some(SOCKETS), limit(time as c_int), is_so);
            return if is_interrupted() { Wait::Interrupted } else { Wait::Over };
        }
        Use::StreamInput(..) | Use::StreamOutput(_) => return Wait::Over,
    };
    let searched = channel(file).map(|_| SOCKETS);
    if flags.is_some_and(|at| arguments[at] as c_int & libc::MSG_DONTWAIT != 0) || is_nonblocking(file) {
        if let Some(channel) = searched {
            explorer::atomic(channel, 1, AccessKind::Write, caller());
        }
        return Wait::Over;
    }
    threads::test_cancel();
    let own = time_of(file, option).and_then(waits::after);
    let mut is_there = false;
    let is_so = || {
        is_there = is_ready(file, events);
        is_there || is_interrupted(handled)
    };
    let came = waits::until_outside(searched, own, is_so);
    threads::test_cancel();
    match came {
        true if !is_there => Wait::Interrupted,
        false if own.is_some_and(|own| own <= Instant::now()) => Wait::Late,
        _ => Wait::Over,
    }
}

/// The running task is about to send something that others may get, without a wait before it.
pub(super) fn sends(file: c_int) {
    if channel(file).is_some() {
        explorer::atomic(SOCKETS, 1, AccessKind::Write, caller());
    }
    release(file);
}

/// In a search: the running task has sent or received something, and those who wait for that look
/// again.
pub(super) fn has_changed(file: c_int) {
    if explorer::is_on() && channel(file).is_some() {
        waits::notify(SOCKETS);
    }
}

fn release(file: c_int) {
    if let Some(channel) = channel(file) {
        HAS_SENT.store(true, Ordering::Relaxed);
        detector().exclusive = true;
        atomics::released_more(channel);
    }
}

/// A thread has sent something while there were others.
static HAS_SENT: AtomicBool = AtomicBool::new(false);

/// The running task has got what others have sent.
fn has_come(as_what: Use, file: usize) {
    if !HAS_SENT.load(Ordering::Relaxed) {
        return;
    }
    let from = match as_what {
        Use::Input(_) => channel(file as c_int),
        Use::Poll => Some(SOCKETS),
        _ => None,
    };
    if let Some(from) = from {
        atomics::acquired(from);
    }
}

/// `epoll_wait` and its like have said that something has come.
pub(super) fn was_told() {
    atomics::acquired(SOCKETS);
}

// ---- what is known of a descriptor ----

/// Where all that is no pipe releases: no variable is there. To a search all channels are this one:
/// it has no name for others that is the same in every schedule.
pub(super) const SOCKETS: usize = 16;
/// Added to the numbers of pipes, for the same reason.
const PIPES: usize = 1 << 62;

/// The address by which what goes through a descriptor orders; none if nothing does, as with files.
fn channel(file: c_int) -> Option<usize> {
    if file <= libc::STDERR_FILENO {
        return None;
    }
    // SAFETY: the system writes the description, all of which may be zero.
    let (result, status) = unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        (system_call(libc::SYS_fstat, [file as usize, &raw mut status as usize, 0, 0, 0, 0]), status)
    };
    match status.st_mode & libc::S_IFMT {
        _ if result != 0 => None,
        // Both ends have one number.
        libc::S_IFIFO => Some(PIPES | (status.st_ino as usize) << 3),
        // Events and timers are of no kind.
        libc::S_IFSOCK | 0 => Some(SOCKETS),
        _ => None,
    }
}

/// Whether this is an execution of a search, and a task of the program runs.
pub(super) fn is_in_search() -> bool {
    explorer::is_on() && crate::tasks::sched::job().is_some()
}

pub(super) fn is_ready(file: c_int, events: i16) -> bool {
    let mut polled = libc::pollfd { fd: file, events, revents: 0 };
    system_call(libc::SYS_poll, [&raw mut polled as usize, 1, 0, 0, 0, 0]) != 0
}

pub(super) fn is_nonblocking(file: c_int) -> bool {
    let flags = system_call(libc::SYS_fcntl, [file as usize, libc::F_GETFL as usize, 0, 0, 0, 0]);
    flags < 0 || flags as c_int & libc::O_NONBLOCK != 0
}

/// The limit that a socket has for itself.
pub(super) fn time_of(file: c_int, option: c_int) -> Option<Duration> {
    let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let mut size = size_of::<libc::timeval>() as libc::socklen_t;
    let level = libc::SOL_SOCKET as usize;
    let arguments =
        [file as usize, level, option as usize, &raw mut time as usize, &raw mut size as usize, 0];
    let result = system_call(libc::SYS_getsockopt, arguments);
    let time = Duration::new(time.tv_sec.try_into().ok()?, u32::try_from(time.tv_usec).ok()? * 1000);
    (result == 0 && !time.is_zero()).then_some(time)
}

/// A limit in milliseconds, as `poll` has it: none if it is for ever.
pub(super) fn limit(milliseconds: c_int) -> Option<Instant> {
    waits::after(Duration::from_millis(u64::try_from(milliseconds).ok()?))
}

// ---- the functions of a Rust program ----

/// The call site of the last of these calls. The runtime makes some as well, in the midst of calls of
/// the program, whose call site must stay.
static SITE: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

/// As [`entry`](crate::abi::entry::entry), except that the call site is noted in `SITE`.
macro_rules! entry {
    ($($name:ident => $target:ident;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                "mov rax, [rsp]",
                "mov [rip + {site}], rax",
                "mov [rip + {site} + 8], rbp",
                "mov [rip + {site} + 16], rsp",
                "jmp {target}",
                site = sym SITE,
                target = sym $target,
            )
        }
    )* };
}

entry! {
    read => read_letting_others;
    readv => readv_letting_others;
    recv => recv_letting_others;
    recvfrom => recvfrom_letting_others;
    recvmsg => recvmsg_letting_others;
    accept => accept_letting_others;
    accept4 => accept4_letting_others;
    write => write_letting_others;
    writev => writev_letting_others;
    send => send_letting_others;
    sendto => sendto_letting_others;
    sendmsg => sendmsg_letting_others;
    poll => poll_letting_others;
}

/// Whether the program has made the call that is under way, and not the runtime, which must not be
/// left for another task. If so, its call site is the program's last one from now on.
fn is_programs() -> bool {
    static OWN: OnceLock<Range<usize>> = OnceLock::new();
    let own = || modules::module_of(is_programs as *const () as usize);
    let [caller, frame, stack] = SITE.each_ref().map(|part| part.load(Ordering::Relaxed));
    if !is_shared() || !is_up() || OWN.get_or_init(own).contains(&caller) {
        return false;
    }
    for (to, value) in [(&CALLER, caller), (&FRAME, frame), (&STACK, stack)] {
        to.store(value, Ordering::Relaxed);
    }
    true
}

/// Calls the system, once that need not wait.
fn call(number: i64, as_what: Use, mut arguments: [usize; 6]) -> i64 {
    if !is_programs() {
        return answer(system_call(number, arguments));
    }
    let has_others = waits::has_others();
    if has_others {
        // What the report says of who waits is where the program called the library.
        CALLER.store(callers::of_program(caller()), Ordering::Relaxed);
    }
    match prepare(as_what, &arguments, has_others) {
        Wait::Over => {}
        Wait::Late => return answer(-i64::from(libc::EAGAIN)),
        Wait::Interrupted => return interrupted(),
    }
    if number == libc::SYS_write && has_others && channel(arguments[0] as c_int).is_some() {
        // There is room for so much, and the rest would wait. The caller has to go on with it, as
        // after a signal.
        arguments[2] = arguments[2].min(libc::PIPE_BUF);
    }
    let result = system_call(number, arguments);
    if result > 0 {
        has_come(as_what, arguments[0]);
    }
    if as_what != Use::Poll {
        has_changed(arguments[0] as c_int);
    }
    answer(result)
}

macro_rules! descriptor_calls {
    ($($name:ident($($argument:ident),*) = $number:ident, $as_what:expr;)*) => { $(
        extern "C-unwind" fn $name($($argument: usize),*) -> i64 {
            let mut arguments = [0; 6];
            for (to, from) in arguments.iter_mut().zip([$($argument),*]) {
                *to = from;
            }
            call(libc::$number, $as_what, arguments)
        }
    )* };
}

descriptor_calls! {
    read_letting_others(file, to, size) = SYS_read, Use::Input(None);
    readv_letting_others(file, list, count) = SYS_readv, Use::Input(None);
    recv_letting_others(file, to, size, flags) = SYS_recvfrom, Use::Input(Some(3));
    recvfrom_letting_others(file, to, size, flags, from, length) = SYS_recvfrom, Use::Input(Some(3));
    recvmsg_letting_others(file, message, flags) = SYS_recvmsg, Use::Input(Some(2));
    accept_letting_others(file, from, length) = SYS_accept, Use::Input(None);
    accept4_letting_others(file, from, length, flags) = SYS_accept4, Use::Input(None);
    write_letting_others(file, from, size) = SYS_write, Use::Output(None);
    writev_letting_others(file, list, count) = SYS_writev, Use::Output(None);
    send_letting_others(file, from, size, flags) = SYS_sendto, Use::Output(Some(3));
    sendto_letting_others(file, from, size, flags, to, length) = SYS_sendto, Use::Output(Some(3));
    sendmsg_letting_others(file, message, flags) = SYS_sendmsg, Use::Output(Some(2));
    poll_letting_others(files, count, time) = SYS_poll, Use::Poll;
}
