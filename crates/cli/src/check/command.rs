//! `raceproof check`.

use super::{Checked, Options, check};
use crate::args::{CheckArgs, LimitArgs};
use crate::page;
use crate::shared::known::Known;
use crate::shared::load::load;
use crate::shared::present::{Wanted, present};
use crate::shared::status::{BadInput, bad};
use crate::shared::{input, next};
use raceproof_host::interrupt;
use std::io::{self, Write};

pub(crate) fn command(args: &CheckArgs) -> Result<u8, BadInput> {
    let known = Known::load(&args.known)?;
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
    let wanted = Wanted {
        format: args.format,
        output: args.output.as_deref(),
        known: &known,
        strict: false,
        program: args.file.as_os_str(),
    };
    present(report, &source, wanted, |report, format| {
        page::of_source(report, &code, &source, &args.limits, format)
    })
}
