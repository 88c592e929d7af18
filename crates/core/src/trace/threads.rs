//! From the threads of RAPID's traces to tasks.
//!
//! Task 0 is the start of the program and does nothing: it spawns every thread that no other forks,
//! so that nothing orders these. A thread gives a future when it is joined, and to join it is to
//! get that. A lock entered again by its holder is entered once. `begin` and `end` enclose a
//! transaction, a request precedes an acquire and a branch tells where values were looked at: none
//! of these orders anything, and none begins or ends a thread.
//!
//! RAPID's own tools do not hold a trace to more than that. Three things that no run does, but
//! recorders write, are therefore [tolerated](Tolerated) and counted, with RAPID's meaning:
//!
//! - a thread is forked after its first event: what it does from there on comes after the fork;
//! - a thread goes on after it was joined: as a new task, which gets the future of the old one
//!   first;
//! - a read sees a variable that nobody has written: it sees what was there before the trace.

use super::discipline::Discipline;
use super::{Tolerance, Tolerated, TraceError};
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
    Request,
    Branch,
}

impl Op {
    /// Whether it is written without an operand, or may be.
    pub(super) fn stands_alone(self) -> bool {
        matches!(self, Op::Begin | Op::End | Op::Branch)
    }
}

/// See the module. Threads, locks, variables and sites are numbered in the order in which they are
/// first named.
#[derive(Debug, Default)]
pub(super) struct Threads {
    discipline: Discipline,
    /// By thread: its task, 0 before it has begun.
    tasks: Vec<u32>,
    /// By task: the sync that its end signals, once there is one.
    ends: Vec<Option<SyncId>>,
    /// By lock: its sync, once there is one, and how often it is entered.
    locks: Vec<(Option<SyncId>, u32)>,
    /// By variable: whether it was written.
    written: Vec<bool>,
    /// Variables had values before the trace: reads of these are in order.
    has_initial_values: bool,
    tolerated: Vec<Tolerated>,
    /// Something was tolerated for the first time, and the reader has to say where.
    fresh: bool,
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

    /// From here on reads need no write before them.
    pub(super) fn set_initial_values(&mut self) {
        self.has_initial_values = true;
    }

    pub(super) fn tolerated(&self) -> &[Tolerated] {
        &self.tolerated
    }

    /// Says where the event is that was added last, if something in it was tolerated for the first
    /// time.
    #[inline]
    pub(super) fn locate(&mut self, place: impl FnOnce() -> TraceError) {
        if self.fresh {
            self.fresh = false;
            if let Some(tolerated) = self.tolerated.last_mut() {
                let message = tolerated.what.offence().to_owned();
                tolerated.first = TraceError { message, ..place() };
            }
        }
    }

    #[cold]
    fn tolerate(&mut self, what: Tolerance) {
        match self.tolerated.iter_mut().find(|known| known.what == what) {
            Some(known) => known.count += 1,
            None => {
                let first = TraceError { offset: 0, line: None, message: String::new() };
                self.tolerated.push(Tolerated { what, count: 1, first });
                self.fresh = true;
            }
        }
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
        let task = self.running(thread, site, out)?;
        match (kind, self.written.get_mut(operand as usize)) {
            (AccessKind::Write, Some(written)) => *written = true,
            (AccessKind::Read, Some(true)) => {}
            (AccessKind::Write, None) => {
                self.written.resize(operand as usize + 1, false);
                self.written[operand as usize] = true;
            }
            (AccessKind::Read, _) if self.has_initial_values => {}
            (AccessKind::Read, _) => self.tolerate(Tolerance::UnwrittenRead),
        }
        out.push(Event::Access { task, kind, location: Location(operand.into()), site });
        Ok(())
    }

    /// The task of a thread that acts.
    #[inline]
    fn running(&mut self, thread: u32, site: SiteId, out: &mut Vec<Event>) -> Result<TaskId, String> {
        match self.task(thread) {
            Some(task) if self.discipline.runs(task) => Ok(task),
            Some(task) => {
                self.tolerate(Tolerance::AfterJoin);
                self.resume(task, thread, site, out)
            }
            None => self.begin(TaskId::MAIN, thread, site, out),
        }
    }

    /// A thread that goes on after its end, as a new task.
    #[cold]
    fn resume(
        &mut self,
        old: TaskId,
        thread: u32,
        site: SiteId,
        out: &mut Vec<Event>,
    ) -> Result<TaskId, String> {
        let task = self.begin(TaskId::MAIN, thread, site, out)?;
        if let Some(sync) = self.ends[old.index()] {
            self.add(Event::Join { task, sync, kind: SyncKind::Future }, out)?;
        }
        Ok(task)
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
        if matches!(op, Op::Begin | Op::End | Op::Request | Op::Branch) {
            return Ok(());
        }
        let task = self.running(thread, site, out)?;
        match op {
            Op::Begin | Op::End | Op::Request | Op::Branch | Op::Read | Op::Write => Ok(()),
            Op::Fork => match self.task(operand) {
                Some(other) if other == task => Err("a thread forks itself".into()),
                Some(other) => self.fork_late(task, other, operand, site, out),
                None => self.begin(task, operand, site, out).map(|_| ()),
            },
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

    /// What `other`, which has begun already, does from here on comes after what `task` has done.
    #[cold]
    fn fork_late(
        &mut self,
        task: TaskId,
        other: TaskId,
        thread: u32,
        site: SiteId,
        out: &mut Vec<Event>,
    ) -> Result<(), String> {
        self.tolerate(Tolerance::LateFork);
        let other = if self.discipline.runs(other) { other } else { self.resume(other, thread, site, out)? };
        let sync = self.new_sync();
        self.add(Event::Signal { task, sync, kind: SyncKind::Promise }, out)?;
        self.add(Event::Join { task: other, sync, kind: SyncKind::Promise }, out)
    }

    fn end(&mut self, task: TaskId, out: &mut Vec<Event>) -> Result<(), String> {
        let sync = self.new_sync();
        self.add(Event::Signal { task, sync, kind: SyncKind::Future }, out)?;
        self.add(Event::End { task }, out)?;
        self.ends[task.index()] = Some(sync);
        Ok(())
    }
}
