//! What orders units of work beside the steps of the order: the memory of a thread, and the
//! schedule.

use super::division::{Division, are_in_one_part};
use super::iterations::Iteration;
use super::*;

impl Detector {
    /// The thread that executed a unit; any other task is itself.
    pub(crate) fn taker(&self, task: TaskId) -> TaskId {
        let Task { role, parent, .. } = self.tasks[task.index()];
        if role.is_unit() { parent } else { task }
    }

    /// Whether an access was made by the thread that runs, in a unit or not, to its own stack.
    #[inline(always)]
    pub(in crate::detect::detector) fn is_on_own_stack(&mut self, id: AccessId, address: usize) -> bool {
        let is = self.units.own.holds(address) && self.taker(self.task_of(id)) == self.units.own.thread;
        self.met += u64::from(is);
        is
    }

    /// The running thread reads private memory that `writer` has written. If that was in a
    /// `single`, it has learned that it executed it, and comes after it from now on.
    pub(in crate::detect::detector) fn follow_single(&mut self, writer: AccessId) {
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

    /// The units that a task is, or belongs to, innermost first, each with its thread: a nested
    /// team may have units of its own.
    pub(in crate::detect::detector) fn units_of(
        &self,
        task: TaskId,
    ) -> impl Iterator<Item = (TaskId, TaskId)> + '_ {
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
    pub(crate) fn is_past_of_thread(&mut self, earlier: AccessId, address: usize) -> bool {
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

    /// Whether a thread, or what it has waited for, made an access before it came to `now`, which
    /// is itself or a unit it executes.
    fn is_past_of(&mut self, earlier: AccessId, now: TaskId, thread: TaskId) -> bool {
        let AccessRecord { step, .. } = self.accesses[earlier];
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

    /// Whether memory belongs to a thread that has executed units of work. Of what it has allocated
    /// in place of its team the policy says whether it does.
    fn is_memory_of(&mut self, thread: TaskId, address: usize) -> bool {
        let on = self.tasks[thread.index()].thread;
        if self.units.takers.get(&thread).is_some_and(|taker| taker.stack.contains(&address))
            || self.privates.is_of(address, on)
        {
            return true;
        }
        self.memory.find(address).is_some_and(|(at, block)| {
            block.thread() == Some(on) && (!block.is_for_all() || policy::is_own_block(at, on, self))
        })
    }

    /// Whether the memory belongs to the thread that executes the unit that runs.
    pub(in crate::detect::detector) fn is_of_units(&mut self, address: usize) -> bool {
        if self.units.takers.is_empty() {
            return false;
        }
        let units: Vec<(TaskId, TaskId)> = self.units_of(self.current).collect();
        units.into_iter().any(|(_, thread)| self.is_memory_of(thread, address))
    }

    /// Whether the schedule gives an earlier access and the present one to the same thread, for
    /// every size that the team may have.
    pub(crate) fn are_given_to_one_thread(&self, earlier: AccessId, address: usize) -> bool {
        let before = self.task_of(earlier);
        let thread = self.taker(self.current);
        let Some(taker) = self.units.takers.get(&thread).filter(|_| self.taker(before) == thread) else {
            return false;
        };
        let share_of = |task: TaskId, iteration: Iteration| {
            let share = self.share_of(task, thread).filter(|share| share.is_marked)?;
            Some((share.division, self.unit_at(share, iteration, address)))
        };
        let is_thread = |task: TaskId| task == thread;
        let a = share_of(before, self.accesses[earlier].iteration);
        let b = share_of(self.current, self.units.iteration);
        match (a, b) {
            (Some((Division::Even { count }, a)), Some((Division::Even { count: other }, b))) => {
                count == other
                    && (a == b || taker.sizes.all(0, false, |size| are_in_one_part(a, b, count, size)))
            }
            (Some((Division::Dealt { .. }, a)), Some((Division::Dealt { .. }, b))) => {
                taker.sizes.all(0, a == b, |size| a % size == b % size)
            }
            (Some((Division::Dealt { .. }, unit)), None) if is_thread(self.current) => {
                taker.sizes.give(unit, taker.number)
            }
            (None, Some((Division::Dealt { .. }, unit))) if is_thread(before) => {
                taker.sizes.give(unit, taker.number)
            }
            _ => false,
        }
    }

    /// The share that a task is of a thread's.
    fn share_of(&self, unit: TaskId, thread: TaskId) -> Option<&Share> {
        let Role::Share { of, .. } = self.tasks[unit.index()].role else { return None };
        self.units.takers.get(&thread)?.shares.get(of as usize)
    }

    /// Whether an earlier access and the present one are in loops, or in teams inside of them, that
    /// are divided in the same way, of which at least one has no marks: which iterations they were
    /// is not known, and this run has given both to one thread. What both did in the same part of one
    /// loop is ordered as it was there.
    pub(crate) fn are_in_equal_shares(&self, earlier: AccessId) -> bool {
        if self.units.takers.is_empty() {
            return false;
        }
        let share = |(unit, thread): (TaskId, TaskId)| Some((unit, thread, self.share_of(unit, thread)?));
        let before: Vec<_> = self.units_of(self.task_of(earlier)).filter_map(share).collect();
        !before.is_empty()
            && self.units_of(self.current).filter_map(share).any(|(unit, thread, now)| {
                before.iter().any(|&(other, of, then)| {
                    (other != unit && of == thread)
                        && then.division == now.division
                        && !(then.is_marked && now.is_marked)
                })
            })
    }

    /// The running task of a search enters a section. Whether its thread has entered one since the
    /// last barrier in another unit, or outside of units, and some other thread may execute one of
    /// the two: then the search has their order only.
    pub(crate) fn enters_after_another_unit(&mut self) -> bool {
        let (now, thread) = (self.current, self.taker(self.current));
        if !matches!(self.tasks[thread.index()].role, Role::Thread(_)) {
            return false;
        }
        let before = self.units.entered.insert(thread, now);
        before.is_some_and(|before| {
            before != now && (self.may_go_elsewhere(before, thread) || self.may_go_elsewhere(now, thread))
        })
    }

    /// Whether another thread may execute a unit in a team of the same size.
    fn may_go_elsewhere(&self, unit: TaskId, thread: TaskId) -> bool {
        match self.tasks[unit.index()].role {
            Role::Single(_) | Role::Chunk(_) => true,
            Role::Share { .. } => {
                let share = self.share_of(unit, thread);
                share.is_none_or(|share| matches!(share.division, Division::Any { .. }))
            }
            _ => false,
        }
    }

    /// Readers that need not be kept beside the running unit: of the chunks of a loop that one
    /// thread has executed, two are as good as all, since a writer is in at most one of them. Not
    /// where locks are held, which may exclude a writer from those two and not from another.
    pub(in crate::detect::detector) fn spare_chunks(&self, readers: ReaderRef) -> Option<Vec<AccessId>> {
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
        (!self.locks.is_in_section(self.accesses[oldest].step)).then_some(chunks)
    }
}
