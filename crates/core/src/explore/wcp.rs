//! What distinguishes executions under WCP, and which pairs have to be reversed because of it.
//!
//! Weak-causally-precedes (Kini, Mathur and Viswanathan, PLDI 2017; as the dependence of DPOR:
//! Ogles, Aldous and Mercer, FMCAD 2019) puts everything that *happened before* a section before
//! the sections that conflict with it. So whether two sections can be swapped is no matter of the
//! two: a section that conflicts with nothing is ordered with another one as soon as it comes
//! before one that does. Computed here from the transitions of an execution: for each the clock HB,
//! and the clock WCP, which at a section takes in the HB of the earlier sections it conflicts with,
//! and the WCP of the section before it.
//!
//! Used beside what DC reverses ([`Conflict`](super::Dependence::Conflict)), never instead of it,
//! so that nothing can be missed that is found under DC. Two executions are the same under WCP if
//! each transition has the same before it by WCP or by what orders tasks in any schedule; [`Class`]
//! is a hash of that. Since what depends on what changes with every swap, nothing sleeps;
//! executions of classes that were seen are counted as pruned, and the classes are kept. That is
//! why WCP is the slowest of the orders.
//!
//! Cost: O(transitions × (tasks + sections of the same lock)).
//!
//! Departures: rule (b) of PLDI 2017 is left out; it orders ends of sections, and sections are
//! transitions here.

use super::clocks::{Clock, Clocks};
use super::reversal::is_look;
use super::trace::{Hard, Trace};
use super::{Choice, Dependence, hash_of};
use crate::ids::TaskId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What executions that are the same under WCP have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Class(u64);

/// The class of an execution, and the pairs of transitions that only WCP orders; nothing if it was
/// stopped.
pub(super) fn analyse(trace: &Trace, stop: &dyn Fn() -> bool) -> Option<(Class, Vec<(usize, usize)>)> {
    let mut views = Views::new(trace);
    for (at, &hard) in trace.log.iter().enumerate() {
        if is_look(at) && stop() {
            return None;
        }
        views.apply(hard);
    }
    Some((Class(views.class), views.pairs))
}

/// Three clocks in one table, which share what they have in common.
#[derive(Clone, Copy)]
struct View {
    hb: Clock,
    wcp: Clock,
    hard: Clock,
}

impl View {
    fn of(task: TaskId) -> View {
        let clock = |which| Clock(3 * task.index() as u32 + which);
        View { hb: clock(0), wcp: clock(1), hard: clock(2) }
    }
}

/// HB, WCP and the hard order of an execution.
struct Views<'a> {
    trace: &'a Trace,
    clocks: Clocks,
    number: Vec<u32>,
    syncs: FxHashMap<u32, View>,
    scopes: FxHashMap<u32, View>,
    /// Where each transition left the section it entered, or else where it began.
    end: Vec<View>,
    /// The transitions that made each choice.
    chosen: FxHashMap<Choice, Vec<usize>>,
    class: u64,
    pairs: Vec<(usize, usize)>,
}

impl<'a> Views<'a> {
    fn new(trace: &'a Trace) -> Self {
        let mut clocks = Clocks::default();
        clocks.reset_with(trace.names.len(), 3 * trace.names.len());
        Views {
            trace,
            clocks,
            number: Vec::new(),
            syncs: FxHashMap::default(),
            scopes: FxHashMap::default(),
            end: Vec::new(),
            chosen: FxHashMap::default(),
            class: 0,
            pairs: Vec::new(),
        }
    }

    fn copy(&mut self, View { hb, wcp, hard }: View) -> View {
        let mut copy = |clock| self.clocks.copy(clock);
        View { hb: copy(hb), wcp: copy(wcp), hard: copy(hard) }
    }

    fn set(&mut self, view: View, from: View) {
        self.clocks.set(view.hb, from.hb);
        self.clocks.set(view.wcp, from.wcp);
        self.clocks.set(view.hard, from.hard);
    }

    fn join(&mut self, view: View, with: View) {
        self.clocks.join(view.hb, with.hb);
        self.clocks.join(view.wcp, with.wcp);
        self.clocks.join(view.hard, with.hard);
    }

    fn apply(&mut self, hard: Hard) {
        let of = View::of;
        match hard {
            Hard::Begin(index) => self.begin(index as usize),
            Hard::Spawn { parent, child } => {
                self.set(of(child), of(parent));
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
        let task = self.trace.transitions[index].task;
        let view = View::of(task);
        let number = self.clocks.tick(view.hard, task.index());
        self.clocks.put(view.hb, task.index(), number);
        self.number.push(number);
        let choice = self.trace.transitions[index].choice;
        if choice != Choice::None {
            self.choose(index, choice, view);
        }
        let now = self.copy(view);
        self.end.push(now);
        // Starts and ends of waits are no choices, and may be one transition or two.
        if choice != Choice::None {
            self.hash(index, view);
        }
    }

    fn choose(&mut self, index: usize, choice: Choice, view: View) {
        let before = self.copy(view);
        let chosen = self.chosen.remove(&choice).unwrap_or_default();
        let content = self.trace.content(index);
        let depends = |other: usize| self.trace.content(other).depends_on(content, Dependence::Conflict);
        let (conflicting, others): (Vec<usize>, Vec<usize>) =
            chosen.iter().partition(|&&other| depends(other));
        for &other in &conflicting {
            // What happened before the end of its section, that included.
            self.clocks.join(view.wcp, self.end[other].hb);
        }
        if let Some(&last) = chosen.last() {
            let end = self.end[last];
            self.clocks.join(view.hb, end.hb);
            self.clocks.join(view.wcp, end.wcp);
        }
        for other in others {
            let task = self.trace.transitions[other].task.index();
            let number = self.number[other];
            let known = self.clocks.get(before.hard, task).max(self.clocks.get(before.wcp, task)) >= number;
            if !known && self.clocks.get(view.wcp, task) >= number {
                self.pairs.push((other, index));
            }
        }
        let mut chosen = chosen;
        chosen.push(index);
        self.chosen.insert(choice, chosen);
    }

    /// Adds what is before a transition to the class, whatever the order in which transitions and
    /// tasks come.
    fn hash(&mut self, index: usize, view: View) {
        let names = &self.trace.names;
        let both = self.clocks.copy(view.hard);
        self.clocks.join(both, view.wcp);
        let mut before = 0u64;
        self.clocks.for_each(both, |task, count| before = before.wrapping_add(hash_of((names[task], count))));
        self.clocks.drop_newest(both);
        let transition = &self.trace.transitions[index];
        let name = names[transition.task.index()];
        self.class = self.class.wrapping_add(hash_of((name, self.number[index], transition.choice, before)));
    }
}
