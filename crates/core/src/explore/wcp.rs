//! What tells executions apart under WCP, and which pairs are to be tried the other way round because of it.
//!
//! Weak-causally-precedes (Kini, Mathur and Viswanathan, PLDI 2017; as the dependence of DPOR: Ogles, Aldous and Mercer, FMCAD
//! 2019) puts everything that *happened before* a section before the sections that conflict with it. So whether two
//! sections can be swapped is no matter of the two: a section that conflicts with nothing is ordered with another one as soon as it comes
//! before one that does. Computed here from the transitions of an execution: for each the clock HB, and the clock WCP, which at a section
//! takes in the HB of the earlier sections it conflicts with, and the WCP of the section before it.
//!
//! Used beside what DC reverses ([`Conflict`](super::Dependence::Conflict)), never instead of it, so that nothing can be
//! missed that is found under DC. Two executions are the same under WCP if each transition has the same before it
//! by WCP or by what orders tasks in any schedule; [`Class`] is a hash of that. Since what depends on what
//! changes with every swap, nothing sleeps; executions of classes that were seen are counted as pruned, and the classes are
//! kept. That is why WCP is the slowest of the orders.
//!
//! Cost: O(transitions × (tasks + sections of the same lock)).
//!
//! Departures: rule (b) of PLDI 2017 is left out; it orders ends of sections, and sections are transitions here.

use super::clocks::{Clock, Clocks};
use super::trace::{Hard, Trace};
use super::{Choice, Dependence, hash_of};
use crate::ids::TaskId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What executions that are the same under WCP have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Class(u64);

/// The class of an execution, and the pairs of transitions that only WCP orders.
pub(super) fn analyse(trace: &Trace) -> (Class, Vec<(usize, usize)>) {
    let mut views = Views::new(trace);
    for &hard in &trace.log {
        views.apply(hard);
    }
    (Class(views.class), views.pairs)
}

/// HB, WCP and the hard order, in tables of the same shape: a clock of one has its fellows in the others.
struct Views<'a> {
    trace: &'a Trace,
    hb: Clocks,
    wcp: Clocks,
    hard: Clocks,
    number: Vec<u32>,
    syncs: FxHashMap<u32, Clock>,
    scopes: FxHashMap<u32, Clock>,
    /// Where each transition left the section it entered, or else where it began.
    end: Vec<Clock>,
    /// The transitions that made each choice.
    chosen: FxHashMap<Choice, Vec<usize>>,
    class: u64,
    pairs: Vec<(usize, usize)>,
}

impl<'a> Views<'a> {
    fn new(trace: &'a Trace) -> Self {
        let table = || {
            let mut clocks = Clocks::default();
            clocks.reset(trace.names.len());
            clocks
        };
        Views {
            trace,
            hb: table(),
            wcp: table(),
            hard: table(),
            number: Vec::new(),
            syncs: FxHashMap::default(),
            scopes: FxHashMap::default(),
            end: Vec::new(),
            chosen: FxHashMap::default(),
            class: 0,
            pairs: Vec::new(),
        }
    }

    fn each(&mut self) -> [&mut Clocks; 3] {
        [&mut self.hb, &mut self.wcp, &mut self.hard]
    }

    fn copy(&mut self, from: Clock) -> Clock {
        self.wcp.copy(from);
        self.hard.copy(from);
        self.hb.copy(from)
    }

    fn join(&mut self, clock: Clock, with: Clock) {
        for table in self.each() {
            table.join(clock, with);
        }
    }

    fn apply(&mut self, hard: Hard) {
        let of = |task: TaskId| Clocks::of(task.index());
        match hard {
            Hard::Begin(index) => self.begin(index as usize),
            Hard::Spawn { parent, child } => {
                for table in self.each() {
                    table.set(of(child), of(parent));
                }
            }
            Hard::Signal { task, sync } => {
                let clock = self.copy(of(task));
                self.syncs.insert(sync.0, clock);
            }
            Hard::Join { task, sync } => {
                if let Some(&clock) = self.syncs.get(&sync.0) {
                    self.join(of(task), clock);
                }
            }
            Hard::End { task, scope } => match self.scopes.get(&scope.0) {
                Some(&clock) => self.join(clock, of(task)),
                None => {
                    let clock = self.copy(of(task));
                    self.scopes.insert(scope.0, clock);
                }
            },
            Hard::FinishEnd { task, scope } => {
                if let Some(&clock) = self.scopes.get(&scope.0) {
                    self.join(of(task), clock);
                }
            }
            Hard::Leave { section, task } => self.end[section as usize] = self.copy(of(task)),
        }
    }

    fn begin(&mut self, index: usize) {
        let task = self.trace.transitions[index].task.index();
        let clock = Clocks::of(task);
        let number = self.hard.get(clock, task) + 1;
        *self.hard.get_mut(clock, task) = number;
        *self.hb.get_mut(clock, task) = number;
        self.number.push(number);
        let choice = self.trace.transitions[index].choice;
        if choice != Choice::None {
            self.choose(index, choice, clock);
        }
        let now = self.copy(clock);
        self.end.push(now);
        self.hash(index, clock);
    }

    fn choose(&mut self, index: usize, choice: Choice, clock: Clock) {
        let before = self.copy(clock);
        let chosen = self.chosen.remove(&choice).unwrap_or_default();
        let content = self.trace.content(index);
        let depends = |other: usize| self.trace.content(other).depends_on(content, Dependence::Conflict);
        let (conflicting, others): (Vec<usize>, Vec<usize>) =
            chosen.iter().partition(|&&other| depends(other));
        for &other in &conflicting {
            let happened = self.hb_of(other);
            self.wcp.join_from(clock, &happened);
        }
        if let Some(&last) = chosen.last() {
            let end = self.end[last];
            self.hb.join(clock, end);
            self.wcp.join(clock, end);
        }
        for other in others {
            let task = self.trace.transitions[other].task.index();
            let number = self.number[other];
            let known = self.hard.get(before, task).max(self.wcp.get(before, task)) >= number;
            if !known && self.wcp.get(clock, task) >= number {
                self.pairs.push((other, index));
            }
        }
        let mut chosen = chosen;
        chosen.push(index);
        self.chosen.insert(choice, chosen);
    }

    /// What happened before the end of a transition's section, that included.
    fn hb_of(&self, transition: usize) -> Vec<u32> {
        (0..self.trace.names.len()).map(|task| self.hb.get(self.end[transition], task)).collect()
    }

    /// Adds what is before a transition to the class, whatever the order in which transitions and tasks come.
    fn hash(&mut self, index: usize, clock: Clock) {
        let names = &self.trace.names;
        let mut before = 0u64;
        for (task, name) in names.iter().enumerate() {
            let count = self.hard.get(clock, task).max(self.wcp.get(clock, task));
            if count > 0 {
                before = before.wrapping_add(hash_of((name, count)));
            }
        }
        let transition = &self.trace.transitions[index];
        // Starts and ends of waits are no choices, and may be one transition or two.
        if transition.choice != Choice::None {
            let name = names[transition.task.index()];
            self.class =
                self.class.wrapping_add(hash_of((name, self.number[index], transition.choice, before)));
        }
    }
}
