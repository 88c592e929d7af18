//! Units of work: what a worksharing construct divides among the threads of a team.
//!
//! Which thread executes a `single`, a section or a chunk of a loop is the implementation's choice,
//! or depends on the size of the team. A unit is therefore ordered only with what the standard
//! orders it with, whichever thread of this run executed it. In the order it is a task beside the
//! threads: spawned where they are, by the task that forked the team, and joined where they are, at
//! the next barrier. For the kernel, and for the program, the thread keeps running.
//!
//! The iterations of a loop that one thread executes are units as well. There may be millions, so
//! that all of a thread's *share* are one task of the order, and every access has the number of its
//! iteration beside it. Two accesses of one share are ordered if their iterations are the same, or
//! belong to one chunk of the schedule. Iterations that synchronise or create tasks get a task each,
//! as soon as one has. A range check that stands for many iterations has a [`Span`], which gives
//! the iteration by the address.
//!
//! Three things order units beyond that:
//!
//! - *Memory of a thread*: its stack, its thread-local storage, what it has allocated in a parallel
//!   region, and whatever is chosen by its number. Another thread would have used its own, so that
//!   accesses to it stay in the order in which the thread made them. What it allocates in a `single`,
//!   a section or a `master` region, or after it asked for its number, it mostly allocates for all:
//!   that is its own only if its thread-local storage leads there.
//! - *The schedule*, where the standard gives two units to one thread for every size of the team
//!   that the program allows ([`Division`]).
//! - *Data in private memory*: what a thread does after a `single` or a section in which it has
//!   stored something private that it reads now comes after it: another thread would have read
//!   something else.

mod division;
mod iterations;
mod order;

use super::*;
pub(crate) use division::{Division, Share, Sizes};
pub(super) use iterations::Iteration;
use iterations::Spans;
pub(crate) use iterations::{Elements, Repeated};
use raceproof_core::event::Event;
use std::ops::Range;

/// A unit of work, or several that one thread executes one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Single,
    /// A chunk of a loop whose schedule chooses at run time.
    Chunk,
    /// Iterations of a loop.
    Share(Share),
}

/// A thread that has executed units of work since the last barrier.
#[derive(Debug)]
pub(super) struct Taker {
    stack: Range<usize>,
    /// Its number in the team.
    number: u32,
    sizes: Sizes,
    /// The loops it has had a share of.
    shares: Vec<Share>,
    /// How many units it has begun.
    begun: u32,
    /// What the ends of those `single`s signalled that it has executed.
    singles: Vec<(TaskId, SyncId)>,
    /// The one it executes.
    unit: Option<Unit>,
}

/// A unit under way.
#[derive(Clone, Copy, Debug)]
struct Unit {
    work: Work,
    created: SiteId,
    /// Its accesses have ids from here on.
    first: AccessId,
    /// Where it is, while another task runs, and whether it has synchronised there.
    iteration: Iteration,
    has_synchronised: bool,
}

/// The memory of the thread that runs, if it has executed units of work, and the thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    from: usize,
    pub(super) size: usize,
    pub(super) thread: TaskId,
}

impl Own {
    pub(super) const NOTHING: Own = Own { from: 0, size: 0, thread: TaskId::MAIN };

    #[inline(always)]
    pub(super) fn holds(&self, address: usize) -> bool {
        address.wrapping_sub(self.from) < self.size
    }
}

/// What the detector knows of units of work.
pub(super) struct Units {
    /// The threads that have executed any since their last barrier.
    pub(super) takers: FxHashMap<TaskId, Taker>,
    pub(super) own: Own,
    /// The share that runs, if its iterations are marked.
    share: Option<Share>,
    /// Accesses with ids from here on may be those of another iteration of the share that runs;
    /// beyond all ids if none runs.
    pub(super) from: AccessId,
    /// The iteration that runs.
    pub(super) iteration: Iteration,
    /// The share that runs has synchronised or created a task in the iteration under way.
    has_synchronised: bool,
    pub(super) spans: Spans,
    /// In a search: what each thread was, itself or a unit, when it last entered a section.
    entered: FxHashMap<TaskId, TaskId>,
    /// Threads in a `master` or `masked` region.
    pub(super) masters: Vec<TaskId>,
}

