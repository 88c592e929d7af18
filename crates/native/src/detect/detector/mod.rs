//! The detector of native programs: [`LastAccess`](raceproof_core::detect::last_access) over shadow
//! memory.
//!
//! It is the core's default detector, with the same order and the same sets of readers: for every
//! location it keeps the last write and the reads since, and an access races iff one of them does
//! not happen before it. What differs:
//!
//! - A cell holds *access ids*, not steps. An access record is a step and a site; ids grow in the
//!   order in which the records are created. So the first run already knows both stacks. All
//!   accesses of the running step have ids from [`first`](crate::detect::now::first) on, and the
//!   same-epoch check is still one comparison.
//! - A location that raced is not left alone: the program runs once, so further pairs of sites are
//!   of interest. Each pair is kept once.
//! - *Mutual exclusion* is the DC order (Ogles, Aldous, Mercer, FMCAD 2019, Definition 2), computed
//!   on demand: if two conflicting accesses are not ordered, but both are made in sections of one
//!   lock, the later one is ordered after the end of the earlier one's section. Sections that do
//!   not conflict are ordered only where their insides are ([`locks`]), so the detector still finds
//!   a race that the order of the sections in this run would hide.
//! - *Atomic* accesses do not race with each other, and order nothing unless they release and
//!   acquire. In sections of one lock they conflict as others do: what the later one reads depends
//!   on which came first. Neither kind subsumes the other, so memory that is accessed atomically
//!   keeps both, in a [`Mixed`] record.
//! - Some unordered accesses cannot meet in the memory they were made to, or not on different
//!   threads: the front end says which, as a [policy](crate::detect::policy).
//!
//! What it can miss, with mutual exclusion: races that only another order of conflicting sections
//! shows. False alarms, with several locks: see the order of sections in
//! [`raceproof_core::order::conflicting`].

mod access_ids;
mod byte_groups;
mod caches;
mod collect;
mod conflicts;
mod counts;
mod fast_path;
mod finishes;
mod kernel_tasks;
pub(crate) mod last_ids;
mod locks;
mod memory;
mod mixed;
mod order_cache;
pub(crate) mod policy;
mod privates;
pub(crate) mod promises;
mod races;
mod ranges;
mod recording;
mod records;
mod representatives;
pub(crate) mod same_epoch;
pub(crate) mod sink;
mod sites;
mod slab;
pub(crate) mod spots;
mod superseded;
mod synchronisation;
mod syncs;
pub(crate) mod transitions;
mod units;
pub(crate) mod watched;

use crate::detect::cell::{AccessId, Cell, ReaderRef, Reference};
use crate::detect::contexts::Contexts;
use crate::detect::frames::{self, End, Frame};
use crate::detect::memory::{Block, Blocks};
use crate::detect::shadow;
use crate::process::fibers::Fiber;
use crate::process::stacks::Stacks;
use byte_groups::ByteGroups;
use caches::{Caches, Recent};
use collect::Collector;
use counts::Counts;
pub(crate) use finishes::Finish;
use finishes::Finishes;
use kernel_tasks::KernelTasks;
use locks::{Hold, Locks};
use memory::Frees;
use mixed::Mixed;
use policy::Premises;
use privates::Privates;
use raceproof_core::detect::freed_blocks::{self, FreedBlocks};
use raceproof_core::detect::readers::{ReaderSets, Readers};
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, StepId, SyncId, TaskId};
use raceproof_core::order::graph::GraphOrder;
use races::Races;
pub(crate) use recording::{Accessed, Recorder};
use records::{AccessRecord, AccessRecords, FlaggedSite, Flags, Merged};
use representatives::Representatives;
use rustc_hash::FxHashMap;
use sites::Sites;
pub(crate) use sites::{NOWHERE, Site};
use slab::Slab;
use synchronisation::Joins;
use syncs::Syncs;
use units::Units;
pub(crate) use units::{Division, Elements, Repeated, Share, Sizes, Work};

