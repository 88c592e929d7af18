//! Reads RAPID's text format STD: a line is `thread|op(operand)|location`, with the operations `acq
//! rel r w fork join req` and `begin end branch`, which may lack the operand; `enter`, `exit` and
//! `dummy` of older versions are `begin`, `end` and nothing.
//!
//! The lines are taken apart in place, byte by byte; names that are a letter and a number, as
//! RAPID's are, cost a look in a table. That is done for some lines at a time, and needs no others:
//! whoever does it numbers names as it meets them. Then the lines are put together in their order,
//! and names get the ids of the trace, in the order of their first use. Any bytes but `|`, a line
//! break and, in an operand, `)|` may be part of a name.

use super::input::{Input, LONGEST};
use super::intern::Intern;
use super::threads::{Op, Threads};
use super::{Batch, Named, Names, START, Source, Tolerated, TraceError};
use crate::event::Event;
use crate::ids::{Location, SiteId};
use std::io::Read;
use std::ops::Range;

/// Bytes of a piece, more or less.
const PIECE: usize = 1 << 16;

/// See the module.
pub struct StdReader<R> {
    input: Input<R>,
    tools: Tools,
    merger: LineMerger,
}

/// What the lines so far have said.
#[derive(Default)]
pub(crate) struct LineMerger {
    line: u64,
    threads: Threads,
    names: Names,
    thread_names: Vec<Box<str>>,
    lock_names: Vec<Box<str>>,
    /// Names to ids, in the order of their first use in the trace.
    ids: Ids<Intern>,
    /// By worker: from its numbers to these ids.
    maps: Vec<Ids<Vec<u32>>>,
    is_part: bool,
}

/// One of something for each kind of name.
#[derive(Default)]
struct Ids<T> {
    threads: T,
    locks: T,
    variables: T,
    sites: T,
}

/// What takes lines apart; every worker has its own, with numbers of its own for names.
#[derive(Default)]
pub(crate) struct Tools {
    worker: usize,
    ids: Ids<Intern>,
}

/// Whole lines: as they are in the file, then taken apart.
pub(crate) struct Lines {
    offset: u64,
    bytes: Vec<u8>,
    parsed: Parsed,
}

/// Lines taken apart, with the numbers that a worker has given to names.
#[derive(Default)]
struct Parsed {
    worker: usize,
    /// One for each line up to one that is none.
    records: Vec<Record>,
    /// A line after these is not one of a trace.
    is_wrong: bool,
    /// Where the names are that the worker has not met before, in the order of their numbers.
    new: Ids<Vec<Range<u32>>>,
}

#[derive(Clone, Copy)]
struct Record {
    /// None for a line without an event.
    op: Option<Op>,
    thread: u32,
    operand: u32,
    site: u32,
}

const NO_EVENT: Record = Record { op: None, thread: 0, operand: 0, site: 0 };

/// What has no id yet.
const UNKNOWN: u32 = u32::MAX;

/// The operand of a `begin` with which [`text_writer`](super::text_writer) says that what is
/// written is a part of a run only. To RAPID it is a transaction without events: its reader has no
/// comments.
pub(super) const PART: &str = "raceproof:part-of-a-run";

/// Likewise, that variables had values before: reads that nobody wrote are in order from there on.
pub(super) const INITIAL_VALUES: &str = "raceproof:initial-values";

/// How both begin.
const MARK: &str = "raceproof:";

/// The parts of a line.
struct Line<'a> {
    thread: &'a [u8],
    op: Op,
    operand: &'a [u8],
    site: &'a [u8],
}

impl<R: Read> StdReader<R> {
    pub(super) fn new(input: Input<R>) -> Self {
        let mut merger = LineMerger::default();
        merger.names.set(Named::Task(crate::ids::TaskId::MAIN), START);
        StdReader { input, tools: Tools::default(), merger }
    }

    /// What reads the lines, and what puts them together.
    pub(super) fn parts(&mut self) -> (&mut Input<R>, &mut LineMerger) {
        (&mut self.input, &mut self.merger)
    }
}

