//! A checker for witnesses: is this order of events one that the program could have produced, and
//! does it end with both accesses next?
//!
//! Definition 4 of Ogles, Aldous and Mercer (FMCAD 2019), *valid reordering*: every task's events
//! are a prefix of those it did in the run, every read sees the write it saw, and synchronisation
//! is respected. A program whose tasks see the same values does the same, so whatever order passes
//! is a run of the program. It plays the events one by one against the rules of `event.rs` and
//! shares no code with the search for witnesses.
//!
//! Cost: O(events of the run).

use crate::event::{AccessKind, Event, SyncKind};
use crate::ids::{Location, ScopeId, SyncId, TaskId};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// What is wrong with an order, at which event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The event of the run.
    pub event: u32,
    pub what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// There is no such event.
    Unknown,
    /// It is not the next event of its task.
    NotNext,
    /// Its task has not been spawned.
    NotSpawned,
    /// What it joins has not been signalled.
    NotSignalled,
    /// A task of the scope has not ended.
    NotFinished,
    /// Another task holds the lock.
    Locked,
    /// The lock it leaves is not its task's.
    NotHeld,
    /// It reads another write than it did.
    OtherWrite,
    /// One of the two accesses, and it is not its task's next event after all.
    NotReached,
    /// The two are not conflicting accesses of one location by two tasks.
    NoRace,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {}: {:?}", self.event, self.what)
    }
}

impl std::error::Error for Violation {}

/// Checks that `order`, event numbers of the run `events`, is a valid reordering after which the
/// events `first` and `second` are both next, and race.
pub fn check(events: &[Event], order: &[u32], first: u32, second: u32) -> Result<(), Violation> {
    let facts = Facts::of(events);
    let mut play = Play { spawned: HashSet::from([TaskId::MAIN]), ..Play::default() };
    for &at in order {
        play.step(events, &facts, at).map_err(|what| Violation { event: at, what })?;
    }
    for at in [first, second] {
        let fail = |what| Err(Violation { event: at, what });
        let Some(event) = events.get(at as usize) else { return fail(What::Unknown) };
        if !play.spawned.contains(&event.task()) {
            return fail(What::NotSpawned);
        }
        if facts.next(event.task(), play.done(event.task())) != Some(at) {
            return fail(What::NotReached);
        }
    }
    match (events[first as usize], events[second as usize]) {
        (Event::Access { task: t, kind: k, location: l, .. }, Event::Access { task, kind, location, .. })
            if t != task && l == location && k.conflicts(kind) =>
        {
            Ok(())
        }
        _ => Err(Violation { event: second, what: What::NoRace }),
    }
}

/// What the run says about its events.
#[derive(Default)]
struct Facts {
    of_task: HashMap<TaskId, Vec<u32>>,
    /// For a read the write it saw.
    saw: HashMap<u32, u32>,
    /// For a join, other than a lock's, the signal it is ordered after.
    joined: HashMap<u32, u32>,
}

impl Facts {
    fn of(events: &[Event]) -> Self {
        let mut facts = Facts::default();
        let mut written: HashMap<Location, u32> = HashMap::new();
        let mut signalled: HashMap<SyncId, u32> = HashMap::new();
        for (at, event) in (0..).zip(events) {
            facts.of_task.entry(event.task()).or_default().push(at);
            match *event {
                Event::Access { kind: AccessKind::Write, location, .. } => {
                    written.insert(location, at);
                }
                Event::Access { location, .. } => {
                    facts.saw.extend(written.get(&location).map(|&write| (at, write)));
                }
                Event::Signal { sync, .. } => {
                    signalled.insert(sync, at);
                }
                Event::Join { sync, .. } => {
                    facts.joined.extend(signalled.get(&sync).map(|&signal| (at, signal)));
                }
                _ => {}
            }
        }
        facts
    }

    fn next(&self, task: TaskId, done: usize) -> Option<u32> {
        self.of_task.get(&task)?.get(done).copied()
    }
}

/// A run in the making.
#[derive(Default)]
struct Play {
    done: HashMap<TaskId, usize>,
    happened: HashSet<u32>,
    spawned: HashSet<TaskId>,
    /// Tasks of a scope that have not ended.
    live: HashMap<ScopeId, Vec<TaskId>>,
    scope: HashMap<TaskId, ScopeId>,
    holder: HashMap<SyncId, TaskId>,
    written: HashMap<Location, u32>,
}

impl Play {
    fn done(&self, task: TaskId) -> usize {
        self.done.get(&task).copied().unwrap_or(0)
    }

    fn step(&mut self, events: &[Event], facts: &Facts, at: u32) -> Result<(), What> {
        let event = events.get(at as usize).ok_or(What::Unknown)?;
        let task = event.task();
        if !self.spawned.contains(&task) {
            return Err(What::NotSpawned);
        }
        if facts.next(task, self.done(task)) != Some(at) {
            return Err(What::NotNext);
        }
        match *event {
            Event::Spawn { child, scope, .. } => {
                self.spawned.insert(child);
                self.live.entry(scope).or_default().push(child);
                self.scope.insert(child, scope);
            }
            Event::End { task } => {
                if let Some(live) = self.scope.get(&task).and_then(|scope| self.live.get_mut(scope)) {
                    live.retain(|&other| other != task);
                }
            }
            Event::FinishBegin { .. } => {}
            Event::FinishEnd { scope, .. } => {
                if self.live.get(&scope).is_some_and(|live| !live.is_empty()) {
                    return Err(What::NotFinished);
                }
            }
            Event::Join { sync, kind: SyncKind::Lock | SyncKind::Isolated, .. } => {
                if self.holder.contains_key(&sync) {
                    return Err(What::Locked);
                }
                self.holder.insert(sync, task);
            }
            Event::Signal { sync, kind: SyncKind::Lock | SyncKind::Isolated, .. } => {
                if self.holder.remove(&sync) != Some(task) {
                    return Err(What::NotHeld);
                }
            }
            // Each P takes the token it took: then there are never more P than tokens, whichever
            // they would get.
            Event::Join { .. } => {
                if facts.joined.get(&at).is_some_and(|signal| !self.happened.contains(signal)) {
                    return Err(What::NotSignalled);
                }
            }
            Event::Signal { .. } | Event::Atomic { .. } => {}
            Event::Access { kind: AccessKind::Read, location, .. } => {
                if self.written.get(&location) != facts.saw.get(&at) {
                    return Err(What::OtherWrite);
                }
            }
            Event::Access { location, .. } => {
                self.written.insert(location, at);
            }
        }
        self.happened.insert(at);
        *self.done.entry(task).or_default() += 1;
        Ok(())
    }
}
