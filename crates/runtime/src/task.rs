//! The task table: who there is, in which state, and the ready list in scheduling order.

use raceproof_core::ids::{ScopeId, SiteId, SyncId, TaskId};

/// What a task is doing. A task that waits is woken by whoever ends its wait and then tries again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Linked into the ready list.
    Ready,
    Running,
    /// Waits for a promise, future, lock, semaphore or event.
    Waiting(SyncId),
    /// Waits at the end of a finish for the scope's tasks.
    Finishing(ScopeId),
    /// Stopped by a program error; never moves again.
    Failed,
    Ended,
}

const NONE: u32 = u32::MAX;

/// One task. Kept for the whole run, since a race may name a task that ended long ago: every byte
/// here is paid a million times (see the size assertion below).
#[derive(Debug)]
pub struct TaskEntry {
    parent: u32,
    /// Which child of its parent it is, counting from 1.
    pub ordinal: u32,
    /// How many children it has started.
    pub children: u32,
    /// Where it was spawned.
    pub site: SiteId,
    /// The innermost finish scope open now; at the start the one the task belongs to.
    pub scope: ScopeId,
    /// The slot of its body while it is live.
    pub(crate) body: u32,
    pub state: State,
    /// Neighbours in the ready list; `older` doubles as the link of a wait queue.
    newer: u32,
    older: u32,
    /// Actions taken in its earlier turns.
    pub(crate) actions: u64,
}

const _: () = assert!(size_of::<TaskEntry>() <= 48);

/// A link of a list.
#[inline]
fn id(link: u32) -> Option<TaskId> {
    (link != NONE).then_some(TaskId(link))
}

impl TaskEntry {
    pub fn parent(&self) -> Option<TaskId> {
        id(self.parent)
    }

    /// The actions it has taken, up to the end of its last turn.
    pub fn taken(&self) -> u64 {
        self.actions
    }
}

/// All tasks of a run and the ready list: a list with the most recently suspended or woken task at
/// its newest end, which is the order in which depth-first scheduling wants them.
#[derive(Debug)]
pub struct Tasks {
    all: Vec<TaskEntry>,
    newest: u32,
    oldest: u32,
    live: usize,
    /// Entries of tasks that have ended, to be used again.
    spare: Vec<u32>,
}

impl Default for Tasks {
    fn default() -> Self {
        Tasks { all: Vec::new(), newest: NONE, oldest: NONE, live: 0, spare: Vec::new() }
    }
}

impl Tasks {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many tasks have neither ended nor failed.
    #[inline]
    pub fn live(&self) -> usize {
        self.live
    }

    #[inline]
    pub fn get(&self, task: TaskId) -> &TaskEntry {
        &self.all[task.index()]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, task: TaskId) -> &mut TaskEntry {
        &mut self.all[task.index()]
    }

    pub fn ids(&self) -> impl Iterator<Item = TaskId> + use<> {
        (0..self.all.len()).map(TaskId::at)
    }

    /// The tasks from `task` up to `main`, `task` first.
    pub fn ancestry(&self, task: TaskId) -> impl Iterator<Item = TaskId> + '_ {
        std::iter::successors(Some(task), |&at| self.get(at).parent())
    }

    #[inline]
    pub(crate) fn add(&mut self, parent: Option<TaskId>, scope: ScopeId, site: SiteId, body: u32) -> TaskId {
        let ordinal = parent.map_or(1, |parent| {
            let parent = self.get_mut(parent);
            parent.children += 1;
            parent.children
        });
        let task = TaskEntry {
            parent: parent.map_or(NONE, |parent| parent.0),
            ordinal,
            children: 0,
            site,
            scope,
            body,
            state: State::Running,
            newer: NONE,
            older: NONE,
            actions: 0,
        };
        self.live += 1;
        match self.spare.pop() {
            Some(slot) => {
                self.all[slot as usize] = task;
                TaskId(slot)
            }
            None => {
                self.all.push(task);
                TaskId::at(self.all.len() - 1)
            }
        }
    }

    /// A task that has ended is of no interest any more.
    #[inline]
    pub(crate) fn recycle(&mut self, task: TaskId) {
        self.spare.push(task.0);
    }

    /// The most recently suspended or woken of the ready tasks.
    #[inline]
    pub fn newest(&self) -> Option<TaskId> {
        id(self.newest)
    }

    /// The ready tasks, newest first.
    pub fn ready(&self) -> impl Iterator<Item = TaskId> + '_ {
        std::iter::successors(id(self.newest), |&at| id(self.get(at).older))
    }

    /// The closest ancestor of `task` that is ready.
    pub fn ready_ancestor(&self, task: TaskId) -> Option<TaskId> {
        self.ancestry(task).skip(1).find(|&at| self.get(at).state == State::Ready)
    }

    /// Puts a task at the newest end of the ready list.
    #[inline]
    pub(crate) fn push_newest(&mut self, task: TaskId) {
        let was = std::mem::replace(&mut self.newest, task.0);
        let entry = self.get_mut(task);
        debug_assert!(entry.state != State::Ready, "a task is in the ready list at most once");
        entry.state = State::Ready;
        entry.newer = NONE;
        entry.older = was;
        match was {
            NONE => self.oldest = task.0,
            was => self.all[was as usize].newer = task.0,
        }
    }

    /// Puts a task at the oldest end of the ready list.
    pub(crate) fn push_oldest(&mut self, task: TaskId) {
        let was = std::mem::replace(&mut self.oldest, task.0);
        let entry = self.get_mut(task);
        debug_assert!(entry.state != State::Ready, "a task is in the ready list at most once");
        entry.state = State::Ready;
        entry.older = NONE;
        entry.newer = was;
        match was {
            NONE => self.newest = task.0,
            was => self.all[was as usize].older = task.0,
        }
    }

    /// Takes a ready task out of the list, to run it; the slot of its body.
    #[inline]
    pub(crate) fn take(&mut self, task: TaskId) -> u32 {
        let entry = self.get_mut(task);
        assert!(entry.state == State::Ready, "the strategy chose a task that is not ready");
        entry.state = State::Running;
        let (newer, older, body) = (entry.newer, entry.older, entry.body);
        match newer {
            NONE => self.newest = older,
            newer => self.all[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.all[older as usize].newer = newer,
        }
        body
    }

    #[inline]
    pub(crate) fn retire(&mut self, task: TaskId, state: State) {
        self.get_mut(task).state = state;
        self.live -= 1;
    }
}

