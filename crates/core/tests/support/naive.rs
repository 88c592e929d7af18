//! Races by a depth-first search over single events, as plainly as possible: nothing of it is
//! shared with the graph or any detector.

use raceproof_core::event::{AccessKind, Event};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use std::collections::{BTreeSet, HashMap};

/// One side of a race.
pub type Side = (TaskId, SiteId, AccessKind);
/// The sides in order, so that each race is there once.
pub type RaceSet = BTreeSet<(Location, Side, Side)>;

pub fn race(location: Location, a: Side, b: Side) -> (Location, Side, Side) {
    (location, a.min(b), a.max(b))
}

pub fn races(events: &[Event]) -> RaceSet {
    let successors = successors(events);
    let mut after = Vec::new();
    for start in 0..events.len() {
        let mut reached = vec![false; events.len()];
        let mut stack = vec![start];
        while let Some(at) = stack.pop() {
            for &next in &successors[at] {
                if !reached[next] {
                    reached[next] = true;
                    stack.push(next);
                }
            }
        }
        after.push(reached);
    }
    let mut races = RaceSet::new();
    for (i, a) in events.iter().enumerate() {
        let &Event::Access { task: t, kind: k, location: l, site: s } = a else { continue };
        for (j, b) in events.iter().enumerate().skip(i + 1) {
            let &Event::Access { task, kind, location, site } = b else { continue };
            let conflict = location == l && (kind == AccessKind::Write || k == AccessKind::Write);
            if conflict && t != task && !after[i][j] && !after[j][i] {
                races.insert(race(l, (t, s, k), (task, site, kind)));
            }
        }
    }
    races
}

fn successors(events: &[Event]) -> Vec<Vec<usize>> {
    let mut successors = vec![Vec::new(); events.len()];
    let mut last: HashMap<TaskId, usize> = HashMap::new();
    let mut members: HashMap<ScopeId, Vec<TaskId>> = HashMap::new();
    let mut signalled: HashMap<SyncId, usize> = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        let task = match *event {
            Event::Spawn { parent, .. } => parent,
            Event::End { task }
            | Event::FinishBegin { task, .. }
            | Event::FinishEnd { task, .. }
            | Event::Signal { task, .. }
            | Event::Join { task, .. }
            | Event::Access { task, .. }
            | Event::Atomic { task, .. } => task,
        };
        if let Some(before) = last.insert(task, at) {
            successors[before].push(at);
        }
        match *event {
            Event::Spawn { child, scope, .. } => {
                last.insert(child, at);
                members.entry(scope).or_default().push(child);
            }
            Event::FinishEnd { scope, .. } => {
                for task in members.remove(&scope).unwrap_or_default() {
                    successors[last[&task]].push(at);
                }
            }
            Event::Signal { sync, .. } => {
                signalled.insert(sync, at);
            }
            Event::Join { sync, .. } => {
                if let Some(&from) = signalled.get(&sync) {
                    successors[from].push(at);
                }
            }
            _ => (),
        }
    }
    successors
}
