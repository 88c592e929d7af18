//! The limits on a run other than the number of its actions: time, memory, and interrupts.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a run may take.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits<'a> {
    pub deadline: Option<Instant>,
    /// Set from outside to end the run.
    pub interrupt: Option<&'a AtomicBool>,
    /// The most bytes the process may have in use; where the system does not say, nothing is
    /// limited.
    pub memory: Option<u64>,
    /// The looks after which the run ends, to repeat one that was ended so.
    pub looks: Option<u64>,
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

    /// The limit that has been reached at look number `look` of a run, if one has.
    pub fn reached_at(&self, look: u64) -> Option<Reached> {
        if self.looks.is_some_and(|looks| look >= looks) {
            return Some(Reached::Interrupted);
        }
        self.reached()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn reached(limits: Limits<'_>) -> Option<Reached> {
        limits.reached_at(1)
    }

    #[test]
    fn each_limit_is_seen() {
        assert_eq!(reached(Limits::default()), None);
        let deadline = Some(Instant::now());
        assert_eq!(reached(Limits { deadline, ..Limits::default() }), Some(Reached::Seconds));
        let later = Instant::now().checked_add(Duration::from_secs(3600));
        assert_eq!(reached(Limits { deadline: later, ..Limits::default() }), None);
        let looks = |looks| reached(Limits { looks: Some(looks), ..Limits::default() });
        assert_eq!((looks(2), looks(1)), (None, Some(Reached::Interrupted)));
        let flag = AtomicBool::new(false);
        let limits = Limits { interrupt: Some(&flag), ..Limits::default() };
        assert_eq!(reached(limits), None);
        flag.store(true, Ordering::Relaxed);
        assert_eq!(reached(limits), Some(Reached::Interrupted));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_is_measured() {
        assert!(memory_in_use().is_some_and(|bytes| bytes > 100_000));
        assert_eq!(reached(Limits { memory: Some(1), ..Limits::default() }), Some(Reached::Memory(1)));
        assert_eq!(reached(Limits { memory: Some(u64::MAX), ..Limits::default() }), None);
    }
}
