//! The limits on a run other than the number of its actions: time, memory, and interrupts.

use std::cell::Cell;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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

    /// The limit that has been reached, if one has. Memory is looked at every [`MEMORY_EVERY`],
    /// which takes tens of microseconds; between the looks this takes tens of nanoseconds.
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

/// How old what a thread knows of the memory in use may be: the system takes as long to say it as
/// short executions take, and what a run allocates in the meantime is no gigabyte.
const MEMORY_EVERY: Duration = Duration::from_millis(5);

thread_local! {
    /// When this thread asked for the memory in use, and what it was.
    static MEMORY: Cell<Option<(Instant, Option<u64>)>> = const { Cell::new(None) };
}

/// The memory this process has in use, in bytes, or had a moment ago.
fn memory_in_use() -> Option<u64> {
    let now = Instant::now();
    if let Some((asked, bytes)) = MEMORY.get()
        && now.duration_since(asked) < MEMORY_EVERY
    {
        return bytes;
    }
    let bytes = memory_now();
    MEMORY.set(Some((now, bytes)));
    bytes
}

/// The same, as the system says it.
fn memory_now() -> Option<u64> {
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
    use std::{hint, thread};

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

    /// What was asked a moment ago is not asked again, and it does not stay so.
    #[test]
    #[cfg(target_os = "linux")]
    fn memory_is_not_measured_at_every_look() {
        let looks = 10_000;
        let start = Instant::now();
        for _ in 0..looks {
            hint::black_box(memory_in_use());
        }
        let cached = start.elapsed();
        let start = Instant::now();
        for _ in 0..looks / 100 {
            hint::black_box(memory_now());
        }
        let asked = start.elapsed() * 100;
        assert!(cached * 5 < asked, "{cached:?} for {looks} looks, {asked:?} if each asks");
        let before = memory_in_use().expect("the system says it");
        let mut taken = vec![1u8; 64 << 20];
        hint::black_box(&mut taken);
        thread::sleep(MEMORY_EVERY);
        assert!(memory_in_use().is_some_and(|now| now > before + (32 << 20)));
    }
}
