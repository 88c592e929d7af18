//! `raceproof trace`.

use super::{look_after, record};
use crate::args::{LimitArgs, TraceArgs};
use crate::shared::input;
use crate::shared::limits::{bounds, limits};
use crate::shared::load::{load, refuse};
use crate::shared::status::{BadInput, INCONCLUSIVE, bad};
use raceproof_host::note;

pub(crate) fn command(args: &TraceArgs) -> Result<u8, BadInput> {
    if args.convert || args.stat || args.check {
        refuse(&args.file, &input::TRACES)?;
        let LimitArgs { max_seconds, max_memory, .. } = args.limits;
        let limit = look_after(args, limits(max_seconds, max_memory)).map_err(bad)?;
        if let Some(limit) = &limit {
            note(&format!("raceproof: {}: inconclusive: {limit}", args.file.display()));
        }
        return Ok(if limit.is_some() { INCONCLUSIVE } else { 0 });
    }
    refuse(&args.file, &input::TRACE)?;
    let Some(output) = &args.output else { return Err(bad(MISSING_OUTPUT)) };
    let (source, code) = load(&args.file, &input::TRACE)?;
    let bounds = bounds(&args.limits);
    let notes = record(&code, &source.name, bounds, output, args.to).map_err(bad)?;
    for text in &notes {
        note(&format!("raceproof: {text}"));
    }
    Ok(if notes.is_empty() { 0 } else { INCONCLUSIVE })
}

const MISSING_OUTPUT: &str = "-o OUT is missing: where to write the trace";
