//! `trace`: records runs of TP programs, and checks and converts trace files. The formats are
//! [`raceproof_core::trace`]'s.

pub(crate) mod command;

use crate::args::{TraceArgs, TraceFormat};
use crate::shared::budget::{self, Budget, CHUNK};
use raceproof::limits::Limits;
use raceproof::program::Program;
use raceproof::strategy::DepthFirst;
use raceproof_core::event::{AccessKind, Event, Observer};
use raceproof_core::finding::Place;
use raceproof_core::ids::TaskId;
use raceproof_core::trace::text_writer::StdWriter;
use raceproof_core::trace::writer::TraceWriter;
use raceproof_core::trace::{AnySource, Batch, Format, Named, Names, Source, Tolerated, TraceError};
use raceproof_host::note;
use raceproof_host::output::{OutFile, deliver};
use raceproof_tp::code::Code;
use raceproof_tp::execute::{Bounds, Execution, execute};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::OnceLock;

/// Runs a program depth-first and writes the run to a file; what has to be said of it if it did not
/// come to its end.
pub fn record(
    code: &Code,
    name: &str,
    bounds: Bounds<'_>,
    output: &Path,
    to: Option<TraceFormat>,
) -> Result<Vec<String>, String> {
    let actions = bounds.actions;
    let complain = |error| cannot_write(output, error);
    let mut file = OutFile::create(output).map_err(complain)?;
    if chosen(to, output) == TraceFormat::Std {
        let mut execution = execute(code, name, Vec::new(), &mut DepthFirst, bounds);
        let limits = execution.limits(actions);
        let events: Vec<Event> = std::mem::take(&mut execution.run.kernel.observer);
        // Through raceproof's own format in memory, so that names are gathered in one place.
        let mut writer = TraceWriter::new(Vec::new());
        events.iter().for_each(|event| event.deliver(&mut writer));
        let bytes = finish(writer, &execution, limits.is_empty()).map_err(complain)?;
        let names = read_names(&bytes[..])?;
        let mut source = AnySource::open(&bytes[..]).map_err(|error| error.to_string())?;
        write_std(&mut source, &names, &mut file, None).map_err(complain)?;
        file.keep().map_err(complain)?;
        return Ok(limits);
    }
    let bounds = Bounds { keep_uses: true, ..bounds };
    let out: Box<dyn Write + '_> = Box::new(&mut file);
    let mut execution = execute(code, name, TraceWriter::new(out), &mut DepthFirst, bounds);
    let limits = execution.limits(actions);
    // What observes a run cannot be taken out of it, only replaced.
    let unwritten = TraceWriter::new(Box::new(io::sink()) as Box<dyn Write + '_>);
    let writer = std::mem::replace(&mut execution.run.kernel.observer, unwritten);
    finish(writer, &execution, limits.is_empty()).map_err(complain)?;
    drop(execution);
    file.keep().map_err(complain)?;
    Ok(limits)
}

/// Names what the run used and ends the trace, which may be a part of a run only.
fn finish<W: Write, O: Observer>(
    mut writer: TraceWriter<W>,
    execution: &Execution<'_, O>,
    whole: bool,
) -> std::io::Result<W> {
    for site in writer.used_sites() {
        let Place { file, line, column } = execution.place(site);
        writer.name(Named::Site(site), &format!("{file}:{line}:{column}"));
    }
    for sync in writer.used_syncs() {
        writer.name(Named::Sync(sync), &execution.sync_name(sync));
    }
    for location in writer.used_locations() {
        writer.name(Named::Location(location), &execution.location(location));
    }
    for task in (0..execution.run.kernel.tasks().len()).map(TaskId::at) {
        writer.name(Named::Task(task), &execution.task_name(task));
    }
    if let Some(uses) = execution.program.uses::<O>(&execution.run.machine) {
        writer.uses(&uses);
    }
    if whole { writer.finish() } else { writer.finish_part() }
}

/// `--convert`, `--stat` and `--check`; the limit that was reached first, if one was.
pub fn look_after(args: &TraceArgs, limits: Limits<'static>) -> Result<Option<String>, String> {
    let mut budget = Budget::new(limits);
    if args.check {
        let mut tally = Tally::default();
        let ended = each_event(&mut open(&args.file)?, &mut budget, |event| tally.count(event));
        let offence = ended.error.or_else(|| {
            let first = ended.tolerated.iter().map(|tolerated| &tolerated.first);
            first.min_by_key(|first| first.offset).map(TraceError::to_string)
        });
        return match (offence, ended.limit) {
            (Some(offence), _) => Err(format!("{}: {offence}", args.file.display())),
            (None, Some(limit)) => Ok(Some(limit)),
            (None, None) => {
                tell(&args.file, ended.note);
                let (format, events) = (spoken(ended.format), tally.events());
                deliver(&format!("well-formed: {format}, {events} events\n"), None).map(|()| None)
            }
        };
    }
    if args.stat { stat(args, &mut budget) } else { convert(args, &mut budget) }
}

/// How a trace ended.
struct TraceEnd {
    format: Format,
    error: Option<String>,
    /// A note about a trace that ended well.
    note: Option<String>,
    tolerated: Vec<Tolerated>,
    /// A limit was reached before the end.
    limit: Option<String>,
}

impl TraceEnd {
    /// Whether the trace is all of a run.
    fn is_whole(&self) -> bool {
        self.error.is_none() && self.note.is_none() && self.limit.is_none()
    }
}

/// Calls `each` with every event up to the first offence, or the limit.
fn each_event<'b, R: Read>(
    source: &mut AnySource<R>,
    budget: impl Into<Option<&'b mut Budget>>,
    mut each: impl FnMut(&Event),
) -> TraceEnd {
    let mut budget = budget.into();
    let mut reached = || budget.as_mut().and_then(|budget| budget.reached()).map(budget::spoken);
    let mut batch = Batch::default();
    let mut limit = None;
    let error = 'all: loop {
        let more = source.next(&mut batch);
        for some in batch.events.chunks(CHUNK) {
            some.iter().for_each(&mut each);
            limit = reached();
            if limit.is_some() {
                break 'all None;
            }
        }
        match more {
            Ok(true) => {}
            Ok(false) => break None,
            Err(error) => break Some(error.to_string()),
        }
        // A block may have no events and a lot of names.
        limit = reached();
        if limit.is_some() {
            break None;
        }
    };
    let note = source.note().map(str::to_owned);
    TraceEnd { format: source.format(), error, note, tolerated: source.tolerated().to_vec(), limit }
}

