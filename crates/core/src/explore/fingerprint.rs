//! Which class an execution is of, as a number.
//!
//! Two executions are equivalent if they differ only in the order of independent transitions, that
//! is, if they have the same transitions and order the dependent ones alike (Mazurkiewicz, *Trace
//! theory*, 1987). So each transition gets a hash of what it is and of the last transitions that it
//! depends on, and the class is the sum of these hashes, in which their order does not matter.
//! Transitions without a choice do not count: whether a wait ends in one is a matter of who comes
//! first.
//!
//! *What a transition touches*: a section the locations that it accesses, on each of which it has
//! an [`Effect`]; one that is no [closed](super::ContentRef::closed) section writes its lock as
//! well, which closed ones read. If all sections of a lock depend on each other, each writes the
//! lock. `P`, and `V`, `set` or `post`, write their sync. Of each of these the sum is kept of the
//! hashes of the latest transitions of which none conflicts with another, and the sum of those
//! before them.
//!
//! Cost: O(accesses in sections).
//!
//! Departures: under [`Dependence::Wcp`] the classes are those of [`Dependence::Conflict`], which
//! are finer.
//!
//! What it can miss: two classes are taken for one by a chance of one in 2⁶⁴. One class is taken
//! for several where locations or syncs are numbered in the order in which tasks make them.

use super::trace::Trace;
use super::{Choice, Dependence, hash_of};
use crate::event::Effect;
use rustc_hash::FxHashMap;

/// What transitions have in common that depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Touched {
    Lock(u32),
    Location(u32, u64),
    Takes(u32),
    Gives(u32),
}

/// The latest transitions that touched something.
#[derive(Clone, Copy)]
struct Touches {
    /// The effect of those of which none conflicts with another, and the sum of their hashes.
    effect: Effect,
    latest: u64,
    /// The sum of the hashes of those before, each of which conflicts with each of the latest.
    before: u64,
}

impl Default for Touches {
    fn default() -> Self {
        Touches { effect: Effect::Read, latest: 0, before: 0 }
    }
}

impl Touches {
    /// Of what a transition with this effect depends on.
    fn needed_by(&self, effect: Effect) -> u64 {
        if effect.conflicts(self.effect) { self.latest } else { self.before }
    }

    fn add(&mut self, effect: Effect, hash: u64) {
        *self = match effect.conflicts(self.effect) {
            true => Touches { effect, latest: hash, before: self.latest },
            false => Touches { latest: self.latest.wrapping_add(hash), ..*self },
        }
    }
}

/// The class of an execution.
pub fn class(trace: &Trace, dependence: Dependence) -> u64 {
    let mut numbers = vec![0u32; trace.names.len()];
    let mut touches: FxHashMap<Touched, Touches> = FxHashMap::default();
    let mut touched: Vec<(Touched, Effect)> = Vec::new();
    let mut class = 0u64;
    for (at, transition) in trace.transitions.iter().enumerate() {
        let content = trace.content(at);
        if content.choice == Choice::None {
            continue;
        }
        let task = transition.task.index();
        numbers[task] += 1;
        touched.clear();
        match content.choice {
            Choice::None => {}
            Choice::Section(lock) => {
                let all = dependence == Dependence::Lock;
                let whole = if all || !content.closed { Effect::Write } else { Effect::Read };
                touched.push((Touched::Lock(lock), whole));
                if !all {
                    let accesses = content.accesses.iter();
                    touched.extend(accesses.map(|&(at, effect)| (Touched::Location(lock, at), effect)));
                }
            }
            Choice::Take(sync) => touched.push((Touched::Takes(sync), Effect::Write)),
            Choice::Give(sync) => touched.push((Touched::Gives(sync), Effect::Write)),
        }
        let mut hash = hash_of((trace.names[task], numbers[task], content.choice));
        for &(what, effect) in &touched {
            let needed = touches.get(&what).map_or(0, |touches| touches.needed_by(effect));
            hash = hash.wrapping_add(hash_of((what, effect, needed)));
        }
        for &(what, effect) in &touched {
            touches.entry(what).or_default().add(effect, hash);
        }
        class = class.wrapping_add(hash_of(hash));
    }
    class
}