impl Units {
    pub(super) fn new() -> Self {
        Units {
            takers: FxHashMap::default(),
            own: Own::NOTHING,
            share: None,
            from: AccessId::MAX,
            iteration: Iteration::NONE,
            has_synchronised: false,
            spans: Spans::new(),
            entered: FxHashMap::default(),
            masters: Vec::new(),
        }
    }

    /// The tasks it refers to.
    pub(super) fn tasks(&self) -> impl Iterator<Item = TaskId> + '_ {
        let singles = self.takers.values().flat_map(|taker| &taker.singles).map(|(single, _)| *single);
        self.takers.keys().copied().chain(singles).chain(self.masters.iter().copied())
    }

    /// Whether a thread is in a loop.
    pub(super) fn is_in_loop(&self) -> bool {
        let unit = |taker: &Taker| taker.unit.is_some_and(|unit| !matches!(unit.work, Work::Single));
        !self.takers.is_empty() && self.takers.values().any(unit)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.takers.is_empty() && self.own.size == 0
    }

    /// The collector has renumbered tasks and accesses.
    pub(super) fn renumber(&mut self, task: impl Fn(TaskId) -> TaskId) {
        self.takers = self.takers.drain().map(|(thread, taker)| (task(thread), taker)).collect();
        for (single, _) in self.takers.values_mut().flat_map(|taker| &mut taker.singles) {
            *single = task(*single);
        }
        if self.own.size > 0 {
            self.own.thread = task(self.own.thread);
        }
        self.masters.iter_mut().for_each(|master| *master = task(*master));
    }

    pub(super) fn renumber_accesses(&mut self, new: impl Fn(u32) -> u32) {
        for unit in self.takers.values_mut().filter_map(|taker| taker.unit.as_mut()) {
            unit.first = AccessId::from_raw(new(unit.first.raw()));
        }
        self.spans.forget_ids();
        if self.share.is_some() {
            self.from = AccessId::from_raw(new(self.from.raw()));
        }
    }
}

impl Role {
    /// Whether it is a unit of work, whose parent is the thread that executed it.
    pub(crate) fn is_unit(self) -> bool {
        matches!(self, Role::Single(_) | Role::Chunk(_) | Role::Share { .. })
    }
}

impl Detector {
    /// Whether the running task can take a unit of work: a thread of a team that is not in one.
    pub(crate) fn can_take(&self) -> bool {
        matches!(self.tasks[self.current.index()].role, Role::Thread(_))
    }

    /// The running thread, whose stack is given, takes a unit of work of a construct that is at
    /// `created`.
    pub(crate) fn begin_unit(&mut self, work: Work, created: SiteId, stack: Range<usize>, sizes: Sizes) {
        self.collect_in_time();
        let thread = self.current;
        let Task { role: Role::Thread(number), .. } = self.tasks[thread.index()] else { return };
        let taker = self.units.takers.entry(thread).or_insert_with(|| Taker {
            stack,
            number,
            sizes,
            shares: Vec::new(),
            begun: 0,
            singles: Vec::new(),
            unit: None,
        });
        if let Work::Share(share) = work {
            taker.shares.push(share);
        }
        self.begin(thread, work, created);
    }

    fn begin(&mut self, thread: TaskId, work: Work, created: SiteId) {
        let unit = TaskId::at(self.tasks.len());
        let Task { parent: fork, asked, scope, thread: on, .. } = self.tasks[thread.index()];
        let first = self.accesses.next();
        let serial = self.counts.new_serial();
        let Some(taker) = self.units.takers.get_mut(&thread) else { return };
        taker.begun += 1;
        self.counts.is_unit();
        let role = match work {
            Work::Single => Role::Single(taker.begun),
            Work::Chunk => Role::Chunk(taker.begun),
            Work::Share(Share { is_sections, .. }) => {
                Role::Share { of: taker.shares.len() as u32 - 1, ordinal: taker.begun, is_sections }
            }
        };
        let iteration = Iteration::NONE;
        taker.unit = Some(Unit { work, created, first, iteration, has_synchronised: false });
        self.tasks.push(Task {
            parent: thread,
            created,
            role,
            thread: on,
            asked,
            scope,
            detached: false,
            awaited: false,
            serial,
        });
        self.record_event(Event::Spawn { parent: fork, child: unit, scope, site: created });
        self.record_hand_over(thread, unit, false);
        self.leak(thread);
        self.set_time();
        self.order.spawn(fork, unit, scope);
        self.locks.hand_over(thread, unit);
        self.run_as(unit);
    }

