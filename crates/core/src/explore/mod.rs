//! Which schedule next: stateless exploration with dynamic partial-order reduction.
//!
//! *What is explored.* In a program without data races the outcome depends on the schedule only
//! through its *choices*: the order in which sections of a lock are entered, in which semaphores
//! are taken and given, and which of several sets or posts comes first. A
//! [transition](trace::Transition) is what a task does from one choice (or its start, or the end of
//! a wait) up to the next. Two transitions are *dependent* if both make the same kind of choice on
//! the same sync; for two sections of a lock that contain no further choice or wait, only if they
//! access a common location and one of them writes it, unless both only add to it
//! ([`Dependence::Conflict`], what the DC order
//! of Ogles et al., FMCAD 2019, amounts to), or always ([`Dependence::Lock`], what HB amounts to).
//! Two executions that differ only in the order of independent transitions are equivalent, and one
//! of each class is run.
//!
//! *How.* Source sets and sleep sets (Abdulla, Aronis, Jonsson and Sagonas, *Optimal dynamic
//! partial order reduction*, POPL 2014): after an execution, each pair of dependent transitions
//! that are next to each other in the induced order is to be reversed: a [`Sequence`] leads there,
//! and a task that can begin it is explored from the state before the earlier one, unless one is
//! already. A task whose transition has been explored from a state sleeps in the states beyond its
//! siblings until something dependent on it happens; so no two complete executions are equivalent.
//! Some executions end with every task asleep ([`Statistics::pruned`] counts them).
//!
//! *Additions commute.* A section has an [`Effect`] on each location that it accesses. If all that
//! sections do to a location is to add to it
//! ([`Observer::addition`](crate::event::Observer::addition)), their order does not matter: what
//! one of them reads there goes into nothing but the sum that it writes, so each does the same in
//! either order, and the last sum is the same, since integers wrap. An addition conflicts with what
//! reads the location otherwise or writes it: that comes after, or before, every one of the
//! additions. What a section adds may depend on other locations; these it reads. A section with one
//! other access of the location, or one that is not [closed], has no such effect on it, whatever it
//! adds.
//!
//! [closed]: ContentRef::closed
//!
//! *Departures from POPL 2014.* There, whether two transitions depend on each other is not a matter
//! of what came before. Here a section may access other things in another order; [`tree`] says what
//! that takes.
//!
//! *Departures from the FMCAD paper.* Its pseudo-code adds one thread at a time and shares done
//! sets between siblings; here the sets are those of POPL 2014. As it warns (its Figure 4), what a
//! section accesses depends on the schedule: all immediate dependences are reversed, not the last
//! one only.
//!
//! *WCP* ([`Dependence::Wcp`]) orders more than DC and less than HB; [`wcp`] says how executions
//! are distinguished then.
//!
//! *Why no race is missed.* In an execution of each class the accesses are checked under the
//! matching order. Consider a shortest execution into a state with two tasks about to race: it has
//! no race before, so it is a prefix of a class that is explored, and there nothing orders the two.

mod clocks;
mod estimate;
pub mod fingerprint;
pub mod forest;
mod node;
mod reversal;
mod sequence;
mod stored;
pub mod trace;
pub mod tree;
mod wcp;

pub use reversal::{Moment, Reversal, Scratch, Stuck, past, reversals};
pub use sequence::Sequence;
pub use wcp::Class;

use crate::event::Effect;
use crate::ids::SyncId;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Which transitions depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Dependence {
    /// Any two sections of one lock.
    Lock,
    /// Two sections of one lock if they conflict.
    Conflict,
    /// The same; but what WCP orders because of that has to be reversed as well.
    Wcp,
}

/// A task by a name that does not depend on the schedule: a hash of its spawn path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct TaskName(pub u64);

impl TaskName {
    pub const MAIN: TaskName = TaskName(0x6d61_696e);

    /// The name of the child that is its parent's `ordinal`th.
    pub fn child(self, ordinal: u32) -> TaskName {
        // SplitMix64's finaliser over the pair: paths of distinct tasks do not meet in practice.
        let mut z = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(ordinal));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        TaskName(z ^ (z >> 31))
    }
}

/// The choice a transition begins with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Choice {
    /// None: the start of a task, or the end of a wait.
    None,
    /// Entering a section of a lock.
    Section(u32),
    /// `P`
    Take(u32),
    /// `V`, `set` or `post`
    Give(u32),
}

impl Choice {
    pub fn section(sync: SyncId) -> Self {
        Choice::Section(sync.0)
    }
}

/// What a transition did, as far as others can depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContentRef<'a> {
    pub choice: Choice,
    /// Whether the section it entered was left again within the transition, and nothing in it could
    /// have waited.
    pub closed: bool,
    /// The accesses inside that section: each location once, sorted, with the section's effect on
    /// it.
    pub accesses: &'a [(u64, Effect)],
}

/// The same, to be kept.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Content {
    choice: Choice,
    closed: bool,
    accesses: Box<[(u64, Effect)]>,
}

impl Content {
    pub fn view(&self) -> ContentRef<'_> {
        ContentRef { choice: self.choice, closed: self.closed, accesses: &self.accesses }
    }
}

impl ContentRef<'_> {
    pub fn to_content(self) -> Content {
        Content { choice: self.choice, closed: self.closed, accesses: self.accesses.into() }
    }

    pub fn depends_on(self, other: ContentRef<'_>, dependence: Dependence) -> bool {
        match (self.choice, other.choice) {
            (Choice::Section(a), Choice::Section(b)) => {
                a == b
                    && (dependence == Dependence::Lock
                        || !self.closed
                        || !other.closed
                        || conflict(self.accesses, other.accesses))
            }
            (Choice::Take(a), Choice::Take(b)) | (Choice::Give(a), Choice::Give(b)) => a == b,
            _ => false,
        }
    }
}

/// Whether two sorted lists of accesses share a location on which their effects conflict.
fn conflict(a: &[(u64, Effect)], b: &[(u64, Effect)]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                if a[i].1.conflicts(b[j].1) {
                    return true;
                }
                i += 1;
                j += 1;
            }
        }
    }
    false
}

/// The locations two sorted lists of accesses share with effects that conflict, by their places in
/// the lists.
pub fn conflicts(a: &[(u64, Effect)], b: &[(u64, Effect)]) -> Vec<(usize, usize)> {
    let mut shared = Vec::new();
    for (i, &(location, effect)) in a.iter().enumerate() {
        if let Ok(j) = b.binary_search_by_key(&location, |&(other, _)| other)
            && effect.conflicts(b[j].1)
        {
            shared.push((i, j));
        }
    }
    shared
}

/// What an exploration has done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Statistics {
    /// Complete executions: one of each class met.
    pub executions: u64,
    /// Executions given up because everything left had been explored elsewhere.
    pub pruned: u64,
}

/// A hash of which sums are as good: to tell sets apart, whatever the order.
fn hash_of(what: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    // FxHash leaves the low bits weak, and these are added up.
    let hash = hasher.finish();
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
