//! What can go wrong with a TP program while it runs: program errors, and limits of the run.

use super::value::Value;
use raceproof_core::ids::SiteId;

/// The program errors of the language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FaultKind {
    Assertion,
    SecondSet,
    Bounds,
    Division,
    ForbiddenInIsolated,
    LockHeld,
    NotAPromise,
    SetOnFuture,
    NotAnArray,
    ReferenceArithmetic,
    NegativeSize,
}

impl FaultKind {
    /// The stable name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Assertion => "assertion",
            FaultKind::SecondSet => "second-set",
            FaultKind::Bounds => "bounds",
            FaultKind::Division => "division",
            FaultKind::ForbiddenInIsolated => "forbidden-in-isolated",
            FaultKind::LockHeld => "lock-held",
            FaultKind::NotAPromise => "not-a-promise",
            FaultKind::SetOnFuture => "set-on-future",
            FaultKind::NotAnArray => "not-an-array",
            FaultKind::ReferenceArithmetic => "reference-arithmetic",
            FaultKind::NegativeSize => "negative-size",
        }
    }

    fn message(self, detail: &str) -> String {
        match self {
            FaultKind::Assertion => "the assertion does not hold".into(),
            FaultKind::SecondSet => "this promise is set already; a promise is set once".into(),
            FaultKind::Bounds => format!("{detail}: out of bounds"),
            FaultKind::Division => "division by zero".into(),
            FaultKind::ForbiddenInIsolated => {
                "this is not allowed inside an isolated section: it could wait for a task that needs the section".into()
            }
            FaultKind::LockHeld => "the task holds this lock already; sections of one lock do not nest".into(),
            FaultKind::NotAPromise => format!("expected a promise or a future, found {detail}"),
            FaultKind::SetOnFuture => "a future gets its value from its body; only a promise can be set".into(),
            FaultKind::NotAnArray => format!("expected an array, found {detail}"),
            FaultKind::ReferenceArithmetic => format!("expected a number, found {detail}"),
            FaultKind::NegativeSize => format!("an array cannot have {detail} elements"),
        }
    }
}

/// Why a run was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    Seconds,
    Memory,
    Interrupted,
    Calls,
    Tasks,
    Cells,
}

impl Limit {
    fn message(self, detail: &str) -> String {
        match self {
            Limit::Seconds => "the time limit was reached before the program ended".into(),
            Limit::Memory => format!("the run takes more than {detail} of memory"),
            Limit::Interrupted => "interrupted before the program ended".into(),
            Limit::Calls => format!(
                "more than {} calls in one task have not returned: endless recursion?",
                super::vm::MAX_CALLS
            ),
            Limit::Tasks => {
                format!("more than {} tasks have not ended: endless spawning?", super::vm::MAX_LIVE_TASKS)
            }
            Limit::Cells => format!("too many shared cells: {detail}"),
        }
    }
}

/// Something that went wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub what: What,
    pub message: String,
    /// Where, if it has a place.
    pub site: Option<SiteId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Error(FaultKind),
    Limit(Limit),
}

impl Fault {
    pub fn new(kind: FaultKind, site: SiteId) -> Self {
        Fault::with(kind, site, String::new())
    }

    pub fn with(kind: FaultKind, site: SiteId, detail: String) -> Self {
        Fault { what: What::Error(kind), message: kind.message(&detail), site: Some(site) }
    }

    pub fn not_a_promise(value: Value, site: SiteId) -> Self {
        Fault::with(FaultKind::NotAPromise, site, value.kind().into())
    }

    pub fn not_an_array(value: Value, site: SiteId) -> Self {
        Fault::with(FaultKind::NotAnArray, site, value.kind().into())
    }

    pub fn limit(limit: Limit, detail: &str) -> Self {
        Fault { what: What::Limit(limit), message: limit.message(detail), site: None }
    }

    pub fn limit_at(limit: Limit, site: SiteId, detail: &str) -> Self {
        Fault { site: Some(site), ..Fault::limit(limit, detail) }
    }
}
