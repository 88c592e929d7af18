//! What the events of a run may be: the rules of [`crate::event`] that analyses rely on, checked
//! event by event.

use crate::event::{Event, SyncKind};
use crate::ids::{ScopeId, SyncId, TaskId};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Running,
    /// A future that has given its value: it can only end.
    Given,
    Ended,
}

const NOBODY: u32 = u32::MAX;

/// See the module.
#[derive(Debug)]
pub(super) struct Discipline {
    /// By task.
    lives: Vec<Life>,
    scopes: Vec<ScopeId>,
    /// By sync: who holds the lock.
    holders: Vec<u32>,
    /// The scopes that are open: whose they are, and how many tasks of them have not ended.
    open: FxHashMap<ScopeId, (TaskId, u32)>,
}

impl Default for Discipline {
    fn default() -> Self {
        Discipline {
            lives: vec![Life::Running],
            scopes: vec![ScopeId::PROGRAM],
            holders: Vec::new(),
            open: FxHashMap::default(),
        }
    }
}

impl Discipline {
    pub(super) fn tasks(&self) -> u32 {
        self.lives.len() as u32
    }

    #[inline]
    pub(super) fn runs(&self, task: TaskId) -> bool {
        self.lives.get(task.index()) == Some(&Life::Running)
    }

    pub(super) fn has_ended(&self, task: TaskId) -> bool {
        self.lives[task.index()] == Life::Ended
    }

    pub(super) fn holder(&self, lock: SyncId) -> Option<TaskId> {
        self.holders.get(lock.index()).filter(|&&holder| holder != NOBODY).map(|&holder| TaskId(holder))
    }

    /// Takes note of an event; what is wrong with it if it cannot be.
    #[inline]
    pub(super) fn check(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Access { task, .. } if self.runs(*task) => Ok(()),
            _ => self.check_other(event),
        }
    }

    fn check_other(&mut self, event: &Event) -> Result<(), String> {
        let task = event.task();
        match self.lives.get(task.index()) {
            Some(Life::Running) => {}
            Some(Life::Given) if matches!(event, Event::End { .. }) => {}
            Some(Life::Given) => return Err(format!("task {} goes on after giving its value", task.0)),
            Some(Life::Ended) => return Err(format!("task {} goes on after its end", task.0)),
            None => return Err(format!("task {} has not begun", task.0)),
        }
        match *event {
            Event::Access { .. } | Event::Atomic { .. } => {}
            Event::Spawn { child, scope, .. } => {
                if child.index() != self.lives.len() {
                    return Err(format!("task {} is spawned out of turn", child.0));
                }
                if let Some((_, live)) = self.open.get_mut(&scope) {
                    *live += 1;
                } else if scope != ScopeId::PROGRAM {
                    return Err(format!("a task is spawned into finish {}, which is not open", scope.0));
                }
                self.lives.push(Life::Running);
                self.scopes.push(scope);
            }
            Event::End { .. } => {
                self.lives[task.index()] = Life::Ended;
                if let Some((_, live)) = self.open.get_mut(&self.scopes[task.index()]) {
                    *live -= 1;
                }
            }
            Event::FinishBegin { scope, .. } => {
                if scope == ScopeId::PROGRAM || self.open.insert(scope, (task, 0)).is_some() {
                    return Err(format!("finish {} is open already", scope.0));
                }
            }
            Event::FinishEnd { scope, .. } => match self.open.remove(&scope) {
                Some((owner, 0)) if owner == task => {}
                Some((owner, 0)) => return Err(format!("finish {} belongs to task {}", scope.0, owner.0)),
                Some((_, live)) => {
                    return Err(format!("finish {} ends before {live} of its tasks have", scope.0));
                }
                None => return Err(format!("finish {} is not open", scope.0)),
            },
            Event::Signal { kind: SyncKind::Future, .. } => {
                self.lives[task.index()] = Life::Given;
            }
            Event::Signal { sync, kind, .. } if kind.is_section() => {
                if self.holder(sync) != Some(task) {
                    return Err(format!("task {} leaves lock {}, which it does not hold", task.0, sync.0));
                }
                self.holders[sync.index()] = NOBODY;
            }
            Event::Join { sync, kind, .. } if kind.is_section() => {
                if let Some(holder) = self.holder(sync) {
                    return Err(format!(
                        "task {} enters lock {}, which task {} holds",
                        task.0, sync.0, holder.0
                    ));
                }
                if sync.index() >= self.holders.len() {
                    self.holders.resize(sync.index() + 1, NOBODY);
                }
                self.holders[sync.index()] = task.0;
            }
            Event::Signal { .. } | Event::Join { .. } => {}
        }
        Ok(())
    }
}
