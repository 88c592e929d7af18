//! Races by a predictive order: shadow memory that asks any [`Order`] of `order/`.
//!
//! For each location it keeps the reads and writes that a later access may race with, each with its
//! epoch, event and site. An access is compared with all conflicting ones, newest first. One that
//! precedes a later one of the same site, kind and guard need not be kept: what is unordered with
//! it is unordered with the later one, at the same pair of sites. So every pair of sites and kinds
//! of which two accesses race is found, and the first race of all is that of Definition 3 of Ogles
//! et al.: the earliest second access, and the latest first one for it. Flanagan and Freund's
//! FastTrack (PLDI 2009) keeps less, one write and one read or a vector of reads; it finds the
//! first race of a location but not all pairs.
//!
//! Cost, beyond the order's: O(1) for an access that repeats the last one of its kind within one
//! epoch; otherwise a read takes one comparison of epochs for each write kept, a write one for each
//! read and write. What is no longer needed is looked for when the list has doubled. Kept are, for
//! each location and site, the accesses that were not ordered among each other at most twice over.

use super::{Access, Detector, Pair, Races};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use crate::order::clock::Epoch;
use crate::order::{Guard, Order};
use rustc_hash::FxHashMap;

/// A race, and which events of the run it is made of, counting from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Predicted {
    pub pair: Pair,
    pub first_event: u32,
    pub second_event: u32,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    epoch: Epoch,
    event: u32,
    task: TaskId,
    site: SiteId,
    guard: Guard,
}

/// Accesses of one kind, oldest first.
#[derive(Debug)]
struct Recent {
    records: Vec<Record>,
    /// At this length those that need not be kept are looked for.
    limit: u32,
}

const SHORT: u32 = 4;

impl Default for Recent {
    fn default() -> Self {
        Recent { records: Vec::new(), limit: SHORT }
    }
}

impl Recent {
    /// Whether `now` only repeats the last access: with nothing new on either side since, there is
    /// nothing to compare.
    #[inline]
    fn repeats(&mut self, now: &Record) -> bool {
        match self.records.last_mut() {
            Some(last)
                if (last.epoch, last.task, last.site, last.guard)
                    == (now.epoch, now.task, now.site, now.guard) =>
            {
                last.event = now.event;
                true
            }
            _ => false,
        }
    }

    fn add(&mut self, now: Record, order: &impl Order) {
        let superseded = |old: &Record| {
            old.site == now.site
                && (old.task == now.task || order.precedes(old.epoch))
                && order.is_within(now.guard, old.guard)
        };
        while self.records.last().is_some_and(superseded) {
            self.records.pop();
        }
        if self.records.len() >= self.limit as usize {
            self.records.retain(|old| !superseded(old));
            self.limit = (2 * self.records.len() as u32).max(SHORT);
        }
        self.records.push(now);
    }
}

#[derive(Debug, Default)]
struct Cell {
    reads: Recent,
    writes: Recent,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Predictor<O> {
    order: O,
    cells: FxHashMap<Location, Cell>,
    races: Races,
    /// For each race of `races`, its events.
    events: Vec<(u32, u32)>,
    /// Events so far.
    seen: u32,
    /// How many races are taken, if not all.
    most: Option<usize>,
}

impl<O: Order + Default> Predictor<O> {
    /// One that takes so many races and leaves the others aside: of n accesses there can be n²
    /// pairs.
    pub fn limited(most: usize) -> Self {
        Predictor { most: Some(most), ..Predictor::default() }
    }
}

impl<O: Order> Predictor<O> {
    /// Whether no more races are taken.
    pub fn is_full(&self) -> bool {
        self.most.is_some_and(|most| self.races.pairs().len() >= most)
    }

    /// The races by site and kind, in the order of discovery; the first is the first race of the
    /// run.
    pub fn predictions(self) -> Vec<Predicted> {
        let events = self.events.into_iter();
        let pairs = self.races.into_vec().into_iter();
        pairs
            .zip(events)
            .map(|(pair, (first_event, second_event))| Predicted { pair, first_event, second_event })
            .collect()
    }

    /// The locations that have a race, each once.
    pub fn racy(&self) -> Vec<Location> {
        let mut racy: Vec<Location> = self.races.pairs().iter().map(|pair| pair.location).collect();
        racy.sort();
        racy.dedup();
        racy
    }

    pub fn order(&self) -> &O {
        &self.order
    }

    #[inline]
    fn count(&mut self) {
        self.seen = self.seen.checked_add(1).expect("more than 2^32 events in a run");
    }

    fn examine(&mut self, now: Record, kind: AccessKind, location: Location) {
        let cell = self.cells.entry(location).or_default();
        let own = match kind {
            AccessKind::Read => &mut cell.reads,
            AccessKind::Write => &mut cell.writes,
        };
        if own.repeats(&now) {
            return;
        }
        let order = &self.order;
        let most = self.most.unwrap_or(usize::MAX);
        let mut compare = |old: &Record, old_kind: AccessKind| {
            if old.task != now.task && !order.precedes(old.epoch) && !order.share(old.guard, now.guard) {
                let first = Access { task: old.task, kind: old_kind, site: old.site };
                if self.races.pairs().len() >= most {
                    return;
                }
                if self.races.add(location, first, Access { task: now.task, kind, site: now.site }) {
                    self.events.push((old.event, now.event));
                }
            }
        };
        let mut writes = cell.writes.records.iter().rev().peekable();
        if kind == AccessKind::Write {
            for read in cell.reads.records.iter().rev() {
                while let Some(write) = writes.next_if(|write| write.event > read.event) {
                    compare(write, AccessKind::Write);
                }
                compare(read, AccessKind::Read);
            }
        }
        writes.for_each(|write| compare(write, AccessKind::Write));
        match kind {
            AccessKind::Read => cell.reads.add(now, order),
            AccessKind::Write => cell.writes.add(now, order),
        }
    }
}

impl<O: Order> Detector for Predictor<O> {
    fn finish(self) -> Vec<Pair> {
        self.races.into_vec()
    }
}

impl<O: Order> Observer for Predictor<O> {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.count();
        self.order.spawn(parent, child, scope, site);
    }
    fn end(&mut self, task: TaskId) {
        self.count();
        self.order.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.count();
        self.order.finish_begin(task, scope);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.count();
        self.order.finish_end(task, scope);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.count();
        self.order.signal(task, sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.count();
        self.order.join(task, sync, kind);
    }
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        let event = self.seen;
        self.count();
        self.order.access(task, kind, location, site);
        let now = Record { epoch: self.order.epoch(), event, task, site, guard: self.order.guard() };
        self.examine(now, kind, location);
    }
}
