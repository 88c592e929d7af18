//! Reads raceproof's own trace files. `docs/TRACE.md` has the layout.
//!
//! A block is believed once its checksum is right, and even then nothing in it: what it says is
//! checked as it is decoded. Cost: one block in memory, the tables of ids, and a few nanoseconds an
//! event.

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
    zstd: zstd::bulk::Decompressor<'static>,
    events: u64,
    uses: Vec<bool>,
    note: Option<&'static str>,
    ended: bool,
}

/// What ids have been defined.
#[derive(Default)]
struct Tables {
    discipline: Discipline,
    /// By dense id, the location in the run that was recorded.
    locations: Vec<u64>,
    last_new: u64,
    sites: u32,
    syncs: Vec<SyncKind>,
    /// How many reads there were.
    reads: usize,
    /// Columns of the block at hand.
    location_column: Vec<u32>,
    site_column: Vec<u32>,
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
            zstd: zstd::bulk::Decompressor::new()
                .map_err(|error| wrong(0, format!("cannot decompress: {error}")))?,
            events: 0,
            uses: Vec::new(),
            note: None,
            ended: false,
        })
    }

    /// The location in the recorded run that a location of the trace represents.
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
                self.note = Some(
                    "the trace has no end mark, so it is a part of a run: it is still being written, its writer was \
                     stopped, or it was recovered from a damaged one",
                );
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
                match self.zstd.decompress_to_buffer(bytes, &mut self.plain[..]) {
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
        let inside = |message: String| wrong(start, format!("in the block that begins here: {message}"));
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
            block::USES => {
                if count.div_ceil(8) as usize != self.plain.len() {
                    return Err(wrong(start, format!("{count} reads in {plain} bytes")));
                }
                if self.uses.len() + count as usize > self.tables.reads {
                    return Err(wrong(start, "it tells of more reads than there are before it".into()));
                }
                let bit = |at: u32| self.plain[at as usize / 8] >> (at % 8) & 1 == 1;
                self.uses.extend((0..count).map(bit));
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
        // One block a call, whatever is in it, so that whoever reads can keep to limits of time and
        // memory.
        batch.events.clear();
        self.block(batch).inspect_err(|_| {
            self.input.finish();
            self.ended = true;
        })
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn note(&self) -> Option<&str> {
        self.note
    }

    fn uses(&self) -> Option<&[bool]> {
        (!self.uses.is_empty()).then_some(&self.uses)
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn short() -> String {
    "it is cut short, or a number is too large".into()
}

fn number(bytes: &mut &[u8]) -> Result<u32, String> {
    take(bytes).and_then(|value| u32::try_from(value).ok()).ok_or_else(short)
}

fn split<'a>(bytes: &mut &'a [u8], len: usize) -> Result<&'a [u8], String> {
    let (column, rest) = bytes.split_at_checked(len).ok_or_else(short)?;
    *bytes = rest;
    Ok(column)
}

/// A column of numbers of a fixed width.
fn fixed(bytes: &mut &[u8], count: usize, width: u8, out: &mut Vec<u32>) -> Result<(), String> {
    let column = split(bytes, count.saturating_mul(width.into()))?;
    out.clear();
    match width {
        1 => out.extend(column.iter().map(|&byte| u32::from(byte))),
        2 => out.extend(column.chunks_exact(2).map(|two| u32::from(u16::from_le_bytes([two[0], two[1]])))),
        3 => out.extend(
            column.chunks_exact(3).map(|three| u32::from_le_bytes([three[0], three[1], three[2], 0])),
        ),
        4 => out.extend(column.chunks_exact(4).map(|four| word(four, 0))),
        other => return Err(format!("a column of width {other}, expected 1 to 4")),
    }
    Ok(())
}

impl Tables {
    /// The events of a block; those before an offence are among `out` as well.
    fn events(&mut self, plain: &[u8], count: u32, out: &mut Vec<Event>) -> Result<(), String> {
        let mut bytes = plain;
        let &[location_width, site_width] = split(&mut bytes, 2)? else { return Err(short()) };
        let [tasks, locations, sites] = [number(&mut bytes)?, number(&mut bytes)?, number(&mut bytes)?];
        let ops = split(&mut bytes, count as usize)?;
        let is_read = |op: &&u8| matches!(**op & !op::SAME_TASK, op::READ | op::ATOMIC_READ);
        self.reads += ops.iter().filter(is_read).count();
        let tasks = split(&mut bytes, tasks as usize)?;
        let mut location_column = std::mem::take(&mut self.location_column);
        let mut site_column = std::mem::take(&mut self.site_column);
        let done = fixed(&mut bytes, locations as usize, location_width, &mut location_column)
            .and_then(|()| fixed(&mut bytes, sites as usize, site_width, &mut site_column))
            .and_then(|()| {
                let mut columns =
                    Columns { tasks, locations: &location_column, sites: &site_column, rest: bytes };
                self.decode(ops, &mut columns, out)
            });
        (self.location_column, self.site_column) = (location_column, site_column);
        done
    }

    fn decode(&mut self, ops: &[u8], columns: &mut Columns<'_>, out: &mut Vec<Event>) -> Result<(), String> {
        out.reserve(ops.len());
        let greatest = |numbers: &[u32]| numbers.iter().fold(0, |most, &number| most.max(number));
        // Most blocks define nothing.
        let defines = greatest(columns.locations) as usize >= self.locations.len()
            || greatest(columns.sites) >= self.sites;
        let mut task = TaskId::MAIN;
        let mut at = 0;
        while let Some(&op) = ops.get(at) {
            if op & op::SAME_TASK == 0 {
                task = TaskId(number(&mut columns.tasks).map_err(|message| within(at, message))?);
            }
            if op & !op::SAME_TASK > op::WRITE {
                let event = self.other(op & !op::SAME_TASK, task, columns);
                let event = event.map_err(|message| within(at, message))?;
                self.discipline.check(&event).map_err(|message| within(at, message))?;
                out.push(event);
                at += 1;
                continue;
            }
            // All that the task accesses before anybody does anything else, at once.
            let len = 1 + accesses_of_same(&ops[at + 1..]);
            self.accesses(task, &ops[at..at + len], defines, columns, out)
                .map_err(|(done, message)| within(at + done, message))?;
            at += len;
        }
        Ok(())
    }

    /// Accesses of one task. An error says after how many of them.
    #[inline]
    fn accesses(
        &mut self,
        task: TaskId,
        ops: &[u8],
        defines: bool,
        columns: &mut Columns<'_>,
        out: &mut Vec<Event>,
    ) -> Result<(), (usize, String)> {
        if !self.discipline.runs(task) {
            let first =
                Event::Access { task, kind: AccessKind::Read, location: Location(0), site: SiteId(0) };
            self.discipline.check(&first).map_err(|message| (0, message))?;
        }
        let (locations, sites) = (columns.locations, columns.sites);
        let common = ops.len().min(locations.len()).min(sites.len());
        let (locations, sites) = (&locations[..common], &sites[..common]);
        (columns.locations, columns.sites) = (&columns.locations[common..], &columns.sites[common..]);
        // No branch in this loop: what comes next is as good as random.
        let event = |((&op, &location), &site): ((&u8, &u32), &u32)| {
            let kind = [AccessKind::Read, AccessKind::Write][usize::from(op & 1)];
            Event::Access { task, kind, location: Location(location.into()), site: SiteId(site) }
        };
        let all = ops.iter().zip(locations).zip(sites);
        if !defines {
            out.extend(all.map(event));
        } else {
            for (done, one) in all.enumerate() {
                self.define(*one.0.1, *one.1, columns).map_err(|message| (done, message))?;
                out.push(event(one));
            }
        }
        if common < ops.len() {
            return Err((common, "there are too few locations or sites".into()));
        }
        Ok(())
    }

    /// Takes the definitions of a location and a site if they are new.
    fn define(&mut self, location: u32, site: u32, columns: &mut Columns<'_>) -> Result<(), String> {
        if location as usize >= self.locations.len() {
            self.define_location(location, columns)?;
        }
        if site >= self.sites {
            self.define_site(site)?;
        }
        Ok(())
    }

    fn other(&mut self, op: u8, task: TaskId, columns: &mut Columns<'_>) -> Result<Event, String> {
        Ok(match op {
            op::SPAWN => {
                let scope = ScopeId(number(&mut columns.rest)?);
                let (&site, sites) = columns.sites.split_first().ok_or_else(short)?;
                columns.sites = sites;
                if site >= self.sites {
                    self.define_site(site)?;
                }
                let child = TaskId(self.discipline.tasks());
                Event::Spawn { parent: task, child, scope, site: SiteId(site) }
            }
            op::END => Event::End { task },
            op::FINISH_BEGIN => Event::FinishBegin { task, scope: ScopeId(number(&mut columns.rest)?) },
            op::FINISH_END => Event::FinishEnd { task, scope: ScopeId(number(&mut columns.rest)?) },
            op::SIGNAL => {
                let (sync, kind) = self.sync(&mut columns.rest)?;
                Event::Signal { task, sync, kind }
            }
            op::JOIN => {
                let (sync, kind) = self.sync(&mut columns.rest)?;
                Event::Join { task, sync, kind }
            }
            op::ATOMIC_READ | op::ATOMIC_WRITE => {
                let (&location, locations) = columns.locations.split_first().ok_or_else(short)?;
                let (&site, sites) = columns.sites.split_first().ok_or_else(short)?;
                (columns.locations, columns.sites) = (locations, sites);
                self.define(location, site, columns)?;
                let kind = if op == op::ATOMIC_READ { AccessKind::Read } else { AccessKind::Write };
                Event::Atomic { task, kind, location: Location(location.into()), site: SiteId(site) }
            }
            other => return Err(format!("operation {other:#04x} is not known")),
        })
    }

    fn define_location(&mut self, id: u32, columns: &mut Columns<'_>) -> Result<(), String> {
        if id as usize > self.locations.len() {
            return Err("a location is used that is not defined".into());
        }
        let step = unzigzag(take(&mut columns.rest).ok_or_else(short)?);
        self.last_new = self.last_new.wrapping_add(step as u64);
        self.locations.push(self.last_new);
        Ok(())
    }

    fn define_site(&mut self, id: u32) -> Result<(), String> {
        if id > self.sites {
            return Err("a site is used that is not defined".into());
        }
        self.sites += 1;
        Ok(())
    }

    fn sync(&mut self, rest: &mut &[u8]) -> Result<(SyncId, SyncKind), String> {
        let id = number(rest)?;
        if id as usize == self.syncs.len() {
            let kind = number(rest)?;
            self.syncs
                .push(*KINDS.get(kind as usize).ok_or_else(|| format!("sync kind {kind} is not known"))?);
        }
        let kind = *self.syncs.get(id as usize).ok_or("a sync is used that is not defined")?;
        Ok((SyncId(id), kind))
    }
}

/// How many operations there are before the first that is no access of the same task.
#[inline]
fn accesses_of_same(ops: &[u8]) -> usize {
    // Eight at a time: what is left of a byte is zero if it is one.
    const SAME: u64 = u64::from_ne_bytes([op::SAME_TASK; 8]);
    const WRITES: u64 = u64::from_ne_bytes([op::WRITE; 8]);
    let is_same = |op: &&u8| **op & !op::WRITE == op::SAME_TASK;
    let mut at = 0;
    while let Some(&eight) = ops[at..].first_chunk::<8>() {
        let others = (u64::from_le_bytes(eight) & !WRITES) ^ SAME;
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + ops[at..].iter().take_while(is_same).count()
}

/// What is left of the columns of a block.
struct Columns<'a> {
    tasks: &'a [u8],
    locations: &'a [u32],
    sites: &'a [u32],
    rest: &'a [u8],
}

fn within(event: usize, message: String) -> String {
    format!("event {event}: {message}")
}

fn names(plain: &[u8], tables: &Tables, names: &mut Names) -> Result<(), String> {
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
                let shown: String = name.chars().take(80).collect();
                return Err(format!("{shown:?} names something that is not defined"));
            }
            names.set(named, name);
            Ok(())
        };
        entry().map_err(|message| format!("byte {at} of {}: {message}", plain.len()))?;
    }
    Ok(())
}
