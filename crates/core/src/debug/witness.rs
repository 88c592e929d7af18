//! Witnesses: from a recorded run and a predicted race to a schedule after which both accesses are
//! next.
//!
//! Ogles, Aldous and Mercer, *Proving data race freedom in task parallel programs using a weaker
//! partial order* (FMCAD 2019), Definitions 4 and 5: take the causal events of the race (`cut.rs`),
//! order them by the witness order (`constraints.rs`), and linearise. Each says how it departs from
//! the paper, which has one lock and threads only.
//!
//! Linearising goes through the run in its own order and takes whatever can be taken: nothing that
//! has to come before it is left, its lock is free, and no read that has still to see the present
//! value would miss it.
//!
//! What it can miss: with several locks some races have a witness and none is found, because the
//! order of the run is a bad guess where the constraints leave a choice; deciding it is NP-hard.
//! With one lock, and nothing signalled or spawned inside a section, the first race of DC and of
//! the weaker order always gets its witness; so does every race of SHB. What it gives is a valid
//! reordering by construction; [`reordering`](super::reordering) checks it without relying on that.
//!
//! Cost: O(events) to index the run once; for each race O(n log n) in the events before it, if the
//! order of the run is a good guess where nothing is certain; if not, all that follows is added
//! first, see `constraints.rs`.

use super::constraints::{Constraints, Contradiction};
use super::cut::{Cut, Open};
use super::reordering;
use super::trace::{NONE, Trace};
use crate::detect::predict::Predicted;
use crate::event::{AccessKind, Event};
use crate::ids::{Location, SyncId, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Builds witnesses for races of one recorded run.
#[derive(Debug)]
pub struct Witnesses<'a> {
    trace: Trace<'a>,
}

impl<'a> Witnesses<'a> {
    /// `events` as the runtime emits them (see [`crate::event`]).
    pub fn new(events: &'a [Event]) -> Self {
        Witnesses { trace: Trace::new(events) }
    }

    /// Events of the run in an order after which the two given accesses of different tasks are both
    /// next; nothing if none could be found.
    pub fn build(&self, first: u32, second: u32) -> Option<Vec<u32>> {
        let is_access = |at| matches!(self.trace.events.get(at as usize), Some(Event::Access { .. }));
        if !is_access(first) || !is_access(second) || self.trace.task(first) == self.trace.task(second) {
            return None;
        }
        // Leaving sections frees their locks, but may need what must not happen yet.
        [Open::Leave, Open::Keep].into_iter().find_map(|open| self.build_with([first, second], open))
    }

    fn build_with(&self, race: [u32; 2], open: Open) -> Option<Vec<u32>> {
        let mut forced = Vec::new();
        loop {
            let cut = Cut::causal(&self.trace, race, open, &forced)?;
            // Mostly the order of the run is right wherever nothing is certain.
            if let Some(order) = linearise(&self.trace, &Constraints::certain(&self.trace, &cut)) {
                return Some(order);
            }
            match Constraints::saturated(&self.trace, &cut) {
                Ok(constraints) => return linearise(&self.trace, &constraints),
                Err(Contradiction::Leave(at)) => forced.push(at),
                Err(Contradiction::Circular | Contradiction::TooLarge) => return None,
            }
        }
    }

    /// A witness of a predicted race that has passed the checker: what makes the race `feasible`.
    pub fn confirm(&self, race: &Predicted) -> Option<Vec<u32>> {
        let (first, second) = (race.first_event, race.second_event);
        let order = self.build(first, second)?;
        let checked = reordering::check(self.trace.events, &order, first, second);
        debug_assert_eq!(checked, Ok(()), "witnesses are valid reorderings by construction");
        checked.ok().map(|()| order)
    }

    /// An order of events as a schedule: turns of a task and a number of actions.
    pub fn schedule(&self, order: &[u32]) -> Vec<(TaskId, u64)> {
        let mut turns: Vec<(TaskId, u64)> = Vec::new();
        for event in order.iter().map(|&at| self.trace.event(at)).filter(|event| event.is_action()) {
            match turns.last_mut() {
                Some((task, actions)) if *task == event.task() => *actions += 1,
                _ => turns.push((event.task(), 1)),
            }
        }
        turns
    }

