//! Handles Ctrl-C, SIGTERM and SIGHUP: the first signal ends the run with what is known, the second
//! ends the process. Processes that we wait for end with us, and temporary files are removed.
//!
//! Signals in quick succession are one request: `timeout` signals the process and then its group,
//! so that the process receives the signal twice.
//!
//! Signals that are ignored when we start (`nohup`, a shell's background) stay ignored, by us and
//! by our children.

use crate::note::note;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io, process};

/// What shells report for a process that SIGINT ended.
const KILLED: i32 = 130;

/// A signal that comes this soon after the first is no second request.
const ONE_REQUEST: Duration = Duration::from_millis(250);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Whether somebody looks at [`INTERRUPTED`], and whether the user hears that it is set.
static WATCHED: AtomicBool = AtomicBool::new(false);
static SAID: AtomicBool = AtomicBool::new(false);

/// Processes that end when we are interrupted, and how.
static CHILDREN: Mutex<Vec<(u32, Signal)>> = Mutex::new(Vec::new());
/// Files that are removed when the process ends before they are whole.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn all<T>(of: &'static Mutex<Vec<T>>) -> MutexGuard<'static, Vec<T>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to watch for the signals. To be called before there are other threads.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let ignored = ignored();
        // The handler would be for these as well. A signal that is blocked is as good as ignored,
        // and stays so in what we start.
        let mut kept_out = SigSet::empty();
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            if ignored & (1 << (signal as u64 - 1)) != 0 {
                kept_out.add(signal);
            }
        }
        let _ = kept_out.thread_block();
        // Where no handler can be set, the signals end the process at once, as they do most
        // programs.
        let _ = ctrlc::set_handler(interrupted);
    });
}

/// The signals that our starter ignores, a bit for each.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn interrupted() {
    static HANDLED: OnceLock<Instant> = OnceLock::new();
    let again = INTERRUPTED.swap(true, Ordering::Relaxed);
    if again && HANDLED.get().is_some_and(|at| at.elapsed() < ONE_REQUEST) {
        return;
    }
    if again || !WATCHED.load(Ordering::Relaxed) {
        for file in all(&FILES).iter() {
            let _ = fs::remove_file(file);
        }
        // Programs under test end with us by themselves.
        process::exit(KILLED);
    }
    if SAID.load(Ordering::Relaxed) {
        note("raceproof: interrupted, writing what is known; once more to stop at once");
    }
    for &(child, signal) in all(&CHILDREN).iter() {
        let _ = kill(Pid::from_raw(child as i32), signal);
    }
    let _ = HANDLED.set(Instant::now());
}

/// Watches for the signals from now on; the flag is set by the first.
pub fn watch() -> &'static AtomicBool {
    SAID.store(true, Ordering::Relaxed);
    watch_silently()
}

/// The same, where another process tells the user.
pub fn watch_silently() -> &'static AtomicBool {
    install();
    WATCHED.store(true, Ordering::Relaxed);
    &INTERRUPTED
}

/// A process that is sent a signal when we are interrupted, as long as this is kept.
pub struct EndsWithUs(u32);

impl EndsWithUs {
    pub fn new(child: &Child, signal: Signal) -> EndsWithUs {
        let number = child.id();
        all(&CHILDREN).push((number, signal));
        if INTERRUPTED.load(Ordering::Relaxed) {
            let _ = kill(Pid::from_raw(number as i32), signal);
        }
        EndsWithUs(number)
    }
}

impl Drop for EndsWithUs {
    fn drop(&mut self) {
        all(&CHILDREN).retain(|&(child, _)| child != self.0);
    }
}

/// Runs a tool of which nothing but its status is of interest. If we are interrupted it is asked to
/// end, and none is started after that.
pub fn status_of(command: &mut Command) -> io::Result<ExitStatus> {
    let mut child = started(command)?;
    let _ends = EndsWithUs::new(&child, Signal::SIGTERM);
    child.wait()
}

/// The same, of a tool whose output is of interest.
pub fn output_of(command: &mut Command) -> io::Result<Output> {
    stdout_of(command.stderr(Stdio::piped()))
}

/// The same, but what it writes to standard error goes where it would go anyway.
pub fn stdout_of(command: &mut Command) -> io::Result<Output> {
    let child = started(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    let _ends = EndsWithUs::new(&child, Signal::SIGTERM);
    child.wait_with_output()
}

fn started(command: &mut Command) -> io::Result<Child> {
    install();
    WATCHED.store(true, Ordering::Relaxed);
    if INTERRUPTED.load(Ordering::Relaxed) {
        return Err(io::ErrorKind::Interrupted.into());
    }
    command.spawn()
}

/// A file that is not whole yet: removed if the process ends before this is dropped.
pub struct Unfinished(PathBuf);

impl Unfinished {
    pub fn new(path: &Path) -> Unfinished {
        all(&FILES).push(path.to_owned());
        Unfinished(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        all(&FILES).retain(|file| *file != self.0);
    }
}
