//! The baseline: happens-before with full vector clocks, for threads, locks, and the reads and
//! writes of every variable. Nothing is clever here.

use raceproof_core::event::{AccessKind, Event, SyncKind};

type Clock = Vec<u32>;

#[derive(Default)]
pub(crate) struct Plain {
    tasks: Vec<Clock>,
    syncs: Vec<Clock>,
    reads: Vec<Clock>,
    writes: Vec<Clock>,
    /// Accesses that race with an earlier one.
    pub(crate) races: u64,
}

fn slot(table: &mut Vec<Clock>, at: usize) -> &mut Clock {
    if at >= table.len() {
        table.resize(at + 1, Clock::new());
    }
    &mut table[at]
}

fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    clock.iter_mut().zip(other).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
}

fn within(small: &Clock, large: &Clock) -> bool {
    small.iter().enumerate().all(|(at, time)| *time <= large.get(at).copied().unwrap_or(0))
}

fn set(clock: &mut Clock, at: usize, time: u32) {
    if at >= clock.len() {
        clock.resize(at + 1, 0);
    }
    clock[at] = time;
}

impl Plain {
    fn tick(&mut self, task: usize) {
        let clock = slot(&mut self.tasks, task);
        let now = clock.get(task).copied().unwrap_or(0);
        set(clock, task, now + 1);
    }

    pub(crate) fn event(&mut self, event: &Event) {
        let task = event.task().index();
        if slot(&mut self.tasks, task).is_empty() {
            self.tick(task);
        }
        match *event {
            Event::Spawn { child, .. } => {
                let clock = self.tasks[task].clone();
                *slot(&mut self.tasks, child.index()) = clock;
                self.tick(child.index());
                self.tick(task);
            }
            Event::Signal { sync, kind, .. } => {
                let clock = self.tasks[task].clone();
                *slot(&mut self.syncs, sync.index()) = clock;
                if kind != SyncKind::Future {
                    self.tick(task);
                }
            }
            Event::Join { sync, .. } => {
                let published = slot(&mut self.syncs, sync.index()).clone();
                join(&mut self.tasks[task], &published);
            }
            Event::Access { kind, location, .. } => {
                let at = location.0 as usize;
                let clock = &self.tasks[task];
                let time = clock[task];
                let (reads, writes) = (slot(&mut self.reads, at), slot(&mut self.writes, at));
                let races = !within(writes, clock) || (kind == AccessKind::Write && !within(reads, clock));
                self.races += u64::from(races);
                set(if kind == AccessKind::Read { reads } else { writes }, task, time);
            }
            Event::End { .. }
            | Event::FinishBegin { .. }
            | Event::FinishEnd { .. }
            | Event::Atomic { .. } => {}
        }
    }
}
