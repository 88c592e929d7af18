//! What the tasks of one run share beside the kernel: the cells of shared data, the values of
//! promises, and where everything was made.
//!
//! Handles (`Shared`, `Promise`, …) are small copies that name an entry here and the run it belongs
//! to. So they can be moved into any closure, and a handle that outlives its run is refused instead
//! of dangling.

use super::sites::{Caller, Sites};
pub(crate) use crate::program::Failure;
use raceproof_core::finding::Place;
use raceproof_core::ids::{Location, SiteId, SyncId, TaskId};
use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

/// Shared cells a run may have.
pub(crate) const MAX_CELLS: u64 = 1 << 28;

impl Failure {
    pub(crate) fn error(kind: &'static str, message: impl Into<String>, at: Place) -> Self {
        Failure { kind: Some(kind), message: message.into(), at: Some(at), by_chance: false }
    }

    pub(crate) fn limit(message: impl Into<String>, at: Option<Place>) -> Self {
        Failure { kind: None, message: message.into(), at, by_chance: false }
    }
}

/// Whether tasks run or are taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Running,
    /// The run is over and a task that has not ended is unwound.
    Unwinding,
    /// The run is over and what is left of it is dropped.
    Dropping,
}

/// A block of shared cells that was made at once.
struct Region {
    base: u64,
    /// None for a scalar.
    len: Option<u64>,
    name: Option<Cow<'static, str>>,
    site: SiteId,
    /// A `Cell<T>`, or an array of them.
    cells: Box<dyn Any>,
}

/// A handle's claim on an entry of a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    run: u64,
    pub(crate) entry: u32,
}

struct SyncRecord {
    site: SiteId,
    name: Option<Cow<'static, str>>,
    value: Option<Rc<dyn Any>>,
}

/// See the module.
pub(crate) struct World {
    run: u64,
    pub(crate) sites: Rc<Sites>,
    regions: Vec<Region>,
    cells: u64,
    /// By sync.
    syncs: Vec<Option<SyncRecord>>,
    pub(crate) phase: Phase,
    /// Where the task that was suspended last stands.
    pub(crate) at: SiteId,
    /// Why the run has to stop.
    pub(crate) stopped: Option<Failure>,
    /// Tasks that must not go on although a `catch_unwind` of theirs lets them, and why.
    pub(crate) broken: Vec<(TaskId, Failure)>,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    /// A hash of all events so far.
    pub(crate) trace: u64,
}

impl World {
    pub(crate) fn new(sites: Rc<Sites>) -> Self {
        thread_local!(static RUNS: Cell<u64> = const { Cell::new(0) });
        World {
            run: RUNS.replace(RUNS.get() + 1),
            sites,
            regions: Vec::new(),
            cells: 0,
            syncs: Vec::new(),
            phase: Phase::Running,
            at: SiteId(0),
            stopped: None,
            broken: Vec::new(),
            reads: 0,
            writes: 0,
            trace: 0,
        }
    }

    /// Adds to the hash of events.
    #[inline]
    pub(crate) fn note(&mut self, word: u64) {
        self.trace = (self.trace.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    // ---- shared data ----

    pub(crate) fn has_room(&self, len: u64) -> bool {
        self.cells.checked_add(len).is_some_and(|cells| cells <= MAX_CELLS)
    }

    pub(crate) fn add_cells(
        &mut self,
        len: Option<u64>,
        name: Option<Cow<'static, str>>,
        at: Caller,
        cells: Box<dyn Any>,
    ) -> (Claim, Location) {
        let (site, base) = (self.sites.id(at), self.cells);
        self.regions.push(Region { base, len, name, site, cells });
        self.cells += len.unwrap_or(1);
        (Claim { run: self.run, entry: (self.regions.len() - 1) as u32 }, Location(base))
    }

    #[inline]
    pub(crate) fn owns(&self, claim: Claim) -> bool {
        claim.run == self.run
    }

    /// The cells a handle names, if it is of this run.
    #[inline]
    pub(crate) fn cells<C: 'static>(&self, claim: Claim) -> Option<&C> {
        if !self.owns(claim) {
            return None;
        }
        self.regions.get(claim.entry as usize)?.cells.downcast_ref()
    }

    /// The name of a cell: as it was given, or after the place where it was made.
    pub(crate) fn cell_name(&self, location: Location) -> String {
        // Empty arrays share the base of the next block; the last one at or below the cell has it.
        let Some(at) = self.regions.partition_point(|region| region.base <= location.0).checked_sub(1) else {
            return format!("cell {}", location.0);
        };
        let region = &self.regions[at];
        let name = region.name.as_deref().map_or_else(
            || {
                let Place { file, line, .. } = self.sites.place(region.site);
                let what = if region.len.is_some() { "SharedArray" } else { "Shared" };
                format!("{what}@{file}:{line}")
            },
            str::to_owned,
        );
        match region.len {
            Some(_) => format!("{name}[{}]", location.0 - region.base),
            None => name,
        }
    }

    // ---- promises, futures, locks, semaphores, events ----

    pub(crate) fn add_sync(&mut self, sync: SyncId, name: Option<Cow<'static, str>>, at: Caller) -> Claim {
        let site = self.sites.id(at);
        if self.syncs.len() <= sync.index() {
            self.syncs.resize_with(sync.index() + 1, || None);
        }
        self.syncs[sync.index()] = Some(SyncRecord { site, name, value: None });
        Claim { run: self.run, entry: sync.0 }
    }

    #[inline]
    pub(crate) fn sync(&self, claim: Claim) -> Option<SyncId> {
        self.owns(claim).then_some(SyncId(claim.entry))
    }

    pub(crate) fn put(&mut self, sync: SyncId, value: Rc<dyn Any>) {
        if let Some(Some(made)) = self.syncs.get_mut(sync.index()) {
            made.value = Some(value);
        }
    }

    pub(crate) fn value(&self, sync: SyncId) -> Option<Rc<dyn Any>> {
        self.syncs.get(sync.index())?.as_ref()?.value.clone()
    }

    pub(crate) fn sync_name(&self, sync: SyncId) -> String {
        let Some(Some(made)) = self.syncs.get(sync.index()) else { return String::new() };
        made.name.as_deref().map_or_else(
            || {
                let Place { file, line, column } = self.sites.place(made.site);
                format!("made at {file}:{line}:{column}")
            },
            str::to_owned,
        )
    }

    /// Takes out what the program has put in, to be dropped by the caller.
    pub(crate) fn take_values(&mut self) -> Vec<Rc<dyn Any>> {
        self.syncs.iter_mut().flatten().filter_map(|made| made.value.take()).collect()
    }
}
