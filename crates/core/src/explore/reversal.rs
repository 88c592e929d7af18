//! After an execution: which pairs of dependent transitions are next to each other in the order
//! they induce, and what has to run first to see them reversed.

use super::clocks::{Clock, Clocks};
use super::sequence::{Event, Record, Sequence};
use super::trace::{Hard, Trace};
use super::wcp::{self, Class};
use super::{Choice, Dependence};
use crate::event::Effect;
use crate::ids::TaskId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A pair of dependent transitions to be reversed.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// The transition before which something else has to begin: the earlier one of the pair.
    pub before: usize,
    /// The later one, if it ran.
    pub later: Option<usize>,
    /// What leads to the later one from the state before the earlier one.
    pub sequence: Sequence,
}

/// A task that could not go on at the end, and the choice it was about to make.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Stuck {
    pub task: TaskId,
    pub choice: Choice,
}

/// The later one of a pair.
#[derive(Clone, Copy)]
enum Later {
    Ran(usize),
    /// It did not come to it.
    Stuck(Stuck),
}

type Pairs = Vec<(usize, Later)>;

/// The reversals of an execution that was run for what lies at `from` and beyond, and its class
/// under WCP if that is the dependence. `stuck` are the tasks that wait for a choice at the end.
///
/// A pair that lies before `from` was met by another execution. It is to be reversed again if a
/// choice beyond does not need its earlier one: where the order of sections decides what they
/// access, that may not have been so in the other execution, and the later one of the pair may turn
/// out to depend on it. On the start of a task, or the end of a wait, nothing can depend.
///
/// `None` if `stop` said so: it is asked now and then, since an execution may be long.
pub fn reversals(
    trace: &Trace,
    dependence: Dependence,
    from: usize,
    stuck: &[Stuck],
    scratch: &mut Scratch,
    stop: &dyn Fn() -> bool,
) -> Option<(Vec<Reversal>, Option<Class>)> {
    let (class, ordered) = match dependence {
        Dependence::Wcp => {
            let (class, pairs) = wcp::analyse(trace, stop)?;
            (Some(class), pairs)
        }
        _ => (None, Vec::new()),
    };
    let Some(contested) = Contested::find(trace, stuck) else { return Some((Vec::new(), class)) };
    let mut order = Order::new(trace, dependence, contested, std::mem::take(&mut scratch.0));
    let mut pairs = Vec::new();
    for (at, &hard) in trace.log.iter().enumerate() {
        if is_look(at) && stop() {
            return None;
        }
        order.apply(hard, &mut pairs);
    }
    for (at, &stuck) in stuck.iter().enumerate() {
        let Some(choice) = order.contested.number(trace.transitions.len() + at) else { continue };
        let clock = order.clocks.copy(Clocks::of(stuck.task.index()));
        order.immediate(Later::Stuck(stuck), choice, clock, &mut pairs);
        order.clocks.drop_newest(clock);
    }
    for (first, later) in ordered {
        if !order.precedes(first, order.began[later]) {
            pairs.push((first, Later::Ran(later)));
        }
    }
    let beyond = Beyond::find(&mut order, from, stop)?;
    let mut stopped = false;
    let mut at = 0;
    pairs.retain(|&(first, later)| {
        at += 1;
        stopped |= is_look(at) && stop();
        !stopped && beyond.makes_new(&order, first, later)
    });
    beyond.forget(&mut order);
    if stopped {
        return None;
    }
    if pairs.is_empty() {
        scratch.0 = order.clocks;
        return Some((Vec::new(), class));
    }
    let lasts: Vec<Event> = pairs.iter().map(|&(_, later)| order.last(later)).collect();
    let began = trace.transitions.iter().zip(order.number.iter().zip(&order.began));
    let began = began.map(|(at, (&number, &clock))| (at.task.index() as u32, number, clock)).collect();
    let record = Record::new(dependence, order.clocks, trace.contents(), trace.names.clone(), began);
    let record = Arc::new(record);
    let reversal = |((before, later), last)| {
        let later = match later {
            Later::Ran(index) => Some(index),
            Later::Stuck(_) => None,
        };
        Reversal { before, later, sequence: Sequence::new(record.clone(), before, later, last) }
    };
    Some((pairs.into_iter().zip(lasts).map(reversal).collect(), class))
}

/// Whether it is time to ask whether to stop, at event number `at`. Short executions are not asked
/// about.
pub(super) fn is_look(at: usize) -> bool {
    at % 4096 == 4095
}

/// A moment of a task in an execution: so many events had been recorded, see [`Trace::position`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Moment {
    pub task: TaskId,
    pub position: usize,
}

