//! The one event vocabulary between the runtime and the analyses.
//!
//! The runtime calls an [`Observer`], by static dispatch and without building event values; an
//! [`Event`] is the same call written down, and `Vec<Event>` is the observer that writes it down.
//!
//! What the events mean, and what an observer may rely on:
//!
//! - Task 0 is `main`; it begins without an event. Every other task begins with its `Spawn`, whose
//!   `child` is the next unused task id. Scope 0 is the whole program and has no begin or end
//!   event.
//! - `Spawn::scope` is the finish scope the child belongs to: the innermost one open around the
//!   spawn in the parent, or, if the parent has none open of its own, the one the parent itself
//!   belongs to.
//! - `FinishEnd` comes when every task of the scope (transitively) has ended; it orders all of them
//!   before what the owner does next.
//! - `Signal` publishes everything its task did so far; a `Join` on the same sync is ordered after
//!   the *latest* `Signal` on it, and a `Join` on a sync that was never signalled orders nothing.
//!   This covers a promise's `set`/`get`, the end and `get` of a future, `post`/`wait`, and leaving
//!   and entering a lock or isolated section (always in this order on one lock: join, signal, join,
//!   …). A semaphore gives each `V` a sync of its own and each `P` joins the one it takes, the
//!   oldest first.
//! - A task that starts late (`async await`) joins what it waited for before anything else it does.
//! - `Spawn` (in the parent), `FinishBegin`, `FinishEnd`, `Signal` and `Join` each end the current
//!   step of their task and begin the next one. Accesses belong to the current step.
//! - Events of different tasks come in the order in which they happened in this run.
//! - *Actions* are what a schedule counts: accesses, atomic or not, spawns, `FinishEnd`, every
//!   `Join`, and the `Signal` of a promise, an event or a semaphore. Leaving a lock or isolated
//!   section, opening a finish and ending a task are none: they happen together with the action
//!   before them.

use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AccessKind {
    Read,
    Write,
}

impl AccessKind {
    /// Whether two accesses of one location by different tasks are a race if nothing orders them.
    pub fn conflicts(self, other: AccessKind) -> bool {
        self == AccessKind::Write || other == AccessKind::Write
    }
}

/// What a section does to a location, all in all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Effect {
    #[serde(rename = "r")]
    Read,
    /// It adds something to the value there, and uses the value for nothing else: each of its
    /// accesses is part of an [addition](Observer::addition).
    #[serde(rename = "a")]
    Add,
    /// Anything else.
    #[serde(rename = "w")]
    Write,
}

impl Effect {
    /// What two accesses of one section amount to.
    #[must_use]
    pub fn with(self, other: Effect) -> Effect {
        if self == other { self } else { Effect::Write }
    }

    /// Whether the order of two sections with these effects on a location matters: reads commute,
    /// and additions do, since integers wrap.
    pub fn conflicts(self, other: Effect) -> bool {
        self != other || self == Effect::Write
    }

    /// As an access that a report can name.
    pub fn kind(self) -> AccessKind {
        if self == Effect::Read { AccessKind::Read } else { AccessKind::Write }
    }
}

impl From<AccessKind> for Effect {
    fn from(kind: AccessKind) -> Effect {
        match kind {
            AccessKind::Read => Effect::Read,
            AccessKind::Write => Effect::Write,
        }
    }
}

/// What kind of thing a [`SyncId`] is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SyncKind {
    Promise,
    Future,
    Isolated,
    Lock,
    Semaphore,
    Event,
}

impl SyncKind {
    /// Whether the order in which tasks pass through it is the schedule's choice, so that one run
    /// no longer decides all schedules.
    pub fn is_exclusive(self) -> bool {
        matches!(self, SyncKind::Isolated | SyncKind::Lock | SyncKind::Semaphore)
    }

    /// Whether it is a lock: its `Join` enters a section, its `Signal` leaves it.
    pub fn is_section(self) -> bool {
        matches!(self, SyncKind::Isolated | SyncKind::Lock)
    }

    /// Whether a `Signal` of this kind is an action of its task.
    pub fn signal_is_action(self) -> bool {
        matches!(self, SyncKind::Promise | SyncKind::Event | SyncKind::Semaphore)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    Spawn {
        parent: TaskId,
        child: TaskId,
        scope: ScopeId,
        site: SiteId,
    },
    End {
        task: TaskId,
    },
    FinishBegin {
        task: TaskId,
        scope: ScopeId,
    },
    FinishEnd {
        task: TaskId,
        scope: ScopeId,
    },
    Signal {
        task: TaskId,
        sync: SyncId,
        kind: SyncKind,
    },
    Join {
        task: TaskId,
        sync: SyncId,
        kind: SyncKind,
    },
    Access {
        task: TaskId,
        kind: AccessKind,
        location: Location,
        site: SiteId,
    },
    /// See [`Observer::atomic`].
    Atomic {
        task: TaskId,
        kind: AccessKind,
        location: Location,
        site: SiteId,
    },
}

/// Whoever wants to know what a run does: orders, detectors, recorders.
pub trait Observer {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId);
    fn end(&mut self, task: TaskId);
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId);
    fn finish_end(&mut self, task: TaskId, scope: ScopeId);
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind);
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind);
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId);

    /// An access that is part of an addition: a read of the location, then a write of a sum of
    /// which the value read is one term, and is used for nothing else. The other terms may be
    /// anything that does not depend on the value read. To most it is an access like any other, and
    /// races like one.
    #[inline]
    fn addition(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.access(task, kind, location, site);
    }

    /// An atomic access of a native program: it races with accesses that are not, and never with
    /// another. By itself it orders nothing; its release and acquire are signals and joins of their
    /// own.
    fn atomic(&mut self, _task: TaskId, _kind: AccessKind, _location: Location, _site: SiteId) {}

    /// What `task` does from now on comes after the latest signal on `sync`, though nothing in the
    /// program says so: an analysis does. Unlike a join it is no action.
    fn edge(&mut self, _task: TaskId, _sync: SyncId) {}

    /// The scheduler gives `task` a turn. No event of the program, so most have no use for it.
    #[inline]
    fn turn(&mut self, _task: TaskId) {}

    /// The task whose turn it is has made cells, from this one on, that no other task knows yet. No
    /// event either: for those to whom it matters that the numbers of such cells depend on the
    /// schedule.
    #[inline]
    fn fresh(&mut self, _first: Location) {}
}

