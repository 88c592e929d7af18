//! `raceproof verify`.

use super::{native, search};
use crate::args::VerifyArgs;
use crate::page;
use crate::shared::load::{load, program_or_source};
use crate::shared::present::{present, render_native};
use crate::shared::status::{BadInput, bad};
use crate::shared::{input, next};

pub(crate) fn command(args: &VerifyArgs) -> Result<u8, BadInput> {
    let (file, program) = program_or_source(args.file.as_deref(), &args.program)?;
    let Some(file) = file else {
        let mut report = native::verify(args, &program).map_err(bad)?;
        next::name(&mut report, |report| next::after_verify(args, &program, report));
        let extras = page::of_program(args.format, &report, &program, args.threads);
        return render_native(&report, args.format, args.output.as_deref(), &extras);
    };
    if args.time_limit.is_some() {
        return Err(bad(
            "--time-limit is for native programs; for TP programs there are --max-events and --max-seconds",
        ));
    }
    let (source, code) = load(file, &input::VERIFY)?;
    if args.threads.is_some() || args.strict {
        return Err(bad("--threads and --strict are for native programs"));
    }
    let mut report = search::run(args, &code, &source).map_err(bad)?;
    next::name(&mut report, |report| next::after_verify(args, &[], report));
    let extras = page::of_source(args.format, &report, &code, &source, &args.limits);
    present(report, &source, args.format, args.output.as_deref(), &extras)
}
