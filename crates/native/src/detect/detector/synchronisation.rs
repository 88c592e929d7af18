//! What orders the steps: the kernel's events, and synchronisation that the kernel does not know
//! of.

use super::locks::Parted;
use super::syncs::of_kernel;
use super::*;
use raceproof_core::event::Event;

impl Detector {
    /// A new sync for the order alone.
    pub(crate) fn new_sync(&mut self) -> SyncId {
        self.syncs.take()
    }

    pub(crate) fn signal_sync(&mut self, sync: SyncId) {
        self.note_synchronisation();
        self.leak(self.current);
        self.record_event(Event::Signal { task: self.current, sync, kind: SyncKind::Event });
        self.order.signal(self.current, sync, SyncKind::Event);
        self.begin_step();
    }

    /// As [`Detector::signal_sync`]; whoever joins `sync` comes after what `before` signalled as
    /// well. Not for a run that is recorded.
    pub(crate) fn signal_sync_after(&mut self, sync: SyncId, before: SyncId) {
        self.leak(self.current);
        self.order.signal_after(self.current, sync, before, SyncKind::Event);
        self.begin_step();
    }

    /// Nobody will join the sync again.
    pub(crate) fn retire_sync(&mut self, sync: SyncId) {
        self.order.forget(sync);
        self.syncs.give_back(sync);
    }

    /// The unique numbers of the tasks that have not ended, as [`Detector::identity`] returns them.
    pub(crate) fn identities(&self) -> rustc_hash::FxHashSet<u64> {
        // A thread that executes a unit of work runs as that.
        let live = self.kernel_tasks.live().chain(self.units.tasks());
        live.map(|task| self.tasks[task.index()].serial).collect()
    }

    /// The task that has not ended and has this unique number.
    pub(crate) fn live(&self, serial: u64) -> Option<TaskId> {
        self.kernel_tasks.live().find(|task| self.tasks[task.index()].serial == serial)
    }

    pub(crate) fn join_sync(&mut self, sync: SyncId) {
        self.note_synchronisation();
        self.record_event(Event::Join { task: self.current, sync, kind: SyncKind::Event });
        self.order.join(self.current, sync, SyncKind::Event);
        self.begin_step();
    }

    /// Whether what the sync signalled evidently happens before the running step: joining it would
    /// add nothing.
    pub(crate) fn has_joined(&mut self, sync: SyncId) -> bool {
        self.order.is_known(sync)
    }

    /// Whether what the sync signalled happens before the running step.
    pub(crate) fn comes_after_sync(&mut self, sync: SyncId) -> bool {
        self.order.has_come(sync)
    }

    /// The current task enters a section of a lock.
    pub(crate) fn enter_section(&mut self, lock: usize) {
        self.record_event(Event::Join {
            task: self.current,
            sync: of_kernel(SyncId::at(lock)),
            kind: SyncKind::Lock,
        });
        self.follow_leaks(lock);
        // A step of its own, so that a step has one set of locks.
        self.order.next_step(self.current);
        self.locks.enter(self.current, lock, self.order.step());
        self.begin_step();
    }

    pub(crate) fn leave_section(&mut self, lock: usize) {
        self.record_event(Event::Signal {
            task: self.current,
            sync: of_kernel(SyncId::at(lock)),
            kind: SyncKind::Lock,
        });
        let Some(section) = self.locks.leave(self.current, lock) else { return };
        self.leak(self.current);
        self.follow_leaks(lock);
        let end = self.new_sync();
        self.locks.set_end(section, end);
        self.locks.note_leak(lock, section, self.identity(), self.order.step());
        self.order.signal(self.current, end, SyncKind::Lock);
        self.begin_step();
    }

    /// The running task begins to combine its part of a reduction, or ends it. The order in which
    /// parts are combined makes no difference that a program may depend on: as with atomic updates,
    /// none is before another, and nothing is excluded.
    pub(crate) fn reduce(&mut self, begin: bool) {
        self.reducing = begin;
        self.update_fast_path_enabled();
        // So that no access is taken for one that was made before this.
        self.renumber();
    }

    /// The running task, which is about to end at a barrier, gives up what it holds, these locks
    /// among it; the thread continues as another task, which takes it back by the number this
    /// returns.
    pub(crate) fn part(&mut self, locks: Vec<SyncId>) -> u64 {
        self.leak(self.current);
        let serial = self.identity();
        self.locks.part(self.current, serial, locks);
        serial
    }

    /// A thread that parted continues as the task `to` of the kernel; returns the locks it holds.
    pub(crate) fn rejoin(&mut self, parted: u64, to: TaskId) -> Vec<SyncId> {
        let Some(Parted { task: from, locks, holds }) = self.locks.rejoin(parted) else {
            return Vec::new();
        };
        let to = self.runs_as(to);
        self.record_hand_over(from, to, true);
        self.locks.take_over(to, self.order.step_of(to), holds);
        locks
    }

