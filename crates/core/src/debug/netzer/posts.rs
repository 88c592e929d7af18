//! Orderings that post and wait guarantee, and the general races they leave.
//!
//! Netzer's thesis, Algorithm 5.1, with fork and join added. A `wait` passes after *any* `post` of
//! its event, so that the order in which a run happened to post says little: a precedes b in every
//! execution of the same events if b cannot be reached without a. The run is simulated as far as it
//! goes while a is held back; what is never visited must come after it. A pair of conflicting
//! accesses whose order is not guaranteed is an apparent *general race*: nondeterminism, whether or
//! not the accesses can be next to each other.
//!
//! Cost: O(events) for one a, and so O(steps × events) for all general races. Locks order nothing
//! here: that one of two sections always comes first cannot be decided efficiently (the thesis
//! shows it NP-hard). A token of a semaphore is taken as it was in the run.
//!
//! What it can miss: an order that the values written impose; what it calls a general race may be
//! none for that reason, and what other values make the program do is not in the run.

use super::Conflict;
use crate::detect::Access;
use crate::event::{AccessKind, Event, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How two events of a run are ordered in every execution that has both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guaranteed {
    FirstBefore,
    SecondBefore,
    Either,
}

/// A run, indexed for simulating it.
#[derive(Debug)]
pub struct Posts<'a> {
    events: &'a [Event],
    /// By task: its events.
    tasks: Vec<Vec<u32>>,
    /// The syncs that were signalled at some time; a join on any other waits for nothing.
    signalled: FxHashSet<SyncId>,
    /// By scope: how many tasks belong to it.
    members: FxHashMap<ScopeId, u32>,
    /// By task: its scope.
    scopes: Vec<ScopeId>,
    /// Events that are posted and that no task waits for, if they may represent others posted
    /// again.
    repeated: FxHashSet<SyncId>,
}

impl<'a> Posts<'a> {
    /// `events` as the runtime emits them (see [`crate::event`]).
    pub fn new(events: &'a [Event]) -> Self {
        let mut posts = Posts {
            events,
            tasks: vec![Vec::new()],
            signalled: FxHashSet::default(),
            members: FxHashMap::default(),
            scopes: vec![ScopeId::PROGRAM],
            repeated: FxHashSet::default(),
        };
        for (event, at) in events.iter().zip(0..) {
            posts.tasks[event.task().index()].push(at);
            match *event {
                Event::Spawn { scope, .. } => {
                    posts.tasks.push(Vec::new());
                    posts.scopes.push(scope);
                    *posts.members.entry(scope).or_default() += 1;
                }
                Event::Signal { sync, kind, .. } if !kind.is_section() => {
                    posts.signalled.insert(sync);
                }
                _ => {}
            }
        }
        posts
    }

    /// As [`Posts::new`], for a run of the runtime, which emits a second post of an event as the
    /// post of another that no task waits for. The trace does not say which one it was, so it may
    /// let any wait pass.
    pub fn of_runtime(events: &'a [Event]) -> Self {
        let mut posts = Posts::new(events);
        let of = |event: &Event, wait: bool| match *event {
            Event::Signal { sync, kind: SyncKind::Event, .. } if !wait => Some(sync),
            Event::Join { sync, kind: SyncKind::Event, .. } if wait => Some(sync),
            _ => None,
        };
        let awaited: FxHashSet<SyncId> = events.iter().filter_map(|event| of(event, true)).collect();
        posts.repeated = events.iter().filter_map(|event| of(event, false)).collect();
        posts.repeated.retain(|sync| !awaited.contains(sync));
        posts
    }

    /// By event: whether it can be reached while the given events are held back.
    pub fn reachable_without(&self, held: &[u32]) -> Vec<bool> {
        let mut visited = vec![false; self.events.len()];
        let mut next = vec![0; self.tasks.len()];
        let mut posted: FxHashSet<SyncId> = FxHashSet::default();
        let mut ended: FxHashMap<ScopeId, u32> = FxHashMap::default();
        // Those that wait to be triggered.
        let mut waiting: FxHashMap<SyncId, Vec<usize>> = FxHashMap::default();
        let mut finishing: FxHashMap<ScopeId, usize> = FxHashMap::default();
        let mut any_posted = false;
        let mut runnable = vec![0];
        while let Some(task) = runnable.pop() {
            while let Some(&at) = self.tasks[task].get(next[task]) {
                if held.contains(&at) {
                    break;
                }
                match self.events[at as usize] {
                    Event::Join { sync, kind, .. }
                        if !kind.is_section()
                            && self.signalled.contains(&sync)
                            && !posted.contains(&sync)
                            && (kind != SyncKind::Event || !any_posted) =>
                    {
                        waiting.entry(sync).or_default().push(task);
                        break;
                    }
                    Event::FinishEnd { scope, .. }
                        if ended.get(&scope).copied().unwrap_or(0)
                            < self.members.get(&scope).copied().unwrap_or(0) =>
                    {
                        finishing.insert(scope, task);
                        break;
                    }
                    Event::Spawn { child, .. } => runnable.push(child.index()),
                    Event::Signal { sync, kind, .. } if !kind.is_section() => {
                        posted.insert(sync);
                        runnable.extend(waiting.remove(&sync).unwrap_or_default());
                        if self.repeated.contains(&sync) {
                            any_posted = true;
                            // Those that wait for something else wait again.
                            runnable.extend(waiting.drain().flat_map(|(_, tasks)| tasks));
                        }
                    }
                    Event::End { .. } => {
                        let scope = self.scopes[task];
                        let count = ended.entry(scope).or_default();
                        *count += 1;
                        if Some(&*count) == self.members.get(&scope) {
                            runnable.extend(finishing.remove(&scope));
                        }
                    }
                    _ => {}
                }
                visited[at as usize] = true;
                next[task] += 1;
            }
        }
        visited
    }