impl Event {
    /// Who did it.
    pub fn task(&self) -> TaskId {
        match *self {
            Event::Spawn { parent: task, .. }
            | Event::End { task }
            | Event::FinishBegin { task, .. }
            | Event::FinishEnd { task, .. }
            | Event::Signal { task, .. }
            | Event::Join { task, .. }
            | Event::Access { task, .. }
            | Event::Atomic { task, .. } => task,
        }
    }

    /// Whether it is an action: what a schedule counts.
    pub fn is_action(&self) -> bool {
        match self {
            Event::Spawn { .. }
            | Event::FinishEnd { .. }
            | Event::Join { .. }
            | Event::Access { .. }
            | Event::Atomic { .. } => true,
            Event::Signal { kind, .. } => kind.signal_is_action(),
            Event::End { .. } | Event::FinishBegin { .. } => false,
        }
    }

    /// Notifies `observer` of this event.
    #[inline]
    pub fn deliver(&self, observer: &mut impl Observer) {
        match *self {
            Event::Spawn { parent, child, scope, site } => observer.spawn(parent, child, scope, site),
            Event::End { task } => observer.end(task),
            Event::FinishBegin { task, scope } => observer.finish_begin(task, scope),
            Event::FinishEnd { task, scope } => observer.finish_end(task, scope),
            Event::Signal { task, sync, kind } => observer.signal(task, sync, kind),
            Event::Join { task, sync, kind } => observer.join(task, sync, kind),
            Event::Access { task, kind, location, site } => observer.access(task, kind, location, site),
            Event::Atomic { task, kind, location, site } => observer.atomic(task, kind, location, site),
        }
    }
}

/// The recorder.
impl Observer for Vec<Event> {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.push(Event::Spawn { parent, child, scope, site });
    }
    fn end(&mut self, task: TaskId) {
        self.push(Event::End { task });
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.push(Event::FinishBegin { task, scope });
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.push(Event::FinishEnd { task, scope });
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.push(Event::Signal { task, sync, kind });
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.push(Event::Join { task, sync, kind });
    }
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.push(Event::Access { task, kind, location, site });
    }
    fn atomic(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.push(Event::Atomic { task, kind, location, site });
    }
}

/// Two observers of one run; the first is notified first.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, site: SiteId) {
        self.0.spawn(parent, child, scope, site);
        self.1.spawn(parent, child, scope, site);
    }
    fn end(&mut self, task: TaskId) {
        self.0.end(task);
        self.1.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.0.finish_begin(task, scope);
        self.1.finish_begin(task, scope);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.0.finish_end(task, scope);
        self.1.finish_end(task, scope);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.0.signal(task, sync, kind);
        self.1.signal(task, sync, kind);
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.0.join(task, sync, kind);
        self.1.join(task, sync, kind);
    }
    #[inline]
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.0.access(task, kind, location, site);
        self.1.access(task, kind, location, site);
    }
    #[inline]
    fn addition(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.0.addition(task, kind, location, site);
        self.1.addition(task, kind, location, site);
    }
    fn atomic(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.0.atomic(task, kind, location, site);
        self.1.atomic(task, kind, location, site);
    }
    fn edge(&mut self, task: TaskId, sync: SyncId) {
        self.0.edge(task, sync);
        self.1.edge(task, sync);
    }
    #[inline]
    fn turn(&mut self, task: TaskId) {
        self.0.turn(task);
        self.1.turn(task);
    }
    #[inline]
    fn fresh(&mut self, first: Location) {
        self.0.fresh(first);
        self.1.fresh(first);
    }
}

/// The observer that does nothing: `--detector none`.
impl Observer for () {
    #[inline]
    fn spawn(&mut self, _: TaskId, _: TaskId, _: ScopeId, _: SiteId) {}
    #[inline]
    fn end(&mut self, _: TaskId) {}
    #[inline]
    fn finish_begin(&mut self, _: TaskId, _: ScopeId) {}
    #[inline]
    fn finish_end(&mut self, _: TaskId, _: ScopeId) {}
    #[inline]
    fn signal(&mut self, _: TaskId, _: SyncId, _: SyncKind) {}
    #[inline]
    fn join(&mut self, _: TaskId, _: SyncId, _: SyncKind) {}
    #[inline]
    fn access(&mut self, _: TaskId, _: AccessKind, _: Location, _: SiteId) {}
}
