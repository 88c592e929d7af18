//! Writes a run as a trace file while it goes on. `docs/TRACE.md` has the layout.
//!
//! Events are gathered into blocks; a block that is full is compressed and written with one call,
//! so that whoever reads along sees whole blocks. Ids are replaced by dense ones in the order of
//! their first use, and an id is defined where it is first used: a prefix of a trace makes sense by
//! itself.
//!
//! Cost: about six bytes an event before compression, two looks in hash tables for each access, and
//! memory for the tables of ids and one block.

use super::Named;
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use crate::varint::{put, zigzag};
use rustc_hash::FxHashMap;
use std::io::{self, Write};

pub const MAGIC: [u8; 8] = *b"\x89RPT\r\n\x1a\n";
pub const VERSION: u16 = 1;

/// A block is written when it has so many events, or names of so many bytes.
const FULL: usize = 1 << 12;
const FULL_NAMES: usize = 1 << 16;

/// What a block may have at most, plain or stored; what is longer is not read.
pub(super) const LONGEST_BLOCK: usize = 1 << 20;

pub(super) const BLOCK_HEADER: usize = 20;

pub(super) mod block {
    pub(in crate::trace) const EVENTS: u8 = b'E';
    pub(in crate::trace) const NAMES: u8 = b'N';
    pub(in crate::trace) const END: u8 = b'Z';
    /// Which reads decided something; a small letter, since a reader can do without.
    pub(in crate::trace) const USES: u8 = b'u';
    pub(in crate::trace) const PLAIN: u8 = 0;
    pub(in crate::trace) const ZSTD: u8 = 1;
}

pub(super) mod op {
    pub(in crate::trace) const READ: u8 = 0;
    pub(in crate::trace) const WRITE: u8 = 1;
    pub(in crate::trace) const SPAWN: u8 = 2;
    pub(in crate::trace) const END: u8 = 3;
    pub(in crate::trace) const FINISH_BEGIN: u8 = 4;
    pub(in crate::trace) const FINISH_END: u8 = 5;
    pub(in crate::trace) const SIGNAL: u8 = 6;
    pub(in crate::trace) const JOIN: u8 = 7;
    pub(in crate::trace) const ATOMIC_READ: u8 = 8;
    pub(in crate::trace) const ATOMIC_WRITE: u8 = 9;
    /// It is of the same task as the event before.
    pub(in crate::trace) const SAME_TASK: u8 = 0x10;
}

pub(super) const KINDS: [SyncKind; 6] = [
    SyncKind::Promise,
    SyncKind::Future,
    SyncKind::Isolated,
    SyncKind::Lock,
    SyncKind::Semaphore,
    SyncKind::Event,
];

/// The events of a block, column by column: what is of one kind stands together, so that it
/// compresses well and is read back without looking at every byte.
#[derive(Debug, Default)]
struct Columns {
    /// An operation each, and whether it is of the same task as the one before.
    ops: Vec<u8>,
    /// The tasks of the others.
    tasks: Vec<u8>,
    last_task: u32,
    /// Of accesses.
    locations: Vec<u32>,
    /// Of accesses and spawns.
    sites: Vec<u32>,
    /// Scopes, syncs, and what defines ids.
    rest: Vec<u8>,
}

impl Columns {
    fn clear(&mut self) {
        self.ops.clear();
        self.tasks.clear();
        self.last_task = 0;
        self.locations.clear();
        self.sites.clear();
        self.rest.clear();
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.ops.len() * 6);
        let (locations, sites) = (width(&self.locations), width(&self.sites));
        out.extend([locations, sites]);
        for len in [self.tasks.len(), self.locations.len(), self.sites.len()] {
            put(&mut out, len as u64);
        }
        out.extend(&self.ops);
        out.extend(&self.tasks);
        fixed(&mut out, &self.locations, locations);
        fixed(&mut out, &self.sites, sites);
        out.extend(&self.rest);
        out
    }
}

/// In how many bytes all of them can be written.
fn width(numbers: &[u32]) -> u8 {
    match numbers.iter().max() {
        None | Some(0..=0xff) => 1,
        Some(0..=0xffff) => 2,
        Some(0..=0xff_ffff) => 3,
        Some(_) => 4,
    }
}

