//! DRDP: races of programs with promises, on the fly.
//!
//! Paper: F. Jin et al., *Dynamic Determinacy Race Detection for Task-Parallel Programs with
//! Promises*, 2023, Figure 8 (shadow memory). The order, the traversal options and what is wrong
//! with the figures are in [`order::dpst`](crate::order::dpst).
//!
//! For each location: the last writer, and the readers since. A read is checked against the writer,
//! a write against the writer and the readers, which it replaces. Until the first race on a
//! location its writes are totally ordered and each follows the reads before it, so an access that
//! is ordered after the last writer and its readers is ordered after all that came before: the
//! locations reported are exactly the racy ones. Of further races on the same location some are met
//! and some are not.
//!
//! Departures: the paper keeps every reader since the last write (13 to 26 GB in its tables). Here
//! a reader goes when another one in the list subsumes it: one that it precedes, or one of a task
//! of the same finish if both tasks have ended and neither signalled or spawned after its read,
//! because from then on both precede the same steps. The list is swept whenever it has doubled, so
//! a read costs O(1) queries amortised. The paper's rule that a read is entered only if it does not
//! race is dropped: it would save nothing and hide later races.
//!
//! Cost: a query of the order for each read, and one for each reader in the list for each write.
//! With mutual exclusion the verdict is about the observed order of sections; without, about all
//! schedules.

use super::{Access, Detector, Pair, Races};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use crate::order::dpst::{Dpst, GraphOrder, JoinOrder, Leaf, SearchStats};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy)]
struct Entry {
    step: Leaf,
    task: TaskId,
    site: SiteId,
    /// How far the task had come: see [`Dpst::silent_since`].
    exits: u32,
}

impl Entry {
    fn access(&self, kind: AccessKind) -> Access {
        Access { task: self.task, kind, site: self.site }
    }
}

#[derive(Default)]
struct Cell {
    writer: Option<Entry>,
    readers: Vec<Entry>,
    /// The number of readers at which the list is swept next.
    sweep_at: usize,
}

/// Lists shorter than this are not worth a sweep.
const SWEEP_FROM: usize = 4;

pub struct Drdp {
    order: Dpst,
    shadow: FxHashMap<Location, Cell>,
    races: Races,
}

impl Default for Drdp {
    fn default() -> Self {
        Self::new(GraphOrder::default(), JoinOrder::default())
    }
}

impl Drdp {
    pub fn new(graph_order: GraphOrder, join_order: JoinOrder) -> Self {
        Drdp {
            order: Dpst::new(graph_order, join_order),
            shadow: FxHashMap::default(),
            races: Races::default(),
        }
    }

    /// How much the queries had to search so far.
    pub fn stats(&self) -> SearchStats {
        self.order.stats
    }

    /// The length of the longest reader list at present.
    pub fn longest_reader_list(&self) -> usize {
        self.shadow.values().map(|cell| cell.readers.len()).max().unwrap_or(0)
    }
}

impl Cell {
    fn read(&mut self, order: &mut Dpst, races: &mut Races, location: Location, now: Entry) {
        self.check_writer(order, races, location, now.access(AccessKind::Read), now.task);
        match self.readers.last_mut() {
            Some(last) if last.step == now.step => return,
            Some(last) if last.task == now.task => *last = now,
            _ => self.readers.push(now),
        }
        if self.readers.len() >= self.sweep_at.max(SWEEP_FROM) {
            self.sweep(order, now);
            self.sweep_at = 2 * self.readers.len();
        }
    }

    fn write(&mut self, order: &mut Dpst, races: &mut Races, location: Location, now: Entry) {
        let access = now.access(AccessKind::Write);
        self.check_writer(order, races, location, access, now.task);
        for reader in &self.readers {
            if reader.step != now.step && !order.precedes(reader.step, reader.task, now.task) {
                races.add(location, reader.access(AccessKind::Read), access);
            }
        }
        *self = Cell { writer: Some(now), ..Cell::default() };
    }

    fn check_writer(
        &self,
        order: &mut Dpst,
        races: &mut Races,
        location: Location,
        access: Access,
        task: TaskId,
    ) {
        let Some(writer) = &self.writer else { return };
        if !order.precedes(writer.step, writer.task, task) {
            races.add(location, writer.access(AccessKind::Write), access);
        }
    }

    /// Drops the readers that another one subsumes; `now` is the newest.
    fn sweep(&mut self, order: &mut Dpst, now: Entry) {
        let mut silent = FxHashSet::default();
        self.readers.retain(|reader| {
            if reader.step == now.step {
                return true;
            }
            match order.silent_since(reader.task, reader.exits) {
                Some(scope) if !silent.insert(scope) => false,
                _ => !order.precedes(reader.step, reader.task, now.task),
            }
        });
    }
}

impl Detector for Drdp {
    fn finish(self) -> Vec<Pair> {
        self.races.into_vec()
    }
}

impl Observer for Drdp {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        self.order.spawn(parent, child, scope);
    }
    fn end(&mut self, task: TaskId) {
        self.order.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, _: ScopeId) {
        self.order.finish_begin(task);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.order.finish_end(task, scope);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, _: SyncKind) {
        self.order.signal(task, sync);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, _: SyncKind) {
        self.order.join(task, sync);
    }
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        let now = Entry { step: self.order.step(task), task, site, exits: self.order.exits(task) };
        let cell = self.shadow.entry(location).or_default();
        match kind {
            AccessKind::Read => cell.read(&mut self.order, &mut self.races, location, now),
            AccessKind::Write => cell.write(&mut self.order, &mut self.races, location, now),
        }
    }
}
