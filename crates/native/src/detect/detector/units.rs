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
//!   accesses to it stay in the order in which the thread made them.
//! - *The schedule*, where the standard gives two units to one thread for every size of the team
//!   that the program allows ([`Division`]).
//! - *Data in private memory*: what a thread does after a `single` or a section in which it has
//!   stored something private that it reads now comes after it: another thread would have read
//!   something else.

use super::*;
use crate::detect::now;
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

/// The iterations of a loop that a thread executes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    /// The loop variable of the first iteration of the whole loop, as the compiler counts, and the
    /// distance to the next.
    pub(crate) first: i64,
    pub(crate) by: i64,
    pub(crate) division: Division,
    pub(crate) is_sections: bool,
    /// Whether the compiler marks iterations. Otherwise they are one unit.
    pub(crate) is_marked: bool,
}

/// How the standard divides a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Division {
    /// `static`: contiguous chunks of about the same size, at most one for each thread. Two loops of
    /// as many iterations are divided in the same way.
    Even { count: u64 },
    /// `static, chunk`: chunks dealt to the threads in turn.
    Dealt { chunk: u64 },
    /// Any thread may execute any iteration: sections; `auto`; `guided`, of which the first so many
    /// stay together.
    Any { together: u64 },
}

/// The sizes that a team may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sizes {
    All,
    /// The program asks for so many, and lets the implementation choose fewer.
    UpTo(u32),
    /// The program has set or queried the size, and may depend on it.
    Only(u32),
}

impl Sizes {
    /// Whether something holds for every size that leaves room for a thread with this number.
    /// `forever` says whether it does for all sizes there are.
    fn all(self, number: u32, forever: bool, mut holds: impl FnMut(u64) -> bool) -> bool {
        match self {
            Sizes::All => forever,
            Sizes::UpTo(most) => (number + 1..=most).all(|size| holds(u64::from(size))),
            Sizes::Only(size) => holds(u64::from(size)),
        }
    }
}

impl Share {
    /// The iteration, or the chunk if the schedule keeps some together, by the loop variable.
    fn unit(&self, variable: i64) -> u64 {
        self.unit_of(self.iteration(variable))
    }

    fn iteration(&self, variable: i64) -> u64 {
        let distance = variable.wrapping_sub(self.first);
        if self.by == 1 { distance as u64 } else { distance.wrapping_div(self.by) as u64 }
    }

    fn unit_of(&self, iteration: u64) -> u64 {
        match self.division {
            Division::Even { .. } => iteration,
            Division::Dealt { chunk } => iteration / chunk,
            Division::Any { together } => (iteration + 1).saturating_sub(together),
        }
    }
}

/// A range check that stands for many iterations: the iteration of an element by its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Span {
    /// The element of the iteration 0, and the bytes from one iteration to the next.
    origin: usize,
    stride: isize,
    /// Where each iteration accesses several elements that are further apart than all iterations
    /// of one: how far; otherwise 0.
    row: usize,
    /// The first iteration.
    first: u64,
}

impl Span {
    fn iteration(&self, address: usize) -> u64 {
        let stride = self.stride.unsigned_abs();
        // From the first iteration on, whose element is the lowest or the highest.
        let start = self.origin.wrapping_add((self.stride as usize).wrapping_mul(self.first as usize));
        let mut offset = match self.stride > 0 {
            true => address.wrapping_sub(start),
            false => start.wrapping_add(stride - 1).wrapping_sub(address),
        };
        if self.row > 0 {
            offset %= self.row;
        }
        self.first + (offset / stride) as u64
    }
}

/// The shape of a range check: how often, and how far apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeated {
    pub(crate) count: usize,
    pub(crate) stride: usize,
}

impl Repeated {
    pub(crate) const ONCE: Repeated = Repeated { count: 1, stride: 0 };
}

/// Which iteration made an access: the number of a unit, or the index of a [`Span`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub(super) struct Iteration(u32);

impl Iteration {
    /// Of accesses whose step has one iteration, or none.
    pub(super) const NONE: Iteration = Iteration(0);
    const SPAN: u32 = 1 << 31;

    /// Of so many units that two have the same number, one does not run when the other's accesses
    /// are still looked at.
    fn of(unit: u64) -> Self {
        Iteration(unit as u32 & !Self::SPAN)
    }

    fn span(index: usize) -> Self {
        Iteration(index as u32 | Self::SPAN)
    }

