//! A sequence of transitions that is to be run from some state, and which tasks can begin it.
//!
//! It comes from a pair of dependent transitions that is to be reversed: everything that does not
//! need the earlier one, up to the later one. All but the last do what they did, since nothing they
//! depend on is missing. What the *last* one does without the earlier one is known only once it has
//! run there: a section may access other things then, and depend on other sections of its lock than
//! it did.

use super::clocks::{Clock, Clocks};
use super::trace::Contents;
use super::{Choice, ContentRef, Dependence, TaskName, hash_of};
use crate::ids::TaskId;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sequence {
    /// Written once for all sequences of an execution: see [`stored`](super::stored).
    #[serde(skip, default = "Record::none")]
    record: Arc<Record>,
    /// The earlier one of the pair, and the later one if it ran, in the execution they come from.
    /// What the sequence has before its last transition follows from these: an execution may have
    /// as many pairs as it has transitions.
    first: u32,
    later: Option<u32>,
    last: Event,
    /// For each task of which transitions have been run, the last of these; sorted.
    gone: Vec<(u32, u32)>,
    #[serde(skip)]
    likeness: OnceLock<Likeness>,
}

/// How many transitions a sequence has, and what is the same for all of the same transitions, and
/// for no others (but by a chance of one in 2⁶⁴).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Likeness {
    len: usize,
    transitions: u64,
}

/// What sequences have to know of the execution they come from.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) dependence: Dependence,
    pub(super) clocks: Clocks,
    pub(super) contents: Contents,
    pub(super) names: Vec<TaskName>,
    /// Of each transition its task, which of that task's transitions it is, from 1, and the clock
    /// it began with.
    pub(super) began: Vec<(u32, u32, Clock)>,
    /// The first transition of each task, and behind each transition the next one of its task;
    /// [`NONE`] if there is none.
    pub(super) first_of: Vec<u32>,
    pub(super) next: Vec<u32>,
}

/// No transition.
const NONE: u32 = u32::MAX;

impl Record {
    pub(super) fn new(
        dependence: Dependence,
        clocks: Clocks,
        contents: Contents,
        names: Vec<TaskName>,
        began: Vec<(u32, u32, Clock)>,
    ) -> Self {
        let mut first_of = vec![NONE; names.len()];
        let mut next = vec![NONE; began.len()];
        for (index, &(task, ..)) in began.iter().enumerate().rev() {
            next[index] = std::mem::replace(&mut first_of[task as usize], index as u32);
        }
        Record { dependence, clocks, contents, names, began, first_of, next }
    }

    /// Of a sequence that was read, until it is known whose it is.
    fn none() -> Arc<Self> {
        let (clocks, contents) = Default::default();
        Arc::new(Record::new(Dependence::Conflict, clocks, contents, Vec::new(), Vec::new()))
    }

    /// Whether a transition comes before whatever has a clock.
    fn precedes(&self, transition: u32, clock: Clock) -> bool {
        let (task, number, _) = self.began[transition as usize];
        self.clocks.get(clock, task as usize) >= number
    }

    /// The transitions of a task in their order.
    fn of_task(&self, task: u32) -> impl Iterator<Item = u32> {
        let some = |at: u32| Some(at).filter(|&at| at != NONE);
        let first = self.first_of.get(task as usize).copied().and_then(some);
        std::iter::successors(first, move |&at| self.next.get(at as usize).copied().and_then(some))
    }

    /// The task of a name; most probably it is `hint`.
    fn task(&self, hint: TaskId, name: TaskName) -> Option<u32> {
        if self.names.get(hint.index()) == Some(&name) {
            return Some(hint.index() as u32);
        }
        self.names.iter().position(|&other| other == name).map(|at| at as u32)
    }

    /// Whether one that was read from outside can be used.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let Record { clocks, contents, names, began, first_of, next, .. } = self;
        let fits = |&(task, _, clock): &(u32, u32, Clock)| {
            (task as usize) < names.len() && clocks.is_task(task as usize) && clocks.has(clock)
        };
        let known = |at: &u32| *at == NONE || (*at as usize) < began.len();
        // Lists that go up come to an end.
        let goes_up = next.iter().enumerate().all(|(at, next)| *next as usize > at);
        let whole = began.iter().all(fits)
            && (began.is_empty() || contents.has_all(began.len()))
            && first_of.len() == names.len()
            && next.len() == began.len()
            && first_of.iter().all(known)
            && next.iter().all(known)
            && goes_up;
        if whole { Ok(()) } else { Err("an execution is none") }
    }
}

/// One transition of a [`Sequence`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Event {
    /// Its task in the execution the sequence comes from, and which of that task's transitions it
    /// is.
    pub(super) task: u32,
    pub(super) number: u32,
    pub(super) clock: Clock,
    pub(super) choice: Choice,
}