/// A trace from wherever it comes.
pub(crate) type Trace = AnySource<Box<dyn Read + Send>>;

/// What standard input had, if it is read more than once.
static KEPT: OnceLock<File> = OnceLock::new();

/// To be called before a trace is read more than once. Nothing is kept of standard input otherwise:
/// it may be longer than what there is room for.
pub(crate) fn keep_input(file: &Path, budget: &mut Budget) -> Result<(), String> {
    if file != Path::new("-") || KEPT.get().is_some() {
        return Ok(());
    }
    let mut keep = || {
        let mut to = tempfile::tempfile()?;
        let mut bytes = vec![0; 1 << 16];
        let mut from = io::stdin().lock();
        while budget.reached().is_none() {
            match from.read(&mut bytes) {
                Ok(0) => break,
                Ok(some) => to.write_all(&bytes[..some])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(to)
    };
    let kept = keep().map_err(|error| format!("cannot keep standard input in a temporary file: {error}"))?;
    let _ = KEPT.set(kept);
    Ok(())
}

/// Begins to read a trace; `-` is standard input.
pub(crate) fn open(file: &Path) -> Result<Trace, String> {
    let name = file.display();
    let reader: Box<dyn Read + Send> = if file == Path::new("-") {
        match KEPT.get() {
            // One reader after the other: they share the place they are at.
            Some(kept) => {
                let again = kept.try_clone().and_then(|mut again| again.rewind().map(|()| again));
                Box::new(again.map_err(|error| format!("cannot read standard input again: {error}"))?)
            }
            None => Box::new(io::stdin()),
        }
    } else {
        Box::new(File::open(file).map_err(|error| format!("cannot read {name}: {error}"))?)
    };
    AnySource::open(reader).map_err(|error| format!("{name}: {error}"))
}

/// `file:line:column` as a place; a number alone is a line; anything else stands for the file.
pub(crate) fn place(site: &str, trace: &Path) -> Place {
    let mut parts = site.rsplitn(3, ':');
    let (last, middle, first) = (parts.next(), parts.next(), parts.next());
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok());
    match (first, number(middle), number(last)) {
        (Some(file), Some(line), Some(column)) => Place { file: file.to_owned(), line, column },
        (None, None, Some(line)) if middle.is_none() => {
            Place { file: trace.display().to_string(), line, column: 0 }
        }
        _ => Place { file: site.to_owned(), line: 0, column: 0 },
    }
}

/// Says something about a trace that is no error.
fn tell(file: &Path, what: Option<String>) {
    if let Some(what) = what {
        note(&format!("raceproof: {}: {what}", file.display()));
    }
}

/// What was taken as it is though no run does it.
pub(crate) fn warning(Tolerated { what, count, first }: &Tolerated) -> String {
    let times = if *count == 1 { "once".to_owned() } else { format!("{count} times, first") };
    format!("{}, {times} at {}; {}", what.offence(), first.place(), what.meaning())
}

/// With `--recover`, turns an error into a warning.
pub(crate) fn recovered(file: &Path, recover: bool, error: Option<String>) -> Result<(), String> {
    match error {
        Some(error) if recover => {
            tell(file, Some(format!("{error}; what comes before is used")));
            Ok(())
        }
        Some(error) => {
            Err(format!("{}: {error}; --recover makes do with what can be read before that", file.display()))
        }
        None => Ok(()),
    }
}

fn convert(args: &TraceArgs, budget: &mut Budget) -> Result<Option<String>, String> {
    let Some(output) = &args.output else { return Err("-o OUT is missing: where to write the trace".into()) };
    let place = |file: &Path| file.canonicalize().ok();
    if place(output).is_some_and(|output| Some(output) == place(&args.file)) {
        return Err(format!("{} would be overwritten while it is read: give another -o", output.display()));
    }
    let complain = |error| cannot_write(output, error);
    if chosen(args.to, output) == TraceFormat::Std {
        keep_input(&args.file, budget)?;
    }
    let mut source = open(&args.file)?;
    // What is left of a trace takes its place only if that was asked for.
    let mut file = OutFile::create(output).map_err(complain)?;
    let ended = if chosen(args.to, output) == TraceFormat::Std {
        // The names of a trace of ours may come last.
        let first = each_event(&mut source, &mut *budget, |_| {});
        if first.limit.is_some() {
            return Ok(first.limit);
        }
        let names = source.names().clone();
        let mut again = open(&args.file)
            .map_err(|error| format!("{error}; it has to be read twice, which a pipe cannot be"))?;
        write_std(&mut again, &names, &mut file, Some(budget)).map_err(complain)?
    } else {
        write_own(&mut source, &mut file, budget).map_err(complain)?
    };
    if ended.limit.is_some() {
        return Ok(ended.limit);
    }
    tell(&args.file, ended.note);
    ended.tolerated.iter().for_each(|tolerated| tell(&args.file, Some(warning(tolerated))));
    recovered(&args.file, args.recover, ended.error)?;
    file.keep().map_err(complain).map(|()| None)
}

/// Writes a trace in raceproof's format; what is a part of a run stays one.
fn write_own(source: &mut Trace, out: impl Write, budget: &mut Budget) -> io::Result<TraceEnd> {
    let mut writer = TraceWriter::new(out);
    let ended = each_event(source, budget, |event| event.deliver(&mut writer));
    let names = source.names();
    for site in writer.used_sites() {
        writer.name(Named::Site(site), names.given(Named::Site(site)).unwrap_or_default());
    }
    for sync in writer.used_syncs() {
        writer.name(Named::Sync(sync), names.given(Named::Sync(sync)).unwrap_or_default());
    }
    for location in writer.used_locations() {
        writer.name(Named::Location(location), names.given(Named::Location(location)).unwrap_or_default());
    }
    for task in (0..writer.tasks()).map(TaskId) {
        writer.name(Named::Task(task), names.given(Named::Task(task)).unwrap_or_default());
    }
    if let Some(uses) = source.uses() {
        writer.uses(uses);
    }
    if ended.is_whole() {
        writer.finish()?
    } else {
        writer.finish_part()?
    };
    Ok(ended)
}

/// The same in RAPID's text.
fn write_std<R: Read>(
    source: &mut AnySource<R>,
    names: &Names,
    out: impl Write,
    budget: Option<&mut Budget>,
) -> io::Result<TraceEnd> {
    let mut writer = StdWriter::new(out);
    let mut failed = Ok(());
    let ended = each_event(source, budget, |event| {
        if failed.is_ok() {
            failed = writer.event(event, names);
        }
    });
    failed?;
    if ended.is_whole() {
        writer.finish()?
    } else {
        writer.finish_part(names)?
    };
    Ok(ended)
}

fn read_names(bytes: &[u8]) -> Result<Names, String> {
    let mut source = AnySource::open(bytes).map_err(|error| error.to_string())?;
    let mut batch = Batch::default();
    while source.next(&mut batch).map_err(|error| error.to_string())? {}
    Ok(source.names().clone())
}

/// What a trace is made of.
#[derive(Default)]
struct Tally {
    reads: u64,
    writes: u64,
    /// Of both.
    atomics: u64,
    spawns: u64,
    ends: u64,
    finishes: u64,
    signals: u64,
    joins: u64,
    enters: u64,
    locations: u64,
    sites: FxHashSet<u32>,
    syncs: u32,
    locks: FxHashSet<u32>,
    deepest: usize,
    held: Vec<usize>,
}

impl Tally {
    fn events(&self) -> u64 {
        let sections = 2 * self.enters;
        self.reads
            + self.writes
            + self.spawns
            + self.ends
            + self.finishes
            + self.signals
            + self.joins
            + sections
    }

    fn count(&mut self, event: &Event) {
        match *event {
            Event::Access { kind, location, site, .. } | Event::Atomic { kind, location, site, .. } => {
                self.atomics += u64::from(matches!(event, Event::Atomic { .. }));
                match kind {
                    AccessKind::Read => self.reads += 1,
                    AccessKind::Write => self.writes += 1,
                }
                self.locations = self.locations.max(location.0 + 1);
                self.sites.insert(site.0);
            }
            Event::Spawn { .. } => self.spawns += 1,
            Event::End { .. } => self.ends += 1,
            Event::FinishBegin { .. } | Event::FinishEnd { .. } => self.finishes += 1,
            Event::Join { task, sync, kind } if kind.is_section() => {
                self.enters += 1;
                self.locks.insert(sync.0);
                if task.index() >= self.held.len() {
                    self.held.resize(task.index() + 1, 0);
                }
                self.held[task.index()] += 1;
                self.deepest = self.deepest.max(self.held[task.index()]);
            }
            Event::Signal { task, kind, .. } if kind.is_section() => self.held[task.index()] -= 1,
            Event::Signal { sync, .. } => {
                self.signals += 1;
                self.syncs = self.syncs.max(sync.0 + 1);
            }
            Event::Join { .. } => self.joins += 1,
        }
    }
}

fn stat(args: &TraceArgs, budget: &mut Budget) -> Result<Option<String>, String> {
    let mut tally = Tally::default();
    let ended = each_event(&mut open(&args.file)?, budget, |event| tally.count(event));
    if ended.limit.is_some() {
        return Ok(ended.limit);
    }
    if ended.error.is_some() {
        recovered(&args.file, args.recover, ended.error)?;
    }
    tell(&args.file, ended.note);
    let mut text = String::new();
    let rows = [
        ("events", tally.events()),
        ("tasks", tally.spawns + 1),
        ("reads", tally.reads),
        ("writes", tally.writes),
        ("of these atomic", tally.atomics),
        ("locations", tally.locations),
        ("sites of accesses", tally.sites.len() as u64),
        ("locks", tally.locks.len() as u64),
        ("sections entered", tally.enters),
        ("deepest nesting", tally.deepest as u64),
        ("other signals", tally.signals),
        ("other joins", tally.joins),
    ];
    let _ = writeln!(text, "{:<20}{}", "format", spoken(ended.format));
    for (name, count) in rows {
        let _ = writeln!(text, "{name:<20}{count}");
    }
    deliver(&text, None).map(|()| None)
}

fn spoken(format: Format) -> &'static str {
    match format {
        Format::Raceproof => "raceproof",
        Format::Std => "std (RAPID, text)",
        Format::Rapid => "RAPID, binary",
    }
}

fn chosen(to: Option<TraceFormat>, output: &Path) -> TraceFormat {
    let by_name = match output.extension() {
        Some(extension) if extension == "std" => TraceFormat::Std,
        _ => TraceFormat::Raceproof,
    };
    to.unwrap_or(by_name)
}

fn cannot_write(file: &Path, error: io::Error) -> String {
    format!("cannot write {}: {error}", file.display())
}