/// The next lines, as they are; none at the end.
pub(super) fn read_lines<R: Read>(input: &mut Input<R>) -> Result<Option<Lines>, TraceError> {
    let len = loop {
        let rest = input.rest();
        let some = &rest[..rest.len().min(PIECE)];
        let end = some.iter().rposition(|&byte| byte == b'\n');
        // A line that is longer than a piece is one.
        let end = end.or_else(|| rest.iter().position(|&byte| byte == b'\n'));
        if let Some(end) = end {
            break end + 1;
        }
        if rest.len() > LONGEST {
            let message = format!("a line of more than {LONGEST} bytes: is this a trace?");
            return Err(TraceError { offset: input.offset(), line: None, message });
        }
        // The last line may lack its end.
        if !input.fill()? {
            break input.rest().len();
        }
    };
    if len == 0 {
        return Ok(None);
    }
    let lines =
        Lines { offset: input.offset(), bytes: input.rest()[..len].to_vec(), parsed: Parsed::default() };
    input.advance(len);
    Ok(Some(lines))
}

impl Tools {
    /// Those of a worker, whose numbers are not those of another.
    pub(super) fn of(worker: usize) -> Self {
        Tools { worker, ids: Ids::default() }
    }
}

impl Lines {
    /// Takes the lines apart, as far as that needs no others.
    pub(super) fn prepare(&mut self, tools: &mut Tools) {
        self.parsed.worker = tools.worker;
        let mut at = 0;
        while at < self.bytes.len() {
            let len = line_length(&self.bytes[at..]).unwrap_or(self.bytes.len() - at);
            let line = &self.bytes[at..at + len];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let record = if line.is_empty() { Some(NO_EVENT) } else { self.parsed.record(line, at, tools) };
            match record {
                Some(record) => self.parsed.records.push(record),
                None => {
                    self.parsed.is_wrong = true;
                    return;
                }
            }
            at += len + 1;
        }
    }

    /// A line by its number, and where it begins.
    fn line(&self, number: usize) -> (usize, &[u8]) {
        let mut at = 0;
        for _ in 0..number {
            at += line_length(&self.bytes[at..]).map_or(0, |len| len + 1);
        }
        let len = line_length(&self.bytes[at..]).unwrap_or(self.bytes.len() - at);
        let line = &self.bytes[at..at + len];
        (at, line.strip_suffix(b"\r").unwrap_or(line))
    }
}

impl Parsed {
    #[inline]
    fn record(&mut self, line: &[u8], at: usize, tools: &mut Tools) -> Option<Record> {
        let parts = split(line)?;
        let op = Some(parts.op);
        if matches!(parts.op, Op::Begin | Op::End | Op::Request | Op::Branch) {
            // What it may mark is looked at later.
            let marks = parts.op == Op::Begin && parts.operand.starts_with(MARK.as_bytes());
            return Some(if marks { Record { op, ..NO_EVENT } } else { NO_EVENT });
        }
        let (ids, new) = (&mut tools.ids, &mut self.new);
        let number = |ids: &mut Intern, new: &mut Vec<Range<u32>>, name: &[u8]| {
            let (number, is_new) = ids.id(name);
            if is_new {
                // Slices of one line: the place of one in the other.
                let start = at + (name.as_ptr() as usize - line.as_ptr() as usize);
                new.push(start as u32..(start + name.len()) as u32);
            }
            number
        };
        let thread = number(&mut ids.threads, &mut new.threads, parts.thread);
        let site = number(&mut ids.sites, &mut new.sites, parts.site);
        let operand = match parts.op {
            Op::Read | Op::Write => number(&mut ids.variables, &mut new.variables, parts.operand),
            Op::Acquire | Op::Release => number(&mut ids.locks, &mut new.locks, parts.operand),
            _ => number(&mut ids.threads, &mut new.threads, parts.operand),
        };
        Some(Record { op, thread, operand, site })
    }
}

impl LineMerger {
    /// Adds what lines say, or that there are no more.
    pub(super) fn add(
        &mut self,
        lines: Result<Option<Lines>, TraceError>,
        out: &mut Vec<Event>,
    ) -> Result<bool, TraceError> {
        let lines = match lines {
            Ok(Some(lines)) => lines,
            Ok(None) => return Ok(false),
            Err(error) => return Err(TraceError { line: Some(self.line + 1), ..error }),
        };
        let worker = lines.parsed.worker;
        if worker >= self.maps.len() {
            self.maps.resize_with(worker + 1, Ids::default);
        }
        let mut map = std::mem::take(&mut self.maps[worker]);
        let first = map.extend(&lines.parsed.new);
        let mut wrong = None;
        for (number, &record) in lines.parsed.records.iter().enumerate() {
            let Some(op) = record.op else { continue };
            if op == Op::Begin {
                self.mark(lines.line(number).1);
                continue;
            }
            if let Err(message) = self.event((op, record), (&mut map, &first), &lines, out) {
                wrong = Some((number, format!("{message}: {}", shown(lines.line(number).1))));
                break;
            }
            let begun = self.line;
            self.threads.locate(|| at(lines.offset + lines.line(number).0 as u64, begun + number as u64 + 1));
        }
        self.maps[worker] = map;
        let number = lines.parsed.records.len();
        if wrong.is_none() && lines.parsed.is_wrong {
            wrong = Some((number, unlike(lines.line(number).1)));
        }
        match wrong {
            Some((number, message)) => {
                let (place, line) = (lines.line(number).0, self.line + number as u64 + 1);
                self.line += number as u64;
                Err(TraceError { offset: lines.offset + place as u64, line: Some(line), message })
            }
            None => {
                self.line += number as u64;
                Ok(true)
            }
        }
    }

