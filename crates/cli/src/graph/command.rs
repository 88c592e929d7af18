//! `raceproof graph`.

use super::{DrawAs, Drawn, of_program, of_source, of_trace};
use crate::args::GraphArgs;
use crate::shared::limits::{bounds, limits};
use crate::shared::load::{load, program_or_source};
use crate::shared::process::{NativeProgram, Streams};
use crate::shared::status::{BadInput, INCONCLUSIVE, bad};
use crate::shared::{input, program};
use raceproof_host::note;
use raceproof_host::output::deliver;

pub(crate) fn command(args: &GraphArgs) -> Result<u8, BadInput> {
    let (file, words) = program_or_source(args.file.as_deref(), &args.program)?;
    let draw_as = DrawAs::File(args.format);
    if file.is_some() && args.threads.is_some() {
        return Err(bad("--threads is for native programs"));
    }
    let limited = || limits(args.limits.max_seconds, args.limits.max_memory);
    let drawn = match file {
        None => {
            if args.limits.max_events.is_some() {
                return Err(bad("--max-events is for TP programs; for native ones there is --max-seconds"));
            }
            let (path, _) = program::identified(&words, &input::GRAPH_PROGRAM).map_err(bad)?;
            let program = NativeProgram::new(path, &words[1..], args.threads);
            let streams = if args.output.is_some() { Streams::Passed } else { Streams::Shown };
            of_program(&program, streams, draw_as, limited())
        }
        Some(file) if input::is_trace(file) => of_trace(file, draw_as, limited()),
        Some(file) => {
            let (source, code) = load(file, &input::GRAPH)?;
            of_source(&code, &source.name, draw_as, bounds(&args.limits))
        }
    };
    let Drawn { text, notes, cut_short } = drawn.map_err(bad)?;
    deliver(&text, args.output.as_deref()).map_err(bad)?;
    for text in notes {
        note(&format!("raceproof: {text}"));
    }
    Ok(if cut_short { INCONCLUSIVE } else { 0 })
}
