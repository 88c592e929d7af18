//! The graph of a run that was recorded as a trace: of a native program, which is run for it, or of
//! a trace file.

use super::{DrawAs, Drawn, DrawnRun, LARGEST_PAGE, draw, too_large};
use crate::shared::budget::{self, Budget, CHUNK};
use crate::shared::process::{Ended, NativeProgram, Recorded, Streams};
use crate::trace;
use raceproof::limits::Limits;
use raceproof_core::event::Observer;
use raceproof_core::graph::{Graph, GraphBuilder};
use raceproof_core::ids::{Location, SiteId, TaskId};
use raceproof_core::trace::{Batch, Named, Source};
use raceproof_report::graph::{Names, Site};
use std::path::Path;
use std::time::Instant;

/// Runs a native program once and draws what happened. The error says why it cannot be drawn.
pub(crate) fn of_program(
    program: &NativeProgram,
    streams: Streams,
    draw_as: DrawAs<'_>,
    limits: Limits<'static>,
) -> Result<Drawn, String> {
    let left = limits.deadline.map(|at| at.saturating_duration_since(Instant::now()).as_secs_f64());
    let Recorded { trace, ended } = program.record(left, streams, &|| limits.interrupted())?;
    let name = program.path().display();
    let mut notes = Vec::new();
    match ended {
        Some(ended) => notes.extend(ended.error("").map(|error| error.message)),
        None if limits.interrupted() => notes.push("the program was interrupted".to_owned()),
        None => {
            notes.push("the program was ended by the time limit; raise --max-seconds to go on".to_owned())
        }
    }
    if trace.metadata().is_ok_and(|about| about.len() == 0) {
        let how = match ended {
            Some(Ended::Status(status)) => format!("with status {status}"),
            Some(Ended::Signal(signal)) => format!("by signal {signal}"),
            None => "too late".to_owned(),
        };
        return Err(format!(
            "{name} ended {how} and recorded nothing: it ended before the runtime began, or none of what it ran was \
             built by `raceproof cc` or `cargo raceproof`"
        ));
    }
    // The run has used up its time; its graph gets the same again.
    let limits = Limits { deadline: None, ..limits };
    let read = read(&trace, draw_as, limits).map_err(|error| format!("the trace of {name}: {error}"))?;
    // A run that was ended has a trace that is a part of one, which is said already.
    let cut_short = ended.is_none() || read.limit.is_some();
    notes.extend(read.limit.clone().or(read.part.clone().filter(|_| notes.is_empty())));
    finish(&read, draw_as, notes, cut_short, limits)
}

/// Draws the run that a trace holds.
pub(crate) fn of_trace(file: &Path, draw_as: DrawAs<'_>, limits: Limits<'static>) -> Result<Drawn, String> {
    let read = read(file, draw_as, limits).map_err(|error| format!("{}: {error}", file.display()))?;
    if let Some(error) = &read.error {
        return Err(format!(
            "{}: {error}; `raceproof trace --convert --recover` keeps what can be read before that",
            file.display()
        ));
    }
    let notes = read.part.iter().chain(&read.limit).cloned().collect();
    finish(&read, draw_as, notes, read.limit.is_some(), limits)
}

fn finish(
    read: &ReadTrace,
    draw_as: DrawAs<'_>,
    mut notes: Vec<String>,
    cut_short: bool,
    limits: Limits<'static>,
) -> Result<Drawn, String> {
    if read.graph.tasks.len() == 1 {
        notes.push("the run has no task but main".to_owned());
    } else if !notes.is_empty() {
        notes.push("the graph shows the run up to there".to_owned());
    }
    let stop = || limits.reached().is_some();
    draw(&read.graph, &Traced(read), draw_as, DrawnRun { notes, cut_short }, &stop)
}

/// A trace as far as it was read.
struct ReadTrace {
    graph: Graph,
    names: raceproof_core::trace::Names,
    file: std::path::PathBuf,
    /// The first offence.
    error: Option<String>,
    /// That it is not all of a run.
    part: Option<String>,
    /// The limit that was reached.
    limit: Option<String>,
}

fn read(file: &Path, draw_as: DrawAs<'_>, limits: Limits<'static>) -> Result<ReadTrace, String> {
    let mut source = trace::open(file)?;
    let mut budget = Budget::new(limits);
    let mut builder = GraphBuilder::new();
    let mut batch = Batch::default();
    let (mut error, mut limit) = (None, None);
    'all: loop {
        let more = source.next(&mut batch);
        for some in batch.events.chunks(CHUNK) {
            some.iter().for_each(|event| event.deliver(&mut builder));
            limit = budget.reached().map(budget::spoken);
            if limit.is_some() {
                break 'all;
            }
        }
        if matches!(draw_as, DrawAs::Page(_)) && builder.node_count() > 2 * LARGEST_PAGE {
            return Err(too_large(builder.node_count() as u64));
        }
        match more {
            Ok(true) => {}
            Ok(false) => break,
            Err(offence) => {
                error = Some(offence.to_string());
                break;
            }
        }
    }
    let part = source.note().map(str::to_owned).or_else(|| error.clone());
    // The recorder of a native program leaves the end of main open: it goes on at exit.
    if part.is_none() && limit.is_none() && !builder.has_ended(TaskId::MAIN) {
        builder.end(TaskId::MAIN);
    }
    let names = source.names().clone();
    Ok(ReadTrace { graph: builder.finish(), names, file: file.to_owned(), error, part, limit })
}

/// The names of a trace.
struct Traced<'a>(&'a ReadTrace);

impl Names for Traced<'_> {
    fn site(&self, site: SiteId) -> Site {
        let place = trace::place(&self.0.names.of(Named::Site(site)), &self.0.file);
        Site { place, label: String::new() }
    }

    fn location(&self, location: Location) -> String {
        self.0.names.of(Named::Location(location))
    }

    fn task(&self, task: TaskId) -> Option<String> {
        self.0.names.given(Named::Task(task)).map(str::to_owned)
    }

    fn are_bytes(&self) -> bool {
        true
    }
}
