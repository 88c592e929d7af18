//! Checking a closure: the entry points.

use super::coroutine::is_running;
use super::program::Closure;
use crate::check::Session;
use crate::limits::Limits;
use crate::program::Bounds;
use crate::stack::STACK_BYTES;
use raceproof_core::finding::{Report, Verdict};
use raceproof_report::plain::render;
use std::time::{Duration, Instant};

/// Runs the closure as the root task of a program and panics with a report if the program has a
/// data race, deadlocks, or does something forbidden.
///
/// Without mutual exclusion (locks, [`isolated`](crate::isolated) sections, semaphores) passing
/// means that no schedule has a race. With it, it means so for the order of the sections that was
/// run. The closure is run at least twice, to see that it does the same again.
///
/// ```
/// use raceproof::{SharedArray, check, finish, spawn};
///
/// check(|| {
///     let squares = SharedArray::new(10, 0);
///     finish(|| {
///         for i in 0..squares.len() {
///             spawn(move || squares.set(i, i * i));
///         }
///     });
///     assert_eq!(squares.get(9), 81);
/// });
/// ```
#[track_caller]
pub fn check(program: impl Fn() + 'static) {
    Checker::new().check(program);
}

/// As [`check()`], but gives the report.
///
/// ```
/// use raceproof::{Shared, spawn, try_check};
/// use raceproof_core::finding::Verdict;
///
/// let report = try_check(|| {
///     let x = Shared::named("x", 0);
///     spawn(move || x.set(1));
///     x.get();
/// });
/// assert_eq!(report.verdict, Verdict::Race);
/// assert_eq!(report.races[0].location, "x");
/// ```
#[track_caller]
pub fn try_check(program: impl Fn() + 'static) -> Report {
    Checker::new().try_check(program)
}

/// A check with other limits than [`check()`] has.
#[derive(Clone, Copy, Debug)]
pub struct Checker {
    stack_bytes: usize,
    max_events: u64,
    max_seconds: Option<f64>,
    max_memory: Option<u64>,
}

impl Default for Checker {
    fn default() -> Self {
        Checker { stack_bytes: STACK_BYTES, max_events: u64::MAX, max_seconds: None, max_memory: None }
    }
}

impl Checker {
    pub fn new() -> Self {
        Checker::default()
    }

    /// The size of each task's stack. A task that needs more crashes the process.
    #[must_use]
    pub fn stack_size(self, bytes: usize) -> Self {
        Checker { stack_bytes: bytes, ..self }
    }

    /// The most accesses and synchronisations of a run; a run that needs more is inconclusive.
    #[must_use]
    pub fn max_events(self, events: u64) -> Self {
        Checker { max_events: events, ..self }
    }

    /// The most seconds for the first run; a run that needs more is inconclusive. It is looked at
    /// in operations only: a task that computes for ever without any is not interrupted.
    #[must_use]
    pub fn max_seconds(self, seconds: f64) -> Self {
        Checker { max_seconds: Some(seconds), ..self }
    }

    /// The most bytes of memory the process may have in use; a run that needs more is inconclusive.
    /// Where the system does not say (it does on Linux), nothing is limited.
    #[must_use]
    pub fn max_memory(self, bytes: u64) -> Self {
        Checker { max_memory: Some(bytes), ..self }
    }

    /// See [`check()`].
    #[track_caller]
    pub fn check(self, program: impl Fn() + 'static) {
        let report = self.try_check(program);
        if report.verdict != Verdict::RaceFree {
            panic!("{}", render(&report));
        }
    }

    /// See [`try_check`].
    #[track_caller]
    pub fn try_check(self, program: impl Fn() + 'static) -> Report {
        assert!(
            !is_running(),
            "raceproof: a check inside of a check: tasks of one cannot wait for tasks of the other; check the inner \
             closure on its own, or call it"
        );
        self.check_program(&Closure::with_stacks(self.stack_bytes, program))
    }

    /// With the limits of a search.
    pub(super) fn within(events: Option<u64>, seconds: Option<f64>, memory: Option<u64>) -> Self {
        let max_events = events.unwrap_or(u64::MAX);
        Checker { max_events, max_seconds: seconds, max_memory: memory, ..Checker::default() }
    }

    /// Checks a closure that is a program already.
    pub(super) fn check_program(self, program: &Closure) -> Report {
        let deadline = self
            .max_seconds
            .and_then(|seconds| Instant::now().checked_add(Duration::try_from_secs_f64(seconds).ok()?));
        let bounds = Bounds {
            actions: self.max_events,
            limits: Limits { deadline, memory: self.max_memory, ..Limits::default() },
            ..Bounds::default()
        };
        Session::new(program.clone(), bounds, "default").check().report
    }
}
