//! Reads raceproof's own trace files. `docs/TRACE.md` has the layout.
//!
//! A block is believed once its checksum is right, and even then nothing in it: what it says is checked as it is
//! decoded. Cost: one block in memory, the tables of ids, and a few nanoseconds an event.

use super::discipline::Discipline;
use super::input::Input;
use super::varint::{take, unzigzag};
use super::writer::{BLOCK_HEADER, KINDS, LONGEST_BLOCK, MAGIC, VERSION, block, op};
use super::{Batch, Named, Names, Source, TraceError};
use crate::event::{AccessKind, Event, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use std::io::Read;

const HEADER: usize = 16;

/// See the module.
pub struct TraceReader<R> {
    input: Input<R>,
    tables: Tables,
    names: Names,
    plain: Vec<u8>,
    events: u64,
    note: Option<&'static str>,
    ended: bool,
}

/// What ids have been defined, and what the events of a block are told relative to.
#[derive(Default)]
struct Tables {
    discipline: Discipline,
    /// By dense id, the location in the run that was recorded.
    locations: Vec<u64>,
    last_new: u64,
    sites: u32,
    syncs: Vec<SyncKind>,
    last_task: u32,
    last_location: u32,
    last_site: u32,
}

impl<R: Read> TraceReader<R> {
    pub(super) fn new(mut input: Input<R>) -> Result<Self, TraceError> {
        let wrong = |offset, message: String| TraceError { offset, line: None, message };
        let header = input.peek(HEADER)?;
        if header.len() < HEADER {
            return Err(wrong(header.len() as u64, "the file ends within its header".into()));
        }
        if header[..8] != MAGIC {
            return Err(wrong(0, "expected a raceproof trace".into()));
        }
        let version = u16::from_le_bytes([header[8], header[9]]);
        if version != VERSION {
            let message =
                format!("version {version} of the format, expected {VERSION}: use a raceproof of its time");
            return Err(wrong(8, message));
        }
        if word(header, 12) != crc32fast::hash(&header[..12]) {
            return Err(wrong(0, "the header is damaged (checksum)".into()));
        }
        input.advance(HEADER);
        Ok(TraceReader {
            input,
            tables: Tables::default(),
            names: Names::default(),
            plain: Vec::new(),
            events: 0,
            note: None,
            ended: false,
        })
    }

    /// The location in the recorded run that a location of the trace stands for.
    pub fn original(&self, location: Location) -> Location {
        Location(self.tables.locations.get(location.0 as usize).copied().unwrap_or(location.0))
    }

    /// Takes one block; `false` at the end.
    fn block(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        let start = self.input.offset();
        let wrong = |offset: u64, message: String| TraceError { offset, line: None, message };
        let header = self.input.peek(BLOCK_HEADER)?;
        if header.is_empty() {
            if !self.ended {
                self.note =
                    Some("the trace has no end mark: it is still being written, or its writer was stopped");
            }
            return Ok(false);
        }
        if self.ended {
            return Err(wrong(start, "there is something after the end mark".into()));
        }
        let Ok(header) = <[u8; BLOCK_HEADER]>::try_from(header) else {
            return Err(wrong(
                start + header.len() as u64,
                "the trace ends within the header of a block".into(),
            ));
        };
        let [kind, coding, ..] = header;
        let (stored, plain, count) =
            (word(&header, 4) as usize, word(&header, 8) as usize, word(&header, 12));
        if stored > LONGEST_BLOCK || plain > LONGEST_BLOCK {
            return Err(wrong(
                start,
                format!("a block of {} bytes, expected at most {LONGEST_BLOCK}", stored.max(plain)),
            ));
        }
        let bytes = self.input.peek(BLOCK_HEADER + stored)?;
        if bytes.len() < BLOCK_HEADER + stored {
            return Err(wrong(start + bytes.len() as u64, "the trace ends within a block".into()));
        }
        let mut check = crc32fast::Hasher::new();
        check.update(&bytes[..16]);
        check.update(&bytes[BLOCK_HEADER..]);
        if check.finalize() != word(&header, 16) {
            return Err(wrong(start, "a block is damaged (checksum)".into()));
        }
        let bytes = &bytes[BLOCK_HEADER..];
        match coding {
            block::PLAIN => {
                self.plain.clear();
                self.plain.extend_from_slice(bytes);
            }
            block::ZSTD => {
                self.plain.resize(plain, 0);
                match zstd::bulk::decompress_to_buffer(bytes, &mut self.plain[..]) {
                    Ok(len) => self.plain.truncate(len),
                    Err(error) => {
                        return Err(wrong(start, format!("a block cannot be decompressed: {error}")));
                    }
                }
            }
            other => return Err(wrong(start + 1, format!("coding {other} of a block is not known"))),
        }
        if self.plain.len() != plain {
            return Err(wrong(
                start,
                format!("a block of {} bytes, {plain} were announced", self.plain.len()),
            ));
        }
        let inside = |(at, message): (usize, String)| {
            wrong(start, format!("in the block that begins here, byte {at} of its {plain}: {message}"))
        };
        match kind {
            block::EVENTS => {
                self.tables.events(&self.plain, count, &mut batch.events).map_err(inside)?;
                self.events += u64::from(count);
            }
            block::NAMES => names(&self.plain, &self.tables, &mut self.names).map_err(inside)?,
            block::END => {
                if self.plain != self.events.to_le_bytes() {
                    let message =
                        format!("the end mark does not speak of the {} events there are", self.events);
                    return Err(wrong(start, message));
                }
                self.ended = true;
            }
            // Small letters are for what a reader can do without.
            b'a'..=b'z' => {}
            other => return Err(wrong(start, format!("a block of kind {other:#04x} is not known"))),
        }
        self.input.advance(BLOCK_HEADER + stored);
        Ok(true)
    }
}

impl<R: Read> Source for TraceReader<R> {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        batch.events.clear();
        while batch.events.is_empty() {
            match self.block(batch) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => {
                    self.input.finish();
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn note(&self) -> Option<&str> {
        self.note
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn short() -> String {
    "an event is cut short, or a number is too large".into()
}

fn number(bytes: &mut &[u8]) -> Result<u32, String> {
    take(bytes).and_then(|value| u32::try_from(value).ok()).ok_or_else(short)
}

/// An id told as the difference from the one before, among `count` that are defined.
#[inline]
fn relative(code: u64, last: u32, count: u32) -> Option<u32> {
    let id = i64::from(last).checked_add(unzigzag(code - 1))?;
    u32::try_from(id).ok().filter(|&id| id < count)
}

impl Tables {
    fn events(&mut self, plain: &[u8], count: u32, out: &mut Vec<Event>) -> Result<(), (usize, String)> {
        (self.last_task, self.last_location, self.last_site) = (0, 0, 0);
        let mut bytes = plain;
        // An event takes at least a byte.
        out.reserve(plain.len().min(count as usize));
        while let Some((&head, rest)) = bytes.split_first() {
            let at = plain.len() - bytes.len();
            bytes = rest;
            let event = self.event(head, &mut bytes).map_err(|message| (at, message))?;
            self.discipline.check(&event).map_err(|message| (at, message))?;
            out.push(event);
        }
        let told = out.len() as u32;
        if told != count {
            return Err((plain.len(), format!("{told} events, {count} were announced")));
        }
        Ok(())
    }

    #[inline]
    fn event(&mut self, head: u8, bytes: &mut &[u8]) -> Result<Event, String> {
        if head & !(op::SAME_TASK | op::MASK) != 0 {
            return Err(format!("an event begins with {head:#04x}, which is not known"));
        }
        if head & op::SAME_TASK == 0 {
            self.last_task = number(bytes)?;
        }
        let task = TaskId(self.last_task);
        Ok(match head & op::MASK {
            op::READ => self.access(task, AccessKind::Read, bytes)?,
            op::WRITE => self.access(task, AccessKind::Write, bytes)?,
            op::SPAWN => {
                let scope = ScopeId(number(bytes)?);
                let child = TaskId(self.discipline.tasks());
                Event::Spawn { parent: task, child, scope, site: self.site(bytes)? }
            }
            op::END => Event::End { task },
            op::FINISH_BEGIN => Event::FinishBegin { task, scope: ScopeId(number(bytes)?) },
            op::FINISH_END => Event::FinishEnd { task, scope: ScopeId(number(bytes)?) },
            op::SIGNAL => {
                let (sync, kind) = self.sync(bytes)?;
                Event::Signal { task, sync, kind }
            }
            op::JOIN => {
                let (sync, kind) = self.sync(bytes)?;
                Event::Join { task, sync, kind }
            }
            other => return Err(format!("event {other} is not known")),
        })
    }

    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, bytes: &mut &[u8]) -> Result<Event, String> {
        let id = match take(bytes).ok_or_else(short)? {
            0 => {
                let step = unzigzag(take(bytes).ok_or_else(short)?);
                self.last_new = self.last_new.wrapping_add(step as u64);
                self.locations.push(self.last_new);
                self.locations.len() as u32 - 1
            }
            code => relative(code, self.last_location, self.locations.len() as u32)
                .ok_or("a location that is not defined")?,
        };
        self.last_location = id;
        Ok(Event::Access { task, kind, location: Location(id.into()), site: self.site(bytes)? })
    }

    #[inline]
    fn site(&mut self, bytes: &mut &[u8]) -> Result<SiteId, String> {
        let id = match take(bytes).ok_or_else(short)? {
            0 => {
                self.sites += 1;
                self.sites - 1
            }
            code => relative(code, self.last_site, self.sites).ok_or("a site that is not defined")?,
        };
        self.last_site = id;
        Ok(SiteId(id))
    }

    fn sync(&mut self, bytes: &mut &[u8]) -> Result<(SyncId, SyncKind), String> {
        let at = match take(bytes).ok_or_else(short)? {
            0 => {
                let kind = number(bytes)?;
                self.syncs.push(*KINDS.get(kind as usize).ok_or(format!("sync kind {kind} is not known"))?);
                self.syncs.len() - 1
            }
            code => usize::try_from(code - 1).unwrap_or(usize::MAX),
        };
        let kind = *self.syncs.get(at).ok_or("a sync that is not defined")?;
        Ok((SyncId::at(at), kind))
    }
}

fn names(plain: &[u8], tables: &Tables, names: &mut Names) -> Result<(), (usize, String)> {
    let mut bytes = plain;
    while let Some((&kind, rest)) = bytes.split_first() {
        let at = plain.len() - bytes.len();
        bytes = rest;
        let mut entry = || -> Result<(), String> {
            let id = number(&mut bytes)?;
            let len = number(&mut bytes)? as usize;
            let (name, rest) = bytes.split_at_checked(len).ok_or_else(short)?;
            bytes = rest;
            let name = std::str::from_utf8(name).map_err(|_| "a name is not UTF-8")?;
            let (named, defined) = match kind {
                0 => (Named::Task(TaskId(id)), tables.discipline.tasks()),
                1 => (Named::Sync(SyncId(id)), tables.syncs.len() as u32),
                2 => (Named::Location(Location(id.into())), tables.locations.len() as u32),
                3 => (Named::Site(SiteId(id)), tables.sites),
                other => return Err(format!("names of kind {other} are not known")),
            };
            if id >= defined {
                return Err(format!("{name:?} names something that is not defined"));
            }
            names.set(named, name);
            Ok(())
        };
        entry().map_err(|message| (at, message))?;
    }
    Ok(())
}
