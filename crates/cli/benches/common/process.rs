//! A benchmark that runs itself again, so that what is measured has a process of its own and its
//! peak memory can be read.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;
use std::{env, fs, thread};

/// The first argument of a child; the others say what it is to do.
pub(crate) const FLAG: &str = "--child";

/// Has a child do something; what it prints.
pub(crate) fn run_itself(job: &[impl AsRef<OsStr>]) -> String {
    let itself = env::current_exe().expect("a program knows where it is");
    let output = Command::new(itself).arg(FLAG).args(job).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run itself: {error}"));
    let what = || job.iter().map(|word| word.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ");
    assert!(output.status.success(), "{}: {}", what(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The time this thread has had a processor for. The kernel brings the figure up to date when a
/// process sleeps.
pub(crate) fn processor_time() -> Duration {
    thread::sleep(Duration::from_micros(1));
    let statistics = fs::read_to_string("/proc/self/schedstat").expect("processor time is read from /proc");
    let nanoseconds = statistics.split_whitespace().next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.expect("/proc/self/schedstat begins with the nanoseconds"))
}

/// The same of the thread that asks.
#[allow(dead_code)] // not every benchmark has threads
pub(crate) fn processor_time_of_thread() -> Duration {
    thread::sleep(Duration::from_micros(1));
    let statistics =
        fs::read_to_string("/proc/thread-self/schedstat").expect("processor time is read from /proc");
    let nanoseconds = statistics.split_whitespace().next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.expect("schedstat begins with the nanoseconds"))
}

/// The processor time of all threads, those that have ended included, in steps of ten milliseconds.
pub(crate) fn processor_time_of_all() -> Duration {
    thread::sleep(Duration::from_micros(1));
    let statistics = fs::read_to_string("/proc/self/stat").expect("processor time is read from /proc");
    // Behind the name, which may contain anything: utime and stime are the 12th and 13th field, in
    // hundredths.
    let fields = statistics.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// The peak of this process's resident memory so far, in bytes.
pub(crate) fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("peak memory is read from /proc");
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("VmHWM in /proc/self/status");
    1024 * line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("VmHWM is a number")
}
