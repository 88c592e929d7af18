//! raceproof's own detector, the default: per location the last write and the reads since, over the
//! graph order.
//!
//! *Which location has a race?* An access races iff the last write, or for a write one of the reads
//! since, does not precede it in the [graph order](crate::order::graph) ("does a precede b?" is
//! answered there, mostly from the tree of tasks). Remembering only these is enough to find, for
//! every location, whether it has a race: as long as a location has none, its writes are totally
//! ordered and each read lies between two of them, so whatever is unordered with a forgotten access
//! is unordered with a remembered one. Once a location is known to race it is left alone. All pairs
//! of accesses that race on such locations are a second run's work ([`pairs`](super::pairs)): runs
//! are deterministic, races are rare, and so the first run needs no source sites and pays nothing
//! for them.
//!
//! What it keeps: 8 bytes a location, the step of the last write and the readers since: one step,
//! or a shared set of steps ([`readers`](super::readers)) of which those that precede a newer
//! reader are dropped.
//!
//! What it costs: a same-epoch hit is one load and one comparison; an access after one by the same
//! task, its parent, or the task last asked about is one more load and a few comparisons. A write
//! after many readers checks each of them once for all locations that have the same readers.
//!
//! What it can miss: nothing, for programs without mutual exclusion. With locks, isolated sections
//! and semaphores the order is the observed one, and races that only another order of the sections
//! would show are not found.

use super::readers::{ReaderSets, Readers, SetId};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, StepId, SyncId, TaskId};
use crate::order::graph::GraphOrder;

/// What is remembered of a location. Steps are stored plus one, so that zero is "none" and fresh
/// cells cost nothing.
#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    /// The last write, or `RACY`.
    writer: u32,
    /// The reads since: none, a step, or with the top bit set a shared set.
    readers: u32,
}

const RACY: u32 = u32::MAX;
const SET: u32 = 1 << 31;

impl Cell {
    #[inline]
    fn unpack(cell: u64) -> Self {
        Cell { writer: cell as u32, readers: (cell >> 32) as u32 }
    }

    #[inline]
    fn pack(self) -> u64 {
        u64::from(self.writer) | u64::from(self.readers) << 32
    }

    #[inline]
    fn readers(self) -> Option<Readers> {
        match self.readers {
            0 => None,
            set if set & SET != 0 => Some(Readers::Set(SetId(set & !SET))),
            step => Some(Readers::One(StepId(step - 1))),
        }
    }
}

/// See the module.
#[derive(Default, Debug)]
pub struct LastAccess {
    order: GraphOrder,
    /// Packed cells, indexed by location; plain integers, so that a large table is mapped but not
    /// touched.
    cells: Vec<u64>,
    sets: ReaderSets,
    /// A set all of whose steps are known to precede the given step.
    checked: Option<(SetId, StepId)>,
    racy: Vec<Location>,
}

impl LastAccess {
    /// The locations that have a race, in the order of discovery.
    pub fn racy(&self) -> &[Location] {
        &self.racy
    }

    pub fn steps(&self) -> usize {
        self.order.steps()
    }

    /// The cell of a location.
    #[inline]
    fn cell(&self, location: Location) -> Cell {
        Cell::unpack(self.cells.get(location.0 as usize).copied().unwrap_or(0))
    }

    #[inline]
    fn set_cell(&mut self, location: Location, cell: Cell) {
        let index = location.0 as usize;
        if index >= self.cells.len() {
            self.grow(index);
        }
        self.cells[index] = cell.pack();
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        // Zeroed afresh rather than resized: only the part that was in use is touched.
        let mut grown = vec![0; (index + 1).max(self.cells.len() * 2).max(32)];
        grown[..self.cells.len()].copy_from_slice(&self.cells);
        self.cells = grown;
    }

    #[inline]
    fn read(&mut self, location: Location) {
        let now = self.order.step();
        let stored = now.0 + 1;
        let cell = self.cell(location);
        if cell.readers == stored || cell.writer == stored {
            return;
        }
        self.read_first(location, cell, now);
    }

    /// A step's first read of a location it has not written.
    fn read_first(&mut self, location: Location, cell: Cell, now: StepId) {
        if cell.writer == RACY {
            return;
        }
        if cell.writer != 0 && !self.order.precedes_now(StepId(cell.writer - 1)) {
            return self.race(location);
        }
        let readers = match cell.readers() {
            None => Readers::One(now),
            Some(Readers::One(reader)) if self.order.precedes_now_evidently(reader) => Readers::One(now),
            Some(Readers::One(reader)) => Readers::Set(self.sets.pair(reader, now)),
            Some(Readers::Set(set)) if self.sets.newest(set) == now => return,
            Some(Readers::Set(set)) => {
                let order = &mut self.order;
                self.sets.add(set, now, |step| order.precedes_now_evidently(step))
            }
        };
        let readers = match readers {
            Readers::One(step) => step.0 + 1,
            Readers::Set(set) => set.0 | SET,
        };
        debug_assert!(now.0 < SET - 1, "more steps than a cell can name");
        self.set_cell(location, Cell { readers, ..cell });
    }

    #[inline]
    fn write(&mut self, location: Location) {
        let now = self.order.step();
        let cell = self.cell(location);
        if cell.writer == now.0 + 1 && cell.readers == 0 {
            return;
        }
        self.write_first(location, cell, now);
    }

    /// A step's first write of a location, or its first after a read.
    fn write_first(&mut self, location: Location, cell: Cell, now: StepId) {
        if cell.writer == RACY {
            return;
        }
        let ordered = (cell.writer == 0 || self.order.precedes_now(StepId(cell.writer - 1)))
            && match cell.readers() {
                None => true,
                Some(Readers::One(reader)) => self.order.precedes_now(reader),
                Some(Readers::Set(set)) => self.all_precede(set, now),
            };
        if ordered {
            self.set_cell(location, Cell { writer: now.0 + 1, readers: 0 });
        } else {
            self.race(location);
        }
    }

    fn all_precede(&mut self, set: SetId, now: StepId) -> bool {
        if self.checked == Some((set, now)) {
            return true;
        }
        let order = &mut self.order;
        let all = self.sets.steps(set).all(|step| order.precedes_now(step));
        if all {
            self.checked = Some((set, now));
        }
        all
    }

    #[cold]
    fn race(&mut self, location: Location) {
        self.set_cell(location, Cell { writer: RACY, readers: 0 });
        self.racy.push(location);
    }
}

impl Observer for LastAccess {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        self.order.spawn(parent, child, scope);
    }
    fn end(&mut self, task: TaskId) {
        self.order.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.order.finish_begin(task, scope);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.order.finish_end(task, scope);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.order.signal(task, sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.order.join(task, sync, kind);
    }
    fn edge(&mut self, task: TaskId, sync: SyncId) {
        self.order.join(task, sync, SyncKind::Lock);
    }
    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, _: SiteId) {
        self.order.enter(task);
        match kind {
            AccessKind::Read => self.read(location),
            AccessKind::Write => self.write(location),
        }
    }
}
