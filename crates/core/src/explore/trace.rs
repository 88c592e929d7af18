//! One execution as the explorer sees it: transitions, and the events that order them whatever the
//! schedule.

mod bytes;

use super::{Choice, ContentRef, TaskName};
use crate::event::{AccessKind, Effect, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// What a task did from one choice to the next; [`Trace::content`] has the rest.
#[derive(Clone, Debug)]
pub struct Transition {
    pub task: TaskId,
    pub choice: Choice,
    /// See [`ContentRef::closed`].
    closed: bool,
    /// Its part of the trace's accesses.
    accesses: Range<u32>,
}

/// What the transitions of an execution did, to be kept.
#[derive(Default, Debug, Serialize, Deserialize)]
pub(super) struct Contents {
    /// Choice, [`ContentRef::closed`], and the part of the accesses.
    transitions: Vec<(Choice, bool, Range<u32>)>,
    accesses: Vec<(u64, Effect)>,
}

impl Contents {
    pub(super) fn get(&self, transition: usize) -> ContentRef<'_> {
        let (choice, closed, ref accesses) = self.transitions[transition];
        ContentRef { choice, closed, accesses: &self.accesses[span(accesses)] }
    }

    /// Whether there are so many transitions, and all that they refer to.
    pub(super) fn has_all(&self, transitions: usize) -> bool {
        let fits =
            |(_, _, accesses): &(Choice, bool, Range<u32>)| self.accesses.get(span(accesses)).is_some();
        self.transitions.len() == transitions && self.transitions.iter().all(fits)
    }
}

/// What happened, as far as it orders tasks. Transitions are named by their index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hard {
    Begin(u32),
    Spawn {
        parent: TaskId,
        child: TaskId,
    },
    End {
        task: TaskId,
        scope: ScopeId,
    },
    FinishEnd {
        task: TaskId,
        scope: ScopeId,
    },
    Signal {
        task: TaskId,
        sync: SyncId,
    },
    Join {
        task: TaskId,
        sync: SyncId,
    },
    /// A section is left.
    Leave {
        section: u32,
        task: TaskId,
    },
}

/// Records an execution in which every turn is a transition. Once the execution has ended, it can be
/// written [as bytes](Trace::to_bytes), for another process to look at.
#[derive(Default, Debug)]
pub struct Trace {
    pub transitions: Vec<Transition>,
    pub(super) log: Vec<Hard>,
    /// The names of the tasks.
    pub names: Vec<TaskName>,
    scopes: Vec<ScopeId>,
    children: Vec<u32>,
    /// The accesses of all transitions, one after the other, in the form of
    /// [`ContentRef::accesses`].
    accesses: Vec<(u64, Effect)>,
    /// Where each of them is.
    sites: Vec<SiteId>,
    /// The accesses of the section that the running transition entered, while it is open, each with
    /// its part in the section's effect.
    inside: Vec<(Location, AccessKind, Effect, SiteId)>,
    /// The sections that are open: the lock, the transition that entered it.
    open: Vec<(SyncId, u32)>,
    /// Whether the running transition waited, or might have, inside the section it entered.
    waited: bool,
    /// The cells from here on were made inside that section. Whoever else accesses them comes after
    /// it anyway, by the way in which the reference was handed on; and in another execution these
    /// numbers would be another's cells.
    fresh: Option<Location>,
}

impl Trace {
    /// An empty trace.
    pub fn new() -> Self {
        let mut trace = Trace::default();
        trace.reset();
        trace
    }

    /// Makes it as new, keeping what is allocated: there are many executions, and each is much like
    /// the one before.
    pub fn reset(&mut self) {
        self.transitions.clear();
        self.log.clear();
        self.names.clear();
        self.names.push(TaskName::MAIN);
        self.scopes.clear();
        self.scopes.push(ScopeId::PROGRAM);
        self.children.clear();
        self.children.push(0);
        self.accesses.clear();
        self.sites.clear();
        self.inside.clear();
        self.open.clear();
    }

    /// Ends the execution.
    pub fn finish(&mut self) {
        self.close_transition();
    }

