//! `verify` for TP programs; the search itself is [`raceproof::verify`].

pub mod checkpoint;
pub(crate) mod command;
mod judge;
mod native;
mod progress;
mod ranks;
mod search;

use raceproof_tp::code::Code;
use raceproof_tp::execute::Tp;

pub use raceproof::verify::{Options, OrderName, Pace, Progress, Search, Verified};

/// Verifies a compiled program; `file` is what its source is called in the report.
pub fn verify<'a>(code: &'a Code, file: &'a str, options: &Options<'a>) -> Verified {
    verify_from(&mut Search::default(), code, file, options)
}

/// As [`verify`], for a search that may have been resumed.
pub fn verify_from<'a>(
    search: &mut Search,
    code: &'a Code,
    file: &'a str,
    options: &Options<'a>,
) -> Verified {
    let mut verified = raceproof::verify::verify(&Tp { code, file }, search, options);
    // As it is asked for on the command line.
    verified.report.detector = format!("verify --order {}", options.order.name());
    verified
}
