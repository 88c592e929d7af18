//! Verifying and replaying a closure: the entry points.

use super::check::Checker;
use super::coroutine::is_running;
use super::program::Closure;
use crate::limits::Limits;
use crate::program::Bounds;
use crate::stack::STACK_BYTES;
use crate::verify::{self, Options, Search, Verified};
use crate::witness;
use raceproof_core::finding::{Report, Verdict};
use raceproof_report::plain::render;
use std::num::NonZeroUsize;
use std::panic::Location;
use std::sync::Arc;
use std::time::Instant;

/// Runs the closure under every schedule that can make a difference and panics with a report if one
/// of them has a data race, deadlocks, or does something forbidden.
///
/// Passing means that no schedule has. Of sections of a lock or [`isolated`](crate::isolated)
/// sections the order is varied where they access the same data and one of them writes it.
///
/// ```
/// use raceproof::{Shared, finish, isolated, spawn, verify};
///
/// verify(|| {
///     let sum = Shared::new(0);
///     finish(|| {
///         for i in 1..4 {
///             spawn(move || isolated(|| sum.set(sum.get() + i)));
///         }
///     });
///     assert_eq!(sum.get(), 6);
/// });
/// ```
#[track_caller]
pub fn verify(program: impl Fn() + 'static) {
    Verifier::new().verify(program);
}

/// As [`verify()`], but gives the report.
#[track_caller]
pub fn try_verify(program: impl Fn() + 'static) -> Report {
    Verifier::new().try_verify(program)
}

/// Runs the closure under the schedule of a witness, as a report of [`check()`](crate::check()) or
/// [`verify()`] gives it, and panics with what it led to: the two accesses of a race, next to each
/// other, a deadlock or an error.
///
/// ```should_panic
/// use raceproof::{Shared, replay, spawn};
///
/// replay("rp1:main*1", || {
///     let x = Shared::named("x", 0);
///     spawn(move || x.set(1));
///     x.get();
/// });
/// ```
#[track_caller]
pub fn replay(witness: &str, program: impl Fn() + 'static) {
    match try_replay(witness, program) {
        Ok(report) => panic!("{}", render(&report)),
        Err(wrong) => panic!("raceproof: {wrong}"),
    }
}

/// As [`replay()`], but gives the report; an error if the text is no witness, or not one of this
/// closure.
///
/// ```
/// use raceproof::{Shared, spawn, try_check, try_replay, witness};
///
/// let program = || {
///     let x = Shared::named("x", 0);
///     spawn(move || x.set(1));
///     x.get();
/// };
/// let report = try_check(program);
/// let text = witness::encode(report.races[0].witness.as_ref().unwrap());
/// assert_eq!(try_replay(&text, program).unwrap().races[0].location, "x");
/// assert!(try_replay("rp1:main*7", program).is_err());
/// ```
#[track_caller]
pub fn try_replay(witness: &str, program: impl Fn() + 'static) -> Result<Report, String> {
    alone("replay");
    let witness = witness::decode(witness).map_err(|bad| bad.to_string())?;
    let program = Closure::with_stacks(STACK_BYTES, program);
    crate::replay::replay(&program, &witness, Bounds { limits: Limits::default(), ..Bounds::default() })
}

#[track_caller]
fn alone(what: &str) {
    assert!(
        !is_running(),
        "raceproof: a {what} inside of a check: tasks of one cannot wait for tasks of the other; {what} the inner closure on its own, or call it"
    );
}

/// A search with other limits than [`verify()`] has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Verifier {
    max_executions: Option<u64>,
    max_seconds: Option<f64>,
    max_events: Option<u64>,
    max_memory: Option<u64>,
    all: bool,
    determinism: bool,
    random: Option<u64>,
    /// None is one.
    workers: Option<NonZeroUsize>,
}

impl Verifier {
    pub fn new() -> Self {
        Verifier::default()
    }

    /// The most executions; a search that needs more is inconclusive.
    #[must_use]
    pub fn max_executions(self, executions: u64) -> Self {
        Verifier { max_executions: Some(executions), ..self }
    }

    /// The most seconds; a search that needs more is inconclusive.
    #[must_use]
    pub fn max_seconds(self, seconds: f64) -> Self {
        Verifier { max_seconds: Some(seconds), ..self }
    }

    /// The most accesses and synchronisations of one execution; a search with one that needs more
    /// is inconclusive.
    #[must_use]
    pub fn max_events(self, events: u64) -> Self {
        Verifier { max_events: Some(events), ..self }
    }

