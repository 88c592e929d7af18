//! `raceproof run`.

use super::run;
use crate::args::RunArgs;
use crate::shared::present::render_native;
use crate::shared::status::{BadInput, bad};

pub(crate) fn command(args: &RunArgs) -> Result<u8, BadInput> {
    let report = run(args).map_err(bad)?;
    render_native(&report, args.format, args.output.as_deref())
}
