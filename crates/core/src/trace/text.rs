//! Reads RAPID's text format STD: a line is `thread|op(operand)|location`, with the operations `acq
//! rel r w fork join req` and `begin end branch`, which may lack the operand; `enter`, `exit` and
//! `dummy` of older versions are `begin`, `end` and nothing.
//!
//! The lines are taken apart in place, byte by byte; names that are a letter and a number, as
//! RAPID's are, cost a look in a table. Any bytes but `|`, a line break and, in an operand, `)|`
//! may be part of a name.

use super::input::{Input, LONGEST};
use super::intern::Intern;
use super::threads::{Op, Threads};
use super::{Batch, Named, Names, START, Source, Tolerated, TraceError};
use crate::event::Event;
use crate::ids::{Location, SiteId};
use std::io::Read;

/// Events of a batch, more or less.
const BATCH: usize = 4096;

/// See the module.
pub struct StdReader<R> {
    input: Input<R>,
    line: u64,
    state: State,
}

#[derive(Default)]
struct State {
    threads: Threads,
    thread_names: Intern,
    locks: Intern,
    variables: Intern,
    sites: Intern,
    names: Names,
    is_part: bool,
}

/// The operand of a `begin` with which [`text_writer`](super::text_writer) says that what is
/// written is a part of a run only. To RAPID it is a transaction without events: its reader has no
/// comments.
pub(super) const PART: &str = "raceproof:part-of-a-run";

/// Likewise, that variables had values before: reads that nobody wrote are in order from there on.
pub(super) const INITIAL_VALUES: &str = "raceproof:initial-values";

/// The parts of a line.
struct Line<'a> {
    thread: &'a [u8],
    op: Op,
    operand: &'a [u8],
    site: &'a [u8],
}

impl<R: Read> StdReader<R> {
    pub(super) fn new(input: Input<R>) -> Self {
        let mut state = State::default();
        state.names.set(Named::Task(crate::ids::TaskId::MAIN), START);
        StdReader { input, line: 0, state }
    }

    fn wrong(&mut self, message: String) -> TraceError {
        let error = TraceError { offset: self.input.offset(), line: Some(self.line + 1), message };
        self.input.finish();
        error
    }
}

impl<R: Read> Source for StdReader<R> {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.events.clear();
        loop {
            // All lines that are in the buffer whole.
            let rest = self.input.rest();
            let (mut used, mut lines) = (0, 0);
            let mut failed = None;
            while let Some(len) = line_length(&rest[used..]) {
                if let Err(message) = self.state.line(&rest[used..used + len], &mut batch.events) {
                    failed = Some(message);
                    break;
                }
                let (offset, line) = (self.input.offset() + used as u64, self.line + lines + 1);
                self.state.threads.locate(|| at(offset, line));
                used += len + 1;
                lines += 1;
                if batch.events.len() >= BATCH {
                    break;
                }
            }
            self.input.advance(used);
            self.line += lines;
            if let Some(message) = failed {
                return Err(self.wrong(message));
            }
            // Lines need not hold events: whoever reads may want to stop.
            if lines > 0 {
                return Ok(true);
            }
            if self.input.rest().len() > LONGEST {
                return Err(self.wrong(format!("a line of more than {LONGEST} bytes: is this a trace?")));
            }
            if !self.input.fill()? {
                // The last line may lack its end.
                let rest = self.input.rest();
                let (len, done) = (rest.len(), self.state.line(rest, &mut batch.events));
                let (offset, line) = (self.input.offset(), self.line + 1);
                self.state.threads.locate(|| at(offset, line));
                if let Err(message) = done {
                    return Err(self.wrong(message));
                }
                self.input.advance(len);
                return Ok(!batch.events.is_empty());
            }
        }
    }

    fn names(&self) -> &Names {
        &self.state.names
    }

    fn note(&self) -> Option<&str> {
        self.state.is_part.then_some(super::A_PART)
    }

    fn tolerated(&self) -> &[Tolerated] {
        self.state.threads.tolerated()
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

impl State {
    #[inline]
    fn line(&mut self, line: &[u8], out: &mut Vec<Event>) -> Result<(), String> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return Ok(());
        }
        let Some(parts) = split(line) else { return Err(unlike(line)) };
        if matches!(parts.op, Op::Begin | Op::End | Op::Request | Op::Branch) {
            self.mark(&parts);
            return Ok(());
        }
        let thread = self.thread_names.id(parts.thread).0;
        let (site, is_new) = self.sites.id(parts.site);
        if is_new {
            self.names.set(Named::Site(SiteId(site)), &String::from_utf8_lossy(parts.site));
        }
        let before = out.len();
        let operand = match parts.op {
            Op::Read | Op::Write => {
                let (id, is_new) = self.variables.id(parts.operand);
                if is_new {
                    let name = String::from_utf8_lossy(parts.operand);
                    self.names.set(Named::Location(Location(id.into())), &name);
                }
                id
            }
            Op::Acquire | Op::Release => self.locks.id(parts.operand).0,
            Op::Fork | Op::Join => self.thread_names.id(parts.operand).0,
            Op::Begin | Op::End | Op::Request | Op::Branch => 0,
        };
        let done = self.threads.event(thread, parts.op, operand, SiteId(site), out);
        // What begins is named: by itself, by its fork, by entering for the first time.
        if out[before..].iter().any(|event| !matches!(event, Event::Access { .. })) {
            self.name(&parts, thread, operand);
        }
        done.map_err(|message| format!("{message}: {}", shown(line)))
    }

    #[cold]
    fn mark(&mut self, parts: &Line<'_>) {
        if parts.op == Op::Begin && parts.operand == PART.as_bytes() {
            self.is_part = true;
        } else if parts.op == Op::Begin && parts.operand == INITIAL_VALUES.as_bytes() {
            self.threads.set_initial_values();
        }
    }

    fn name(&mut self, parts: &Line<'_>, thread: u32, operand: u32) {
        let mut give = |named: Named, name: &[u8]| {
            if self.names.given(named).is_none() {
                self.names.set(named, &String::from_utf8_lossy(name));
            }
        };
        if let Some(task) = self.threads.task(thread) {
            give(Named::Task(task), parts.thread);
        }
        match parts.op {
            Op::Fork => {
                if let Some(task) = self.threads.task(operand) {
                    give(Named::Task(task), parts.operand);
                }
            }
            Op::Acquire => {
                if let Some(sync) = self.threads.lock(operand) {
                    give(Named::Sync(sync), parts.operand);
                }
            }
            _ => {}
        }
    }
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