/// A first-in first-out queue of waiting tasks, linked through the tasks themselves: a task waits
/// for one thing at a time and is then in no other list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    first: u32,
    last: u32,
}

impl Default for Queue {
    fn default() -> Self {
        Queue { first: NONE, last: NONE }
    }
}

impl Queue {
    #[inline]
    pub(crate) fn push(&mut self, tasks: &mut Tasks, task: TaskId) {
        tasks.get_mut(task).older = NONE;
        if self.last == NONE {
            self.first = task.0;
        } else {
            tasks.all[self.last as usize].older = task.0;
        }
        self.last = task.0;
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Empties the queue into the ready list so that the first to have waited is the newest.
    #[inline]
    pub(crate) fn wake_all(&mut self, tasks: &mut Tasks) {
        if !self.is_empty() {
            self.wake_some(tasks);
        }
    }

    fn wake_some(&mut self, tasks: &mut Tasks) {
        // Reversed in place first: the last to have waited must be pushed first.
        let (mut at, mut reversed) = (self.first, NONE);
        while at != NONE {
            let next = std::mem::replace(&mut tasks.all[at as usize].older, reversed);
            (reversed, at) = (at, next);
        }
        while reversed != NONE {
            let next = tasks.all[reversed as usize].older;
            tasks.push_newest(TaskId(reversed));
            reversed = next;
        }
        *self = Queue::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raceproof_core::random::random;
    use std::collections::VecDeque;

    /// The ready list and a wait queue against two plain lists, by operations that a generator
    /// chooses.
    #[test]
    fn lists_of_tasks_are_as_plain_ones() {
        for seed in 0..200 {
            let mut any = random(seed);
            let (mut tasks, mut queue) = (Tasks::default(), Queue::default());
            // Newest first; and in the order of waiting.
            let (mut ready, mut waiting) = (VecDeque::new(), VecDeque::new());
            let mut running = Vec::new();
            for _ in 0..300 {
                match any(6) {
                    0 => running.push(tasks.add(None, ScopeId::PROGRAM, SiteId(0), 0)),
                    1 if !running.is_empty() => {
                        let task = running.swap_remove(any(running.len()));
                        tasks.push_newest(task);
                        ready.push_front(task);
                    }
                    2 if !running.is_empty() => {
                        let task = running.swap_remove(any(running.len()));
                        tasks.push_oldest(task);
                        ready.push_back(task);
                    }
                    3 if !running.is_empty() => {
                        let task = running.swap_remove(any(running.len()));
                        tasks.get_mut(task).state = State::Waiting(SyncId(0));
                        queue.push(&mut tasks, task);
                        waiting.push_back(task);
                    }
                    4 if !ready.is_empty() => {
                        let task = ready.remove(any(ready.len())).unwrap();
                        tasks.take(task);
                        running.push(task);
                    }
                    5 => {
                        queue.wake_all(&mut tasks);
                        waiting.drain(..).rev().for_each(|task| ready.push_front(task));
                    }
                    _ => {}
                }
                assert!(tasks.ready().eq(ready.iter().copied()), "seed {seed}");
                assert_eq!(tasks.newest(), ready.front().copied(), "seed {seed}");
                assert_eq!(queue.is_empty(), waiting.is_empty(), "seed {seed}");
            }
        }
    }
}
