//! Sets of reading steps, shared between the locations that have the same readers.
//!
//! A location that many parallel steps read must remember them all: with joins outside the tree no
//! reader subsumes another (in pure fork-join one can be the representative). But locations are
//! seldom read alone: the rows of a matrix, the fields of a record, a whole table are read by the
//! same steps in the same order. So sets are lists with shared tails: "the set before, and one more
//! step" is one node for all locations that go that way, and a location keeps its number only. A
//! set once checked by a step is known to be checked.
//!
//! A lossy table maps "this set and that step" to its node. An overwritten entry costs a second
//! node of the same content, and never an answer. A complete table would be larger than the nodes.

use crate::ids::StepId;
use crate::marks::{Marks, give_back};

/// A set of two steps or more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetId(pub u32);

/// What a step is added to: one step, or a set. The top bit says which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rest(u32);

const SET: u32 = 1 << 31;

impl Rest {
    fn step(step: StepId) -> Self {
        debug_assert!(step.0 < SET, "more steps than a set can name");
        Rest(step.0)
    }

    fn set(set: SetId) -> Self {
        Rest(set.0 | SET)
    }

    fn as_set(self) -> Option<SetId> {
        (self.0 & SET != 0).then_some(SetId(self.0 & !SET))
    }

    fn readers(self) -> Readers {
        self.as_set().map_or(Readers::One(StepId(self.0)), Readers::Set)
    }
}

/// What sets have become, by their old numbers.
#[derive(Debug)]
pub struct Became(Vec<Rest>);

impl Became {
    /// What has become of a set that was marked.
    #[inline]
    pub fn of(&self, set: SetId) -> Readers {
        self.0[set.0 as usize].readers()
    }
}

/// One or more readers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Readers {
    One(StepId),
    Set(SetId),
}

#[derive(Clone, Copy, Debug)]
struct Set {
    /// The step added last.
    newest: StepId,
    /// What it was added to.
    rest: Rest,
    size: u32,
    /// The size at which all of its steps are asked about: twice what was left when they were.
    sweep: u32,
}

/// An addition made before.
#[derive(Clone, Copy, Debug)]
struct Addition {
    to: Rest,
    step: StepId,
    gave: SetId,
}

/// Sets smaller than this are not looked through.
const LEAST: u32 = 4;

/// The most additions that are remembered.
const ADDITIONS: usize = 1 << 12;

#[derive(Default, Debug)]
pub struct ReaderSets {
    sets: Vec<Set>,
    /// A power of two of entries, or none yet.
    additions: Vec<Addition>,
    /// The last addition with sweep, since neighbouring locations mostly repeat it.
    last: Option<(SetId, StepId, Readers)>,
}

impl ReaderSets {
    /// How many sets there are; the next made gets this number.
    pub fn count(&self) -> u32 {
        self.sets.len() as u32
    }

    pub fn newest(&self, set: SetId) -> StepId {
        self.sets[set.0 as usize].newest
    }

    /// How many steps a set has.
    pub fn size(&self, set: SetId) -> u32 {
        self.sets[set.0 as usize].size
    }

    /// The set without those of its steps that are to be `dropped`: all are asked about, the newest
    /// first, and that stays.
    pub fn without(&mut self, set: SetId, mut dropped: impl FnMut(StepId) -> bool) -> Readers {
        let mut steps: Vec<StepId> = self.steps(set).filter(|&step| !dropped(step)).collect();
        if steps.len() == self.size(set) as usize {
            return Readers::Set(set);
        }
        let sweep = LEAST.max(2 * steps.len() as u32);
        let oldest = steps.pop().expect("the newest stays");
        steps
            .iter()
            .rev()
            .fold(Rest::step(oldest), |rest, &step| Rest::set(self.push(rest, step, sweep)))
            .readers()
    }

    /// The newest of the readers, and the others.
    pub fn split(&self, readers: Readers) -> (StepId, Option<Readers>) {
        match readers {
            Readers::One(step) => (step, None),
            Readers::Set(set) => {
                let Set { newest, rest, .. } = self.sets[set.0 as usize];
                (newest, Some(rest.readers()))
            }
        }
    }

