//! All valid reorderings of a tiny stream, by trying every order: which races have one.
//! Exponential.

use super::relations::{observed, task_of};
use raceproof_core::event::{AccessKind, Event, SyncKind};
use raceproof_core::ids::{Location, SyncId, TaskId};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How far each task is, and the last write of each location.
type State = (Vec<usize>, Vec<(Location, usize)>);

struct Search<'a> {
    events: &'a [Event],
    of_task: Vec<Vec<usize>>,
    spawn: Vec<Option<usize>>,
    observed: Vec<Option<usize>>,
    joined: Vec<Option<usize>>,
    seen: HashSet<State>,
    races: BTreeSet<(usize, usize)>,
}

/// The pairs of conflicting accesses, the earlier first, that some valid reordering brings
/// together; nothing if there are too many reorderings.
pub fn races(events: &[Event]) -> Option<BTreeSet<(usize, usize)>> {
    let tasks = events.iter().filter(|event| matches!(event, Event::Spawn { .. })).count() + 1;
    let mut search = Search {
        events,
        of_task: vec![Vec::new(); tasks],
        spawn: vec![None; tasks],
        observed: observed(events),
        joined: vec![None; events.len()],
        seen: HashSet::new(),
        races: BTreeSet::new(),
    };
    let mut signalled: HashMap<SyncId, usize> = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        search.of_task[task_of(event).index()].push(at);
        match *event {
            Event::Spawn { child, .. } => search.spawn[child.index()] = Some(at),
            Event::Signal { sync, .. } => {
                signalled.insert(sync, at);
            }
            Event::Join { sync, .. } => search.joined[at] = signalled.get(&sync).copied(),
            _ => {}
        }
    }
    search.explore(vec![0; tasks], Vec::new()).then_some(search.races)
}

impl Search<'_> {
    fn has(&self, done: &[usize], at: usize) -> bool {
        let task = task_of(&self.events[at]).index();
        self.of_task[task][..done[task]].contains(&at)
    }

    fn next(&self, done: &[usize], task: usize) -> Option<usize> {
        let spawned = self.spawn[task].is_none_or(|spawn| self.has(done, spawn));
        self.of_task[task].get(done[task]).copied().filter(|_| spawned)
    }

    fn held(&self, done: &[usize], lock: SyncId) -> bool {
        let mut balance = 0;
        for (task, events) in self.of_task.iter().enumerate() {
            for &at in &events[..done[task]] {
                match self.events[at] {
                    Event::Join { sync, .. } if sync == lock => balance += 1,
                    Event::Signal { sync, .. } if sync == lock => balance -= 1,
                    _ => {}
                }
            }
        }
        balance > 0
    }

    fn can(&self, done: &[usize], written: &[(Location, usize)], at: usize) -> bool {
        match self.events[at] {
            Event::Join { sync, kind: SyncKind::Lock | SyncKind::Isolated, .. } => !self.held(done, sync),
            Event::Join { .. } => self.joined[at].is_none_or(|signal| self.has(done, signal)),
            Event::FinishEnd { scope, .. } => self.events.iter().all(|event| match *event {
                Event::Spawn { child, scope: other, .. } if other == scope => {
                    done[child.index()] == self.of_task[child.index()].len()
                }
                _ => true,
            }),
            Event::Access { kind: AccessKind::Read, location, .. } => {
                let present = written.iter().find(|&&(other, _)| other == location).map(|&(_, write)| write);
                present == self.observed[at]
            }
            _ => true,
        }
    }

    fn explore(&mut self, done: Vec<usize>, written: Vec<(Location, usize)>) -> bool {
        if !self.seen.insert((done.clone(), written.clone())) {
            return true;
        }
        if self.seen.len() > 20_000 {
            return false;
        }
        let next: Vec<usize> = (0..done.len()).filter_map(|task| self.next(&done, task)).collect();
        for &a in &next {
            for &b in &next {
                if a < b && super::relations::conflict(&self.events[a], &self.events[b]) {
                    self.races.insert((a, b));
                }
            }
        }
        for at in next {
            if !self.can(&done, &written, at) {
                continue;
            }
            let task: TaskId = task_of(&self.events[at]);
            let (mut done, mut written) = (done.clone(), written.clone());
            done[task.index()] += 1;
            if let Event::Access { kind: AccessKind::Write, location, .. } = self.events[at] {
                written.retain(|&(other, _)| other != location);
                written.push((location, at));
                written.sort();
            }
            if !self.explore(done, written) {
                return false;
            }
        }
        true
    }
}
