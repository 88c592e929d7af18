//! Races by epochs with the locations shared out: clocks once, then the cells of each part by
//! itself.
//!
//! Under an order whose clocks no access changes ([`Order::steady`]: happens-before) the cell of a
//! location depends on the accesses of that location, in their order, and on the epoch and clock of
//! each. So [`Clocks`] goes over the synchronisation of a stretch of events and writes down, for
//! every run of accesses of one task, its epoch and a copy of its clock. A [`Shard`] has the cells
//! of every n-th location and takes from each stretch the accesses of these; shards need nothing of
//! each other, and what they find is joined by the number of the event at which it was found. The
//! result is that of [`Epochs`](super::epochs::Epochs), race for race and in the same order.
//!
//! Cost, beyond that of the cells and the clocks: a copy of a clock for each time that a task
//! accesses something after its clock has changed, into memory that is used again; for every shard
//! one multiplication for each access of the others. Copies of trees share what they are copied
//! from.

use super::Access;
use super::cells::{Cells, Now, Part};
use super::epochs::{AHEAD, FAR, SiteRaces};
use crate::event::Event;
use crate::ids::TaskId;
use crate::order::Order;
use crate::order::clock::{Clock, Epoch, Known};
use rustc_hash::FxHashMap;
use std::hint::black_box;

/// Events with what the clocks say of them.
#[derive(Debug, Default)]
pub(crate) struct Timed {
    pub(crate) events: Vec<Event>,
    /// The number of the first.
    first: u64,
    steps: Vec<Step>,
    clocks: Vec<Clock>,
    /// How many of the clocks are in use; the others only have memory.
    used: usize,
}

#[derive(Debug)]
enum Step {
    /// The events up to this one are accesses of one task; the clock is among `clocks`.
    Accesses {
        from: u32,
        to: u32,
        task: TaskId,
        epoch: Epoch,
        clock: u32,
    },
    Spawn {
        slot: u32,
        task: TaskId,
    },
}

impl Timed {
    /// Copies a clock; where to.
    fn keep(&mut self, clock: &Clock) -> u32 {
        match self.clocks.get_mut(self.used) {
            Some(old) => old.clone_from(clock),
            None => self.clocks.push(clock.clone()),
        }
        self.used += 1;
        self.used as u32 - 1
    }
}

/// No copy of a clock.
const NONE: u32 = u32::MAX;

/// An order that goes over the synchronisation of a run. See the module.
#[derive(Debug, Default)]
pub(crate) struct Clocks<O> {
    order: O,
    seen: u64,
    /// By task: where its clock was copied to in the stretch at hand, if it has not changed since.
    copies: Vec<u32>,
    /// The tasks that have a copy.
    copied: Vec<TaskId>,
}

impl<O: Order> Clocks<O> {
    /// Whether the order is one of those that can be gone over by itself.
    pub(crate) fn are_steady(&self) -> bool {
        self.order.steady(TaskId::MAIN).is_some()
    }

    /// Goes over the events in `timed`, and calls `other` with those that are no accesses, until it
    /// says no; whether it did not.
    pub(crate) fn time(&mut self, timed: &mut Timed, mut other: impl FnMut(&Event) -> bool) -> bool {
        let mut events = std::mem::take(&mut timed.events);
        let mut goes_on = true;
        timed.first = self.seen;
        timed.steps.clear();
        timed.used = 0;
        self.copied.drain(..).for_each(|task| self.copies[task.index()] = NONE);
        self.seen += events.len() as u64;
        let mut at = 0;
        while let Some(event) = events.get(at) {
            let task = event.task();
            if !is_access(event) {
                self.synchronise(event, timed);
                at += 1;
                // One of these can take as long as there are tasks, and there can be millions.
                goes_on = other(event);
                if goes_on {
                    continue;
                }
                break;
            }
            let is_same = |event: &&Event| is_access(event) && event.task() == task;
            let to = at + events[at..].iter().take_while(is_same).count();
            if let Some((epoch, clock)) = self.order.steady(task) {
                if task.index() >= self.copies.len() {
                    self.copies.resize(task.index() + 1, NONE);
                }
                let copy = &mut self.copies[task.index()];
                if *copy == NONE {
                    *copy = timed.keep(clock);
                    self.copied.push(task);
                }
                timed.steps.push(Step::Accesses {
                    from: at as u32,
                    to: to as u32,
                    task,
                    epoch,
                    clock: *copy,
                });
            }
            at = to;
        }
        if !goes_on {
            events.truncate(at);
        }
        timed.events = events;
        goes_on
    }

