//! Which class an execution is of, as a number.
//!
//! Two executions are equivalent if they differ only in the order of independent transitions, that
//! is, if they have the same transitions and order the dependent ones alike (Mazurkiewicz, *Trace
//! theory*, 1987). So each transition gets a hash of what it is and of the last transitions that it
//! depends on, and the class is the sum of these hashes, in which their order does not matter.
//! Transitions without a choice do not count: whether a wait ends in one is a matter of who comes
//! first.
//!
//! *What a transition touches*: a section the locations that it accesses, each of which it reads or
//! writes; one that is no [closed](super::ContentRef::closed) section writes its lock as well,
//! which closed ones read. If all sections of a lock depend on each other, each writes the lock.
//! `P`, and `V`, `set` or `post`, write their sync. Of each of these a hash is kept of the last
//! write, and the sum of those of the reads since.
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
use rustc_hash::FxHashMap;

/// What transitions have in common that depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Touched {
    Lock(u32),
    Location(u32, u64),
    Takes(u32),
    Gives(u32),
}

/// The last write, and the reads since.
#[derive(Clone, Copy, Default)]
struct Touches {
    write: u64,
    reads: u64,
}

/// The class of an execution.
pub fn class(trace: &Trace, dependence: Dependence) -> u64 {
    let mut numbers = vec![0u32; trace.names.len()];
    let mut touches: FxHashMap<Touched, Touches> = FxHashMap::default();
    let mut touched: Vec<(Touched, bool)> = Vec::new();
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
                touched.push((Touched::Lock(lock), all || !content.closed));
                if !all {
                    let location =
                        |&(location, write): &(u64, bool)| (Touched::Location(lock, location), write);
                    touched.extend(content.accesses.iter().map(location));
                }
            }
            Choice::Take(sync) => touched.push((Touched::Takes(sync), true)),
            Choice::Give(sync) => touched.push((Touched::Gives(sync), true)),
        }
        let mut hash = hash_of((trace.names[task], numbers[task], content.choice));
        for &(what, write) in &touched {
            let last = touches.get(&what).copied().unwrap_or_default();
            let reads = if write { last.reads } else { 0 };
            hash = hash.wrapping_add(hash_of((what, write, last.write, reads)));
        }
        for &(what, write) in &touched {
            let last = touches.entry(what).or_default();
            match write {
                true => *last = Touches { write: hash, reads: 0 },
                false => last.reads = last.reads.wrapping_add(hash),
            }
        }
        class = class.wrapping_add(hash_of(hash));
    }
    class
}