/// What exploring a task from a state is to a sequence that is to be run from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// It begins the sequence.
    Begins,
    /// It is not in the sequence, and nothing in that depends on it.
    Aside,
    /// The same, unless the last one does.
    PerhapsAside,
    /// The sequence cannot be run behind it.
    No,
}

/// Where a transition stands in a sequence.
enum Place {
    /// It is this transition of the execution.
    Event(u32),
    Last,
    /// The sequence has no such transition.
    None,
    /// It has another one of the same task.
    Other,
}

impl Sequence {
    pub(super) fn new(record: Arc<Record>, first: usize, later: Option<usize>, last: Event) -> Self {
        let (first, later) = (first as u32, later.map(|later| later as u32));
        Sequence { record, first, later, last, gone: Vec::new(), likeness: OnceLock::new() }
    }

    pub(super) fn record(&self) -> &Arc<Record> {
        &self.record
    }

    pub(super) fn belong_to(&mut self, record: Arc<Record>) {
        self.record = record;
    }

    /// Whether a transition of the execution is one of the sequence, the last one aside: it comes
    /// after the first one of the pair, does not need it, has not to come after the later one, and
    /// has not been run.
    fn has(&self, index: u32) -> bool {
        let (task, number, began) = self.record.began[index as usize];
        // Under WCP the later one need not depend on the first.
        let behind = || self.later.is_some_and(|later| self.record.precedes(later, began));
        index > self.first
            && !self.is_gone(task, number)
            && !self.record.precedes(self.first, began)
            && !behind()
    }

    fn is_gone(&self, task: u32, number: u32) -> bool {
        let known = self.gone.binary_search_by_key(&task, |&(task, _)| task);
        known.is_ok_and(|at| number <= self.gone[at].1)
    }

    /// Its transitions but for the last one.
    fn others(&self) -> impl Iterator<Item = u32> {
        (self.first + 1..self.record.began.len() as u32).filter(|&index| self.has(index))
    }

    fn choice(&self, index: u32) -> Choice {
        self.record.contents.get(index as usize).choice
    }

    fn event(&self, index: u32) -> Event {
        let (task, number, clock) = self.record.began[index as usize];
        Event { task, number, clock, choice: self.choice(index) }
    }

    /// Its transitions by what they are, whatever the execution they come from.
    fn steps(&self) -> impl Iterator<Item = (TaskName, Choice)> {
        self.others().map(|index| self.event(index)).chain([self.last]).map(|event| self.step(&event))
    }

    fn step(&self, event: &Event) -> (TaskName, Choice) {
        (self.record.names[event.task as usize], event.choice)
    }

    /// What a task that does `content` where the sequence is to be run is to it. `hint` is most
    /// probably the number of the task in the execution the sequence comes from.
    pub fn part(&self, hint: TaskId, name: TaskName, content: ContentRef<'_>) -> Part {
        let last = &self.last;
        let depends = |index: u32| {
            let other = self.record.contents.get(index as usize);
            other.depends_on(content, self.record.dependence) && self.has(index)
        };
        let hindered = || (self.first + 1..self.record.began.len() as u32).any(depends);
        match self.place(hint, name, content.choice) {
            Place::Event(at) if !self.is_first(at) => Part::No,
            Place::Event(_) => Part::Begins,
            Place::Last if !self.is_last_first() => Part::No,
            Place::Other => Part::No,
            _ if hindered() => Part::No,
            Place::Last => Part::Begins,
            Place::None if last.choice == Choice::None || last.choice != content.choice => Part::Aside,
            Place::None if self.varies(last.choice) && content.closed => Part::PerhapsAside,
            Place::None => Part::No,
        }
    }

    /// Whether that is [`Part::Begins`], which takes less to know.
    pub(super) fn is_begun_by(&self, hint: TaskId, name: TaskName, content: ContentRef<'_>) -> bool {
        matches!(self.place(hint, name, content.choice), Place::Event(_) | Place::Last)
            && self.part(hint, name, content) == Part::Begins
    }

    /// Where a task's next transition stands in the sequence. Starts and ends of waits may not come
    /// as they did: a task that finds what it waits for does not stop there.
    fn place(&self, hint: TaskId, name: TaskName, choice: Choice) -> Place {
        let Some(task) = self.record.task(hint, name) else { return Place::None };
        let is_next = |other: Choice| choice == Choice::None || other != Choice::None;
        let others = self.record.of_task(task).map(|at| (self.choice(at), Place::Event(at), at));
        let others = others.filter(|&(.., at)| self.has(at)).map(|(choice, place, _)| (choice, place));
        let last = Some((self.last.choice, Place::Last)).filter(|_| self.last.task == task);
        match others.chain(last).find(|&(other, _)| is_next(other)) {
            None => Place::None,
            Some((other, place)) if other == choice => place,
            Some(_) if choice == Choice::None => Place::None,
            Some(_) => Place::Other,
        }
    }