fn fixed(out: &mut Vec<u8>, numbers: &[u32], width: u8) {
    for number in numbers {
        out.extend(&number.to_le_bytes()[..width as usize]);
    }
}

/// See the module. Errors of the writer below are kept and given by
/// [`finish`](TraceWriter::finish): an observer cannot fail.
#[derive(Debug)]
pub struct TraceWriter<W: Write> {
    out: W,
    failed: Option<io::Error>,
    columns: Columns,
    events: u64,
    tasks: u32,
    locations: FxHashMap<Location, u32>,
    last_new: u64,
    sites: FxHashMap<SiteId, u32>,
    syncs: FxHashMap<SyncId, u32>,
    names: Vec<u8>,
    name_count: u32,
}

impl<W: Write> TraceWriter<W> {
    pub fn new(mut out: W) -> Self {
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend([0, 0]);
        header.extend(crc32fast::hash(&header).to_le_bytes());
        let failed = out.write_all(&header).err();
        TraceWriter {
            out,
            failed,
            columns: Columns::default(),
            events: 0,
            tasks: 1,
            locations: FxHashMap::default(),
            last_new: 0,
            sites: FxHashMap::default(),
            syncs: FxHashMap::default(),
            names: Vec::new(),
            name_count: 0,
        }
    }

    /// How many events there are so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How many tasks have begun.
    pub fn tasks(&self) -> u32 {
        self.tasks
    }

    /// The sites, syncs and locations used so far, in the order of their numbers in the file: what
    /// can be named.
    pub fn used_sites(&self) -> Vec<SiteId> {
        by_number(&self.sites)
    }
    pub fn used_syncs(&self) -> Vec<SyncId> {
        by_number(&self.syncs)
    }
    pub fn used_locations(&self) -> Vec<Location> {
        by_number(&self.locations)
    }

    /// Names something by the id it has in the run; what was never used, or has no name, is left
    /// out.
    pub fn name(&mut self, named: Named, name: &str) {
        let (kind, id) = match named {
            Named::Task(id) => (0, Some(id.0)),
            Named::Sync(id) => (1, self.syncs.get(&id).copied()),
            Named::Location(id) => (2, self.locations.get(&id).copied()),
            Named::Site(id) => (3, self.sites.get(&id).copied()),
        };
        let (Some(id), false) = (id, name.is_empty()) else { return };
        let mut end = name.len().min(LONGEST_BLOCK / 4);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        self.names.push(kind);
        put(&mut self.names, id.into());
        put(&mut self.names, end as u64);
        self.names.extend(&name.as_bytes()[..end]);
        self.name_count += 1;
        if self.names.len() >= FULL_NAMES {
            self.flush();
        }
    }

    /// Says of each read, in the order in which they came, whether its value reached a branch or an
    /// index. Once, at the end.
    pub fn uses(&mut self, reads: &[bool]) {
        self.flush();
        for reads in reads.chunks(4 * LONGEST_BLOCK) {
            let byte =
                |bits: &[bool]| bits.iter().zip(0..).fold(0, |all, (&bit, at)| all | u8::from(bit) << at);
            let bytes: Vec<u8> = reads.chunks(8).map(byte).collect();
            self.store(block::USES, &bytes, reads.len() as u32);
        }
    }

    /// Writes what there is, as a block of its own.
    pub fn flush(&mut self) {
        if !self.columns.ops.is_empty() {
            let plain = self.columns.bytes();
            self.store(block::EVENTS, &plain, self.columns.ops.len() as u32);
            self.columns.clear();
        }
        if self.name_count > 0 {
            let names = std::mem::take(&mut self.names);
            self.store(block::NAMES, &names, self.name_count);
            self.name_count = 0;
        }
    }

    /// As [`finish`](TraceWriter::finish), but leaves the trace without its end mark: what was
    /// written is a part of a run.
    pub fn finish_part(mut self) -> io::Result<W> {
        self.flush();
        self.closed()
    }