    /// What a transition did.
    pub fn content(&self, transition: usize) -> ContentRef<'_> {
        let Transition { choice, closed, ref accesses, .. } = self.transitions[transition];
        ContentRef { choice, closed, accesses: &self.accesses[span(accesses)] }
    }

    /// What all transitions did.
    pub(super) fn contents(&self) -> Contents {
        let content = |transition: &Transition| {
            let Transition { choice, closed, ref accesses, .. } = *transition;
            (choice, closed, accesses.clone())
        };
        Contents {
            transitions: self.transitions.iter().map(content).collect(),
            accesses: self.accesses.clone(),
        }
    }

    /// Where each of a transition's accesses is.
    pub fn sites(&self, transition: usize) -> &[SiteId] {
        &self.sites[span(&self.transitions[transition].accesses)]
    }

    /// Notes that the last transition, if it began with a choice, has also written what it read of
    /// these locations: it is known only now what it did. Whether it was so.
    pub fn wrote(&mut self, choice: Choice, locations: Range<u64>) -> bool {
        let Some(transition) = self.transitions.last().filter(|last| last.choice == choice) else {
            return false;
        };
        let mut read = false;
        for (location, effect) in &mut self.accesses[span(&transition.accesses)] {
            if locations.contains(location) {
                (*effect, read) = (Effect::Write, true);
            }
        }
        read
    }

    /// The accesses of a section that is still open when its transition ends belong to it no less.
    fn close_transition(&mut self) {
        if self.inside.is_empty() {
            return;
        }
        // Each location once, at its first write or else its first read.
        self.inside.sort_by_key(|&(location, kind, ..)| (location, kind == AccessKind::Read));
        let start = self.accesses.len();
        for (location, _, effect, site) in self.inside.drain(..) {
            match self.accesses[start..].last_mut() {
                Some((last, all)) if *last == location.0 => *all = all.with(effect),
                _ => {
                    self.accesses.push((location.0, effect));
                    self.sites.push(site);
                }
            }
        }
        if let Some(transition) = self.transitions.last_mut() {
            transition.accesses = start as u32..self.accesses.len() as u32;
        }
    }

    /// Adds an access to the section that the running transition entered, if it is in it.
    #[inline]
    fn add(&mut self, kind: AccessKind, effect: Effect, location: Location, site: SiteId) {
        if let Some(&(_, section)) = self.open.last()
            && section == self.current()
            && self.fresh.is_none_or(|fresh| location < fresh)
        {
            self.inside.push((location, kind, effect, site));
        }
    }

    fn current(&self) -> u32 {
        self.transitions.len() as u32 - 1
    }

    /// How many events have been recorded.
    pub fn position(&self) -> usize {
        self.log.len()
    }

    /// Whether accesses belong to a section now: outside of sections they are of no interest.
    pub fn is_in_section(&self) -> bool {
        self.open.last().is_some_and(|&(_, section)| section == self.current())
    }

    /// For each number of transitions from 0 on two hashes: of the tasks that took the first so
    /// many, and of what they did. The same tasks in the same order do the same, if the program is
    /// deterministic.
    pub fn fingerprints(&self) -> Vec<(u64, u64)> {
        let (mut who, mut what) = (FxHasher::default(), FxHasher::default());
        let mut all = vec![(who.finish(), what.finish())];
        for (at, transition) in self.transitions.iter().enumerate() {
            let content = self.content(at);
            // With the position: the hasher would not tell how often the first task, whose id is 0,
            // ran.
            (at + 1, transition.task).hash(&mut who);
            (self.names[transition.task.index()], content.choice, content.closed).hash(&mut what);
            content.accesses.hash(&mut what);
            all.push((who.finish(), what.finish()));
        }
        all
    }

    /// Whether one that was read from outside can be looked at.
    pub fn check(&self) -> Result<(), &'static str> {
        let tasks = self.names.len();
        let is_task = |task: TaskId| task.index() < tasks;
        let is_transition = |index: u32| (index as usize) < self.transitions.len();
        let mut begun = 0;
        for transition in &self.transitions {
            let Range { start, end } = span(&transition.accesses);
            if !is_task(transition.task) || start > end || end > self.accesses.len().min(self.sites.len()) {
                return Err("a transition refers to what is not there");
            }
        }
        for &hard in &self.log {
            let known = match hard {
                Hard::Begin(index) => {
                    begun += 1;
                    index + 1 == begun && is_transition(index)
                }
                Hard::Spawn { parent, child } => is_task(parent) && is_task(child),
                Hard::End { task, .. } | Hard::FinishEnd { task, .. } => is_task(task),
                Hard::Signal { task, .. } | Hard::Join { task, .. } => is_task(task),
                Hard::Leave { section, task } => is_task(task) && section < begun,
            };
            if !known {
                return Err("an event refers to what is not there");
            }
        }
        if begun as usize == self.transitions.len() { Ok(()) } else { Err("a transition never began") }
    }

    /// How far it has come.
    pub fn mark(&self) -> Mark {
        Mark { transitions: self.transitions.len(), log: self.log.len() }
    }

    /// Forgets what came after a mark.
    pub fn truncate(&mut self, mark: Mark) {
        self.finish();
        self.transitions.truncate(mark.transitions);
        self.log.truncate(mark.log);
    }
}

/// A place in a [`Trace`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    transitions: usize,
    log: usize,
}

impl Observer for Trace {
    fn turn(&mut self, task: TaskId) {
        self.close_transition();
        self.transitions.push(Transition { task, choice: Choice::None, closed: true, accesses: 0..0 });
        self.log.push(Hard::Begin(self.current()));
    }

    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        let ordinal = &mut self.children[parent.index()];
        *ordinal += 1;
        let name = self.names[parent.index()].child(*ordinal);
        self.names.push(name);
        self.scopes.push(scope);
        self.children.push(0);
        self.log.push(Hard::Spawn { parent, child });
    }

    fn end(&mut self, task: TaskId) {
        self.log.push(Hard::End { task, scope: self.scopes[task.index()] });
    }

    fn finish_begin(&mut self, _: TaskId, _: ScopeId) {}

    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.waited = true;
        self.log.push(Hard::FinishEnd { task, scope });
    }

    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !matches!(kind, SyncKind::Lock | SyncKind::Isolated) {
            self.log.push(Hard::Signal { task, sync });
            return;
        }
        let Some(at) = self.open.iter().rposition(|&(lock, _)| lock == sync) else { return };
        let (_, section) = self.open.remove(at);
        if section == self.current() {
            self.transitions[section as usize].closed = !self.waited;
            self.close_transition();
        }
        self.log.push(Hard::Leave { section, task });
    }

    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !matches!(kind, SyncKind::Lock | SyncKind::Isolated) {
            self.waited = true;
            self.log.push(Hard::Join { task, sync });
            return;
        }
        self.waited = false;
        self.fresh = None;
        let section = self.current();
        let transition = &mut self.transitions[section as usize];
        transition.choice = Choice::Section(sync.0);
        transition.closed = false;
        self.open.push((sync, section));
    }

    #[inline]
    fn access(&mut self, _: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.add(kind, kind.into(), location, site);
    }

    #[inline]
    fn addition(&mut self, _: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.add(kind, Effect::Add, location, site);
    }

    fn fresh(&mut self, first: Location) {
        self.fresh = Some(self.fresh.map_or(first, |fresh| fresh.min(first)));
    }
}

fn span(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