    #[inline]
    fn event(
        &mut self,
        (op, record): (Op, Record),
        (map, first): (&mut Ids<Vec<u32>>, &Ids<u32>),
        lines: &Lines,
        out: &mut Vec<Event>,
    ) -> Result<(), String> {
        let (ids, names, new) = (&mut self.ids, &mut self.names, &lines.parsed.new);
        let thread_names = &mut self.thread_names;
        let resolve = |map: &mut Vec<u32>, number: u32, first: u32, new: &[Range<u32>], ids: &mut Intern| {
            let id = map[number as usize];
            if id != UNKNOWN {
                return (id, None);
            }
            let name = &new[(number - first) as usize];
            let name = &lines.bytes[name.start as usize..name.end as usize];
            let (id, is_new) = ids.id(name);
            map[number as usize] = id;
            (id, is_new.then(|| String::from_utf8_lossy(name)))
        };
        let (thread, name) =
            resolve(&mut map.threads, record.thread, first.threads, &new.threads, &mut ids.threads);
        thread_names.extend(name.map(Box::from));
        let (site, name) = resolve(&mut map.sites, record.site, first.sites, &new.sites, &mut ids.sites);
        if let Some(name) = name {
            names.set(Named::Site(SiteId(site)), &name);
        }
        let operand = match op {
            Op::Read | Op::Write => {
                let new = (first.variables, &new.variables[..]);
                let (id, name) =
                    resolve(&mut map.variables, record.operand, new.0, new.1, &mut ids.variables);
                if let Some(name) = name {
                    names.set(Named::Location(Location(id.into())), &name);
                }
                id
            }
            Op::Acquire | Op::Release => {
                let (id, name) =
                    resolve(&mut map.locks, record.operand, first.locks, &new.locks, &mut ids.locks);
                self.lock_names.extend(name.map(Box::from));
                id
            }
            _ => {
                let (id, name) =
                    resolve(&mut map.threads, record.operand, first.threads, &new.threads, &mut ids.threads);
                thread_names.extend(name.map(Box::from));
                id
            }
        };
        let before = out.len();
        let done = self.threads.event(thread, op, operand, SiteId(site), out);
        // What begins is named: by itself, by its fork, by entering for the first time.
        if out[before..].iter().any(|event| !matches!(event, Event::Access { .. })) {
            self.name(op, thread, operand);
        }
        done
    }

    #[cold]
    fn mark(&mut self, line: &[u8]) {
        match split(line).map(|parts| parts.operand) {
            Some(operand) if operand == PART.as_bytes() => self.is_part = true,
            Some(operand) if operand == INITIAL_VALUES.as_bytes() => self.threads.set_initial_values(),
            _ => {}
        }
    }

    fn name(&mut self, op: Op, thread: u32, operand: u32) {
        let names = &mut self.names;
        let mut give = |named: Named, name: &str| {
            if names.given(named).is_none() {
                names.set(named, name);
            }
        };
        if let Some(task) = self.threads.task(thread) {
            give(Named::Task(task), &self.thread_names[thread as usize]);
        }
        match op {
            Op::Fork => {
                if let Some(task) = self.threads.task(operand) {
                    give(Named::Task(task), &self.thread_names[operand as usize]);
                }
            }
            Op::Acquire => {
                if let Some(sync) = self.threads.lock(operand) {
                    give(Named::Sync(sync), &self.lock_names[operand as usize]);
                }
            }
            _ => {}
        }
    }
}