    /// Who holds a lock that the task `holder` of the kernel holds: it may be at a barrier, which
    /// ends the task.
    pub(crate) fn holder(&self, lock: SyncId, holder: TaskId) -> TaskId {
        self.locks.parted_holder(lock).unwrap_or_else(|| self.runs_as(holder))
    }

    /// A task of the order resumes.
    #[inline]
    pub(super) fn resume(&mut self, task: TaskId) {
        let left = std::mem::replace(&mut self.current, task);
        self.switch_representatives(left);
        self.set_time();
        self.order.enter(task);
        if !self.units.is_idle() {
            self.resume_unit(left, task);
        } else {
            self.publish_watermark();
        }
        self.caches.resume();
        self.reset_skips();
    }

    /// A task publishes its progress.
    #[inline(never)]
    fn signal_others(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if kind.is_section() {
            return self.leave_section(sync.index());
        }
        self.note_synchronisation();
        let task = self.runs_as(task);
        self.leak(task);
        self.record_event(Event::Signal { task, sync: of_kernel(sync), kind });
        self.set_time();
        self.order.signal(task, of_kernel(sync), kind);
        self.begin_step();
    }

    /// A task comes after the progress of another.
    #[inline(never)]
    fn join_other(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !kind.is_section() {
            self.record_event(Event::Join { task: self.runs_as(task), sync: of_kernel(sync), kind });
        }
        if self.joins.are_waited_for {
            return;
        }
        if kind.is_section() {
            self.exclusive = true;
            return self.enter_section(sync.index());
        }
        self.note_synchronisation();
        let task = self.runs_as(task);
        self.set_time();
        // Only ends: a promise may be set by any task, which goes on.
        let is_end = self.joins.are_with_siblings && kind == SyncKind::Future;
        let before = self.order.signaller(of_kernel(sync)).filter(|_| is_end);
        // One from before a taskgroup that the task is in: the end of the group waits for the task,
        // and not for the other.
        let is_near = |before: TaskId| self.tasks[before.index()].scope == self.tasks[task.index()].scope;
        // The end of one that is not kept orders nothing.
        if is_end && before.is_none_or(is_near) {
            self.order.join_sibling(task, of_kernel(sync), kind);
        } else {
            before.into_iter().for_each(|before| self.order.tell(before));
            self.order.join(task, of_kernel(sync), kind);
        }
        self.begin_step();
    }

    /// Waits for the children one by one, by the syncs that their ends signal.
    fn join_children(&mut self, children: &[SyncId]) {
        for &child in children {
            self.order.join(self.current, of_kernel(child), SyncKind::Future);
            // It is known from now on, before the finish ends that it belongs to now.
            if let Some(task) = self.order.signaller(of_kernel(child)) {
                self.tasks[task.index()].awaited = true;
            }
        }
        self.begin_step();
    }

    /// The same for children that have been members of another finish for a while, their own having
    /// been left.
    pub(crate) fn join_left_children(&mut self, children: &[SyncId]) {
        for &child in children {
            if let Some(task) = self.order.signaller(of_kernel(child)) {
                self.representatives.part(self.order.finish_of(task));
            }
        }
        self.join_children(children);
    }

    /// Whether waiting for a child that has ended would order nothing: it, or its representative,
    /// is waited for anyway.
    pub(crate) fn is_end_forgotten(&self, child: SyncId) -> bool {
        self.order.is_sync_forgotten(of_kernel(child))
    }

    /// Nobody will wait for the end of a task again.
    #[inline]
    pub(crate) fn forget_end(&mut self, end: SyncId) {
        self.order.forget(of_kernel(end));
    }

    // ---- tasks that are waited for ----
    //
    // The tasks a region creates from one taskwait to the next are a finish of the order, which the
    // taskwait ends. That is what a taskwait orders, as long as the tasks themselves have waited
    // for all they have created. If one has not, the finish is left, each child is joined, and what
    // else they have created belongs to the region around.

    #[inline]
    pub(super) fn open_scope(&mut self, task: TaskId) -> Finish {
        let (finish, scope) = self.finishes.begin();
        self.set_time();
        self.order.finish_begin(task, scope);
        self.representatives.spawned = None;
        finish
    }

    /// The same for a finish of the kernel, whose tasks end them in the reverse order.
    fn open_nested_scope(&mut self, task: TaskId) -> Finish {
        let (finish, scope) = self.finishes.begin();
        self.set_time();
        self.order.nested_finish_begin(task, scope);
        self.representatives.spawned = None;
        finish
    }

    /// The finish that a child created now belongs to.
    #[inline]
    pub(crate) fn children(&mut self, open: &mut Option<Finish>) -> ScopeId {
        let finish = *open.get_or_insert_with(|| self.open_scope(self.current));
        self.finishes.scope(finish)
    }

    /// The finish that was opened last.
    pub(crate) fn newest_scope(&self) -> Finish {
        self.finishes.newest()
    }

