//! `raceproof verify`.

use super::ranks::World;
use super::{native, search};
use crate::args::VerifyArgs;
use crate::page;
use crate::shared::known::Known;
use crate::shared::load::{load, program_or_source};
use crate::shared::present::{Wanted, present, render_native};
use crate::shared::status::{BadInput, bad};
use crate::shared::{input, next};
use raceproof_core::finding::Report;

pub(crate) fn command(args: &VerifyArgs) -> Result<u8, BadInput> {
    let world = World::enter().map_err(bad)?;
    let done = verify(args, world.as_ref());
    if let Some(world) = world {
        world.leave(done.is_err(), args.checkpoint.is_some());
    }
    done
}

fn verify(args: &VerifyArgs, world: Option<&World>) -> Result<u8, BadInput> {
    let known = Known::load(&args.known)?;
    let wanted = |program| Wanted {
        format: args.format,
        output: args.output.as_deref(),
        known: &known,
        strict: args.strict,
        program,
    };
    let (file, program) = program_or_source(args.file.as_deref(), &args.program)?;
    let Some(file) = file else {
        let Some(mut report) = native::verify(args, &program, world).map_err(bad)? else { return Ok(0) };
        next::name(&mut report, |report| next::after_verify(args, &program, report));
        let extras = |report: &Report, format| page::of_program(report, &program, args.threads, format);
        return Ok(render_native(report, wanted(&program[0]), extras)?.status);
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
    let Some(mut report) = search::run(args, &code, &source, world).map_err(bad)? else { return Ok(0) };
    next::name(&mut report, |report| next::after_verify(args, &[], report));
    let extras = |report: &Report, format| page::of_source(report, &code, &source, &args.limits, format);
    present(report, &source, wanted(file.as_os_str()), extras)
}