impl Ids<Vec<u32>> {
    /// Makes room for new names; the first number of each kind that is new.
    fn extend(&mut self, new: &Ids<Vec<Range<u32>>>) -> Ids<u32> {
        let extend = |map: &mut Vec<u32>, new: &[Range<u32>]| {
            let first = map.len();
            map.resize(first + new.len(), UNKNOWN);
            first as u32
        };
        Ids {
            threads: extend(&mut self.threads, &new.threads),
            locks: extend(&mut self.locks, &new.locks),
            variables: extend(&mut self.variables, &new.variables),
            sites: extend(&mut self.sites, &new.sites),
        }
    }
}

impl<R: Read> Source for StdReader<R> {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.events.clear();
        let mut lines = read_lines(&mut self.input);
        if let Ok(Some(lines)) = &mut lines {
            lines.prepare(&mut self.tools);
        }
        self.merger.add(lines, &mut batch.events).inspect_err(|_| self.input.finish())
    }

    fn names(&self) -> &Names {
        &self.merger.names
    }

    fn note(&self) -> Option<&str> {
        self.merger.is_part.then_some(super::A_PART)
    }

    fn tolerated(&self) -> &[Tolerated] {
        self.merger.threads.tolerated()
    }
}

fn at(offset: u64, line: u64) -> TraceError {
    TraceError { offset, line: Some(line), message: String::new() }
}

/// How long the first line is, if it is there whole.
#[inline]
fn line_length(bytes: &[u8]) -> Option<usize> {
    // Eight bytes at a time; a byte that equals the break becomes zero, and zeros are found by
    // borrowing.
    const BREAKS: u64 = u64::from_ne_bytes([b'\n'; 8]);
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let mut chunks = bytes.chunks_exact(8);
    let mut at = 0;
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().ok()?) ^ BREAKS;
        let zeros = word.wrapping_sub(LOW) & !word & HIGH;
        if zeros != 0 {
            return Some(at + zeros.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    chunks.remainder().iter().position(|&byte| byte == b'\n').map(|rest| at + rest)
}

#[inline]
fn split(line: &[u8]) -> Option<Line<'_>> {
    let bar = line.iter().position(|&byte| byte == b'|')?;
    let (thread, rest) = (&line[..bar], &line[bar + 1..]);
    let (op, name) = match rest {
        [b'r', b'(', ..] => (Op::Read, 1),
        [b'w', b'(', ..] => (Op::Write, 1),
        [b'a', b'c', b'q', ..] => (Op::Acquire, 3),
        [b'r', b'e', b'l', ..] => (Op::Release, 3),
        [b'f', b'o', b'r', b'k', ..] => (Op::Fork, 4),
        [b'j', b'o', b'i', b'n', ..] => (Op::Join, 4),
        [b'b', b'e', b'g', b'i', b'n', ..] => (Op::Begin, 5),
        [b'e', b'n', b'd', ..] => (Op::End, 3),
        [b'r', b'e', b'q', ..] => (Op::Request, 3),
        [b'b', b'r', b'a', b'n', b'c', b'h', ..] => (Op::Branch, 6),
        [b'e', b'n', b't', b'e', b'r', b'(', ..] => (Op::Begin, 5),
        [b'e', b'x', b'i', b't', b'(', ..] => (Op::End, 4),
        [b'd', b'u', b'm', b'm', b'y', b'(', ..] => (Op::Branch, 5),
        _ => return None,
    };
    let rest = &rest[name..];
    let (operand, site) = match rest {
        [b'(', inside @ ..] => {
            let mut from = 0;
            let close = loop {
                let at = from + inside[from..].iter().position(|&byte| byte == b')')?;
                if inside.get(at + 1) == Some(&b'|') {
                    break at;
                }
                from = at + 1;
            };
            (&inside[..close], &inside[close + 2..])
        }
        [b'|', site @ ..] if op.stands_alone() => (&[][..], site),
        _ => return None,
    };
    let needs_operand = !op.stands_alone();
    if thread.is_empty() || (needs_operand && operand.is_empty()) || site.is_empty() || site.contains(&b'|') {
        return None;
    }
    Some(Line { thread, op, operand, site })
}

/// A line for people: the beginning of it, without what would control their terminal.
fn shown(line: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(&line[..line.len().min(80)]))
}

fn unlike(line: &[u8]) -> String {
    let shown = shown(line);
    format!(
        "expected `thread|op(operand)|location` with one of acq, rel, r, w, fork, join, req, begin, end, branch, found {shown}"
    )
}
