//! Critical sections as WCP, DC and the weaker order see them: who holds which lock, what was
//! accessed under it, and what leaving it published.
//!
//! Two rules make sections order events, and each order fills them in its own way:
//!
//! - Rule (a), by conflict: an access in a section of a lock is ordered after the end of earlier
//!   sections of that lock with a conflicting access. For every lock and location there is a
//!   history of such sections, to which a section is added when it is left.
//! - Rule (b), by order: the end of a section is ordered after the end of an earlier section of its
//!   lock if it is already ordered after the beginning of it. The papers keep for this, for every
//!   lock and pair of threads, a queue of sections not yet known to be ordered. Here it is enough
//!   to remember the sections that *leak*: during which their task's time went on, so that somebody
//!   can know of the beginning and not of the end. These are the ones with a lock released, a task
//!   spawned or something signalled inside; all others need no rule (b). In what a task leaves
//!   behind of one lock, times ascend, and at most one section is half known: it is found by
//!   bisection.
//!
//! Cost: entering O(1); an access one look-up for each lock held; leaving O(locations accessed
//! inside) and one step for each task that left a leaking section of the lock. Leaking sections are
//! kept for the rest of the run, each with a copy of a clock.

use super::clock::{Clock, Epoch};
use crate::event::AccessKind;
use crate::ids::{Location, SyncId, TaskId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What leaving a section published: the view of its task, and when that was.
#[derive(Debug)]
pub(crate) struct Left<V> {
    pub(crate) task: TaskId,
    pub(crate) epoch: Epoch,
    pub(crate) view: V,
}

/// A section that has not been left.
#[derive(Debug)]
struct Held {
    lock: SyncId,
    /// Which section of the run it is, counting from 1.
    number: u32,
    entered: u32,
    /// Each location once.
    touched: Vec<Location>,
}

/// What is known of the accesses of one location under one lock.
#[derive(Debug, Default)]
struct Cell<H> {
    /// The numbers of the last sections that read and wrote it.
    read_in: u32,
    written_in: u32,
    /// Of the sections that have been left.
    history: H,
}

/// A section in which time went on.
#[derive(Debug)]
struct Leak<V> {
    entered: u32,
    left: Rc<Left<V>>,
}

/// The leaking sections of one lock in one slot, oldest first.
#[derive(Debug)]
struct Leaks<V> {
    slot: u32,
    sections: Vec<Leak<V>>,
}

/// The sections of a run, with histories of type `H` and views of type `V`.
#[derive(Debug)]
pub(crate) struct Sections<H, V> {
    /// By task: the sections it is in, innermost last.
    held: Vec<Vec<Held>>,
    cells: FxHashMap<(SyncId, Location), Cell<H>>,
    leaks: FxHashMap<SyncId, Vec<Leaks<V>>>,
    sections: u32,
    spare: Vec<Vec<Location>>,
}

impl<H, V> Default for Sections<H, V> {
    fn default() -> Self {
        Sections {
            held: Vec::new(),
            cells: FxHashMap::default(),
            leaks: FxHashMap::default(),
            sections: 0,
            spare: Vec::new(),
        }
    }
}

impl<H: Default, V> Sections<H, V> {
    /// `task` enters a section of `lock` at `time`.
    pub(crate) fn enter(&mut self, task: TaskId, lock: SyncId, time: u32) {
        if task.index() >= self.held.len() {
            self.held.resize_with(task.index() + 1, Vec::new);
        }
        self.sections += 1;
        let touched = self.spare.pop().unwrap_or_default();
        self.held[task.index()].push(Held { lock, number: self.sections, entered: time, touched });
    }

    /// The locks `task` holds, innermost last.
    pub(crate) fn locks(&self, task: TaskId) -> impl Iterator<Item = SyncId> + '_ {
        self.held.get(task.index()).into_iter().flatten().map(|held| held.lock)
    }

    #[inline]
    pub(crate) fn is_held(&self, task: TaskId) -> bool {
        self.held.get(task.index()).is_some_and(|held| !held.is_empty())
    }

    /// An access by `task`: `meet` is called with the history of each lock held, unless the section
    /// has had an access of this kind to the location before: as long as the lock is held its
    /// history does not change.
    pub(crate) fn touch(
        &mut self,
        task: TaskId,
        kind: AccessKind,
        location: Location,
        mut meet: impl FnMut(&H),
    ) {
        for held in &mut self.held[task.index()] {
            let cell = self.cells.entry((held.lock, location)).or_insert_with(|| Cell {
                read_in: 0,
                written_in: 0,
                history: H::default(),
            });
            let (this, that) = match kind {
                AccessKind::Read => (&mut cell.read_in, cell.written_in),
                AccessKind::Write => (&mut cell.written_in, cell.read_in),
            };
            if *this == held.number {
                continue;
            }
            *this = held.number;
            if that != held.number {
                held.touched.push(location);
            }
            meet(&cell.history);
        }
    }

    /// Rule (b): calls `meet` for each slot that has left a section of `lock` of whose beginning,
    /// but not of whose end, `known` says, given `state` and the slot.
    ///
    /// One pass is enough: an earlier section that becomes half known by following a later one has
    /// already been followed by that one.
    pub(crate) fn half_known<S>(
        &self,
        lock: SyncId,
        state: &mut S,
        known: impl Fn(&S, u32) -> u32,
        meet: impl Fn(&mut S, &V),
    ) {
        for Leaks { slot, sections } in self.leaks.get(&lock).into_iter().flatten() {
            let time = known(state, *slot);
            let begun = sections.partition_point(|leak| leak.entered <= time);
            if let Some(leak) = begun.checked_sub(1).map(|at| &sections[at])
                && leak.left.epoch.time > time
            {
                meet(state, &leak.left.view);
            }
        }
    }

    /// `task` leaves its section of `lock`. `note` is called with the history of each location
    /// accessed inside, and whether it was read and written.
    pub(crate) fn leave(
        &mut self,
        task: TaskId,
        lock: SyncId,
        epoch: Epoch,
        view: impl FnOnce() -> V,
        mut note: impl FnMut(&mut H, &Rc<Left<V>>, bool, bool),
    ) {
        let Some(held) = self.held.get_mut(task.index()) else { return };
        let Some(at) = held.iter().rposition(|held| held.lock == lock) else { return };
        let Held { number, entered, mut touched, .. } = held.remove(at);
        let leaks = epoch.time > entered;
        if leaks || !touched.is_empty() {
            let left = Rc::new(Left { task, epoch, view: view() });
            for location in touched.drain(..) {
                if let Some(cell) = self.cells.get_mut(&(lock, location)) {
                    note(&mut cell.history, &left, cell.read_in == number, cell.written_in == number);
                }
            }
            if leaks {
                let slots = self.leaks.entry(lock).or_default();
                let at = slots.iter().position(|leaks| leaks.slot == epoch.slot).unwrap_or_else(|| {
                    slots.push(Leaks { slot: epoch.slot, sections: Vec::new() });
                    slots.len() - 1
                });
                slots[at].sections.push(Leak { entered, left });
            }
        }
        self.spare.push(touched);
    }
}

