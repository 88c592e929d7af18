//! Recorded runs as bytes: raceproof's own trace files, and the two formats of RAPID.
//!
//! A [`Source`] gives the events of a trace in batches, in the one vocabulary of [`crate::event`],
//! whatever the format; [`TraceWriter`](writer::TraceWriter) is an
//! [`Observer`](crate::event::Observer) that writes raceproof's own while a run goes on. Readers
//! and writers are handed in: nothing here opens a file.
//!
//! What every source promises, so that an analysis can use dense tables without checking its input:
//! tasks, syncs, locations and sites are numbered in the order of their first use; every event is
//! of a task that has begun and not ended; a lock is held by one task at a time and left by the one
//! that holds it; a finish is ended by the task that began it. Bytes that say otherwise are a
//! [`TraceError`] with its offset, and all events before it are given first. Memory grows with
//! tasks, syncs, locations and sites, and never faster than the bytes that were read: a length is
//! believed only within the limits of its format.

mod discipline;
mod input;
mod intern;
mod names;
pub mod parallel;
pub(crate) mod pieces;
pub mod rapid;
pub mod reader;
pub mod sections;
pub mod text;
pub mod text_writer;
mod threads;
pub mod writer;

pub use names::{Named, Names};

use crate::event::Event;
use std::fmt;
use std::io::Read;

/// Where a trace goes wrong, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceError {
    /// In bytes from the beginning.
    pub offset: u64,
    /// For text, counting from 1.
    pub line: Option<u64>,
    pub message: String,
}

impl TraceError {
    /// Where it is, for people.
    pub fn place(&self) -> String {
        let line = self.line.map(|line| format!("line {line}, ")).unwrap_or_default();
        format!("{line}offset {}", self.offset)
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message)
    }
}

/// The name of task 0 in a trace of threads, where it represents the start of the program and does
/// nothing.
pub const START: &str = "(start)";

/// Something that no run does but recorders write, and RAPID's tools take as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tolerance {
    LateFork,
    AfterJoin,
    UnwrittenRead,
}

impl Tolerance {
    /// What is wrong with one event.
    pub fn offence(self) -> &'static str {
        match self {
            Tolerance::LateFork => "forks a thread that has begun",
            Tolerance::AfterJoin => "a thread goes on after it was joined",
            Tolerance::UnwrittenRead => "reads a variable that nobody has written",
        }
    }

    /// How an analysis takes it.
    pub fn meaning(self) -> &'static str {
        match self {
            Tolerance::LateFork => "taken to come before what that thread does next",
            Tolerance::AfterJoin => "taken to come after what it did before",
            Tolerance::UnwrittenRead => "taken to see what was there before the trace",
        }
    }
}

/// How often something was tolerated, and where first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tolerated {
    pub what: Tolerance,
    pub count: u64,
    pub first: TraceError,
}

/// The remark on a trace that says of itself that it is not all of a run.
const A_PART: &str = "the trace is a part of a run: it was cut, or recovered from a damaged one";

/// Events as they come out of a source. A batch is used again and again.
#[derive(Debug, Default)]
pub struct Batch {
    pub events: Vec<Event>,
}

/// What some editors put before a text in UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Which format a trace has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Raceproof,
    Std,
    Rapid,
}

/// A trace that is read.
pub trait Source {
    /// Replaces the batch by the next events, of which there may be none for now; `false` when
    /// there are none left. After an error the batch holds the events before it, and the source is
    /// at its end.
    fn next(&mut self, batch: &mut Batch) -> Result<bool, TraceError>;

    /// The names known so far; all of them at the end.
    fn names(&self) -> &Names;

    /// By number of the read: whether its value reached a branch or an index, if the trace says so.
    /// Known at its end.
    fn uses(&self) -> Option<&[bool]> {
        None
    }

    /// A remark on a trace that ended well: that it is not all of a run.
    fn note(&self) -> Option<&str> {
        None
    }

    /// What is out of order in the trace but was taken as it is.
    fn tolerated(&self) -> &[Tolerated] {
        &[]
    }
}

/// A trace in whatever format its first bytes say. There is one for a trace, so its size is no
/// matter.
#[allow(clippy::large_enum_variant)]
pub enum AnySource<R> {
    Raceproof(reader::TraceReader<R>),
    Std(text::StdReader<R>),
    Rapid(rapid::RapidReader<R>),
}

impl<R: Read> AnySource<R> {
    pub fn open(reader: R) -> Result<Self, TraceError> {
        let mut input = input::Input::new(reader);
        if input.peek(BOM.len())? == BOM {
            input.advance(BOM.len());
        }
        let first = input.peek(1)?.first().copied();
        if first.is_none() {
            let message = "the file is empty: nothing was recorded, or not yet".into();
            return Err(TraceError { offset: 0, line: None, message });
        }
        // RAPID's begins with the number of threads in two bytes, at most 1024 of them, below a
        // sign without meaning; no text begins so.
        Ok(if first == Some(writer::MAGIC[0]) {
            AnySource::Raceproof(reader::TraceReader::new(input)?)
        } else if first.is_some_and(|first| first & 0x7f <= 4) {
            AnySource::Rapid(rapid::RapidReader::new(input)?)
        } else {
            AnySource::Std(text::StdReader::new(input))
        })
    }

    pub fn format(&self) -> Format {
        match self {
            AnySource::Raceproof(_) => Format::Raceproof,
            AnySource::Std(_) => Format::Std,
            AnySource::Rapid(_) => Format::Rapid,
        }
    }
}

impl<R: Read> Source for AnySource<R> {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        match self {
            AnySource::Raceproof(source) => source.next(batch),
            AnySource::Std(source) => source.next(batch),
            AnySource::Rapid(source) => source.next(batch),
        }
    }

    fn names(&self) -> &Names {
        match self {
            AnySource::Raceproof(source) => source.names(),
            AnySource::Std(source) => source.names(),
            AnySource::Rapid(source) => source.names(),
        }
    }

    fn uses(&self) -> Option<&[bool]> {
        match self {
            AnySource::Raceproof(source) => source.uses(),
            AnySource::Std(source) => source.uses(),
            AnySource::Rapid(source) => source.uses(),
        }
    }

    fn note(&self) -> Option<&str> {
        match self {
            AnySource::Raceproof(source) => source.note(),
            AnySource::Std(source) => source.note(),
            AnySource::Rapid(source) => source.note(),
        }
    }

    fn tolerated(&self) -> &[Tolerated] {
        match self {
            AnySource::Raceproof(source) => source.tolerated(),
            AnySource::Std(source) => source.tolerated(),
            AnySource::Rapid(source) => source.tolerated(),
        }
    }
}
