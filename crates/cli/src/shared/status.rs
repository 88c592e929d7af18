//! Exit statuses, and errors for the user.

use raceproof_core::finding::{Report, Verdict};

pub(crate) const FOUND: u8 = 1;
pub(crate) const BAD_INPUT: u8 = 2;
pub(crate) const INCONCLUSIVE: u8 = 3;

/// An error for the user; status 2.
pub(crate) struct BadInput(pub(crate) String);

pub(crate) fn bad(message: impl Into<String>) -> BadInput {
    BadInput(format!("raceproof: {}", message.into()))
}

pub(crate) fn status(report: &Report) -> u8 {
    match report.verdict {
        Verdict::RaceFree => 0,
        Verdict::Race | Verdict::Deadlock | Verdict::ProgramError => FOUND,
        Verdict::Inconclusive => INCONCLUSIVE,
    }
}