/// Sections that read, or that wrote, one location under one lock: all a later one may have to be
/// ordered after.
#[derive(Debug)]
pub(crate) struct Recent<V> {
    pub(crate) sections: Vec<Rc<Left<V>>>,
    /// At this length those that precede others are looked for.
    limit: usize,
}

impl<V> Default for Recent<V> {
    fn default() -> Self {
        Recent { sections: Vec::new(), limit: SHORT }
    }
}

const SHORT: usize = 8;

impl<V> Recent<V> {
    /// Adds a section. `precedes` says of which older ones it knows, so that they need not be kept
    /// beside it; it is asked about all of them only when they have doubled, so that the cost does
    /// not grow with them.
    pub(crate) fn add(&mut self, left: &Rc<Left<V>>, precedes: impl Fn(Epoch) -> bool) {
        while self.sections.last().is_some_and(|old| precedes(old.epoch)) {
            self.sections.pop();
        }
        if self.sections.len() >= self.limit {
            self.sections.retain(|old| !precedes(old.epoch));
            self.limit = (2 * self.sections.len()).max(SHORT);
        }
        self.sections.push(Rc::clone(left));
    }

    /// Makes a section the only one.
    pub(crate) fn replace(&mut self, left: &Rc<Left<V>>) {
        self.sections.clear();
        self.sections.push(Rc::clone(left));
    }
}

impl Recent<Clock> {
    /// Rule (a): orders what comes after the ends of these sections.
    pub(crate) fn precede(&self, view: &mut Clock) {
        for left in &self.sections {
            if !view.covers(left.epoch) {
                view.join(&left.view);
            }
        }
    }
}