/// The transitions that have to come before two moments, in their order; those that the moments are
/// in aside. If nothing orders the two, the tasks come to both of them when these have run.
pub fn past(trace: &Trace, dependence: Dependence, moments: [Moment; 2]) -> Vec<usize> {
    let contested = Contested::find(trace, &[])
        .unwrap_or_else(|| Contested { numbers: vec![None; trace.transitions.len()], count: 0 });
    let mut order = Order::new(trace, dependence, contested, Clocks::default());
    let mut clocks: [Option<(Clock, usize)>; 2] = [None; 2];
    for at in 0..=trace.log.len() {
        for (clock, moment) in clocks.iter_mut().zip(moments) {
            if moment.position == at && moment.task.index() < trace.names.len() {
                let now = order.clocks.copy(Clocks::of(moment.task.index()));
                let own = order.clocks.get(now, moment.task.index()) as usize;
                *clock = Some((now, own));
            }
        }
        if let Some(&hard) = trace.log.get(at) {
            order.apply(hard, &mut Vec::new());
        }
    }
    let is_past = |&index: &usize| {
        let task = trace.transitions[index].task;
        let of = |(clock, moment): (&Option<(Clock, usize)>, Moment)| {
            clock.is_some_and(|(clock, own)| {
                let within = task == moment.task && order.number[index] as usize >= own;
                !within && order.precedes(index, clock)
            })
        };
        clocks.iter().zip(moments).any(of)
    };
    (0..trace.transitions.len()).filter(is_past).collect()
}

/// Memory to be used again for the next execution.
#[derive(Default, Debug)]
pub struct Scratch(Clocks);

/// Which choices are made by more than one task; the others cannot be made in another order.
#[derive(Clone)]
struct Contested {
    /// The number of each transition's choice, and then of each stuck task's; none if it is not
    /// contested.
    numbers: Vec<Option<u32>>,
    /// How many different choices there are.
    count: usize,
}

impl Contested {
    /// `None` if no choice is.
    fn find(trace: &Trace, stuck: &[Stuck]) -> Option<Self> {
        let mut known: FxHashMap<Choice, u32> = FxHashMap::default();
        // Whoever makes a choice first, and whether another task makes it, too.
        let mut makers: Vec<(TaskId, bool)> = Vec::new();
        // Mostly the one before.
        let mut last = (Choice::None, None);
        let made = trace.transitions.iter().map(|transition| (transition.choice, transition.task));
        let mut numbers: Vec<Option<u32>> = made
            .chain(stuck.iter().map(|stuck| (stuck.choice, stuck.task)))
            .map(|(choice, task)| {
                if choice == Choice::None {
                    return None;
                }
                if choice != last.0 {
                    let number = *known.entry(choice).or_insert(makers.len() as u32);
                    if number as usize == makers.len() {
                        makers.push((task, false));
                    }
                    last = (choice, Some(number));
                }
                let (first, contested) = &mut makers[last.1? as usize];
                *contested |= *first != task;
                last.1
            })
            .collect();
        if !makers.iter().any(|&(_, contested)| contested) {
            return None;
        }
        for number in &mut numbers {
            *number = number.filter(|&number| makers[number as usize].1);
        }
        Some(Contested { numbers, count: makers.len() })
    }

    /// The number of what the transition at `index`, or the stuck task at `index` beyond all
    /// transitions, chooses.
    fn number(&self, index: usize) -> Option<usize> {
        self.numbers[index].map(|number| number as usize)
    }
}

/// A transition that made a contested choice.
#[derive(Clone, Copy)]
struct Chosen {
    index: u32,
    effects: Effects,
    /// Those of all that made the choice up to this one.
    so_far: Effects,
}

/// Effects on locations modulo 63: most sections that do not conflict are distinguished by these.
/// The last bit is for what everybody reads and those write that depend on everything.
#[derive(Clone, Copy)]
struct Effects {
    read: u64,
    added: u64,
    written: u64,
}

impl Effects {
    /// Of what depends on everything.
    const ALL: Effects = Effects { read: u64::MAX, added: u64::MAX, written: u64::MAX };

    fn of(accesses: &[(u64, Effect)]) -> Self {
        let mut effects = Effects { read: 1 << 63, added: 0, written: 0 };
        for &(location, effect) in accesses {
            let bit = 1 << (location % 63);
            match effect {
                Effect::Read => effects.read |= bit,
                Effect::Add => effects.added |= bit,
                Effect::Write => effects.written |= bit,
            }
        }
        effects
    }

    fn accessed(self) -> u64 {
        self.read | self.added | self.written
    }

