//! `trace`: recording runs of TP programs, and looking after trace files. The formats are
//! [`raceproof_core::trace`]'s.

use crate::args::{TraceArgs, TraceFormat};
use crate::output::{deliver, note};
use crate::tp::code::Code;
use crate::tp::execute::{Bounds, Execution, execute};
use raceproof::program::Program;
use raceproof::strategy::DepthFirst;
use raceproof_core::event::{AccessKind, Event, Observer};
use raceproof_core::finding::Place;
use raceproof_core::ids::TaskId;
use raceproof_core::trace::text_writer::StdWriter;
use raceproof_core::trace::writer::TraceWriter;
use raceproof_core::trace::{AnySource, Batch, Format, Named, Names, Source};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

/// Runs a program depth-first and writes the run to a file; what has to be said of it if it did not come to its end.
pub fn record(
    code: &Code,
    name: &str,
    bounds: Bounds<'_>,
    output: &Path,
    to: Option<TraceFormat>,
) -> Result<Vec<String>, String> {
    let actions = bounds.actions;
    let complain = |error| cannot_write(output, error);
    let file = BufWriter::new(File::create(output).map_err(complain)?);
    if chosen(to, output) == TraceFormat::Std {
        let mut execution = execute(code, name, Vec::new(), &mut DepthFirst, bounds);
        let events: Vec<Event> = std::mem::take(&mut execution.run.kernel.observer);
        // Through raceproof's own format in memory, so that names are gathered in one place.
        let mut writer = TraceWriter::new(Vec::new());
        events.iter().for_each(|event| event.deliver(&mut writer));
        let bytes = finish(writer, &execution).map_err(complain)?;
        let names = read_names(&bytes[..])?;
        let mut source = AnySource::open(&bytes[..]).map_err(|error| error.to_string())?;
        write_std(&mut source, &names, file, output, false)?;
        return Ok(execution.limits(actions));
    }
    let bounds = Bounds { keep_uses: true, ..bounds };
    let out: Box<dyn Write> = Box::new(file);
    let mut execution = execute(code, name, TraceWriter::new(out), &mut DepthFirst, bounds);
    // What observes a run cannot be taken out of it, only replaced.
    let unwritten = TraceWriter::new(Box::new(std::io::sink()) as Box<dyn Write>);
    let writer = std::mem::replace(&mut execution.run.kernel.observer, unwritten);
    finish(writer, &execution).map_err(complain)?;
    Ok(execution.limits(actions))
}

/// Names what the run used and ends the trace.
fn finish<W: Write, O: Observer>(
    mut writer: TraceWriter<W>,
    execution: &Execution<'_, O>,
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
    writer.finish()
}

/// `--convert`, `--stat` and `--check`.
pub fn look_after(args: &TraceArgs) -> Result<(), String> {
    if args.check {
        let mut tally = Tally::default();
        let (format, trouble) = each_event(&args.file, |event, _| tally.count(event))?;
        return match trouble.error {
            Some(error) => Err(format!("{}: {error}", args.file.display())),
            None => {
                tell(&args.file, trouble.note);
                deliver(&format!("well-formed: {}, {} events\n", spoken(format), tally.events()), None)
            }
        };
    }
    if args.stat {
        return stat(args);
    }
    convert(args)
}

struct Trouble {
    error: Option<String>,
    note: Option<String>,
}

/// Calls `each` with every event up to the first offence.
fn each_event(file: &Path, mut each: impl FnMut(&Event, &Names)) -> Result<(Format, Trouble), String> {
    let mut source = open(file)?;
    let mut batch = Batch::default();
    let error = loop {
        let more = source.next(&mut batch);
        let names = source.names();
        batch.events.iter().for_each(|event| each(event, names));
        match more {
            Ok(true) => {}
            Ok(false) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    Ok((source.format(), Trouble { error, note: source.note().map(str::to_owned) }))
}

/// A trace from wherever it comes.
pub(crate) type Trace = AnySource<Box<dyn Read>>;

/// Begins to read a trace; `-` is standard input.
pub(crate) fn open(file: &Path) -> Result<Trace, String> {
    let name = file.display();
    let reader: Box<dyn Read> = if file == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(file).map_err(|error| format!("cannot read {name}: {error}"))?)
    };
    AnySource::open(reader).map_err(|error| format!("{name}: {error}"))
}

/// Says something about a trace that is no error.
fn tell(file: &Path, what: Option<String>) {
    if let Some(what) = what {
        note(&format!("raceproof: {}: {what}", file.display()));
    }
}

/// What is left of an error if it is only to be told of.
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

fn convert(args: &TraceArgs) -> Result<(), String> {
    let Some(output) = &args.output else { return Err("-o OUT is missing: where to write the trace".into()) };
    let place = |file: &Path| file.canonicalize().ok();
    if place(output).is_some_and(|output| Some(output) == place(&args.file)) {
        return Err(format!("{} would be overwritten while it is read: give another -o", output.display()));
    }
    let done = convert_to(args, output);
    // What is left of a trace is kept only if that was asked for; it would look like a whole one.
    if done.is_err() && !args.recover && output.is_file() {
        let _ = std::fs::remove_file(output);
    }
    done
}

fn convert_to(args: &TraceArgs, output: &Path) -> Result<(), String> {
    let complain = |error| cannot_write(output, error);
    let create = || File::create(output).map(BufWriter::new).map_err(complain);
    let mut source = open(&args.file)?;
    let mut batch = Batch::default();
    if chosen(args.to, output) == TraceFormat::Std {
        // The names of a trace of ours may come last.
        while let Ok(true) = source.next(&mut batch) {}
        let names = source.names().clone();
        let mut again = open(&args.file)
            .map_err(|error| format!("{error}; it has to be read twice, which a pipe cannot be"))?;
        return write_std(&mut again, &names, create()?, &args.file, args.recover);
    }
    let mut writer = TraceWriter::new(create()?);
    let error = loop {
        let more = source.next(&mut batch);
        batch.events.iter().for_each(|event| event.deliver(&mut writer));
        match more {
            Ok(true) => {}
            Ok(false) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
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
    writer.finish().map_err(complain)?;
    tell(&args.file, source.note().map(str::to_owned));
    recovered(&args.file, args.recover, error)
}

fn write_std(
    source: &mut impl Source,
    names: &Names,
    out: impl Write,
    file: &Path,
    recover: bool,
) -> Result<(), String> {
    let complain = |error: std::io::Error| format!("cannot write the trace: {error}");
    let mut writer = StdWriter::new(out);
    let mut batch = Batch::default();
    let error = loop {
        let more = source.next(&mut batch);
        batch.events.iter().try_for_each(|event| writer.event(event, names)).map_err(complain)?;
        match more {
            Ok(true) => {}
            Ok(false) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    writer.finish().map_err(complain)?;
    tell(file, source.note().map(str::to_owned));
    recovered(file, recover, error)
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

fn stat(args: &TraceArgs) -> Result<(), String> {
    let mut tally = Tally::default();
    let (format, trouble) = each_event(&args.file, |event, _| tally.count(event))?;
    if trouble.error.is_some() {
        recovered(&args.file, args.recover, trouble.error)?;
    }
    tell(&args.file, trouble.note);
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
    let _ = writeln!(text, "{:<20}{}", "format", spoken(format));
    for (name, count) in rows {
        let _ = writeln!(text, "{name:<20}{count}");
    }
    deliver(&text, None)
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

fn cannot_write(file: &Path, error: std::io::Error) -> String {
    format!("cannot write {}: {error}", file.display())
}
