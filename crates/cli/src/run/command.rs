//! `raceproof run`.

use super::run;
use crate::args::RunArgs;
use crate::page;
use crate::shared::known::Known;
use crate::shared::present::{Wanted, render_native, settle_native};
use crate::shared::status::{BadInput, INCONCLUSIVE, bad};
use raceproof_core::finding::Report;

/// A program that was run and judged.
pub(crate) struct Ran {
    /// What was found, before suppressions and baseline.
    pub(crate) raw: Report,
    /// And after.
    pub(crate) report: Report,
    pub(crate) status: u8,
}

impl Ran {
    /// Whether nothing ran in parallel, and nothing was found.
    pub(crate) fn is_sequential(&self) -> bool {
        let parallel = self.report.coverage.as_ref().and_then(|coverage| coverage.parallel);
        parallel == Some(false) && self.status == INCONCLUSIVE && self.report.limits.len() == 1
    }
}

pub(crate) fn command(args: &RunArgs) -> Result<u8, BadInput> {
    Ok(judged(args, true)?.status)
}

/// Runs the program, and shows the report if that is wanted now.
pub(crate) fn judged(args: &RunArgs, now: bool) -> Result<Ran, BadInput> {
    let known = Known::load(&args.known)?;
    let raw = run(args).map_err(bad)?;
    let wanted = Wanted {
        format: args.format,
        output: args.output.as_deref(),
        known: &known,
        strict: args.strict,
        program: &args.program[0],
    };
    let presented = if now {
        let extras = |report: &Report, format| {
            page::of_program(report, &args.program, args.threads.first().copied(), format)
        };
        render_native(raw.clone(), wanted, extras)?
    } else {
        settle_native(raw.clone(), wanted)?
    };
    Ok(Ran { raw, report: presented.report, status: presented.status })
}
