//! What can go wrong with a TP program while it runs: program errors, and limits of the run.

use super::value::Value;
use raceproof::kernel::Fault as Misuse;
use raceproof::limits::Reached;
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
            FaultKind::SecondSet => Misuse::SecondSet.name(),
            FaultKind::Bounds => "bounds",
            FaultKind::Division => "division",
            FaultKind::ForbiddenInIsolated => Misuse::ForbiddenInIsolated.name(),
            FaultKind::LockHeld => Misuse::LockHeld.name(),
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
            FaultKind::SecondSet => Misuse::SecondSet.message().into(),
            FaultKind::Bounds => format!("{detail}: out of bounds"),
            FaultKind::Division => "division by zero".into(),
            FaultKind::ForbiddenInIsolated => Misuse::ForbiddenInIsolated.message().into(),
            FaultKind::LockHeld => Misuse::LockHeld.message().into(),
            FaultKind::NotAPromise => format!("expected a promise or a future, found {detail}"),
            FaultKind::SetOnFuture => {
                "a future gets its value from its body; only a promise can be set".into()
            }
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
    Interrupted,
    /// So many bytes.
    Memory(u64),
    Calls,
    Tasks,
    Cells,
}

impl Limit {
    fn message(self, detail: &str) -> String {
        match self {
            Limit::Seconds => Reached::Seconds.to_string(),
            Limit::Interrupted => Reached::Interrupted.to_string(),
            Limit::Memory(bytes) => Reached::Memory(bytes).to_string(),
            Limit::Calls => format!(
                "more than {} calls in one task have not returned: endless recursion?",
                super::limits::MAX_CALLS
            ),
            Limit::Tasks => {
                format!("more than {} tasks have not ended: endless spawning?", super::limits::MAX_LIVE_TASKS)
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

    pub fn reached(reached: Reached) -> Self {
        let limit = match reached {
            Reached::Interrupted => Limit::Interrupted,
            Reached::Seconds => Limit::Seconds,
            Reached::Memory(bytes) => Limit::Memory(bytes),
        };
        Fault::limit(limit, "")
    }

    pub fn limit(limit: Limit, detail: &str) -> Self {
        Fault { what: What::Limit(limit), message: limit.message(detail), site: None }
    }

    pub fn limit_at(limit: Limit, site: SiteId, detail: &str) -> Self {
        Fault { site: Some(site), ..Fault::limit(limit, detail) }
    }
}