/// What the detector knows of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) parent: TaskId,
    /// Where it was created.
    pub(crate) created: SiteId,
    pub(crate) role: Role,
    /// The virtual thread it runs on.
    pub(crate) thread: u32,
    /// It has queried its thread number: what it accesses may depend on it.
    pub(crate) asked: bool,
    /// The finish of the order it belongs to.
    pub(crate) scope: ScopeId,
    /// Detached: nobody waits for the tasks that it, or one of those it has waited for, has
    /// created.
    pub(crate) detached: bool,
    /// Siblings may wait for its end: it has dependences.
    pub(crate) awaited: bool,
    /// Unique: no other task ever has it.
    pub(crate) serial: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Main,
    /// A thread of a team, by its number.
    Thread(u32),
    /// An explicit task; which child of its parent it is.
    Explicit(u32),
    /// A task of HClib, likewise. It belongs to the finish that the kernel says.
    Async(u32),
    /// A thread that the program has created; which child of its parent it is.
    Started(u32),
    /// Units of work, by how many its thread has begun since the last barrier: a `single`, a chunk
    /// of a loop, the thread's share of one, by how many shares it has had.
    Single(u32),
    Chunk(u32),
    Share {
        of: u32,
        ordinal: u32,
        is_sections: bool,
    },
}

/// A race: the pair of accesses that showed it first.
#[derive(Clone, Debug)]
pub(crate) struct Raced {
    pub(crate) first: RacedAccess,
    pub(crate) second: RacedAccess,
    pub(crate) address: usize,
    pub(crate) count: u64,
    /// The block of memory the address was in, and where that begins.
    pub(crate) block: Option<(usize, Block)>,
    /// The frame it was in, on a stack.
    pub(crate) frame: Option<Frame>,
    /// Ends of frames that it may have been in.
    pub(crate) ends: Vec<End>,
    /// A promise that was set too early to order the accesses.
    pub(crate) promise: Option<promises::SetBefore>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RacedAccess {
    pub(crate) kind: AccessKind,
    pub(crate) atomic: bool,
    pub(crate) freed: bool,
    /// Made by a task that `task` has waited for.
    pub(crate) folded: bool,
    /// Made by `task` or by a sibling of it.
    pub(crate) alike: bool,
    /// By which iteration of a simd loop, if the race is between two of them.
    pub(crate) lane: Option<u64>,
    /// By which iteration of a worksharing loop, or chunk, if the race is between two that one
    /// thread executed.
    pub(crate) iteration: Option<u64>,
    pub(crate) task: TaskId,
    pub(crate) site: Site,
    /// The locks held, as addresses or small numbers.
    pub(crate) locks: [usize; 4],
}

/// From this size on an access is a range check.
const LONG: usize = 24;

/// Blocks up to this size are marked whole when they are freed.
const SMALL: usize = 1 << 12;

/// How an access is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    Plain,
    Atomic,
}

pub(crate) struct Detector {
    premises: Premises,
    pub(crate) order: GraphOrder,
    pub(crate) contexts: Contexts,
    accesses: AccessRecords,
    caches: Caches,
    sites: Sites,
    sets: ReaderSets,
    /// Cells of words that are accessed by the byte.
    bytes: ByteGroups,
    /// Records of memory that is accessed atomically.
    mixed: Slab<Mixed>,
    pub(crate) tasks: Vec<Task>,
    current: TaskId,
    kernel_tasks: KernelTasks,
    units: Units,
    locks: Locks,
    syncs: Syncs,
    privates: Privates,
    pub(crate) stacks: Stacks,
    /// The stack of `main`.
    pub(crate) main_stack: Stacks,
    pub(crate) memory: Blocks,
    /// Promises of the program.
    pub(crate) promises: promises::Promises,
    freed_blocks: FreedBlocks<AccessId>,
    pub(crate) races: Races,
    /// Where races are, for a run that looks for all pairs there.
    pub(crate) racing: watched::Racing,
    /// Counts meetings of accesses that are not known to be ordered: then the result is
    /// address-dependent.
    met: u64,
    /// Describes the child of the next spawn.
    pub(crate) next: Option<Task>,
    finishes: Finishes,
    counts: Counts,
    /// The pages of shadow memory in use.
    pages: shadow::Pages,
    collector: Collector,
    /// Readers that subsume others.
    representatives: Representatives,
    joins: Joins,
    /// Mutual exclusion was used, or atomic operations in an order that the schedule chose.
    pub(crate) exclusive: bool,
    /// Another assignment of work to threads, or another size of a team, may leave unordered what
    /// this run has ordered.
    pub(crate) has_teams: bool,
    /// Whether detection is on.
    on: bool,
    /// Whether accesses may take the fast path.
    fast_path_enabled: bool,
    frees: Frees,
    /// The running task combines its part of a reduction.
    reducing: bool,
    /// Locations for which every pair of sites is wanted.
    watched: Option<Box<watched::Watching>>,
    /// The recorder, if the run is recorded.
    pub(crate) record: Option<Box<dyn Recorder>>,
}