    fn with(self, other: Effects) -> Effects {
        let Effects { read, added, written } = other;
        Effects { read: self.read | read, added: self.added | added, written: self.written | written }
    }

    fn may_conflict(self, other: Effects) -> bool {
        let read_and_added = self.read & other.added | self.added & other.read;
        read_and_added | self.written & other.accessed() | self.accessed() & other.written != 0
    }
}

struct Order<'a> {
    trace: &'a Trace,
    dependence: Dependence,
    contested: Contested,
    /// All clocks; the first ones are the tasks'.
    clocks: Clocks,
    /// The clock each transition began with, its own choice and what that depends on included.
    began: Vec<Clock>,
    /// The same for a `P` without the `V` whose token it took: it could as well have taken
    /// another's.
    tokenless: Vec<(usize, Clock)>,
    /// The number of each transition among those of its task, from 1.
    number: Vec<u32>,
    /// For each transition the clock behind its choice if that is another one: when its section was
    /// left.
    left: Vec<Option<Clock>>,
    syncs: Vec<Option<Clock>>,
    scopes: Vec<Option<Clock>>,
    /// The transitions that made a choice, by its number.
    chosen: Vec<Vec<Chosen>>,
    /// The transition that has just begun.
    fresh: Option<usize>,
}

impl<'a> Order<'a> {
    fn new(trace: &'a Trace, dependence: Dependence, contested: Contested, mut clocks: Clocks) -> Self {
        clocks.reset(trace.names.len());
        let transitions = trace.transitions.len();
        Order {
            trace,
            dependence,
            clocks,
            began: Vec::with_capacity(transitions),
            tokenless: Vec::new(),
            number: Vec::with_capacity(transitions),
            left: vec![None; transitions],
            syncs: Vec::new(),
            scopes: Vec::new(),
            chosen: vec![Vec::new(); contested.count],
            contested,
            fresh: None,
        }
    }

    fn apply(&mut self, hard: Hard, pairs: &mut Pairs) {
        let fresh = self.fresh.take();
        let of = |task: TaskId| Clocks::of(task.index());
        match hard {
            Hard::Begin(index) => self.begin(index as usize, pairs),
            Hard::Spawn { parent, child } => self.clocks.set(of(child), of(parent)),
            Hard::Signal { task, sync } => match slot(&mut self.syncs, sync.index()) {
                Some(clock) => self.clocks.set(*clock, of(task)),
                none => *none = Some(self.clocks.copy(of(task))),
            },
            Hard::Join { task, sync } => {
                if let Some(&Some(clock)) = self.syncs.get(sync.index()) {
                    self.clocks.join(of(task), clock);
                }
                self.resumed(fresh, task);
            }
            Hard::End { task, scope } => match slot(&mut self.scopes, scope.index()) {
                Some(clock) => self.clocks.join(*clock, of(task)),
                none => *none = Some(self.clocks.copy(of(task))),
            },
            Hard::FinishEnd { task, scope } => {
                if let Some(&Some(clock)) = self.scopes.get(scope.index()) {
                    self.clocks.join(of(task), clock);
                }
                self.resumed(fresh, task);
            }
            Hard::Leave { section, task } => {
                if self.contested.number(section as usize).is_some() {
                    self.left[section as usize] = Some(self.clocks.copy(of(task)));
                }
            }
        }
    }

    /// A transition at the end of a wait cannot begin before what it waited for; nor can a `P`
    /// before the `V`, as long as those that took the tokens before it did so: all later `V`s come
    /// after that one, all earlier tokens are gone.
    fn resumed(&mut self, fresh: Option<usize>, task: TaskId) {
        let Some(index) = fresh else { return };
        let choice = self.trace.transitions[index].choice;
        let waited = match choice {
            Choice::None => self.number[index] > 1,
            Choice::Take(_) => true,
            _ => false,
        };
        if waited {
            let now = self.clocks.copy(Clocks::of(task.index()));
            let began = std::mem::replace(&mut self.began[index], now);
            if choice != Choice::None {
                self.tokenless.push((index, began));
            }
        }
    }

    fn begin(&mut self, index: usize, pairs: &mut Pairs) {
        let transition = &self.trace.transitions[index];
        let task = transition.task.index();
        let clock = Clocks::of(task);
        let number = self.clocks.tick(clock, task);
        self.number.push(number);
        if let Some(choice) = self.contested.number(index) {
            self.immediate(Later::Ran(index), choice, clock, pairs);
            let effects = self.effects(index);
            let so_far = self.chosen[choice].last().map_or(effects, |last| last.so_far.with(effects));
            self.chosen[choice].push(Chosen { index: index as u32, effects, so_far });
        }
        self.began.push(self.clocks.copy(clock));
        self.fresh = Some(index);
    }