    /// The steps of a set, newest first.
    pub fn steps(&self, set: SetId) -> impl Iterator<Item = StepId> + '_ {
        let mut rest = Some(Readers::Set(set));
        std::iter::from_fn(move || {
            let step;
            (step, rest) = self.split(rest?);
            Some(step)
        })
    }

    /// The set of two steps, the older first.
    pub fn pair(&mut self, older: StepId, newer: StepId) -> SetId {
        self.push(Rest::step(older), newer, LEAST)
    }

    /// `set` with `step` added. `subsumed` says which of its steps need not be kept beside `step`;
    /// it is asked about all of them whenever the set has doubled since it last was, and about the
    /// last few otherwise, so that the cost of an addition does not grow with the set.
    pub fn add(&mut self, set: SetId, step: StepId, mut subsumed: impl FnMut(StepId) -> bool) -> Readers {
        if let Some((before, added, after)) = self.last
            && (before, added) == (set, step)
        {
            return after;
        }
        let Set { size, mut sweep, .. } = self.sets[set.0 as usize];
        let mut kept = None;
        if size >= sweep {
            let mut steps: Vec<StepId> = self.steps(set).filter(|&old| !subsumed(old)).collect();
            sweep = LEAST.max(2 * steps.len() as u32);
            if steps.len() == size as usize {
                kept = Some(Rest::set(set));
            } else if let Some(oldest) = steps.pop() {
                let oldest = Rest::step(oldest);
                let add = |rest, &step: &StepId| Rest::set(self.push(rest, step, sweep));
                kept = Some(steps.iter().rev().fold(oldest, add));
            }
        } else {
            let mut at = Rest::set(set);
            kept = loop {
                let Some(set) = at.as_set() else {
                    break (!subsumed(StepId(at.0))).then_some(at);
                };
                if !subsumed(self.newest(set)) {
                    break Some(at);
                }
                at = self.sets[set.0 as usize].rest;
            };
        }
        let after = kept.map_or(Readers::One(step), |kept| Readers::Set(self.push(kept, step, sweep)));
        self.last = Some((set, step, after));
        after
    }

    fn push(&mut self, rest: Rest, step: StepId, sweep: u32) -> SetId {
        self.make_room();
        let hash = (u64::from(rest.0) << 32 | u64::from(step.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = (hash >> 32) as usize & (self.additions.len() - 1);
        let known = self.additions[slot];
        if (known.to, known.step) == (rest, step) {
            return known.gave;
        }
        let size = 1 + rest.as_set().map_or(1, |rest| self.sets[rest.0 as usize].size);
        let gave = SetId(self.sets.len() as u32);
        self.sets.push(Set { newest: step, rest, size, sweep });
        self.additions[slot] = Addition { to: rest, step, gave };
        gave
    }

    /// Marks all sets that those marked consist of, and reports their steps.
    pub fn follow(&self, marks: &mut Marks, mut step: impl FnMut(StepId)) {
        // A set is made after what it was made from.
        marks.each_backwards(|marks, at| {
            let Set { newest, rest, .. } = self.sets[at];
            step(newest);
            match rest.as_set() {
                Some(rest) => _ = marks.add(rest.0 as usize),
                None => step(StepId(rest.0)),
            }
        });
    }

    /// Forgets the sets that are not marked, and renames the steps of the others. Of neighbours
    /// that are the `same` one is kept. What has become of them.
    pub fn retain(
        &mut self,
        marks: &Marks,
        new: impl Fn(StepId) -> StepId,
        same: impl Fn(StepId, StepId) -> bool,
    ) -> Became {
        let before = self.sets.len();
        let mut became = vec![Rest(0); before];
        // In place: none moves up.
        let mut kept = 0;
        marks.each(|at| {
            let set = self.sets[at];
            let newest = new(set.newest);
            let rest = match set.rest.as_set() {
                Some(rest) => became[rest.0 as usize],
                None => Rest::step(new(StepId(set.rest.0))),
            };
            let (last, size) = match rest.as_set() {
                Some(set) => {
                    let Set { newest, size, .. } = self.sets[set.0 as usize];
                    (newest, size)
                }
                None => (StepId(rest.0), 1),
            };
            became[at] = if same(last, newest) {
                rest
            } else {
                self.sets[kept] = Set { newest, rest, size: size + 1, sweep: set.sweep };
                kept += 1;
                Rest::set(SetId(kept as u32 - 1))
            };
        });
        self.sets.truncate(kept);
        give_back(&mut self.sets, before);
        self.additions.clear();
        self.last = None;
        Became(became)
    }

    /// Keeps the table of additions small for small programs.
    fn make_room(&mut self) {
        let wanted = self.sets.len().next_power_of_two().clamp(8, ADDITIONS);
        if self.additions.len() < wanted {
            // No step is added to itself.
            let none = Addition { to: Rest(0), step: StepId(0), gave: SetId(0) };
            self.additions.clear();
            self.additions.resize(wanted, none);
        }
    }
}