    /// What finding all general races takes: the number of steps times that of events, at most.
    pub fn effort(&self) -> usize {
        let ends = self.events.iter().filter(|event| !matches!(event, Event::Access { .. })).count();
        (ends + self.tasks.len()).saturating_mul(self.events.len())
    }

    /// How two events are ordered in every execution of the same events.
    pub fn order(&self, first: u32, second: u32) -> Guaranteed {
        let later = |held: u32, other: u32| !self.reachable_without(&[held])[other as usize];
        if later(first, second) {
            Guaranteed::FirstBefore
        } else if later(second, first) {
            Guaranteed::SecondBefore
        } else {
            Guaranteed::Either
        }
    }

    /// Conflicting accesses of different tasks whose order is not guaranteed: each pair of sites
    /// and kinds once for each location. `None` if `stop` said so, which is asked step by step:
    /// what is remembered takes steps × events bytes.
    pub fn general_races(&self, stop: &mut dyn FnMut() -> bool) -> Option<Vec<Conflict>> {
        // Accesses of one step come before and after the same.
        let mut steps: Vec<u32> = Vec::new();
        let mut current: Vec<Option<u32>> = vec![None; self.tasks.len()];
        let mut touched: FxHashMap<Location, Vec<(u32, u32)>> = FxHashMap::default();
        for (event, at) in self.events.iter().zip(0u32..) {
            let task = event.task().index();
            let Event::Access { location, .. } = *event else {
                current[task] = None;
                continue;
            };
            let step = *current[task].get_or_insert_with(|| {
                steps.push(at);
                steps.len() as u32 - 1
            });
            touched.entry(location).or_default().push((step, at));
        }
        touched.retain(|_, accesses| self.is_shared(accesses));
        let mut wanted = vec![false; steps.len()];
        touched.values().flatten().for_each(|&(step, _)| wanted[step as usize] = true);
        let mut reach: Vec<Option<Vec<bool>>> = Vec::with_capacity(steps.len());
        for (&first, &wanted) in steps.iter().zip(&wanted) {
            if stop() {
                return None;
            }
            reach.push(wanted.then(|| self.reachable_without(&[first])));
        }
        let later =
            |step: u32, at: u32| reach[step as usize].as_ref().is_some_and(|reach| !reach[at as usize]);
        let mut races = Vec::new();
        let mut seen: FxHashSet<(Location, SiteId, AccessKind, SiteId, AccessKind)> = FxHashSet::default();
        for (&location, accesses) in &touched {
            for (second, &(later_step, at)) in accesses.iter().enumerate() {
                if stop() {
                    return None;
                }
                for &(step, before) in &accesses[..second] {
                    let (Some(a), Some(b)) = (self.access(before), self.access(at)) else { continue };
                    let conflict = a.task != b.task && a.kind.conflicts(b.kind);
                    if conflict
                        && !later(step, at)
                        && !later(later_step, before)
                        && seen.insert((location, a.site, a.kind, b.site, b.kind))
                    {
                        let (first_event, second_event) = (before, at);
                        races.push(Conflict { location, first: a, second: b, first_event, second_event });
                    }
                }
            }
        }
        races.sort_by_key(|race| (race.first_event, race.second_event));
        Some(races)
    }

    /// Whether a location is accessed by several tasks and written by one.
    fn is_shared(&self, accesses: &[(u32, u32)]) -> bool {
        let all = || accesses.iter().filter_map(|&(_, at)| self.access(at));
        let first: Option<TaskId> = all().next().map(|access| access.task);
        all().any(|access| Some(access.task) != first) && all().any(|access| access.kind == AccessKind::Write)
    }

    fn access(&self, at: u32) -> Option<Access> {
        match self.events[at as usize] {
            Event::Access { task, kind, site, .. } => Some(Access { task, kind, site }),
            _ => None,
        }
    }
}