    /// For each task of the run but main: its parent, and which child of it it is, counting from 1.
    pub fn spawned(&self) -> Vec<(TaskId, u32)> {
        let mut children = vec![0; self.trace.tasks.len()];
        let parents = self.trace.spawns[1..].iter().map(|&spawn| self.trace.event(spawn).task());
        parents
            .map(|parent| {
                children[parent.index()] += 1;
                (parent, children[parent.index()])
            })
            .collect()
    }
}

/// The state of a linearisation.
struct State<'t, 'a> {
    trace: &'t Trace<'a>,
    held: FxHashSet<SyncId>,
    /// The last write of a location, `NONE` at first.
    present: FxHashMap<Location, u32>,
    /// How many reads have still to see a write, `NONE` standing for the initial value.
    unseen: FxHashMap<(Location, u32), u32>,
    order: Vec<u32>,
}

fn linearise(trace: &Trace<'_>, constraints: &Constraints<'_, '_>) -> Option<Vec<u32>> {
    let mut state = State {
        trace,
        held: FxHashSet::default(),
        present: FxHashMap::default(),
        unseen: FxHashMap::default(),
        order: Vec::new(),
    };
    for &at in &constraints.blocks {
        if let Event::Access { kind: AccessKind::Read, location, .. } = *trace.event(at) {
            *state.unseen.entry((location, trace.source[at as usize])).or_default() += 1;
        }
    }
    let mut waits = constraints.waits();
    let mut ready: BTreeSet<u32> =
        constraints.blocks.iter().copied().filter(|&at| waits[constraints.node(at)] == 0).collect();
    state.order.extend(trace.tail(TaskId::MAIN.index(), 0));
    while let Some(block) = ready.iter().copied().find(|&block| state.is_possible(block)) {
        ready.remove(&block);
        state.take(block);
        for &next in &constraints.after[constraints.node(block)] {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                ready.insert(constraints.blocks[next as usize]);
            }
        }
    }
    let done = waits.iter().all(|&waits| waits == 0) && ready.is_empty();
    done.then_some(state.order)
}

impl State<'_, '_> {
    fn present(&self, location: Location) -> u32 {
        self.present.get(&location).copied().unwrap_or(NONE)
    }

    fn is_possible(&self, block: u32) -> bool {
        match *self.trace.event(block) {
            Event::Join { sync, kind, .. } if kind.is_section() => !self.held.contains(&sync),
            Event::Access { kind: AccessKind::Read, location, .. } => {
                self.present(location) == self.trace.source[block as usize]
            }
            Event::Access { kind: AccessKind::Write, location, .. } => {
                let seeing = self.unseen.get(&(location, self.present(location)));
                seeing.is_none_or(|&reads| reads == 0)
            }
            _ => true,
        }
    }

    /// Takes a block: the action and all that happens together with it.
    fn take(&mut self, block: u32) {
        let trace = self.trace;
        self.order.push(block);
        match *trace.event(block) {
            Event::Join { sync, kind, .. } if kind.is_section() => {
                self.held.insert(sync);
            }
            Event::Access { kind: AccessKind::Read, location, .. } => {
                if let Some(reads) = self.unseen.get_mut(&(location, trace.source[block as usize])) {
                    *reads -= 1;
                }
            }
            Event::Access { kind: AccessKind::Write, location, .. } => {
                self.present.insert(location, block);
            }
            _ => {}
        }
        self.follow(trace.task(block), trace.position(block) + 1);
        if let Event::Spawn { child, .. } = *trace.event(block) {
            self.follow(child.index(), 0);
        }
    }

    fn follow(&mut self, task: usize, from: u32) {
        for at in self.trace.tail(task, from) {
            self.order.push(at);
            if let Event::Signal { sync, .. } = *self.trace.event(at) {
                self.held.remove(&sync);
            }
        }
    }
}