    fn as_span(self) -> Option<usize> {
        (self.0 & Self::SPAN != 0).then_some((self.0 & !Self::SPAN) as usize)
    }
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
    created: u32,
    /// Its accesses have ids from here on.
    first: AccessId,
    /// Where it is, while another task runs.
    iteration: Iteration,
    /// It has synchronised or created a task in the iteration under way.
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
    spans: Vec<Span>,
}

impl Units {
    pub(super) fn new() -> Self {
        Units {
            takers: FxHashMap::default(),
            own: Own::NOTHING,
            share: None,
            from: AccessId::MAX,
            iteration: Iteration::NONE,
            spans: Vec::new(),
        }
    }

    /// The tasks it refers to.
    pub(super) fn tasks(&self) -> impl Iterator<Item = TaskId> + '_ {
        let singles = self.takers.values().flat_map(|taker| &taker.singles).map(|(single, _)| *single);
        self.takers.keys().copied().chain(singles)
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
    }

    pub(super) fn renumber_accesses(&mut self, new: impl Fn(u32) -> u32) {
        for unit in self.takers.values_mut().filter_map(|taker| taker.unit.as_mut()) {
            unit.first = AccessId::from_raw(new(unit.first.raw()));
        }
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
    pub(crate) fn begin_unit(&mut self, work: Work, created: u32, stack: Range<usize>, sizes: Sizes) {
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

    fn begin(&mut self, thread: TaskId, work: Work, created: u32) {
        let unit = TaskId::at(self.tasks.len());
        let Task { parent: fork, asked, scope, thread: on, .. } = self.tasks[thread.index()];
        let first = AccessId::at(self.accesses.len());
        let serial = self.new_serial();
        let Some(taker) = self.units.takers.get_mut(&thread) else { return };
        taker.begun += 1;
        self.units_begun += 1;
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
        self.record_event(Event::Spawn { parent: fork, child: unit, scope, site: SiteId(created) });
        self.record_hand_over(thread, unit, false);
        self.leak(thread);
        self.set_time();
        self.order.spawn(fork, unit, scope);
        self.locks.hand_over(thread, unit);
        self.run_as(unit);
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
            self.detached.insert(scope);
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

    /// The running task of the kernel continues as another one of the order.
    fn run_as(&mut self, task: TaskId) {
        self.runs_as[self.running.index()] = task;
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
            unit.iteration = self.units.iteration;
        }
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
                && let Some(Unit { work: Work::Share(share), first, iteration, .. }) = taker.unit
                && share.is_marked
            {
                (self.units.share, self.units.from, self.units.iteration) = (Some(share), first, iteration);
            }
        }
        self.update_fast_path_enabled();
    }

    // ---- iterations ----

    /// The iteration begins whose loop variable has this value. Whether the last one has
    /// synchronised, so that this one must be a unit of its own.
    #[inline]
    pub(crate) fn begin_iteration(&mut self, variable: i64) -> bool {
        let Some(share) = &self.units.share else { return false };
        let iteration = Iteration::of(share.unit(variable));
        if iteration == self.units.iteration {
            return false;
        }
        if self.has_synchronised() {
            return true;
        }
        self.set_iteration(iteration);
        false
    }

    /// Whether iterations of the share that runs are told apart.
    pub(crate) fn has_share(&self) -> bool {
        self.units.share.is_some()
    }

    /// What follows was done in the iteration with this loop variable.
    pub(crate) fn go_to_iteration(&mut self, variable: i64) {
        if let Some(share) = &self.units.share {
            let iteration = Iteration::of(share.unit(variable));
            if iteration != self.units.iteration {
                self.set_iteration(iteration);
            }
        }
    }

    fn has_synchronised(&self) -> bool {
        let thread = self.tasks[self.current.index()].parent;
        let taker = self.units.takers.get(&thread);
        taker.and_then(|taker| taker.unit).is_some_and(|unit| unit.has_synchronised)
    }

    /// Accesses so far were another iteration's.
    #[inline]
    fn set_iteration(&mut self, iteration: Iteration) {
        self.units.iteration = iteration;
        // The sets stay: two readers of different iterations, which are one, subsume all others.
        let first = AccessId::at(self.accesses.len());
        now::set_first(first);
        now::set_epoch(first, self.fast_path_enabled);
    }

    /// The rest of a share, from the iteration with this loop variable on, is another unit.
    pub(crate) fn split_share(&mut self, variable: i64) {
        let thread = self.tasks[self.current.index()].parent;
        let Some(Unit { work: work @ Work::Share(share), created, .. }) =
            self.units.takers.get(&thread).and_then(|taker| taker.unit)
        else {
            return;
        };
        self.end_unit();
        self.begin(thread, work, created);
        self.units.iteration = Iteration::of(share.unit(variable));
    }

    /// The running task synchronises or creates a task: what orders this iteration does not order
    /// others.
    #[inline]
    pub(super) fn note_synchronisation(&mut self) {
        if self.units.share.is_some() {
            let thread = self.tasks[self.current.index()].parent;
            if let Some(unit) = self.units.takers.get_mut(&thread).and_then(|taker| taker.unit.as_mut()) {
                unit.has_synchronised = true;
            }
        }
    }

    /// Makes the range check `check` for iterations of the share that runs, of which the first has
    /// this loop variable. The elements of one iteration are `size` bytes, repeated as in `inner`;
    /// `iterations` is how they go on.
    pub(crate) fn check_iterations(
        &mut self,
        variable: i64,
        address: usize,
        size: usize,
        inner: Repeated,
        iterations: Repeated,
        mut check: impl FnMut(&mut Detector),
    ) -> bool {
        let Some(share) = self.units.share else { return false };
        let (first, last) = (share.iteration(variable), iterations.count.saturating_sub(1) as u64);
        let stride = iterations.stride as isize;
        if stride == 0 || last == 0 {
            // The same memory in each: two iterations are as good as all.
            self.set_iteration(Iteration::of(share.unit_of(first)));
            check(self);
            if share.unit_of(first + last) != share.unit_of(first) {
                self.set_iteration(Iteration::of(share.unit_of(first + last)));
                check(self);
            }
            return true;
        }
        let extent = |of: Repeated, size: usize| {
            (of.stride as isize).unsigned_abs() * of.count.saturating_sub(1) + size
        };
        let row = extent(inner, size);
        let row = match inner.count {
            // Each iteration has its own stretch of memory.
            _ if row <= stride.unsigned_abs() => 0,
            // Each iteration has one element of every row.
            _ if size <= stride.unsigned_abs()
                && extent(iterations, size) <= (inner.stride as isize).unsigned_abs() =>
            {
                (inner.stride as isize).unsigned_abs()
            }
            _ => return false,
        };
        // Rows that go down from the first would need another origin.
        if row > 0 && ((inner.stride as isize) < 0 || stride < 0)
            || row == 0 && (inner.stride as isize) < 0 && inner.count > 1
        {
            return false;
        }
        let origin = address.wrapping_sub((stride as usize).wrapping_mul(first as usize));
        let span = Span { origin, stride, row, first };
        self.set_iteration(Iteration::span(self.units.spans.len()));
        self.units.spans.push(span);
        check(self);
        // Whoever comes next is not this range check.
        self.set_iteration(self.units.iteration);
        true
    }

    /// The unit of an iteration at an address.
    fn unit_at(&self, share: &Share, iteration: Iteration, address: usize) -> u64 {
        match iteration.as_span().and_then(|span| self.units.spans.get(span)) {
            Some(span) => Iteration::of(share.unit_of(span.iteration(address))).0.into(),
            None => iteration.0.into(),
        }
    }

    /// Whether an access with an id from [`Units::from`] on was made by another iteration of the
    /// share that runs.
    pub(super) fn is_other_iteration(&mut self, id: AccessId, address: usize) -> bool {
        let Some(share) = self.units.share else { return false };
        if self.task_of(id) != self.current {
            return false;
        }
        let (then, now) = (self.accesses[id.index()].iteration, self.units.iteration);
        let span = |iteration: Iteration| self.units.spans.get(iteration.as_span()?).copied();
        let is_other = match (span(then), span(now)) {
            (None, None) => return then != now,
            // Alike at every address.
            (Some(a), Some(b)) if (a.origin, a.stride, a.row) == (b.origin, b.stride, b.row) => return false,
            _ => self.unit_at(&share, then, address) != self.unit_at(&share, now, address),
        };
        // Another address may have another answer.
        self.met += 1;
        is_other
    }

    /// The iterations that made an earlier access and the present one, if both are of one loop.
    pub(super) fn iterations_at(&self, earlier: AccessId, address: usize) -> Option<[u64; 2]> {
        let share = self.units.share?;
        (self.task_of(earlier) == self.current).then(|| {
            [self.accesses[earlier.index()].iteration, self.units.iteration]
                .map(|iteration| self.unit_at(&share, iteration, address))
        })
    }

    // ---- what orders units ----

    /// The thread that executed a unit; any other task is itself.
    pub(crate) fn taker(&self, task: TaskId) -> TaskId {
        let Task { role, parent, .. } = self.tasks[task.index()];
        if role.is_unit() { parent } else { task }
    }

    /// Whether an access was made by the thread that runs, in a unit or not, to its own stack.
    #[inline(always)]
    pub(super) fn is_on_own_stack(&mut self, id: AccessId, address: usize) -> bool {
        let is = self.units.own.holds(address) && self.taker(self.task_of(id)) == self.units.own.thread;
        self.met += u64::from(is);
        is
    }

    /// The running thread reads private memory that `writer` has written. If that was in a `single`,
    /// it has learned that it executed it, and comes after it from now on.
    pub(super) fn follow_single(&mut self, writer: AccessId) {
        let before = self.task_of(writer);
        if before == self.current || self.taker(before) != self.units.own.thread {
            return;
        }
        let taker = self.units.takers.get(&self.units.own.thread);
        let single = taker.and_then(|taker| taker.singles.iter().find(|(single, _)| *single == before));
        if let Some(&(_, sync)) = single
            && !self.has_joined(sync)
        {
            self.join_sync(sync);
        }
    }

    /// The units that a task is, or belongs to, innermost first, each with its thread: a nested team
    /// may have units of its own.
    pub(super) fn units_of(&self, task: TaskId) -> impl Iterator<Item = (TaskId, TaskId)> + '_ {
        let above = |&task: &TaskId| {
            let Task { role, parent, .. } = self.tasks[task.index()];
            (role != Role::Main).then_some(parent)
        };
        std::iter::successors(Some(task), above)
            .filter(|task| self.tasks[task.index()].role.is_unit())
            .map(|unit| (unit, self.tasks[unit.index()].parent))
    }

    /// Whether an earlier access was made in the past of a thread whose memory it is, and the
    /// present one is the thread's, or in a unit it executes.
    pub(super) fn is_past_of_thread(&mut self, earlier: AccessId, address: usize) -> bool {
        if self.units.takers.is_empty() {
            return false;
        }
        let mut threads: Vec<(TaskId, TaskId)> = self.units_of(self.current).collect();
        threads.push((self.current, self.current));
        threads.into_iter().any(|(now, thread)| {
            self.units.takers.contains_key(&thread)
                && self.is_memory_of(thread, address)
                && self.is_past_of(earlier, now, thread)
        })
    }

    /// Whether a thread, or what it has waited for, made an access before it came to `now`, which is
    /// itself or a unit it executes.
    fn is_past_of(&mut self, earlier: AccessId, now: TaskId, thread: TaskId) -> bool {
        let AccessRecord { step, .. } = self.accesses[earlier.index()];
        let task = self.order.task_of(step);
        let line = std::iter::successors(Some(task), |&task| {
            let Task { role, parent, .. } = self.tasks[task.index()];
            (role != Role::Main).then_some(parent)
        });
        let mut line = line;
        let Some(made) = line.find(|&task| self.taker(task) == thread) else { return false };
        if made == task {
            // By the thread itself. A task that it has created since may run beside it.
            return self.current == now || made != now;
        }
        // By a task that the thread may have waited for.
        let last = self.order.step_of(made);
        made != now && self.order.is_known_to(step, last)
    }

    /// Whether memory belongs to a thread that has executed units of work.
    fn is_memory_of(&self, thread: TaskId, address: usize) -> bool {
        let on = self.tasks[thread.index()].thread;
        self.units.takers.get(&thread).is_some_and(|taker| taker.stack.contains(&address))
            || self.privates.is_of(address, on)
            || self.memory.find(address).is_some_and(|(_, block)| block.thread() == Some(on))
    }

    /// Whether the memory belongs to the thread that executes the unit that runs.
    pub(super) fn is_of_units(&self, address: usize) -> bool {
        !self.units.takers.is_empty()
            && self.units_of(self.current).any(|(_, thread)| self.is_memory_of(thread, address))
    }

    /// Whether the schedule gives an earlier access and the present one to the same thread, for
    /// every size that the team may have.
    pub(super) fn are_given_to_one_thread(&self, earlier: AccessId, address: usize) -> bool {
        let before = self.task_of(earlier);
        let thread = self.taker(self.current);
        let Some(taker) = self.units.takers.get(&thread).filter(|_| self.taker(before) == thread) else {
            return false;
        };
        let share_of = |task: TaskId| match self.tasks[task.index()].role {
            Role::Share { of, .. } => taker.shares.get(of as usize),
            _ => None,
        };
        if let (Some(a), Some(b)) = (share_of(before), share_of(self.current))
            && !(a.is_marked && b.is_marked)
        {
            // Which iterations they were is not known. This run has given them to one thread.
            return a.division == b.division;
        }
        let share_of = |task: TaskId, iteration: Iteration| {
            let share = share_of(task).filter(|share| share.is_marked)?;
            Some((share.division, self.unit_at(share, iteration, address)))
        };
        let is_thread = |task: TaskId| task == thread;
        let a = share_of(before, self.accesses[earlier.index()].iteration);
        let b = share_of(self.current, self.units.iteration);
        match (a, b) {
            (Some((Division::Even { count }, a)), Some((Division::Even { count: other }, b))) => {
                count == other
                    && (a == b || taker.sizes.all(0, false, |size| are_in_one_part(a, b, count, size)))
            }
            (Some((Division::Dealt { .. }, a)), Some((Division::Dealt { .. }, b))) => {
                taker.sizes.all(0, a == b, |size| a % size == b % size)
            }
            (Some((Division::Dealt { .. }, unit)), None) if is_thread(self.current) => taker.is_given(unit),
            (None, Some((Division::Dealt { .. }, unit))) if is_thread(before) => taker.is_given(unit),
            _ => false,
        }
    }

    /// Whether an earlier access and the present one are in loops, or in teams inside of them, that
    /// are divided in the same way, of which nothing marks the iterations: this run has given both to
    /// one thread.
    pub(super) fn are_in_equal_shares(&self, earlier: AccessId) -> bool {
        if self.units.takers.is_empty() {
            return false;
        }
        let unmarked = |(unit, thread): (TaskId, TaskId)| match self.tasks[unit.index()].role {
            Role::Share { of, .. } => {
                let share = self.units.takers.get(&thread)?.shares.get(of as usize)?;
                (!share.is_marked).then_some((thread, share.division))
            }
            _ => None,
        };
        let before: Vec<_> = self.units_of(self.task_of(earlier)).filter_map(unmarked).collect();
        !before.is_empty()
            && self.units_of(self.current).filter_map(unmarked).any(|now| before.contains(&now))
    }

    /// Readers that need not be kept beside the running unit: of the chunks of a loop that one
    /// thread has executed, two are as good as all, since a writer is in at most one of them. Not
    /// where locks are held, which may exclude a writer from those two and not from another.
    pub(super) fn spare_chunks(&self, readers: ReaderRef) -> Option<Vec<AccessId>> {
        let is_chunk =
            |task: TaskId| matches!(self.tasks[task.index()].role, Role::Chunk(_) | Role::Share { .. });
        if self.units.own.size == 0
            || !readers.is_set()
            || !is_chunk(self.current)
            || self.locks.is_held_by(self.current)
        {
            return None;
        }
        let thread = self.tasks[self.current.index()].parent;
        let is_of_thread = |&id: &AccessId| {
            let task = self.task_of(id);
            is_chunk(task) && self.tasks[task.index()].parent == thread
        };
        let mut chunks: Vec<AccessId> = self.list(readers).into_iter().filter(is_of_thread).collect();
        // The oldest stays.
        let oldest = chunks.pop()?;
        (!self.locks.is_in_section(self.accesses[oldest.index()].step)).then_some(chunks)
    }
}

impl Taker {
    /// Whether every size gives the thread this chunk of a loop whose chunks are dealt in turn.
    fn is_given(&self, chunk: u64) -> bool {
        let number = u64::from(self.number);
        self.sizes.all(self.number, chunk == number, |size| chunk % size == number)
    }
}

/// Whether a division of so many iterations into contiguous parts of about the same size leaves two
/// of them together: both as even as possible, and all but the last of one size.
fn are_in_one_part(a: u64, b: u64, count: u64, parts: u64) -> bool {
    let (small, extra) = (count / parts, count % parts);
    let even = |iteration: u64| {
        let of_large = extra * (small + 1);
        if iteration < of_large {
            iteration / (small + 1)
        } else {
            extra + (iteration - of_large) / small.max(1)
        }
    };
    let large = count.div_ceil(parts).max(1);
    even(a) == even(b) && a / large == b / large
}
