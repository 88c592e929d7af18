//! The limits on a run other than the number of its actions: time, memory, and the user's patience.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a run may take.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits<'a> {
    pub deadline: Option<Instant>,
    /// Set from outside to end the run.
    pub interrupt: Option<&'a AtomicBool>,
    /// The most bytes the process may have in use; where the system does not tell, nothing is limited.
    pub memory: Option<u64>,
}

/// A limit that has been reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    Interrupted,
    Seconds,
    /// So many bytes.
    Memory(u64),
}

impl Limits<'_> {
    pub fn interrupted(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The limit that has been reached, if one has. Takes microseconds: for now and then.
    pub fn reached(&self) -> Option<Reached> {
        if self.interrupted() {
            return Some(Reached::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Reached::Seconds);
        }
        let memory = self.memory?;
        (memory_in_use()? > memory).then_some(Reached::Memory(memory))
    }
}

/// The memory this process has in use, in bytes.
fn memory_in_use() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = resident.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

impl std::fmt::Display for Reached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reached::Interrupted => f.write_str("interrupted before the program ended"),
            Reached::Seconds => f.write_str("the time limit was reached before the program ended"),
            Reached::Memory(bytes) => {
                write!(f, "the run takes more than {} GB of memory", (*bytes as f64 / 1e8).round() / 10.0)
            }
        }
    }
}