    fn synchronise(&mut self, event: &Event, timed: &mut Timed) {
        event.deliver(&mut self.order);
        // Only its own events change what a task knows.
        if let Some(copy) = self.copies.get_mut(event.task().index()) {
            *copy = NONE;
        }
        if let Event::Spawn { child, .. } = *event {
            timed.steps.push(Step::Spawn { slot: self.order.epoch_of(child).slot, task: child });
        }
    }
}

fn is_access(event: &Event) -> bool {
    matches!(event, Event::Access { .. } | Event::Atomic { .. })
}

/// The cells of every n-th location. See the module.
#[derive(Debug)]
pub(crate) struct Shard {
    part: Part,
    cells: Cells,
    /// Accesses so far, reads and writes.
    pub(crate) accesses: [u64; 2],
}

impl Shard {
    pub(crate) fn new(of: u32, rest: u32) -> Self {
        let part = Part::new(of, rest);
        Shard { part, cells: Cells::new(part), accesses: [0; 2] }
    }

    pub(crate) fn observe(&mut self, timed: &Timed) {
        let mut fetched = 0;
        for step in &timed.steps {
            match *step {
                Step::Spawn { slot, task } => self.cells.spawn(slot, task),
                Step::Accesses { from, to, task, epoch, clock } => {
                    if to > fetched && self.cells.cells.len() >= FAR {
                        fetched = from + AHEAD as u32;
                        self.fetch(timed, from as usize);
                    }
                    self.accesses(timed, from as usize..to as usize, (task, epoch), clock);
                }
            }
        }
    }

    /// Looks at the cells of the next accesses, so that their memory comes for all of them
    /// together.
    fn fetch(&self, timed: &Timed, from: usize) {
        let cells = timed.events[from..].iter().take(AHEAD).map(|event| match *event {
            Event::Access { location, .. } if self.part.has(location) => {
                self.cells.cells.get(self.part.place(location)).map_or(0, |cell| cell.several)
            }
            _ => 0,
        });
        black_box(cells.fold(0, |all, several| all | several));
    }

    fn accesses(&mut self, timed: &Timed, range: std::ops::Range<usize>, who: (TaskId, Epoch), clock: u32) {
        use crate::order::clock::Times;
        match timed.clocks[clock as usize].times() {
            Times::Short(times) => self.accesses_by(timed, range, who, &times[..]),
            Times::Long(times) => self.accesses_by(timed, range, who, &times[..]),
            Times::Tree(tree) => self.accesses_by(timed, range, who, tree),
        }
    }

    #[inline]
    fn accesses_by(
        &mut self,
        timed: &Timed,
        range: std::ops::Range<usize>,
        (task, epoch): (TaskId, Epoch),
        known: &(impl Known + ?Sized),
    ) {
        let numbers = timed.first + range.start as u64..;
        for (event, number) in timed.events[range].iter().zip(numbers) {
            let (Event::Access { kind, location, site, .. } | Event::Atomic { kind, location, site, .. }) =
                *event
            else {
                continue;
            };
            if !self.part.has(location) {
                continue;
            }
            self.accesses[kind as usize] += 1;
            let now = Now { by: Access { task, kind, site }, epoch, location, event: number };
            match event {
                Event::Access { .. } => self.cells.access(now, known),
                _ => self.cells.atomic(now, known),
            }
        }
    }
}

/// The races of all shards, in the order of discovery.
pub(crate) fn joined(shards: Vec<Shard>) -> Vec<SiteRaces> {
    let mut all: Vec<(u64, SiteRaces)> = Vec::new();
    for shard in shards {
        let found = shard.cells.races;
        all.extend(found.events.into_iter().zip(found.pairs));
    }
    // Those of one event are of one shard, in order.
    all.sort_by_key(|&(event, _)| event);
    let mut numbers = FxHashMap::default();
    let mut races: Vec<SiteRaces> = Vec::new();
    for (_, race) in all {
        let at = *numbers.entry(race.key()).or_insert(races.len());
        match races.get_mut(at) {
            Some(known) => known.count += race.count,
            None => races.push(race),
        }
    }
    races
}
