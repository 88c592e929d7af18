//! Races by epochs: one write and the reads since, for traces of millions of events.
//!
//! Flanagan and Freund, *FastTrack: efficient and precise dynamic race detection* (PLDI 2009), over
//! any [`Order`], with the races counted by their pair of source sites, as RAPID gives them. For
//! each location it keeps the last write and the reads since: one of them while each read knows the
//! one before, else one for each slot.
//!
//! Cost, beyond the order's: two or three comparisons for an access, in one cell of 32 bytes; a
//! write after reads that did not know each other takes one comparison for each. Memory grows with
//! locations, slots and racing pairs of sites, and not with events. Locations must be dense
//! numbers, as every [`Source`](crate::trace::Source) gives them.
//!
//! Departures from FastTrack: a repeated access of one epoch is a same-epoch hit, but its site is
//! the one that is reported; reads that a write is not ordered after stay, since a later write may
//! race with them as well.
//!
//! Atomic accesses, which native programs have, race with others and never with each other, so
//! neither subsumes the other: the last of each slot is kept beside the cell.
//!
//! What it can miss: pairs of sites. For every location of which two accesses race by the order at
//! least one race is found, and the first one; [`predict`](super::predict) finds every pair of
//! sites, at some ten times the cost. False alarms: as the order's.

use super::Access;
use super::cells::{Cell, Cells, Now, Part};
use super::last_of_each::Seen;
use crate::event::{AccessKind, Event, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use crate::order::Order;
use crate::order::clock::{Epoch, Known, Times};
use std::hint::black_box;

pub use super::cells::{Atomic, SiteRaces};

/// So many cells are no longer close by.
pub(super) const FAR: usize = 1 << 15;

/// How many cells are fetched together.
pub(super) const AHEAD: usize = 128;

/// See the module.
#[derive(Debug)]
pub struct Epochs<O> {
    order: O,
    cells: Cells,
}

/// What an order says of an epoch and now, as a clock.
struct Precedes<'a, O>(&'a O);

impl<O: Order> Known for Precedes<'_, O> {
    #[inline]
    fn covers(&self, epoch: Epoch) -> bool {
        self.0.precedes(epoch)
    }
}

/// The same of what a task did last.
struct Knows<'a, O>(&'a O, TaskId);

impl<O: Order> Known for Knows<'_, O> {
    fn covers(&self, epoch: Epoch) -> bool {
        self.0.knows(self.1, epoch)
    }
}

impl<O: Default> Default for Epochs<O> {
    fn default() -> Self {
        Epochs { order: O::default(), cells: Cells::new(Part::ALL) }
    }
}

impl<O: Order> Epochs<O> {
    /// The races by pair of sites and kinds of access, in the order of discovery.
    pub fn races(&self) -> &[SiteRaces] {
        &self.cells.races.pairs
    }

    /// The locations that have a race, in the order of discovery.
    pub fn racy(&self) -> &[Location] {
        &self.cells.races.racy
    }

    /// Takes events in turn, faster than one by one: the cells of a few are looked at before, so
    /// that the memory they are in is fetched for all of them together. With many locations nearly
    /// every cell is far away.
    pub fn observe(&mut self, events: &[Event]) {
        for few in events.chunks(AHEAD) {
            if self.cells.cells.len() >= FAR {
                let cells = few.iter().map(|event| match event {
                    Event::Access { location, .. } => location.0 as usize,
                    _ => 0,
                });
                black_box(
                    cells.fold(0, |all, at| all | self.cells.cells.get(at).map_or(0, |cell| cell.several)),
                );
            }
            let mut rest = few;
            while let Some(event) = rest.first() {
                let known = match event {
                    Event::Access { task, .. } => self.known_accesses(*task, rest),
                    _ => 0,
                };
                if known == 0 {
                    event.deliver(self);
                }
                rest = &rest[known.max(1)..];
            }
        }
    }

    /// Takes the accesses of `task` that come first, up to one after which there is more to do; how
    /// many.
    fn known_accesses(&mut self, task: TaskId, events: &[Event]) -> usize {
        let Some((epoch, clock)) = self.order.steady(task) else { return 0 };
        match clock.times() {
            Times::Short(times) => known_accesses(&mut self.cells.cells, &times[..], task, epoch, events),
            Times::Long(times) => known_accesses(&mut self.cells.cells, &times[..], task, epoch, events),
            Times::Tree(tree) => known_accesses(&mut self.cells.cells, tree, task, epoch, events),
        }
    }
}

/// See [`Epochs::known_accesses`].
fn known_accesses(
    cells: &mut [Cell],
    known: &(impl Known + ?Sized),
    task: TaskId,
    epoch: Epoch,
    events: &[Event],
) -> usize {
    for (event, done) in events.iter().zip(0..) {
        let Event::Access { task: by, kind, location, site } = *event else { return done };
        let Some(cell) = cells.get_mut(location.0 as usize).filter(|_| by == task) else { return done };
        if !cell.follows_all(|epoch| known.covers(epoch)) {
            return done;
        }
        cell.replace(kind, Seen { epoch, site });
    }
    events.len()
}

impl<O: Order> Observer for Epochs<O> {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.order.spawn(parent, child, scope, site);
        self.cells.spawn(self.order.epoch_of(child).slot, child);
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
    fn atomic(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        let (by, epoch) = (Access { task, kind, site }, self.order.epoch_of(task));
        self.cells.atomic(Now { by, epoch, location, event: 0 }, &Knows(&self.order, task));
    }
    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.order.access(task, kind, location, site);
        let (by, epoch) = (Access { task, kind, site }, self.order.epoch());
        self.cells.access(Now { by, epoch, location, event: 0 }, &Precedes(&self.order));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::hb::Hb;

    #[test]
    fn many_at_a_time_give_the_races_of_one_at_a_time() {
        let access = |task, kind, location: usize, site| Event::Access {
            task: TaskId(task),
            kind,
            location: Location(location as u64),
            site: SiteId(site),
        };
        let mut events: Vec<Event> = (1..=2)
            .map(|child| Event::Spawn {
                parent: TaskId::MAIN,
                child: TaskId(child),
                scope: ScopeId::PROGRAM,
                site: SiteId(0),
            })
            .collect();
        // So many that the cells of later ones are fetched ahead; the second task meets the first
        // at every tenth.
        let cells = 2 * FAR;
        events.extend((0..cells).map(|at| access(1, AccessKind::Write, at, 1)));
        events.extend((0..cells).map(|at| {
            let location = if at % 10 == 0 { at } else { cells + at };
            access(2, if at % 20 == 0 { AccessKind::Read } else { AccessKind::Write }, location, 2)
        }));
        let (mut one, mut many) = (Epochs::<Hb>::default(), Epochs::<Hb>::default());
        events.iter().for_each(|event| event.deliver(&mut one));
        events.chunks(1_000).for_each(|some| many.observe(some));
        assert_eq!(one.races(), many.races());
        assert_eq!(one.racy(), many.racy());
        assert_eq!(one.racy().len(), cells.div_ceil(10));
    }
}