    /// The most bytes of memory the process may have in use; a search that needs more is
    /// inconclusive. Where the system does not say (it does on Linux), nothing is limited.
    #[must_use]
    pub fn max_memory(self, bytes: u64) -> Self {
        Verifier { max_memory: Some(bytes), ..self }
    }

    /// Goes on after the first execution with a race.
    #[must_use]
    pub fn all(self) -> Self {
        Verifier { all: true, ..self }
    }

    /// Runs schedules that chance picks by a seed, for so many seconds, instead of every schedule
    /// that can make a difference: for closures that have too many of these. The report is
    /// inconclusive unless there is a race, a deadlock or an error.
    ///
    /// ```
    /// use raceproof::{Shared, Verifier, spawn};
    /// use raceproof_core::finding::Verdict;
    ///
    /// let report = Verifier::new().random(5.0, 1).try_verify(|| {
    ///     let x = Shared::named("x", 0);
    ///     spawn(move || x.set(1));
    ///     x.get();
    /// });
    /// assert_eq!(report.verdict, Verdict::Race);
    /// ```
    #[must_use]
    pub fn random(self, seconds: f64, seed: u64) -> Self {
        Verifier { max_seconds: Some(seconds), random: Some(seed), ..self }
    }

    /// Runs executions on so many threads, for [`verify_shared`](Verifier::verify_shared) and
    /// [`try_verify_shared`](Verifier::try_verify_shared). The report is the same for any number.
    #[must_use]
    pub fn workers(self, workers: NonZeroUsize) -> Self {
        Verifier { workers: Some(workers), ..self }
    }

    /// Reports nondeterminism that is no data race as well, in `general_races`.
    #[must_use]
    pub fn determinism(self) -> Self {
        Verifier { determinism: true, ..self }
    }

    /// See [`verify()`].
    #[track_caller]
    pub fn verify(self, program: impl Fn() + 'static) {
        let report = self.try_verify(program);
        if report.verdict != Verdict::RaceFree {
            panic!("{}", render(&report));
        }
    }

    /// See [`try_verify`].
    #[track_caller]
    pub fn try_verify(self, program: impl Fn() + 'static) -> Report {
        let program = Closure::with_stacks(STACK_BYTES, program);
        self.search(&program, |options| verify::verify_here(&program, &mut Search::default(), options))
    }

    /// As [`verify`](Verifier::verify), on several threads ([`workers`](Verifier::workers)): each
    /// runs the closure by itself. What the executions have in common, such as a static variable,
    /// they share at the same time.
    ///
    /// ```
    /// use raceproof::{Shared, Verifier, finish, isolated, spawn};
    ///
    /// Verifier::new().workers(2.try_into().unwrap()).verify_shared(|| {
    ///     let list = Shared::new(1);
    ///     finish(|| {
    ///         for i in 0..4 {
    ///             spawn(move || isolated(|| list.set(list.get() * 2 + i)));
    ///         }
    ///     });
    /// });
    /// ```
    #[track_caller]
    pub fn verify_shared(self, program: impl Fn() + Send + Sync + 'static) {
        let report = self.try_verify_shared(program);
        if report.verdict != Verdict::RaceFree {
            panic!("{}", render(&report));
        }
    }

    /// As [`verify_shared`](Verifier::verify_shared), but gives the report.
    #[track_caller]
    pub fn try_verify_shared(self, program: impl Fn() + Send + Sync + 'static) -> Report {
        let (program, caller) = (Arc::new(program), Location::caller());
        let make = || {
            let program = Arc::clone(&program);
            Closure::called_at(STACK_BYTES, caller, move || program())
        };
        self.search(&make(), |options| verify::verify_each(&make, &mut Search::default(), options))
    }

    /// The report of `verify`, if the program does the same each time.
    #[track_caller]
    fn search(self, program: &Closure, verify: impl FnOnce(&Options<'_>) -> Verified) -> Report {
        alone("verify");
        // Replaying schedules means nothing for a closure that does not do the same again.
        let start = Instant::now();
        let first =
            Checker::within(self.max_events, self.max_seconds, self.max_memory).check_program(program);
        if first.errors.iter().any(|error| error.kind == crate::check::NOT_DETERMINISTIC) {
            return first;
        }
        let options = Options {
            workers: self.workers.map_or(1, NonZeroUsize::get),
            max_executions: self.max_executions,
            max_seconds: self.max_seconds.map(|most| (most - start.elapsed().as_secs_f64()).max(0.0)),
            max_events: self.max_events,
            max_memory: self.max_memory,
            all: self.all,
            determinism: self.determinism,
            random: self.random,
            ..Options::default()
        };
        verify(&options).report
    }
}
