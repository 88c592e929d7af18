//! After an execution: which pairs of dependent transitions are next to each other in the order they induce, and what
//! has to run first to see them the other way round.

use super::trace::{Hard, Trace};
use super::{Choice, Dependence, TaskName};
use crate::ids::TaskId;

/// Vector clocks over the tasks of one execution: how many transitions of each precede.
type Clock = Vec<u32>;

/// A pair to be tried the other way round.
#[derive(Clone, Debug)]
pub struct Reversal {
    /// The transition before which something else has to begin: the earlier one of the pair.
    pub before: usize,
    /// The later one, if it ran.
    pub later: Option<usize>,
    /// The tasks any one of which can begin it; never empty, the later one of the pair first if it can.
    pub initials: Vec<TaskName>,
    /// The tasks, in order, whose transitions lead to the later one of the pair.
    pub sequence: Vec<TaskName>,
}

/// A task that could not go on at the end, and the choice it was about to make.
#[derive(Clone, Copy, Debug)]
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

/// The reversals of an execution whose later transition is at `from` or beyond (what lies before was
/// another execution's to reverse). `stuck` are the tasks that wait for a choice at the end.
pub fn reversals(trace: &Trace, dependence: Dependence, from: usize, stuck: &[Stuck]) -> Vec<Reversal> {
    let mut order = Order::new(trace, dependence);
    let mut pairs = Vec::new();
    for &hard in &trace.log {
        order.apply(hard, from, &mut pairs);
    }
    for &stuck in stuck {
        let clock = order.now[stuck.task.index()].clone();
        order.immediate(Later::Stuck(stuck), clock, &mut pairs);
    }
    pairs.into_iter().map(|(first, later)| order.reversal(first, later)).collect()
}

struct Order<'a> {
    trace: &'a Trace,
    dependence: Dependence,
    /// The clock of each task.
    now: Vec<Clock>,
    /// The clock each transition began with, its own choice and what that depends on included.
    began: Vec<Clock>,
    /// The same for a `P` without the `V` whose token it took: it could as well have taken another's.
    tokenless: Vec<(usize, Clock)>,
    /// The number of each transition among those of its task, from 1.
    number: Vec<u32>,
    /// For each transition the clock behind its choice: when its section was left, or its own.
    left: Vec<Option<Clock>>,
    syncs: Vec<Clock>,
    scopes: Vec<Clock>,
    /// The transitions that made a choice, by kind and sync.
    chosen: Vec<(Choice, Vec<u32>)>,
    /// The transition that has just begun.
    fresh: Option<usize>,
}

impl<'a> Order<'a> {
    fn new(trace: &'a Trace, dependence: Dependence) -> Self {
        Order {
            trace,
            dependence,
            now: vec![Clock::new(); trace.names.len()],
            began: Vec::with_capacity(trace.transitions.len()),
            tokenless: Vec::new(),
            number: Vec::with_capacity(trace.transitions.len()),
            left: vec![None; trace.transitions.len()],
            syncs: Vec::new(),
            scopes: Vec::new(),
            chosen: Vec::new(),
            fresh: None,
        }
    }

    fn apply(&mut self, hard: Hard, from: usize, pairs: &mut Pairs) {
        let fresh = self.fresh.take();
        match hard {
            Hard::Begin(index) => self.begin(index as usize, from, pairs),
            Hard::Spawn { parent, child } => self.now[child.index()] = self.now[parent.index()].clone(),
            Hard::Signal { task, sync } => {
                let clock = &self.now[task.index()];
                *slot(&mut self.syncs, sync.index()) = clock.clone();
            }
            Hard::Join { task, sync } => {
                if let Some(clock) = self.syncs.get(sync.index()) {
                    join(&mut self.now[task.index()], clock);
                }
                self.resumed(fresh, task);
            }
            Hard::End { task, scope } => {
                join(slot(&mut self.scopes, scope.index()), &self.now[task.index()]);
            }
            Hard::FinishEnd { task, scope } => {
                if let Some(clock) = self.scopes.get(scope.index()) {
                    join(&mut self.now[task.index()], clock);
                }
                self.resumed(fresh, task);
            }
            Hard::Leave { section, task } => {
                self.left[section as usize] = Some(self.now[task.index()].clone())
            }
        }
    }

    /// A transition at the end of a wait cannot begin before what it waited for; nor can a `P` before the `V`, as long as
    /// those that took the tokens before it did so: all later `V`s come after that one, all earlier tokens are gone.
    fn resumed(&mut self, fresh: Option<usize>, task: TaskId) {
        let Some(index) = fresh else { return };
        let waited = match self.trace.transitions[index].content.choice {
            Choice::None => self.number[index] > 1,
            Choice::Take(_) => true,
            _ => false,
        };
        if waited {
            let now = self.now[task.index()].clone();
            let began = std::mem::replace(&mut self.began[index], now);
            if self.trace.transitions[index].content.choice != Choice::None {
                self.tokenless.push((index, began));
            }
        }
    }