    fn effects(&self, index: usize) -> Effects {
        let accesses = self.trace.content(index).accesses;
        if self.is_sure(index) { Effects::of(accesses) } else { Effects::ALL }
    }

    /// Whether what a transition depends on is a matter of its accesses.
    fn is_sure(&self, index: usize) -> bool {
        let content = self.trace.content(index);
        let section = matches!(content.choice, Choice::Section(_));
        self.dependence != Dependence::Lock && content.closed && section
    }

    /// Pairs a transition with those right before it on which it depends; adds these to its clock.
    ///
    /// Looks at them from the last one back, up to where nothing that is left conflicts, or all of
    /// it comes before one it has seen: one on which everything depends, or those that wrote,
    /// together, all that the transition accesses. (What has only been added to is no such thing:
    /// earlier additions do not come before later ones.) So sections that write the same cost one
    /// look each.
    fn immediate(&mut self, later: Later, choice: usize, clock: Clock, pairs: &mut Pairs) {
        let mut all = false;
        let mut uncovered: Option<Vec<u64>> = None;
        let mut own = Effects::ALL;
        if let Later::Ran(index) = later {
            let section = matches!(self.trace.transitions[index].choice, Choice::Section(_));
            all = !section || self.dependence == Dependence::Lock;
            own = self.effects(index);
            if self.is_sure(index) {
                let accesses = self.trace.content(index).accesses;
                uncovered = Some(accesses.iter().map(|&(location, _)| location).collect());
            }
        }
        // Out of the way: the clocks change meanwhile.
        let chosen = std::mem::take(&mut self.chosen[choice]);
        for other in chosen.iter().rev() {
            if !own.may_conflict(other.so_far) {
                break;
            }
            if !own.may_conflict(other.effects) {
                continue;
            }
            let other = other.index as usize;
            if !self.dependent(other, later) {
                continue;
            }
            // Even one that cannot be reversed, being ordered otherwise, has to be left before this
            // one begins.
            if !self.precedes(other, clock) {
                pairs.push((other, later));
            }
            self.clocks.join(clock, self.end_of(other));
            // It came after all the others itself.
            let content = self.trace.content(other);
            if all || !content.closed || !matches!(content.choice, Choice::Section(_)) {
                break;
            }
            if let Some(uncovered) = &mut uncovered {
                uncovered.retain(|&location| {
                    let at = content.accesses.binary_search_by_key(&location, |&(other, _)| other);
                    at.map_or(true, |at| content.accesses[at].1 != Effect::Write)
                });
                if uncovered.is_empty() {
                    break;
                }
            }
        }
        self.chosen[choice] = chosen;
    }

    /// The clock behind the choice of a transition.
    fn end_of(&self, transition: usize) -> Clock {
        self.left[transition].unwrap_or(self.began[transition])
    }

    /// Whether two transitions that make the same choice depend on each other.
    fn dependent(&self, first: usize, later: Later) -> bool {
        let content = self.trace.content(first);
        match later {
            Later::Ran(index) => self.trace.content(index).depends_on(content, self.dependence),
            // What it would have accessed is not known, and does not matter: only what has not come
            // to its end can keep it from going on.
            Later::Stuck(_) => !content.closed || !matches!(content.choice, Choice::Section(_)),
        }
    }

    fn precedes(&self, transition: usize, clock: Clock) -> bool {
        let task = self.trace.transitions[transition].task.index();
        self.clocks.get(clock, task) >= self.number[transition]
    }

    /// What a sequence that leads to the later one of a pair ends with.
    fn last(&self, later: Later) -> Event {
        match later {
            Later::Ran(index) => {
                let tokenless = self.tokenless.iter().find(|(other, _)| *other == index);
                let clock = tokenless.map_or(self.began[index], |&(_, clock)| clock);
                let transition = &self.trace.transitions[index];
                let task = transition.task.index() as u32;
                Event { task, number: self.number[index], clock, choice: transition.choice }
            }
            Later::Stuck(Stuck { task, choice }) => {
                let clock = Clocks::of(task.index());
                let number = self.clocks.get(clock, task.index()) + 1;
                Event { task: task.index() as u32, number, clock, choice }
            }
        }
    }
}

/// The choices of an execution that are made at some transition, or beyond it.
struct Beyond {
    from: usize,
    /// What comes before all of them; none if there are none. One look at it says of a transition
    /// whether some choice can be made without it: to ask each would take pairs × choices.
    all: Option<Clock>,
}