impl Detector {
    pub(crate) fn new(stacks: Stacks, main_stack: Stacks, premises: Premises) -> Self {
        let main = Task {
            parent: TaskId::MAIN,
            created: NOWHERE,
            role: Role::Main,
            thread: 0,
            asked: false,
            scope: ScopeId::PROGRAM,
            detached: false,
            awaited: false,
            serial: 0,
        };
        // Room for what there mostly is until the first collection.
        let mut tasks = Vec::with_capacity(1 << 13);
        tasks.push(main);
        Detector {
            premises,
            order: GraphOrder::folding(),
            contexts: Contexts::new(),
            accesses: AccessRecords::new(),
            caches: Caches::new(),
            sites: Sites::new(),
            sets: ReaderSets::default(),
            bytes: ByteGroups::new(),
            mixed: Slab::new(),
            tasks,
            current: TaskId::MAIN,
            kernel_tasks: KernelTasks::new(),
            units: Units::new(),
            locks: Locks::default(),
            syncs: Syncs::default(),
            privates: Privates::new(),
            stacks,
            main_stack,
            memory: Blocks::default(),
            promises: Default::default(),
            freed_blocks: FreedBlocks::default(),
            races: Races::default(),
            racing: Default::default(),
            met: 0,
            next: None,
            finishes: Finishes::new(),
            counts: Counts::new(),
            pages: shadow::Pages::new(),
            collector: Collector::new(),
            representatives: Representatives::new(),
            joins: Joins::default(),
            exclusive: false,
            has_teams: false,
            on: true,
            fast_path_enabled: false,
            frees: Frees::default(),
            reducing: false,
            watched: None,
            record: None,
        }
    }

    // ---- accesses ----

    /// A read or write of `size` bytes by the running task, from an access whose call returns to
    /// `pc`.
    pub(crate) fn access(
        &mut self,
        address: usize,
        size: usize,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) {
        if !self.on || size == 0 {
            return;
        }
        let manner = if self.reducing { Manner::Atomic } else { manner };
        if size >= LONG && manner == Manner::Plain && !self.wants_each() {
            return self.long(address, size, kind, pc);
        }
        self.record_access(address, size, kind, manner, pc);
        if size == 8 && self.pair(address, kind, manner, pc) {
            return;
        }
        let end = address + size;
        let mut at = address;
        // Neighbouring cells are mostly alike.
        let mut last: Option<(Cell, Cell, bool)> = None;
        while at < end {
            let granule = at & !3;
            let next = (granule + 4).min(end);
            if self.watched.is_some() && self.is_watched(at, next, kind, manner, pc) {
                at = next;
                last = None;
                continue;
            }
            let cell = shadow::cell(granule);
            // SAFETY: every address has its cell in the region reserved at the start, and nobody
            // else has a reference to it.
            if unsafe { *cell } == Cell::default() {
                self.pages.touch(cell);
            }
            // SAFETY: a cell of the region; `touch` has given its reference back.
            let content = unsafe { *cell };
            if content == Cell::default() {
                self.check_freed(at, kind, manner, pc);
            }
            let whole = at == granule && next == granule + 4;
            if let Some((before, after, races)) = last
                && before == content
                && whole
            {
                if races {
                    self.note_racing(granule);
                }
                // SAFETY: a cell of the region, to which no other reference exists.
                unsafe { after.put(std::array::from_mut(&mut *cell)) };
                at = next;
                continue;
            }
            if whole && !matches!(content.reference(), Some(Reference::Bytes(_))) {
                let (after, races) =
                    self.races_there(granule, |detector| detector.update(content, granule, kind, manner, pc));
                // SAFETY: a cell of the region; `update` has given its references back.
                unsafe { after.put(std::array::from_mut(&mut *cell)) };
                // Each address that is accessed atomically has a record of its own.
                last = (!content.writer.is_reference() && !after.writer.is_reference())
                    .then_some((content, after, races));
            } else {
                let after = self.word_by_bytes(content, at..next, kind, manner, pc);
                // SAFETY: a cell of the region; `word_by_bytes` has given its references back.
                unsafe { after.put(std::array::from_mut(&mut *cell)) };
            }
            at = next;
        }
    }

