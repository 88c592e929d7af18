//! A recorded run, indexed for building witnesses: who needs whom, and which events happen
//! together.
//!
//! The events of a task come in *blocks*: an action and the events after it that are none (leaving
//! a lock, opening a finish, ending), which happen together with it. What a task does before its
//! first action happens together with its spawn. A block is named by the event that is its action.

use crate::event::{AccessKind, Event};
use crate::ids::{Location, ScopeId, SyncId, TaskId};
use rustc_hash::FxHashMap;

pub(super) const NONE: u32 = u32::MAX;

/// A section of a lock: the event that enters it, and the one that leaves it or `NONE`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    pub(super) enter: u32,
    pub(super) leave: u32,
}

#[derive(Debug)]
pub(super) struct Trace<'a> {
    pub(super) events: &'a [Event],
    /// By task: its events.
    pub(super) tasks: Vec<Vec<u32>>,
    /// By task: its spawn, `NONE` for main.
    pub(super) spawns: Vec<u32>,
    /// By event: which of its task it is.
    pub(super) position: Vec<u32>,
    /// By event: the block it is part of, `NONE` for what main does before its first action.
    pub(super) block: Vec<u32>,
    /// By event: for a read the write it saw, for a join the signal; `NONE` where there is none.
    pub(super) source: Vec<u32>,
    /// By scope: the tasks that belong to it.
    pub(super) members: FxHashMap<ScopeId, Vec<TaskId>>,
    /// By lock, in the order in which they were entered.
    pub(super) sections: FxHashMap<SyncId, Vec<Section>>,
}

impl<'a> Trace<'a> {
    pub(super) fn new(events: &'a [Event]) -> Self {
        let mut trace = Trace {
            events,
            tasks: vec![Vec::new()],
            spawns: vec![NONE],
            position: Vec::with_capacity(events.len()),
            block: Vec::with_capacity(events.len()),
            source: vec![NONE; events.len()],
            members: FxHashMap::default(),
            sections: FxHashMap::default(),
        };
        let mut signals: FxHashMap<SyncId, u32> = FxHashMap::default();
        let mut writes: FxHashMap<Location, u32> = FxHashMap::default();
        let mut blocks = vec![NONE];
        for (at, event) in (0..).zip(events) {
            let task = event.task().index();
            trace.position.push(trace.tasks[task].len() as u32);
            trace.tasks[task].push(at);
            if event.is_action() {
                blocks[task] = at;
            }
            trace.block.push(blocks[task]);
            match *event {
                Event::Spawn { child, scope, .. } => {
                    trace.tasks.push(Vec::new());
                    trace.spawns.push(at);
                    blocks.push(at);
                    trace.members.entry(scope).or_default().push(child);
                }
                Event::Join { sync, kind, .. } if kind.is_section() => {
                    trace.sections.entry(sync).or_default().push(Section { enter: at, leave: NONE });
                }
                Event::Signal { sync, kind, .. } if kind.is_section() => {
                    if let Some(last) = trace.sections.get_mut(&sync).and_then(|all| all.last_mut()) {
                        last.leave = at;
                    }
                }
                Event::Join { sync, .. } => {
                    trace.source[at as usize] = signals.get(&sync).copied().unwrap_or(NONE);
                }
                Event::Signal { sync, .. } => {
                    signals.insert(sync, at);
                }
                Event::Access { kind: AccessKind::Read, location, .. } => {
                    trace.source[at as usize] = writes.get(&location).copied().unwrap_or(NONE);
                }
                Event::Access { kind: AccessKind::Write, location, .. } => {
                    writes.insert(location, at);
                }
                Event::End { .. }
                | Event::FinishBegin { .. }
                | Event::FinishEnd { .. }
                | Event::Atomic { .. } => {}
            }
        }
        trace
    }

    pub(super) fn event(&self, at: u32) -> &'a Event {
        &self.events[at as usize]
    }

    pub(super) fn task(&self, at: u32) -> usize {
        self.event(at).task().index()
    }

    pub(super) fn position(&self, at: u32) -> u32 {
        self.position[at as usize]
    }

    pub(super) fn block(&self, at: u32) -> u32 {
        self.block[at as usize]
    }

    /// The events of `task` from a position on that are no actions, up to its next action.
    pub(super) fn tail(&self, task: usize, from: u32) -> impl Iterator<Item = u32> + '_ {
        let rest = self.tasks[task].get(from as usize..).unwrap_or_default();
        rest.iter().copied().take_while(|&at| !self.event(at).is_action())
    }
}
