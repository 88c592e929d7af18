//! Reads raceproof's own trace files. `docs/TRACE.md` has the layout.
//!
//! A block is believed once its checksum is right, and even then nothing in it: what it says is
//! checked as it is decoded. Cost: one block in memory, the tables of ids, and a few nanoseconds an
//! event.

use super::discipline::Discipline;
use super::input::Input;
use super::writer::{BLOCK_HEADER, KINDS, LONGEST_BLOCK, MAGIC, VERSION, block, op};
use super::{Batch, Named, Names, Source, TraceError};
use crate::event::{AccessKind, Event, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use crate::varint::{take, unzigzag};
use std::io::Read;
use std::ops::Range;

const HEADER: usize = 16;

/// See the module.
pub struct TraceReader<R> {
    input: Input<R>,
    tools: Tools,
    merger: BlockMerger,
}

/// What the blocks so far have said.
#[derive(Default)]
pub(crate) struct BlockMerger {
    tables: Tables,
    names: Names,
    events: u64,
    uses: Vec<bool>,
    note: Option<&'static str>,
    ended: bool,
    /// Where the end mark ends.
    end: u64,
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
}

/// What takes blocks apart; every worker has its own.
#[derive(Default)]
pub(crate) struct Tools {
    zstd: Option<zstd::bulk::Decompressor<'static>>,
}

/// A block: as it is in the file, then taken apart.
pub(crate) struct Block {
    start: u64,
    header: [u8; BLOCK_HEADER],
    bytes: Vec<u8>,
    /// The columns, of a block of events that has been taken apart.
    columns: Option<Columns>,
    /// What is wrong with it, if anything is.
    wrong: Option<TraceError>,
}

/// The columns of a block of events.
struct Columns {
    plain: Vec<u8>,
    ops: Range<usize>,
    tasks: Range<usize>,
    rest: Range<usize>,
    locations: Vec<u32>,
    sites: Vec<u32>,
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
        Ok(TraceReader { input, tools: Tools::default(), merger: BlockMerger::default() })
    }

    /// The location in the recorded run that a location of the trace represents.
    pub fn original(&self, location: Location) -> Location {
        let locations = &self.merger.tables.locations;
        Location(locations.get(location.0 as usize).copied().unwrap_or(location.0))
    }

    /// What reads the blocks, and what puts them together.
    pub(super) fn parts(&mut self) -> (&mut Input<R>, &mut BlockMerger) {
        (&mut self.input, &mut self.merger)
    }
}

/// The next block, as it is; none at the end.
pub(super) fn read_block<R: Read>(input: &mut Input<R>) -> Result<Option<Block>, TraceError> {
    let start = input.offset();
    let header = input.peek(BLOCK_HEADER)?;
    if header.is_empty() {
        return Ok(None);
    }
    let found = header.len();
    let Ok(header) = <[u8; BLOCK_HEADER]>::try_from(header) else {
        return Err(wrong(start + found as u64, "the trace ends within the header of a block".into()));
    };
    let (stored, plain) = (word(&header, 4) as usize, word(&header, 8) as usize);
    if stored > LONGEST_BLOCK || plain > LONGEST_BLOCK {
        let message = format!("a block of {} bytes, expected at most {LONGEST_BLOCK}", stored.max(plain));
        return Err(wrong(start, message));
    }
    let bytes = input.peek(BLOCK_HEADER + stored)?;
    if bytes.len() < BLOCK_HEADER + stored {
        return Err(wrong(start + bytes.len() as u64, "the trace ends within a block".into()));
    }
    let bytes = bytes[BLOCK_HEADER..].to_vec();
    input.advance(BLOCK_HEADER + stored);
    Ok(Some(Block { start, header, bytes, columns: None, wrong: None }))
}

impl Block {
    fn kind(&self) -> u8 {
        self.header[0]
    }

    /// How many events, names or reads it announces.
    fn count(&self) -> u32 {
        word(&self.header, 12)
    }

    /// Takes the block apart, as far as that needs no other.
    pub(super) fn prepare(&mut self, tools: &mut Tools) {
        if let Err(error) = self.unpack(tools) {
            self.wrong = Some(error);
        }
    }

