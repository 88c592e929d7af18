//! `verify` for TP programs: the orders by name; the search itself is [`raceproof::verifying`].

use crate::tp::code::Code;
use crate::tp::execute::Tp;
use raceproof::verifying;
use raceproof_core::explore::Dependence;
use std::sync::atomic::AtomicBool;

pub use raceproof::verifying::{Progress, Search, Verified};

/// The orders by name: what is a race in an execution, and which executions are alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum OrderName {
    /// Happens-before: sections of a lock in the order they came
    Hb,
    /// Weak-causally-precedes: where they conflict, with all that happened before the one and after the other
    Wcp,
    /// Does-not-commute: sections of a lock only where they conflict
    Dc,
}

impl OrderName {
    pub fn name(self) -> &'static str {
        match self {
            OrderName::Hb => "hb",
            OrderName::Wcp => "wcp",
            OrderName::Dc => "dc",
        }
    }

    pub(crate) fn dependence(self) -> Dependence {
        match self {
            OrderName::Hb => Dependence::Lock,
            OrderName::Wcp => Dependence::Wcp,
            OrderName::Dc => Dependence::Conflict,
        }
    }
}

/// How to verify.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub order: OrderName,
    pub max_executions: Option<u64>,
    pub max_seconds: Option<f64>,
    /// The most actions of one execution.
    pub max_events: Option<u64>,
    /// The most bytes of memory the process may use.
    pub max_memory: Option<u64>,
    /// Go on after the first execution with a race.
    pub all: bool,
    /// Report nondeterminism that is no data race as well.
    pub determinism: bool,
    pub workers: usize,
    /// Set from outside to end the search with what is known.
    pub interrupt: Option<&'a AtomicBool>,
    /// Told now and then how far the search has come.
    pub progress: Option<&'a dyn Fn(&Progress)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            order: OrderName::Dc,
            max_executions: None,
            max_seconds: None,
            max_events: None,
            max_memory: None,
            all: false,
            determinism: false,
            workers: 1,
            interrupt: None,
            progress: None,
        }
    }
}

/// Verifies a compiled program; `file` is what its source is called in the report.
pub fn verify<'a>(code: &'a Code, file: &'a str, options: &Options<'a>) -> Verified {
    verify_from(&mut Search::default(), code, file, options)
}

/// As [`verify`], going on with a search that has come some way.
pub fn verify_from<'a>(
    search: &mut Search,
    code: &'a Code,
    file: &'a str,
    options: &Options<'a>,
) -> Verified {
    verifying::verify(&Tp { code, file }, search, &options.lower())
}

impl<'a> Options<'a> {
    /// As the runtime knows them.
    pub(crate) fn lower(&self) -> verifying::Options<'a> {
        let Options {
            order,
            max_executions,
            max_seconds,
            max_events,
            max_memory,
            all,
            determinism,
            workers,
            interrupt,
            progress,
        } = *self;
        verifying::Options {
            dependence: order.dependence(),
            name: order.name(),
            max_executions,
            max_seconds,
            max_events,
            max_memory,
            all,
            determinism,
            workers,
            interrupt,
            progress,
        }
    }
}