    fn begin(&mut self, index: usize, from: usize, pairs: &mut Pairs) {
        let transition = &self.trace.transitions[index];
        let task = transition.task.index();
        let mut clock = std::mem::take(&mut self.now[task]);
        let own = slot(&mut clock, task);
        *own += 1;
        self.number.push(*own);
        let mut found = Vec::new();
        clock = self.immediate(Later::Ran(index), clock, &mut found);
        if index >= from {
            pairs.append(&mut found);
        }
        let choice = transition.content.choice;
        if choice != Choice::None {
            match self.chosen.iter_mut().find(|(other, _)| *other == choice) {
                Some((_, all)) => all.push(index as u32),
                None => self.chosen.push((choice, vec![index as u32])),
            }
        }
        self.began.push(clock.clone());
        self.now[task] = clock;
        self.fresh = Some(index);
    }

    /// Pairs a transition with those right before it on which it depends; its clock with these included.
    fn immediate(&self, later: Later, mut clock: Clock, pairs: &mut Pairs) -> Clock {
        let choice = match later {
            Later::Ran(index) => self.trace.transitions[index].content.choice,
            Later::Stuck(stuck) => stuck.choice,
        };
        let Some((_, earlier)) = self.chosen.iter().find(|(other, _)| *other == choice) else { return clock };
        for &other in earlier.iter().rev() {
            let other = other as usize;
            if !self.dependent(other, later) {
                continue;
            }
            // Even one that cannot be reversed, being ordered otherwise, has to be left before this one begins.
            if !self.precedes(other, &clock) {
                pairs.push((other, later));
            }
            join(&mut clock, self.end_of(other));
        }
        clock
    }

    /// The clock behind the choice of a transition.
    fn end_of(&self, transition: usize) -> &Clock {
        self.left[transition].as_ref().unwrap_or(&self.began[transition])
    }

    /// Whether two transitions that make the same choice depend on each other.
    fn dependent(&self, first: usize, later: Later) -> bool {
        let content = &self.trace.transitions[first].content;
        match later {
            Later::Ran(index) => self.trace.transitions[index].content.depends_on(content, self.dependence),
            // What it would have accessed is not known, and does not matter: only what has not come to its end can
            // keep it from going on.
            Later::Stuck(_) => !content.closed || !matches!(content.choice, Choice::Section(_)),
        }
    }

    fn precedes(&self, transition: usize, clock: &Clock) -> bool {
        let task = self.trace.transitions[transition].task.index();
        clock.get(task).is_some_and(|&known| known >= self.number[transition])
    }

    fn name(&self, task: TaskId) -> TaskName {
        self.trace.names[task.index()]
    }

    /// What leads from the state before `first` to `second` without `first`: everything that does not depend on it.
    fn reversal(&self, first: usize, later: Later) -> Reversal {
        let (end, task, clock) = match later {
            Later::Ran(index) => {
                let tokenless = self.tokenless.iter().find(|(other, _)| *other == index);
                let clock = tokenless.map_or(&self.began[index], |(_, clock)| clock);
                (index, self.trace.transitions[index].task, clock)
            }
            Later::Stuck(stuck) => (self.trace.transitions.len(), stuck.task, &self.now[stuck.task.index()]),
        };
        let mut sequence = Vec::new();
        let mut initials = Vec::new();
        // For each task in the sequence the number of its first transition there.
        let mut begun: Vec<(usize, u32)> = Vec::new();
        let is_initial = |clock: &Clock, begun: &[(usize, u32)]| {
            begun.iter().all(|&(task, number)| clock.get(task).is_none_or(|&known| known < number))
        };
        let note = |begun: &mut Vec<(usize, u32)>, task: usize, number: u32| {
            if !begun.iter().any(|&(other, _)| other == task) {
                begun.push((task, number));
            }
        };
        for index in first + 1..end {
            let (task, clock) = (self.trace.transitions[index].task, &self.began[index]);
            if self.precedes(first, clock) {
                continue;
            }
            if is_initial(clock, &begun) {
                initials.push(self.name(task));
            }
            note(&mut begun, task.index(), self.number[index]);
            sequence.push(self.name(task));
        }
        if is_initial(clock, &begun) {
            initials.insert(0, self.name(task));
        }
        sequence.push(self.name(task));
        let later = match later {
            Later::Ran(index) => Some(index),
            Later::Stuck(_) => None,
        };
        Reversal { before: first, later, initials, sequence }
    }
}

fn slot<T: Default>(all: &mut Vec<T>, index: usize) -> &mut T {
    if all.len() <= index {
        all.resize_with(index + 1, T::default);
    }
    &mut all[index]
}

fn join(into: &mut Clock, from: &Clock) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (mine, &theirs) in into.iter_mut().zip(from) {
        *mine = (*mine).max(theirs);
    }
}