    fn unpack(&mut self, tools: &mut Tools) -> Result<(), TraceError> {
        let start = self.start;
        let mut check = crc32fast::Hasher::new();
        check.update(&self.header[..16]);
        check.update(&self.bytes);
        if check.finalize() != word(&self.header, 16) {
            return Err(wrong(start, "a block is damaged (checksum)".into()));
        }
        let plain = word(&self.header, 8) as usize;
        match self.header[1] {
            block::PLAIN => {}
            block::ZSTD => {
                let new = || {
                    zstd::bulk::Decompressor::new()
                        .map_err(|error| wrong(start, format!("cannot decompress: {error}")))
                };
                let zstd = match &mut tools.zstd {
                    Some(zstd) => zstd,
                    none => none.insert(new()?),
                };
                let mut out = vec![0; plain];
                match zstd.decompress_to_buffer(&self.bytes, &mut out[..]) {
                    Ok(len) => out.truncate(len),
                    Err(error) => {
                        return Err(wrong(start, format!("a block cannot be decompressed: {error}")));
                    }
                }
                self.bytes = out;
            }
            other => return Err(wrong(start + 1, format!("coding {other} of a block is not known"))),
        }
        if self.bytes.len() != plain {
            let message = format!("a block of {} bytes, {plain} were announced", self.bytes.len());
            return Err(wrong(start, message));
        }
        if self.kind() == block::EVENTS {
            let plain = std::mem::take(&mut self.bytes);
            let columns = Columns::of(plain, self.count()).map_err(|message| inside(start, message))?;
            self.columns = Some(columns);
        }
        Ok(())
    }
}

fn wrong(offset: u64, message: String) -> TraceError {
    TraceError { offset, line: None, message }
}

fn inside(start: u64, message: String) -> TraceError {
    wrong(start, format!("in the block that begins here: {message}"))
}

impl BlockMerger {
    /// Adds what a block says, or that there are no more.
    pub(super) fn add(
        &mut self,
        block: Result<Option<Block>, TraceError>,
        out: &mut Vec<Event>,
    ) -> Result<bool, TraceError> {
        let done = self.take(block, out);
        self.ended |= done.is_err();
        done
    }

    fn take(
        &mut self,
        block: Result<Option<Block>, TraceError>,
        out: &mut Vec<Event>,
    ) -> Result<bool, TraceError> {
        let block = match block {
            Ok(None) => {
                if !self.ended {
                    self.note = Some(
                        "the trace has no end mark, so it is a part of a run: it is still being written, its writer was \
                         stopped, or it was recovered from a damaged one",
                    );
                }
                return Ok(false);
            }
            Ok(Some(block)) => block,
            Err(error) if !self.ended => return Err(error),
            Err(_) => return Err(wrong(self.end, AFTER_END.into())),
        };
        let (start, count, kind) = (block.start, block.count(), block.kind());
        if self.ended {
            return Err(wrong(start, AFTER_END.into()));
        }
        if let Some(wrong) = block.wrong {
            return Err(wrong);
        }
        if let Some(columns) = &block.columns {
            self.tables.events(columns, out).map_err(|message| inside(start, message))?;
            self.events += u64::from(count);
            return Ok(true);
        }
        let plain = &block.bytes;
        match kind {
            block::NAMES => {
                names(plain, &self.tables, &mut self.names).map_err(|message| inside(start, message))?;
            }
            block::END => {
                if plain[..] != self.events.to_le_bytes() {
                    let message =
                        format!("the end mark does not speak of the {} events there are", self.events);
                    return Err(wrong(start, message));
                }
                self.ended = true;
                self.end = start + (BLOCK_HEADER as u64) + u64::from(word(&block.header, 4));
            }
            block::USES => {
                if count.div_ceil(8) as usize != plain.len() {
                    return Err(wrong(start, format!("{count} reads in {} bytes", plain.len())));
                }
                if self.uses.len() + count as usize > self.tables.reads {
                    return Err(wrong(start, "it tells of more reads than there are before it".into()));
                }
                let bit = |at: u32| plain[at as usize / 8] >> (at % 8) & 1 == 1;
                self.uses.extend((0..count).map(bit));
            }
            // Small letters are for what a reader can do without.
            b'a'..=b'z' => {}
            other => return Err(wrong(start, format!("a block of kind {other:#04x} is not known"))),
        }
        Ok(true)
    }
}