impl Beyond {
    /// `None` if `stop` said so.
    fn find(order: &mut Order<'_>, from: usize, stop: &dyn Fn() -> bool) -> Option<Self> {
        let mut all = None;
        for index in from..order.began.len() {
            if is_look(index) && stop() {
                return None;
            }
            if order.trace.transitions[index].choice == Choice::None {
                continue;
            }
            match all {
                Some(all) => order.clocks.meet(all, order.began[index]),
                None => all = Some(order.clocks.copy(order.began[index])),
            }
        }
        Some(Beyond { from, all })
    }

    /// Whether the later one of a pair, or something else that can be run without the first, is
    /// there.
    fn makes_new(&self, order: &Order<'_>, first: usize, later: Later) -> bool {
        let Later::Ran(index) = later else { return true };
        if index >= self.from {
            return true;
        }
        // What has to come after the later one has to come after the first as well, if the later
        // one depends on it.
        if order.precedes(first, order.began[index]) {
            return self.all.is_some_and(|all| !order.precedes(first, all));
        }
        // Under WCP it need not.
        (self.from..order.began.len()).any(|at| {
            let began = order.began[at];
            let choice = order.trace.transitions[at].choice;
            choice != Choice::None && !order.precedes(first, began) && !order.precedes(index, began)
        })
    }

    fn forget(self, order: &mut Order<'_>) {
        if let Some(all) = self.all {
            order.clocks.drop_newest(all);
        }
    }
}

fn slot<T: Default>(all: &mut Vec<T>, index: usize) -> &mut T {
    if all.len() <= index {
        all.resize_with(index + 1, T::default);
    }
    &mut all[index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AccessKind, Observer, SyncKind};
    use crate::ids::{Location, ScopeId, SiteId, SyncId};

    /// Tasks one after the other, each of which starts and enters a section of one lock that writes
    /// the same.
    fn sections(tasks: u32) -> Trace {
        let (lock, scope, site) = (SyncId(0), ScopeId::PROGRAM, SiteId(0));
        let mut trace = Trace::new();
        trace.turn(TaskId::MAIN);
        for task in (1..=tasks).map(TaskId) {
            trace.spawn(TaskId::MAIN, task, scope, site);
        }
        for task in (1..=tasks).map(TaskId) {
            trace.turn(task);
            trace.turn(task);
            trace.join(task, lock, SyncKind::Lock);
            trace.access(task, AccessKind::Write, Location(0), site);
            trace.signal(task, lock, SyncKind::Lock);
            trace.end(task);
        }
        trace.finish();
        trace
    }

    /// Sections that add to one location, and then one that reads it: each addition is next to the
    /// reader, and no two of them are a pair.
    #[test]
    fn a_reader_comes_after_each_addition() {
        let (lock, scope, site) = (SyncId(0), ScopeId::PROGRAM, SiteId(0));
        let mut trace = Trace::new();
        trace.turn(TaskId::MAIN);
        for task in (1..=4).map(TaskId) {
            trace.spawn(TaskId::MAIN, task, scope, site);
        }
        for task in (1..=4).map(TaskId) {
            trace.turn(task);
            trace.turn(task);
            trace.join(task, lock, SyncKind::Lock);
            if task == TaskId(4) {
                trace.access(task, AccessKind::Read, Location(0), site);
            } else {
                trace.addition(task, AccessKind::Read, Location(0), site);
                trace.addition(task, AccessKind::Write, Location(0), site);
            }
            trace.signal(task, lock, SyncKind::Lock);
            trace.end(task);
        }
        trace.finish();
        let (scratch, stop) = (&mut Scratch::default(), || false);
        let (all, _) = reversals(&trace, Dependence::Conflict, 0, &[], scratch, &stop).unwrap();
        let mut pairs: Vec<_> = all.iter().map(|reversal| (reversal.before, reversal.later)).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, [(2, Some(8)), (4, Some(8)), (6, Some(8))]);
    }

    /// Each section makes a pair with the one before it. An execution that was run for its last
    /// pair has to report that one only: to go through all pairs in each execution takes their
    /// number squared.
    #[test]
    fn pairs_of_other_executions_are_not_told_again() {
        let trace = sections(500);
        let befores = |from: usize| {
            let (scratch, stop) = (&mut Scratch::default(), || false);
            let (all, _) = reversals(&trace, Dependence::Conflict, from, &[], scratch, &stop).unwrap();
            all.iter().map(|reversal| reversal.before).collect::<Vec<_>>()
        };
        assert_eq!(befores(0).len(), 499);
        let section = |task: usize| 2 * task;
        // From the start of the last task on.
        assert_eq!(befores(section(500) - 1), [section(499)]);
    }
}