    /// The cells of the bytes of a word, after an access to some of them.
    fn update_bytes(
        &mut self,
        cells: &mut [Cell; 4],
        bytes: std::ops::Range<usize>,
        kind: AccessKind,
        manner: Manner,
        pc: usize,
    ) {
        // Neighbours are mostly alike here, too.
        let mut last: Option<(Cell, Cell)> = None;
        for address in bytes {
            let cell = &mut cells[address % 4];
            let before = *cell;
            *cell = match last {
                Some((like, after)) if like == before => after,
                _ => self.update(before, address, kind, manner, pc),
            };
            last = (!before.writer.is_reference() && !cell.writer.is_reference()).then_some((before, *cell));
        }
    }

    /// The cell after an access.
    #[inline]
    fn update(&mut self, cell: Cell, address: usize, kind: AccessKind, manner: Manner, pc: usize) -> Cell {
        match (kind, manner) {
            _ if cell.writer.is_reference() => self.mixed(cell, address, kind, manner, pc),
            (AccessKind::Read, Manner::Plain) => self.read(cell, address, pc),
            (AccessKind::Write, Manner::Plain) => self.write(cell, address, pc),
            (kind, Manner::Atomic) => self.mixed(cell, address, kind, manner, pc),
        }
    }

    #[inline(always)]
    fn read(&mut self, cell: Cell, address: usize, pc: usize) -> Cell {
        if cell.writer.is_since(self.first()) || self.has_read(cell.readers) {
            return cell;
        }
        if let Some(writer) = cell.writer.access() {
            if !self.is_ordered_at(writer, address) {
                self.conflict(writer, AccessKind::Write, AccessKind::Read, Manner::Plain, address, pc);
            } else if self.units.own.holds(address) {
                self.follow_single(writer);
            }
        }
        // Every earlier reader happens before this one, which subsumes it.
        if !cell.readers.is_set() && (cell.readers.is_none() || self.is_below_watermark(cell.readers.id())) {
            return Cell { readers: self.number(pc, Flags::PLAIN).into(), ..cell };
        }
        if self.is_subsumed(cell.readers, address, pc) {
            return cell;
        }
        let id = self.number(pc, Flags::PLAIN);
        Cell { readers: self.add_reader(cell.readers, id), ..cell }
    }

    /// Whether the running step is the last of the readers.
    #[inline(always)]
    fn has_read(&self, readers: ReaderRef) -> bool {
        readers.is_since(self.first(), crate::detect::now::first_set())
    }

    #[inline(always)]
    fn write(&mut self, cell: Cell, address: usize, pc: usize) -> Cell {
        if cell.writer.is_since(self.first()) && cell.readers.is_none() {
            return cell;
        }
        // If the running step is the only reader, it has compared itself with the writer; of races
        // every pair is wanted.
        if !cell.readers.is_one_since(self.first()) || !self.races.is_empty() {
            self.check(cell, AccessKind::Write, Manner::Plain, address, pc);
        }
        Cell::written_by(self.number(pc, Flags::PLAIN))
    }

