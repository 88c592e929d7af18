//! Reads RAPID's binary format: a header of big-endian numbers (threads in 16 bits, locks and
//! variables in 32 each, events in 64), then an event in each 64 bits: the thread in bits 0 to 9,
//! the operation in 10 to 13, the operand in 14 to 47, the location in 48 to 62. The operations are
//! numbered acquire, release, read, write, fork, join, begin, end, request, branch. The top bit of
//! every number is the sign of a Java integer: without meaning, and left aside as RAPID does.

use super::input::Input;
use super::intern::Intern;
use super::threads::{Op, Threads};
use super::{Batch, Named, Names, START, Source, Tolerated, TraceError};
use crate::event::Event;
use crate::ids::{Location, SiteId, TaskId};
use std::io::Read;

const HEADER: usize = 18;
const EVENT: usize = 8;
const BATCH: usize = 4096;

const OPS: [Op; 10] = [
    Op::Acquire,
    Op::Release,
    Op::Read,
    Op::Write,
    Op::Fork,
    Op::Join,
    Op::Begin,
    Op::End,
    Op::Request,
    Op::Branch,
];

/// See the module.
pub struct RapidReader<R> {
    input: Input<R>,
    merger: WordMerger,
}

/// Some events, each in eight bytes; the last may be cut short.
pub(crate) struct Words {
    offset: u64,
    bytes: Vec<u8>,
}

/// What the events so far have said.
pub(crate) struct WordMerger {
    /// Where the event at hand is.
    offset: u64,
    /// How many events are still to come by what the header says.
    left: u64,
    threads: Threads,
    thread_ids: Intern,
    lock_ids: Intern,
    variables: Intern,
    sites: Intern,
    names: Names,
}

impl<R: Read> RapidReader<R> {
    pub(super) fn new(mut input: Input<R>) -> Result<Self, TraceError> {
        let header = input.peek(HEADER)?;
        let Ok(header) = <[u8; HEADER]>::try_from(header) else {
            let message = format!("the file ends within its header of {HEADER} bytes");
            return Err(TraceError { offset: header.len() as u64, line: None, message });
        };
        let left = header[10..].iter().fold(0, |all, &byte| all << 8 | u64::from(byte)) & (u64::MAX >> 1);
        input.advance(HEADER);
        let mut names = Names::default();
        names.set(Named::Task(TaskId::MAIN), START);
        let merger = WordMerger {
            offset: HEADER as u64,
            left,
            threads: Threads::default(),
            thread_ids: Intern::default(),
            lock_ids: Intern::default(),
            variables: Intern::default(),
            sites: Intern::default(),
            names,
        };
        Ok(RapidReader { input, merger })
    }

    /// What reads the events, and what puts them together.
    pub(super) fn parts(&mut self) -> (&mut Input<R>, &mut WordMerger) {
        (&mut self.input, &mut self.merger)
    }
}

/// The next events, as they are; none at the end.
pub(super) fn read_words<R: Read>(input: &mut Input<R>) -> Result<Option<Words>, TraceError> {
    let offset = input.offset();
    let bytes = input.peek(BATCH * EVENT)?.to_vec();
    input.advance(bytes.len());
    Ok((!bytes.is_empty()).then_some(Words { offset, bytes }))
}

impl WordMerger {
    /// Adds what events say, or that there are no more.
    pub(super) fn add(
        &mut self,
        words: Result<Option<Words>, TraceError>,
        out: &mut Vec<Event>,
    ) -> Result<bool, TraceError> {
        let Some(Words { offset, bytes }) = words? else {
            return match self.left {
                0 => Ok(false),
                left => Err(self.ends_early(left)),
            };
        };
        self.offset = offset;
        for bytes in bytes.chunks(EVENT) {
            let Ok(bytes) = <[u8; EVENT]>::try_from(bytes) else { return Err(self.ends_early(self.left)) };
            if self.left == 0 {
                return Err(self.wrong("there are more events than the header promises".into()));
            }
            if let Err(message) = self.event(u64::from_be_bytes(bytes), out) {
                return Err(self.wrong(message));
            }
            self.left -= 1;
            self.offset += EVENT as u64;
        }
        Ok(true)
    }

    fn ends_early(&mut self, left: u64) -> TraceError {
        self.wrong(format!("the trace ends here; its header promises {left} more events"))
    }

    fn wrong(&mut self, message: String) -> TraceError {
        self.left = 0;
        TraceError { offset: self.offset, line: None, message }
    }

    fn event(&mut self, word: u64, out: &mut Vec<Event>) -> Result<(), String> {
        let (thread, op, operand, site) =
            (word & 0x3ff, word >> 10 & 0xf, word >> 14 & 0x3_ffff_ffff, word >> 48 & 0x7fff);
        let op = *OPS.get(op as usize).ok_or_else(|| {
            format!("operation {op} of what looks like RAPID's binary format, expected at most 9")
        })?;
        if matches!(op, Op::Begin | Op::End | Op::Request | Op::Branch) {
            return Ok(());
        }
        let task = self.thread_ids.number(thread).0;
        let (place, is_new) = self.sites.number(site);
        if is_new {
            self.names.set(Named::Site(SiteId(place)), &site.to_string());
        }
        let id = match op {
            Op::Read | Op::Write => {
                let (id, is_new) = self.variables.number(operand);
                if is_new {
                    self.names.set(Named::Location(Location(id.into())), &format!("V{operand}"));
                }
                id
            }
            Op::Acquire | Op::Release => self.lock_ids.number(operand).0,
            Op::Fork | Op::Join => self.thread_ids.number(operand).0,
            Op::Begin | Op::End | Op::Request | Op::Branch => 0,
        };
        let known = self.threads.task(task);
        self.threads
            .event(task, op, id, SiteId(place), out)
            .map_err(|message| format!("{message} (thread {thread}, operand {operand})"))?;
        let offset = self.offset;
        self.threads.locate(|| TraceError { offset, line: None, message: String::new() });
        let now = self.threads.task(task);
        if let Some(task) = now.filter(|_| now != known) {
            self.names.set(Named::Task(task), &format!("T{thread}"));
        }
        match op {
            Op::Fork => {
                if let Some(task) = self.threads.task(id) {
                    self.names.set(Named::Task(task), &format!("T{operand}"));
                }
            }
            Op::Acquire => {
                if let Some(sync) =
                    self.threads.lock(id).filter(|&sync| self.names.given(Named::Sync(sync)).is_none())
                {
                    self.names.set(Named::Sync(sync), &format!("L{operand}"));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl<R: Read> Source for RapidReader<R> {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.events.clear();
        let words = read_words(&mut self.input);
        self.merger.add(words, &mut batch.events).inspect_err(|_| self.input.finish())
    }

    fn names(&self) -> &Names {
        &self.merger.names
    }

    fn tolerated(&self) -> &[Tolerated] {
        self.merger.threads.tolerated()
    }
}
