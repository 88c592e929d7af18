//! The limits on a run other than the number of its actions: time, memory, and the user's patience.

use super::fault::{Fault, Limit};
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a run may take.
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    pub deadline: Option<Instant>,
    /// Set from outside to end the run.
    pub interrupt: Option<&'a AtomicBool>,
    /// The most bytes the process may have in use; where the system does not tell, nothing is limited.
    pub memory: Option<u64>,
    /// The looks after which the run ends, to repeat one that was ended so.
    pub looks: Option<u64>,
}

impl Limits<'_> {
    pub fn interrupted(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The limit that has been reached, if one has, at look number `look`. Takes microseconds: for now and then.
    pub(super) fn reached(&self, look: u64) -> Option<Fault> {
        if self.looks.is_some_and(|looks| look >= looks) {
            return Some(Fault::limit(Limit::Interrupted, ""));
        }
        if self.interrupted() {
            return Some(Fault::limit(Limit::Interrupted, ""));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Fault::limit(Limit::Seconds, ""));
        }
        let memory = self.memory?;
        let gigabytes = || format!("{} GB", (memory as f64 / 1e8).round() / 10.0);
        (memory_in_use()? > memory).then(|| Fault::limit(Limit::Memory, &gigabytes()))
    }
}

/// The memory this process has in use, in bytes.
fn memory_in_use() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = resident.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tp::fault::What;
    use std::time::Duration;

    fn reached(limits: Limits<'_>) -> Option<What> {
        limits.reached(1).map(|fault| fault.what)
    }

    #[test]
    fn each_limit_is_seen() {
        assert_eq!(reached(Limits::default()), None);
        let deadline = Some(Instant::now());
        assert_eq!(reached(Limits { deadline, ..Limits::default() }), Some(What::Limit(Limit::Seconds)));
        let later = Instant::now().checked_add(Duration::from_secs(3600));
        assert_eq!(reached(Limits { deadline: later, ..Limits::default() }), None);
        let looks = |looks| reached(Limits { looks: Some(looks), ..Limits::default() });
        assert_eq!((looks(2), looks(1)), (None, Some(What::Limit(Limit::Interrupted))));
        let flag = AtomicBool::new(false);
        let limits = Limits { interrupt: Some(&flag), ..Limits::default() };
        assert_eq!(reached(limits), None);
        flag.store(true, Ordering::Relaxed);
        assert_eq!(reached(limits), Some(What::Limit(Limit::Interrupted)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_is_measured() {
        assert!(memory_in_use().is_some_and(|bytes| bytes > 100_000));
        assert_eq!(
            reached(Limits { memory: Some(1), ..Limits::default() }),
            Some(What::Limit(Limit::Memory))
        );
        assert_eq!(reached(Limits { memory: Some(u64::MAX), ..Limits::default() }), None);
    }
}
