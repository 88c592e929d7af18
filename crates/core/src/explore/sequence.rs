//! A sequence of transitions that is to be run from some state, and which tasks can begin it.
//!
//! It comes from a pair of dependent transitions that is to be tried the other way round: everything that does not need the
//! earlier one, up to the later one. All but the last do what they did, since nothing they depend on is missing. What the *last*
//! one does without the earlier one is known only once it has run there: a section may access other things then, and depend on
//! other sections of its lock than it did.

use super::clocks::{Clock, Clocks};
use super::trace::Contents;
use super::{Choice, ContentRef, Dependence, TaskName, hash_of};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sequence {
    /// Never empty; the last one is the last of the sequence.
    events: Vec<Event>,
    record: Arc<Record>,
}

/// What sequences have to know of the execution they come from.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) dependence: Dependence,
    pub(super) clocks: Clocks,
    pub(super) contents: Contents,
}

/// One transition of a [`Sequence`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Event {
    pub(super) name: TaskName,
    /// Its task in the execution the sequence comes from, and which of that task's transitions it is.
    pub(super) task: u32,
    pub(super) number: u32,
    pub(super) clock: Clock,
    pub(super) choice: Choice,
    /// The transition that did what this one will do; none for the last.
    pub(super) content: Option<u32>,
}

impl Event {
    /// What it is, whatever the execution it comes from.
    fn step(&self) -> (TaskName, Choice) {
        (self.name, self.choice)
    }
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
    Event(usize),
    /// The sequence has no such transition.
    None,
    /// It has another one of the same task.
    Other,
}

impl Sequence {
    pub(super) fn new(events: Vec<Event>, record: Arc<Record>) -> Self {
        Sequence { events, record }
    }

    /// What a task that does `content` where the sequence is to be run is to it.
    pub fn part(&self, name: TaskName, content: ContentRef<'_>) -> Part {
        let (last, others) = match self.events.split_last() {
            Some((last, others)) => (last, others),
            None => return Part::No,
        };
        let depends = |event: &Event| match event.content {
            Some(index) => {
                self.record.contents.get(index as usize).depends_on(content, self.record.dependence)
            }
            None => true,
        };
        match self.place(name, content.choice) {
            Place::Event(at) if !self.is_first(at) => Part::No,
            Place::Event(at) if at < others.len() => Part::Begins,
            Place::Other => Part::No,
            _ if others.iter().any(depends) => Part::No,
            Place::Event(_) => Part::Begins,
            Place::None if last.choice == Choice::None || last.choice != content.choice => Part::Aside,
            Place::None if self.varies(last.choice) && content.closed => Part::PerhapsAside,
            Place::None => Part::No,
        }
    }

    /// Where a task's next transition stands in the sequence. Starts and ends of waits may not come as they did: a task that
    /// finds what it waits for does not stop there.
    fn place(&self, name: TaskName, choice: Choice) -> Place {
        let mut events = self.events.iter().enumerate().filter(|(_, event)| event.name == name);
        let next = events.find(|(_, event)| choice == Choice::None || event.choice != Choice::None);
        match next {
            None => Place::None,
            Some((at, event)) if event.choice == choice => Place::Event(at),
            Some(_) if choice == Choice::None => Place::None,
            Some(_) => Place::Other,
        }
    }

    /// Whether what one who makes a choice depends on is a matter of what it does then.
    fn varies(&self, choice: Choice) -> bool {
        self.record.dependence != Dependence::Lock && matches!(choice, Choice::Section(_))
    }

    /// Whether nothing in the sequence has to come before an event, as far as is known.
    fn is_first(&self, at: usize) -> bool {
        let event = &self.events[at];
        !self.events[..at].iter().any(|other| self.precedes(other, event))
    }

    /// Whether one event has to come before a later one, as far as is known.
    fn precedes(&self, other: &Event, event: &Event) -> bool {
        other.task == event.task || self.record.clocks.get(event.clock, other.task as usize) >= other.number
    }

    /// The tasks that can begin it, the last one first: that is what the sequence is for.
    pub fn beginning(&self) -> impl Iterator<Item = TaskName> {
        let last = self.events.len() - 1;
        let first = (0..last).filter(|&at| self.is_first(at));
        Some(last).filter(|&at| self.is_first(at)).into_iter().chain(first).map(|at| self.events[at].name)
    }

    /// What is left of it behind a task that begins it with a choice; nothing behind its last transition.
    pub fn after(&self, name: TaskName, choice: Choice) -> Option<Sequence> {
        let mut rest = self.clone();
        if let Place::Event(at) = self.place(name, choice) {
            if at + 1 == self.events.len() {
                return None;
            }
            let mut index = 0;
            rest.events.retain(|event| {
                index += 1;
                event.name != name || index > at + 1
            });
        }
        Some(rest)
    }

    /// Whether `other`, to be run from the same state, has the same transitions and leads to the same last one by the same
    /// way: the two differ at most in the order of what the last one does not need.
    pub(super) fn is_like(&self, other: &Sequence) -> bool {
        let last = |sequence: &Sequence| sequence.events.last().map(Event::step);
        self.len() == other.len()
            && last(self) == last(other)
            && self.way().eq(other.way())
            && self.transitions() == other.transitions()
    }

    /// What its last transition cannot come before.
    fn way(&self) -> impl Iterator<Item = (TaskName, Choice)> {
        let last = self.events.last();
        let needed = move |event: &&Event| last.is_some_and(|last| self.precedes(event, last));
        self.events.iter().filter(needed).map(Event::step)
    }

    /// The same for all sequences of the same transitions, and for no others (but by a chance of one in 2⁶⁴).
    fn transitions(&self) -> u64 {
        self.events.iter().fold(0, |sum, event| sum.wrapping_add(hash_of(event.step())))
    }

    /// How many transitions it has.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Its tasks in order, but for the first transition of the one that begins it.
    pub fn hint(&self, begun_by: TaskName) -> Vec<TaskName> {
        let skip = self.events.iter().position(|event| event.name == begun_by);
        let rest = self.events.iter().enumerate().filter(|&(at, _)| Some(at) != skip);
        rest.map(|(_, event)| event.name).collect()
    }

    /// Whether one that was read from outside can be used.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let Record { clocks, contents, .. } = &*self.record;
        let fits = |event: &Event| {
            clocks.has(event.clock)
                && clocks.is_task(event.task as usize)
                && event.content.is_none_or(|index| contents.has(index as usize))
        };
        match self.events.iter().all(fits) && !self.events.is_empty() {
            true => Ok(()),
            false => Err("a sequence is none"),
        }
    }
}