    /// Whether an access was made since the running unit began.
    pub(crate) fn has_accessed_in_unit(&self) -> bool {
        let taker = self.units.takers.get(&self.taker(self.current));
        let unit = taker.and_then(|taker| taker.unit);
        unit.is_none_or(|unit| unit.first != AccessId::at(self.accesses.len()))
    }

    /// The running thread has executed its unit.
    pub(crate) fn end_unit(&mut self) {
        let unit = self.current;
        let Task { parent: thread, detached, asked, scope, role, .. } = self.tasks[unit.index()];
        if !role.is_unit() {
            return;
        }
        self.record_hand_over(unit, thread, false);
        self.record_event(Event::End { task: unit });
        if detached {
            self.finishes.note_detached(scope);
        }
        let signalled = matches!(role, Role::Single(_)).then(|| self.new_sync());
        if let Some(sync) = signalled {
            self.order.signal(unit, sync, SyncKind::Event);
        }
        self.set_time();
        self.order.end(unit);
        if let Some(taker) = self.units.takers.get_mut(&thread) {
            taker.unit = None;
            taker.singles.extend(signalled.map(|sync| (unit, sync)));
        }
        self.locks.hand_over(unit, thread);
        self.tasks[thread.index()].asked |= asked;
        self.run_as(thread);
    }

    /// The running thread begins a `master` or `masked` region.
    pub(crate) fn begin_master(&mut self) {
        self.units.masters.push(self.current);
    }

    /// The running thread ends a `master` or `masked` region.
    pub(crate) fn end_master(&mut self) {
        let Units { masters, .. } = &mut self.units;
        if let Some(at) = masters.iter().rposition(|&master| master == self.current) {
            masters.swap_remove(at);
        }
    }

    /// The running task of the kernel continues as another one of the order.
    fn run_as(&mut self, task: TaskId) {
        self.kernel_tasks.run_as(task);
        self.resume(task);
        self.begin_step();
    }

    /// A thread has come to a barrier, or has ended.
    #[inline]
    pub(super) fn forget_units(&mut self, thread: TaskId) {
        if !self.units.takers.is_empty()
            && let Some(taker) = self.units.takers.remove(&thread)
        {
            self.units.own = Own::NOTHING;
            taker.singles.into_iter().for_each(|(_, sync)| self.retire_sync(sync));
            if self.units.takers.is_empty() {
                self.units.spans.clear();
            }
        }
    }

    /// The task `task` resumes, after `left`.
    #[cold]
    pub(super) fn resume_unit(&mut self, left: TaskId, task: TaskId) {
        if self.units.share.take().is_some()
            && let Some(taker) = self.units.takers.get_mut(&self.tasks[left.index()].parent)
            && let Some(unit) = &mut taker.unit
        {
            (unit.iteration, unit.has_synchronised) = (self.units.iteration, self.units.has_synchronised);
        }
        self.units.spans.forget_ids();
        self.units.own = Own::NOTHING;
        self.units.from = AccessId::MAX;
        self.units.iteration = Iteration::NONE;
        let Task { role, .. } = self.tasks[task.index()];
        let thread = self.taker(task);
        if let Some(taker) =
            self.units.takers.get(&thread).filter(|_| !matches!(role, Role::Explicit(_) | Role::Async(_)))
        {
            self.units.own = Own { from: taker.stack.start, size: taker.stack.len(), thread };
            if role.is_unit()
                && let Some(Unit { work: Work::Share(share), first, iteration, has_synchronised, .. }) =
                    taker.unit
                && share.is_marked
            {
                (self.units.share, self.units.from) = (Some(share), first);
                (self.units.iteration, self.units.has_synchronised) = (iteration, has_synchronised);
            }
        }
        self.update_fast_path_enabled();
    }
}