const AFTER_END: &str = "there is something after the end mark";

impl<R: Read> Source for TraceReader<R> {
    fn next(&mut self, batch: &mut Batch) -> Result<bool, TraceError> {
        // One block a call, whatever is in it, so that whoever reads can keep to limits of time and
        // memory.
        batch.events.clear();
        let mut block = read_block(&mut self.input);
        if let Ok(Some(block)) = &mut block {
            block.prepare(&mut self.tools);
        }
        self.merger.add(block, &mut batch.events).inspect_err(|_| self.input.finish())
    }

    fn names(&self) -> &Names {
        &self.merger.names
    }

    fn note(&self) -> Option<&str> {
        self.merger.note
    }

    fn uses(&self) -> Option<&[bool]> {
        (!self.merger.uses.is_empty()).then_some(&self.merger.uses)
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
fn fixed(bytes: &mut &[u8], count: usize, width: u8) -> Result<Vec<u32>, String> {
    let column = split(bytes, count.saturating_mul(width.into()))?;
    Ok(match width {
        1 => column.iter().map(|&byte| u32::from(byte)).collect(),
        2 => column.chunks_exact(2).map(|two| u32::from(u16::from_le_bytes([two[0], two[1]]))).collect(),
        3 => column
            .chunks_exact(3)
            .map(|three| u32::from_le_bytes([three[0], three[1], three[2], 0]))
            .collect(),
        4 => column.chunks_exact(4).map(|four| word(four, 0)).collect(),
        other => return Err(format!("a column of width {other}, expected 1 to 4")),
    })
}

impl Columns {
    fn of(plain: Vec<u8>, count: u32) -> Result<Columns, String> {
        let mut bytes = &plain[..];
        let &[location_width, site_width] = split(&mut bytes, 2)? else { return Err(short()) };
        let [tasks, locations, sites] = [number(&mut bytes)?, number(&mut bytes)?, number(&mut bytes)?];
        let place = |bytes: &[u8]| plain.len() - bytes.len();
        let ops = place(bytes)..place(bytes) + count as usize;
        split(&mut bytes, ops.len())?;
        let tasks = place(bytes)..place(bytes) + tasks as usize;
        split(&mut bytes, tasks.len())?;
        let locations = fixed(&mut bytes, locations as usize, location_width)?;
        let sites = fixed(&mut bytes, sites as usize, site_width)?;
        let rest = place(bytes)..plain.len();
        Ok(Columns { ops, tasks, rest, locations, sites, plain })
    }

    fn left(&self) -> Left<'_> {
        let (tasks, rest) = (&self.plain[self.tasks.clone()], &self.plain[self.rest.clone()]);
        Left { tasks, locations: &self.locations, sites: &self.sites, rest }
    }
}

impl Tables {
    /// The events of a block; those before an offence are among `out` as well.
    fn events(&mut self, columns: &Columns, out: &mut Vec<Event>) -> Result<(), String> {
        let ops = &columns.plain[columns.ops.clone()];
        let is_read = |op: &&u8| matches!(**op & !op::SAME_TASK, op::READ | op::ATOMIC_READ);
        self.reads += ops.iter().filter(is_read).count();
        self.decode(ops, &mut columns.left(), out)
    }

    fn decode(&mut self, ops: &[u8], columns: &mut Left<'_>, out: &mut Vec<Event>) -> Result<(), String> {
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
        columns: &mut Left<'_>,
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
    fn define(&mut self, location: u32, site: u32, columns: &mut Left<'_>) -> Result<(), String> {
        if location as usize >= self.locations.len() {
            self.define_location(location, columns)?;
        }
        if site >= self.sites {
            self.define_site(site)?;
        }
        Ok(())
    }

    fn other(&mut self, op: u8, task: TaskId, columns: &mut Left<'_>) -> Result<Event, String> {
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

    fn define_location(&mut self, id: u32, columns: &mut Left<'_>) -> Result<(), String> {
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
struct Left<'a> {
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