    /// Checks an access against the writer of a cell and, if it writes, the readers.
    #[inline(always)]
    fn check(&mut self, cell: Cell, kind: AccessKind, manner: Manner, address: usize, pc: usize) {
        if let Some(writer) = cell.writer.access()
            && !self.is_ordered_at(writer, address)
        {
            self.conflict(writer, AccessKind::Write, kind, manner, address, pc);
        }
        if kind == AccessKind::Write
            && let Some(reader) = cell.readers.one()
            && (self.is_below_watermark(reader) || self.is_ordered_by_address(reader, address))
        {
            return;
        }
        if kind == AccessKind::Write && !cell.readers.is_none() {
            self.check_all(cell.readers, AccessKind::Read, kind, manner, address, pc);
        }
    }

    #[inline(never)]
    fn check_all(
        &mut self,
        others: ReaderRef,
        were: AccessKind,
        kind: AccessKind,
        manner: Manner,
        address: usize,
        pc: usize,
    ) -> bool {
        let mut ordered = true;
        let mut rest = others.readers();
        while let Some(readers) = rest {
            let element;
            (element, rest) = self.sets.split(readers);
            let id = AccessId::of_element(element);
            if !self.is_ordered_at(id, address) {
                self.conflict(id, were, kind, manner, address, pc);
                ordered = false;
            }
        }
        ordered
    }

    // ---- readers ----

    #[inline(never)]
    fn add_reader(&mut self, readers: ReaderRef, id: AccessId) -> ReaderRef {
        if readers.is_none() {
            return id.into();
        }
        let spare = self.spare_chunks(readers);
        let (from, current, iteration) = (self.units.from, self.current, self.units.iteration);
        let (order, all, caches) = (&mut self.order, &self.accesses, &mut self.caches);
        let mut subsumed = |old: StepId| {
            let id = AccessId::of_element(old);
            // Of two iterations of one loop neither subsumes the other.
            if id >= from {
                let AccessRecord { step, iteration: made, .. } = all[id];
                let is_own = order.task_of(step) == current;
                return if is_own { made == iteration } else { order.precedes_now_evidently(step) };
            }
            if order.is_below_watermark(old.0) {
                return true;
            }
            if spare.as_ref().is_some_and(|spare| spare.contains(&id)) {
                return true;
            }
            if let Some(answer) = caches.answer(id) {
                return answer;
            }
            let is = order.precedes_now_evidently(all[id].step);
            if is {
                caches.add_ordered(id);
            } else {
                caches.add_unordered(id);
            }
            is
        };
        if let Some(one) = readers.one() {
            if subsumed(one.element()) {
                return id.into();
            }
            return Readers::Set(self.sets.pair(one.element(), id.element())).into();
        }
        let set = readers.set_id();
        if self.sets.newest(set) == id.element() {
            return readers;
        }
        self.sets.add(set, id.element(), subsumed).into()
    }

    /// The accesses among the readers of a cell, newest first.
    fn list(&self, readers: ReaderRef) -> Vec<AccessId> {
        let mut rest = readers.readers();
        let next = || {
            let element;
            (element, rest) = self.sets.split(rest?);
            Some(AccessId::of_element(element))
        };
        std::iter::from_fn(next).collect()
    }

    /// The unique number of the running task.
    pub(crate) fn identity(&self) -> u64 {
        self.tasks[self.current.index()].serial
    }

    /// How many tasks there were, and steps of them.
    pub(crate) fn statistics(&self) -> (u64, u64) {
        self.counts.statistics()
    }

    /// The task of the order that runs.
    pub(crate) fn current(&self) -> TaskId {
        self.current
    }

    /// The task of the kernel that runs.
    pub(crate) fn running(&self) -> TaskId {
        self.kernel_tasks.running()
    }

    /// As which task of the order a task of the kernel runs, or has.
    pub(crate) fn runs_as(&self, task: TaskId) -> TaskId {
        self.kernel_tasks.runs_as(task)
    }
}
