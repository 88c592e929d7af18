//! `raceproof run`.

use super::run;
use crate::args::RunArgs;
use crate::page;
use crate::shared::present::render_native;
use crate::shared::status::{BadInput, bad};
use raceproof_core::finding::Report;

pub(crate) fn command(args: &RunArgs) -> Result<u8, BadInput> {
    let report = run(args).map_err(bad)?;
    show(args, &report)
}

/// Puts the report out as it is asked for.
pub(crate) fn show(args: &RunArgs, report: &Report) -> Result<u8, BadInput> {
    let extras = page::of_program(args.format, report, &args.program, args.threads.first().copied());
    render_native(report, args.format, args.output.as_deref(), &extras)
}
