//! What tasks synchronise through: promises, futures, locks, semaphores, events.
//!
//! A sync knows only whether it lets a task pass and who waits for it; the values of promises are
//! the front end's.

use crate::task::{Queue, Tasks};
use raceproof_core::event::SyncKind;
use raceproof_core::ids::{SyncId, TaskId};
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gate {
    /// A promise, future or event: closed until set, ended or posted, then open for ever.
    Once { open: bool },
    /// A lock.
    Held(Option<TaskId>),
    /// A lock whose holder has ended without leaving it: no task can take it any more.
    Abandoned,
    /// A semaphore: an index into `semaphores`.
    Counting(u32),
    /// One token of a semaphore: only an identity for the order of `V` and `P`.
    Token,
}

#[derive(Debug)]
pub(crate) struct Sync {
    pub(crate) gate: Gate,
    pub(crate) kind: SyncKind,
    pub(crate) waiting: Queue,
}

#[derive(Debug)]
struct Semaphore {
    /// What is left of the count it was declared with; taken before any token of a `V`.
    initial: u64,
    /// The tokens of the `V`s not yet taken, oldest first.
    tokens: VecDeque<SyncId>,
}

#[derive(Default, Debug)]
pub(crate) struct Syncs {
    all: Vec<Sync>,
    semaphores: Vec<Semaphore>,
    /// Tokens that were taken; the next `V` uses them again.
    spare: Vec<SyncId>,
    /// Syncs that no task has any more; their ids are reused.
    forgotten: Vec<SyncId>,
}

impl Syncs {
    #[inline]
    pub(crate) fn get(&self, sync: SyncId) -> &Sync {
        &self.all[sync.index()]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, sync: SyncId) -> &mut Sync {
        &mut self.all[sync.index()]
    }

    #[inline]
    pub(crate) fn add(&mut self, kind: SyncKind, gate: Gate) -> SyncId {
        let sync = Sync { gate, kind, waiting: Queue::default() };
        if let Some(id) = self.forgotten.pop() {
            self.all[id.index()] = sync;
            return id;
        }
        self.all.push(sync);
        SyncId::at(self.all.len() - 1)
    }

    #[inline]
    pub(crate) fn forget(&mut self, sync: SyncId) {
        self.forgotten.push(sync);
    }

    pub(crate) fn add_semaphore(&mut self, count: u64) -> SyncId {
        let semaphore = self.semaphores.len() as u32;
        self.semaphores.push(Semaphore { initial: count, tokens: VecDeque::new() });
        self.add(SyncKind::Semaphore, Gate::Counting(semaphore))
    }

    /// `V`: the sync that publishes what the task did before it.
    pub(crate) fn put_token(&mut self, semaphore: u32) -> SyncId {
        let token = self.spare.pop().unwrap_or_else(|| self.add(SyncKind::Semaphore, Gate::Token));
        self.semaphores[semaphore as usize].tokens.push_back(token);
        token
    }

    pub(crate) fn has_token(&self, semaphore: u32) -> bool {
        let semaphore = &self.semaphores[semaphore as usize];
        semaphore.initial > 0 || !semaphore.tokens.is_empty()
    }

    /// `P` on `sync`: the token taken, or `sync` itself, which no task ever signals, for a token of
    /// the initial count; nothing if there is none.
    pub(crate) fn take_token(&mut self, sync: SyncId, semaphore: u32) -> Option<SyncId> {
        let semaphore = &mut self.semaphores[semaphore as usize];
        if semaphore.initial > 0 {
            semaphore.initial -= 1;
            return Some(sync);
        }
        let token = semaphore.tokens.pop_front()?;
        self.spare.push(token);
        Some(token)
    }

    /// Lets everyone who waits for `sync` try again; whether there was anyone.
    #[inline]
    pub(crate) fn wake(&mut self, sync: SyncId, tasks: &mut Tasks) -> bool {
        let waiting = &mut self.all[sync.index()].waiting;
        let any = !waiting.is_empty();
        waiting.wake_all(tasks);
        any
    }
}