    /// Runs an operation of the kernel that waits for a child.
    #[inline]
    pub(crate) fn set_waiting(&mut self, waiting: bool) {
        self.joins.are_waited_for = waiting;
    }

    /// A task waits for others before it begins: for siblings, by `depend`.
    pub(crate) fn set_preparing(&mut self, preparing: bool) {
        self.joins.are_with_siblings = preparing;
    }

    /// All tasks of a finish have ended, and are waited for.
    #[inline]
    pub(crate) fn close(&mut self, finish: Finish) {
        let scope = self.finishes.scope(finish);
        self.representatives.close(scope);
        self.order.finish_end(self.current, scope);
        self.finishes.end(finish);
        self.begin_step();
    }

    /// The children of a finish are waited for, by the syncs that their ends signal; `around` is
    /// the finish around it.
    #[inline]
    pub(crate) fn waited(&mut self, finish: Finish, around: Option<Finish>, children: &[SyncId]) {
        let scope = self.finishes.scope(finish);
        if !self.finishes.take_detached(scope) {
            return self.close(finish);
        }
        self.representatives.part(scope);
        self.leave(finish, around);
        self.join_children(children);
    }

    /// The task that has created the tasks of a finish does not wait for them.
    pub(crate) fn leave(&mut self, finish: Finish, around: Option<Finish>) {
        let current = &mut self.tasks[self.current.index()];
        current.detached = true;
        let around = around.map_or(current.scope, |around| self.finishes.scope(around));
        self.representatives.leave(self.finishes.scope(finish));
        self.order.finish_leave(self.finishes.scope(finish), around);
        self.finishes.end(finish);
    }
}

/// What the order learns of the kernel's joins.
#[derive(Default, Debug)]
pub(super) struct Joins {
    /// Nothing: a taskwait is under way, which orders all children at once.
    are_waited_for: bool,
    /// They are with siblings.
    are_with_siblings: bool,
}

impl Observer for Detector {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        let mut task = self.next.take().unwrap_or(self.tasks[self.runs_as(parent).index()]);
        // Threads of a team belong to its region, explicit tasks to a finish of their creator's,
        // threads that the program creates to the program.
        if !matches!(task.role, Role::Explicit(_) | Role::Started(_)) {
            task.scope = self.finishes.scope(self.finishes.of_kernel(scope));
        }
        task.serial = self.counts.new_serial();
        let parent = self.runs_as(parent);
        self.note_synchronisation();
        self.leak(parent);
        let of_kernel = child;
        let child = TaskId::at(self.tasks.len());
        self.kernel_tasks.begin(of_kernel, child);
        self.tasks.push(task);
        let around = self.finishes.scope(self.finishes.of_kernel(scope));
        self.record_event(Event::Spawn { parent, child, scope: around, site: task.created });
        self.set_time();
        self.order.spawn(parent, child, task.scope);
        self.begin_step();
        self.representatives.spawned = (parent == self.current).then_some(child);
    }
    fn end(&mut self, task: TaskId) {
        let task = self.kernel_tasks.end(task);
        self.record_event(Event::End { task });
        let Task { scope, detached, .. } = self.tasks[task.index()];
        if detached {
            self.finishes.note_detached(scope);
        }
        self.locks.end_task(task);
        self.forget_units(task);
        self.order.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        let task = self.runs_as(task);
        let finish = self.open_nested_scope(task);
        self.record_event(Event::FinishBegin { task, scope: self.finishes.scope(finish) });
        self.finishes.set_of_kernel(scope, finish);
        self.begin_step();
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        let (task, finish) = (self.runs_as(task), self.finishes.of_kernel(scope));
        let scope = self.finishes.scope(finish);
        self.record_event(Event::FinishEnd { task, scope });
        self.representatives.close(scope);
        self.set_time();
        self.order.finish_end(task, scope);
        self.finishes.end(finish);
        self.begin_step();
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if kind != SyncKind::Future {
            return self.signal_others(task, sync, kind);
        }
        // Only depend and taskwait ask for the end of a task, which does nothing more: another's
        // turn follows.
        let task = self.runs_as(task);
        self.record_event(Event::Signal { task, sync: of_kernel(sync), kind });
        self.set_time();
        self.order.signal_end(task, of_kernel(sync), kind);
        self.counts.begin_step();
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        // A taskwait asks for each child, and orders them all at once.
        if !self.joins.are_waited_for || self.is_recorded() {
            self.join_other(task, sync, kind);
        }
    }
    fn access(&mut self, _: TaskId, _: AccessKind, _: Location, _: SiteId) {
        unreachable!("native accesses come through shadow memory")
    }
    fn turn(&mut self, task: TaskId) {
        self.kernel_tasks.resume(task);
        let task = self.runs_as(task);
        if self.is_recorded() {
            self.record_turn(task);
        }
        self.resume(task);
        self.renumber();
        self.collect_in_time();
    }
}
