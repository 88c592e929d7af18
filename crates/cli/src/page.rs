//! What `--format html` shows beside the report: the computation graph of a run, and the witnesses of
//! findings played back, which `--format sarif` shows as well. Both take further runs of the program,
//! which no other format needs.

use crate::args::{LimitArgs, ReportFormat};
use crate::graph::{self, DrawAs, Drawn};
use crate::replay::playbacks::{self, Playbacks};
use crate::shared::limits::{bounds, limits};
use crate::shared::process::{NativeProgram, Streams, input_is_there_again};
use crate::shared::{input, program};
use raceproof_core::finding::Report;
use raceproof_report::html::Extras;
use raceproof_tp::code::Code;
use raceproof_tp::source::Source;
use std::ffi::OsString;
use std::path::Path;

/// Seconds after which a run that is recorded for its graph is given up.
const PATIENCE: f64 = 60.0;

/// For a TP program.
pub(crate) fn of_source(
    report: &Report,
    code: &Code,
    source: &Source,
    limits: &LimitArgs,
    format: ReportFormat,
) -> Extras {
    let playbacks = playbacks::of_source(report, code, source);
    if format != ReportFormat::Html {
        return without_graph(playbacks);
    }
    let drawn = too_large(report)
        .map_or_else(|| graph::of_source(code, &source.name, DrawAs::Page(report), bounds(limits)), Err);
    extras(drawn, playbacks)
}

/// For a native program, given with its arguments.
pub(crate) fn of_program(
    report: &Report,
    words: &[OsString],
    threads: Option<u32>,
    format: ReportFormat,
) -> Extras {
    let Some(path) = words.first().and_then(|name| program::find(name, &input::RUN).ok()) else {
        return Extras::default();
    };
    let program = NativeProgram::new(path, &words[1..], threads);
    let playbacks = playbacks::of_program(report, &program);
    if format != ReportFormat::Html {
        return without_graph(playbacks);
    }
    let refused = too_large(report).or_else(|| {
        (!input_is_there_again()).then(|| {
            "there is no graph: it takes another run, and standard input came through a pipe, which has nothing to \
             read any more; redirect it from a file"
                .to_owned()
        })
    });
    let draw = || {
        let limits = limits(Some(PATIENCE), LimitArgs::MEMORY);
        graph::of_program(&program, Streams::Hidden, DrawAs::Page(report), limits)
    };
    extras(refused.map_or_else(draw, Err), playbacks)
}

/// For a trace. Its witnesses are reorderings of the trace, which no program plays.
pub(crate) fn of_trace(report: &Report, file: &Path, memory: u64) -> Extras {
    let drawn = if file == Path::new("-") {
        Err("there is no graph: the trace came through standard input, which has nothing to read any more; give it \
             as a file"
            .to_owned())
    } else if !report.limits.is_empty() {
        Err("there is no graph: the analysis has reached a limit, and the graph would as well".to_owned())
    } else {
        graph::of_trace(file, DrawAs::Page(report), limits(Some(PATIENCE), memory))
    };
    extras(drawn, Playbacks::default())
}

/// For several programs in one report, such as those of `cargo raceproof test`.
pub(crate) fn of_several() -> Extras {
    let note = |what: &str| {
        Some(format!(
            "there is no {what}: the page is about all programs that cargo has run; `raceproof run --format html` with \
             one of them has it"
        ))
    };
    Extras { graph_note: note("graph"), playback_note: note("playback"), ..Extras::default() }
}

/// Why a run that has this report is not drawn.
fn too_large(report: &Report) -> Option<String> {
    (report.stats.steps > graph::LARGEST_PAGE as u64).then(|| graph::too_large(report.stats.steps))
}

fn without_graph(playbacks: Playbacks) -> Extras {
    Extras { playbacks: playbacks.list, playback_note: playbacks.note, ..Extras::default() }
}

fn extras(drawn: Result<Drawn, String>, playbacks: Playbacks) -> Extras {
    let (graph, graph_note) = match drawn {
        Ok(Drawn { text, notes, .. }) => (Some(text), (!notes.is_empty()).then(|| notes.join("; "))),
        Err(why) => (None, Some(why)),
    };
    Extras { graph, graph_note, playbacks: playbacks.list, playback_note: playbacks.note }
}
