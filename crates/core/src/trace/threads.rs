//! From the threads of RAPID's traces to tasks.
//!
//! Task 0 is the start of the program and does nothing: it spawns every thread that no other forks, so that nothing
//! orders these. A thread gives a future when it ends, and to join it is to get that. A lock entered again by its
//! holder is entered once.

use super::discipline::Discipline;
use crate::event::{AccessKind, Event, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Acquire,
    Release,
    Read,
    Write,
    Fork,
    Join,
    Begin,
    End,
}

/// See the module. Threads, locks, variables and sites are numbered in the order in which they are first named.
#[derive(Debug, Default)]
pub(super) struct Threads {
    discipline: Discipline,
    /// By thread: its task, 0 before it has begun.
    tasks: Vec<u32>,
    /// By task: the sync that tells of its end, once there is one.
    ends: Vec<Option<SyncId>>,
    /// By lock: its sync, once there is one, and how often it is entered.
    locks: Vec<(Option<SyncId>, u32)>,
    syncs: u32,
}

impl Threads {
    /// The task of a thread, if it has begun.
    pub(super) fn task(&self, thread: u32) -> Option<TaskId> {
        self.tasks.get(thread as usize).filter(|&&task| task != 0).map(|&task| TaskId(task))
    }

    /// The sync of a lock, if it was ever entered.
    pub(super) fn lock(&self, lock: u32) -> Option<SyncId> {
        self.locks.get(lock as usize).and_then(|&(sync, _)| sync)
    }

    /// Adds what a thread does to the events.
    #[inline]
    pub(super) fn event(
        &mut self,
        thread: u32,
        op: Op,
        operand: u32,
        site: SiteId,
        out: &mut Vec<Event>,
    ) -> Result<(), String> {
        let kind = match op {
            Op::Read => AccessKind::Read,
            Op::Write => AccessKind::Write,
            _ => return self.synchronise(thread, op, operand, site, out),
        };
        let task = match self.task(thread) {
            Some(task) => task,
            None => self.begin(TaskId::MAIN, thread, site, out)?,
        };
        if !self.discipline.runs(task) {
            return Err("a thread goes on after its end".into());
        }
        out.push(Event::Access { task, kind, location: Location(operand.into()), site });
        Ok(())
    }

    #[cold]
    fn begin(
        &mut self,
        parent: TaskId,
        thread: u32,
        site: SiteId,
        out: &mut Vec<Event>,
    ) -> Result<TaskId, String> {
        let child = TaskId(self.discipline.tasks());
        self.add(Event::Spawn { parent, child, scope: ScopeId::PROGRAM, site }, out)?;
        if thread as usize >= self.tasks.len() {
            self.tasks.resize(thread as usize + 1, 0);
        }
        self.tasks[thread as usize] = child.0;
        self.ends.resize(child.index() + 1, None);
        Ok(child)
    }

    fn add(&mut self, event: Event, out: &mut Vec<Event>) -> Result<(), String> {
        self.discipline.check(&event)?;
        out.push(event);
        Ok(())
    }

    fn new_sync(&mut self) -> SyncId {
        self.syncs += 1;
        SyncId(self.syncs - 1)
    }

    fn synchronise(
        &mut self,
        thread: u32,
        op: Op,
        operand: u32,
        site: SiteId,
        out: &mut Vec<Event>,
    ) -> Result<(), String> {
        let task = match self.task(thread) {
            Some(task) => task,
            None => self.begin(TaskId::MAIN, thread, site, out)?,
        };
        if !self.discipline.runs(task) {
            return Err("a thread goes on after its end".into());
        }
        match op {
            Op::Begin | Op::Read | Op::Write => Ok(()),
            Op::End => self.end(task, out),
            Op::Fork if self.task(operand).is_some() => Err("forks a thread that has begun".into()),
            Op::Fork => self.begin(task, operand, site, out).map(|_| ()),
            Op::Join => {
                // Who never began has done nothing to wait for.
                let Some(other) = self.task(operand) else { return Ok(()) };
                if other == task {
                    return Err("a thread joins itself".into());
                }
                if !self.discipline.has_ended(other) {
                    self.end(other, out)?;
                }
                match self.ends[other.index()] {
                    Some(sync) => self.add(Event::Join { task, sync, kind: SyncKind::Future }, out),
                    None => Ok(()),
                }
            }
            Op::Acquire => {
                if operand as usize >= self.locks.len() {
                    self.locks.resize(operand as usize + 1, (None, 0));
                }
                let sync = self.locks[operand as usize].0.unwrap_or_else(|| self.new_sync());
                match self.discipline.holder(sync) {
                    Some(holder) if holder != task => {
                        return Err("enters a lock that another thread holds".into());
                    }
                    Some(_) => {}
                    None => self.add(Event::Join { task, sync, kind: SyncKind::Lock }, out)?,
                }
                let depth = self.locks[operand as usize].1;
                self.locks[operand as usize] = (Some(sync), depth + 1);
                Ok(())
            }
            Op::Release => match self.locks.get_mut(operand as usize) {
                Some((Some(sync), depth)) if self.discipline.holder(*sync) == Some(task) => {
                    *depth -= 1;
                    let (sync, left) = (*sync, *depth == 0);
                    if left {
                        self.add(Event::Signal { task, sync, kind: SyncKind::Lock }, out)
                    } else {
                        Ok(())
                    }
                }
                _ => Err("leaves a lock that it does not hold".into()),
            },
        }
    }

    fn end(&mut self, task: TaskId, out: &mut Vec<Event>) -> Result<(), String> {
        let sync = self.new_sync();
        self.add(Event::Signal { task, sync, kind: SyncKind::Future }, out)?;
        self.add(Event::End { task }, out)?;
        self.ends[task.index()] = Some(sync);
        Ok(())
    }
}