    /// Whether what one who makes a choice depends on is a matter of what it does then.
    fn varies(&self, choice: Choice) -> bool {
        self.record.dependence != Dependence::Lock && matches!(choice, Choice::Section(_))
    }

    /// Whether nothing in the sequence has to come before a transition, as far as is known.
    fn is_first(&self, at: u32) -> bool {
        let event = self.event(at);
        !(self.first + 1..at).any(|other| self.precedes(other, &event) && self.has(other))
    }

    fn is_last_first(&self) -> bool {
        // What has to come before it did so, if it ran.
        let end = self.later.unwrap_or(self.record.began.len() as u32);
        !(self.first + 1..end).any(|other| self.precedes(other, &self.last) && self.has(other))
    }

    /// Whether a transition has to come before a later one, as far as is known.
    fn precedes(&self, other: u32, event: &Event) -> bool {
        let (task, number, _) = self.record.began[other as usize];
        task == event.task || self.record.clocks.get(event.clock, task as usize) >= number
    }

    /// The tasks that can begin it, the last one first: that is what the sequence is for.
    pub fn beginning(&self) -> impl Iterator<Item = TaskName> {
        let last = Some(self.last.task).into_iter().filter(|_| self.is_last_first());
        let first = self.others().filter(|&at| self.is_first(at)).map(|at| self.record.began[at as usize].0);
        last.chain(first).map(|task| self.record.names[task as usize])
    }

    /// What is left of it behind a task that begins it with a choice; nothing behind its last
    /// transition.
    pub fn after(&self, hint: TaskId, name: TaskName, choice: Choice) -> Option<Sequence> {
        let Sequence { record, first, later, last, gone, .. } = self;
        let mut gone = gone.clone();
        match self.place(hint, name, choice) {
            Place::Last => return None,
            Place::Event(at) => {
                let (task, number, _) = record.began[at as usize];
                match gone.binary_search_by_key(&task, |&(task, _)| task) {
                    Ok(at) => gone[at].1 = number,
                    Err(at) => gone.insert(at, (task, number)),
                }
            }
            Place::None | Place::Other => {}
        }
        let (record, first, later, last) = (record.clone(), *first, *later, *last);
        Some(Sequence { record, first, later, last, gone, likeness: OnceLock::new() })
    }

    /// Whether `other`, to be run from the same state, has the same transitions and leads to the
    /// same last one by the same way: the two differ at most in the order of what the last one does
    /// not need.
    pub(super) fn is_like(&self, other: &Sequence) -> bool {
        self.step(&self.last) == other.step(&other.last)
            && self.likeness() == other.likeness()
            && self.way().eq(other.way())
    }

    /// What its last transition cannot come before.
    fn way(&self) -> impl Iterator<Item = (TaskName, Choice)> {
        let needed = self.others().filter(|&other| self.precedes(other, &self.last));
        needed.map(|index| self.event(index)).chain([self.last]).map(|event| self.step(&event))
    }

    /// The same for sequences that are [alike](Sequence::is_like).
    pub(super) fn kind(&self) -> u64 {
        hash_of((self.step(&self.last), self.likeness().transitions))
    }

    fn likeness(&self) -> Likeness {
        let add = |Likeness { len, transitions }: Likeness, step| Likeness {
            len: len + 1,
            transitions: transitions.wrapping_add(hash_of(step)),
        };
        *self.likeness.get_or_init(|| self.steps().fold(Likeness { len: 0, transitions: 0 }, add))
    }

    /// How many transitions it has.
    pub(super) fn len(&self) -> usize {
        self.likeness().len
    }

    /// Its tasks in order, but for the first transition of the one that begins it.
    pub fn hint(&self, begun_by: TaskName) -> Vec<TaskName> {
        let mut names: Vec<TaskName> = self.steps().map(|(name, _)| name).collect();
        if let Some(begins) = names.iter().position(|&name| name == begun_by) {
            names.remove(begins);
        }
        names
    }

    /// Whether one that was read from outside can be used, if its [record](Record::check) can.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let Sequence { record, first, later, last, .. } = self;
        let is_transition = |index: u32| (index as usize) < record.began.len();
        let fits = is_transition(*first)
            && later.is_none_or(is_transition)
            && (last.task as usize) < record.names.len()
            && record.clocks.is_task(last.task as usize)
            && record.clocks.has(last.clock)
            && self.gone.is_sorted();
        if fits { Ok(()) } else { Err("a sequence is none") }
    }
}
