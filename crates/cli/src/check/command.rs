//! `raceproof check`.

use super::{Checked, Options, check};
use crate::args::{CheckArgs, LimitArgs};
use crate::page;
use crate::shared::load::load;
use crate::shared::present::present;
use crate::shared::status::{BadInput, bad};
use crate::shared::{input, next};
use raceproof_host::interrupt;
use std::io::{self, Write};

pub(crate) fn command(args: &CheckArgs) -> Result<u8, BadInput> {
    let (source, code) = load(&args.file, &input::CHECK)?;
    let LimitArgs { max_seconds, max_events, max_memory } = args.limits;
    let options = Options {
        detector: args.detector,
        order: args.order,
        max_seconds,
        max_events,
        max_memory: Some(max_memory),
        interrupt: Some(interrupt::watch()),
        keep_output: args.show_output,
        determinism: args.determinism,
    };
    let Checked { mut report, output } = check(&code, &source.name, &options).map_err(bad)?;
    // What the program says is for the terminal; nobody reading it is no reason to keep the report
    // back.
    let _ = io::stderr().write_all(output.as_bytes());
    next::name(&mut report, |_| Some(next::after_check(args)));
    let extras = page::of_source(args.format, &report, &code, &source, &args.limits);
    present(report, &source, args.format, args.output.as_deref(), &extras)
}