    /// Ends the trace; the first error of the writer below, if there was one.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush();
        let events = self.events.to_le_bytes();
        self.store(block::END, &events, 0);
        self.closed()
    }

    fn closed(mut self) -> io::Result<W> {
        match self.failed {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.out),
        }
    }

    fn store(&mut self, kind: u8, plain: &[u8], count: u32) {
        if self.failed.is_some() {
            return;
        }
        // What saves little takes longer to undo than to read.
        let compressed = zstd::bulk::compress(plain, 1).ok().filter(|bytes| bytes.len() <= plain.len() / 2);
        let (coding, stored) = match &compressed {
            Some(bytes) => (block::ZSTD, &bytes[..]),
            None => (block::PLAIN, plain),
        };
        let mut bytes = Vec::with_capacity(BLOCK_HEADER + stored.len());
        bytes.extend([kind, coding, 0, 0]);
        bytes.extend((stored.len() as u32).to_le_bytes());
        bytes.extend((plain.len() as u32).to_le_bytes());
        bytes.extend(count.to_le_bytes());
        let mut check = crc32fast::Hasher::new();
        check.update(&bytes);
        check.update(stored);
        bytes.extend(check.finalize().to_le_bytes());
        bytes.extend(stored);
        self.failed = self.out.write_all(&bytes).err();
    }

    /// Begins an event.
    #[inline]
    fn head(&mut self, op: u8, task: TaskId) {
        if self.columns.ops.len() >= FULL {
            self.flush();
        }
        self.events += 1;
        let columns = &mut self.columns;
        if task.0 == columns.last_task {
            columns.ops.push(op | op::SAME_TASK);
        } else {
            columns.ops.push(op);
            put(&mut columns.tasks, task.0.into());
            columns.last_task = task.0;
        }
    }

    #[inline]
    fn site(&mut self, site: SiteId) {
        let next = self.sites.len() as u32;
        self.columns.sites.push(*self.sites.entry(site).or_insert(next));
    }

    fn sync(&mut self, sync: SyncId, kind: SyncKind) {
        let next = self.syncs.len() as u32;
        let id = *self.syncs.entry(sync).or_insert(next);
        put(&mut self.columns.rest, id.into());
        if id == next {
            let kind = KINDS.iter().position(|&known| known == kind).unwrap_or(0);
            self.columns.rest.push(kind as u8);
        }
    }
}

fn by_number<T: Copy>(ids: &FxHashMap<T, u32>) -> Vec<T> {
    let mut all: Vec<(u32, T)> = ids.iter().map(|(&id, &number)| (number, id)).collect();
    all.sort_unstable_by_key(|&(number, _)| number);
    all.into_iter().map(|(_, id)| id).collect()
}

impl<W: Write> Observer for TraceWriter<W> {
    fn spawn(&mut self, parent: TaskId, _: TaskId, scope: ScopeId, site: SiteId) {
        self.head(op::SPAWN, parent);
        self.tasks += 1;
        put(&mut self.columns.rest, scope.0.into());
        self.site(site);
    }
    fn end(&mut self, task: TaskId) {
        self.head(op::END, task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.head(op::FINISH_BEGIN, task);
        put(&mut self.columns.rest, scope.0.into());
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.head(op::FINISH_END, task);
        put(&mut self.columns.rest, scope.0.into());
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.head(op::SIGNAL, task);
        self.sync(sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.head(op::JOIN, task);
        self.sync(sync, kind);
    }
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.head(if kind == AccessKind::Read { op::READ } else { op::WRITE }, task);
        self.accessed(location, site);
    }
    fn atomic(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.head(if kind == AccessKind::Read { op::ATOMIC_READ } else { op::ATOMIC_WRITE }, task);
        self.accessed(location, site);
    }
}

impl<W: Write> TraceWriter<W> {
    fn accessed(&mut self, location: Location, site: SiteId) {
        let next = self.locations.len() as u32;
        let id = *self.locations.entry(location).or_insert(next);
        self.columns.locations.push(id);
        if id == next {
            put(&mut self.columns.rest, zigzag(location.0.wrapping_sub(self.last_new) as i64));
            self.last_new = location.0;
        }
        self.site(site);
    }
}
