//! Sets of reading steps, shared between the locations that have the same readers.
//!
//! A location that many parallel steps read must remember them all: with joins outside the tree no one reader can stand
//! for another (in pure fork-join one could). But locations are seldom read alone: the rows of a
//! matrix, the fields of a record, a whole table are read by the same steps in the same order. So sets are interned
//! lists: "the set before, and one more step" is one node for all locations that go that way, and a location
//! keeps its number only. A set once checked by a step is known to be checked.

use crate::ids::StepId;
use rustc_hash::FxHashMap;

/// An interned set, never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SetId(pub(super) u32);

#[derive(Clone, Copy, Debug)]
struct Set {
    /// The step added last.
    newest: StepId,
    /// The set it was added to; none for a set of one.
    rest: Option<SetId>,
    size: u32,
}

#[derive(Default, Debug)]
pub(super) struct ReaderSets {
    sets: Vec<Set>,
    interned: FxHashMap<(Option<SetId>, StepId), SetId>,
    /// The last addition, since neighbouring locations mostly repeat it.
    last: Option<(SetId, StepId, SetId)>,
}

impl ReaderSets {
    pub(super) fn newest(&self, set: SetId) -> StepId {
        self.sets[set.0 as usize].newest
    }

    /// The steps of a set, newest first.
    pub(super) fn steps(&self, set: SetId) -> impl Iterator<Item = StepId> + '_ {
        std::iter::successors(Some(set), |&at| self.sets[at.0 as usize].rest).map(|at| self.newest(at))
    }

    /// The interned set of the given steps, oldest first.
    pub(super) fn of(&mut self, steps: &[StepId]) -> SetId {
        let mut set = None;
        for &step in steps {
            set = Some(self.push(set, step));
        }
        set.expect("a reader set is never empty")
    }

    /// `set` with `step` added. `subsumed` says which of its steps need not be kept beside `step`; it is asked about
    /// all of them whenever the set has doubled, and about the last few otherwise, so that the cost of an
    /// addition does not grow with the set.
    pub(super) fn add(
        &mut self,
        set: SetId,
        step: StepId,
        mut subsumed: impl FnMut(StepId) -> bool,
    ) -> SetId {
        if let Some((before, added, after)) = self.last
            && (before, added) == (set, step)
        {
            return after;
        }
        let size = self.sets[set.0 as usize].size;
        let mut kept = Some(set);
        if size.is_power_of_two() {
            let mut steps: Vec<StepId> = self.steps(set).filter(|&old| !subsumed(old)).collect();
            steps.reverse();
            kept = if steps.is_empty() { None } else { Some(self.of(&steps)) };
        } else {
            while let Some(at) = kept
                && subsumed(self.newest(at))
            {
                kept = self.sets[at.0 as usize].rest;
            }
        }
        let after = self.push(kept, step);
        self.last = Some((set, step, after));
        after
    }

    fn push(&mut self, rest: Option<SetId>, step: StepId) -> SetId {
        *self.interned.entry((rest, step)).or_insert_with(|| {
            let size = 1 + rest.map_or(0, |rest| self.sets[rest.0 as usize].size);
            self.sets.push(Set { newest: step, rest, size });
            SetId(self.sets.len() as u32 - 1)
        })
    }
}
