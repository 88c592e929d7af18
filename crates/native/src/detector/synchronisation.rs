//! What orders the steps: the kernel's events, and what it does not know of.

use super::*;
use raceproof_core::event::Event;

impl Detector {
    /// A new sync for the order alone.
    pub(crate) fn new_sync(&mut self) -> SyncId {
        self.syncs += 1;
        SyncId(self.syncs * 2 + 1)
    }

    pub(crate) fn signal_sync(&mut self, sync: SyncId) {
        self.tell(Event::Signal { task: self.current, sync, kind: SyncKind::Event });
        self.order.signal(self.current, sync, SyncKind::Event);
        self.begun();
    }

    pub(crate) fn join_sync(&mut self, sync: SyncId) {
        self.tell(Event::Join { task: self.current, sync, kind: SyncKind::Event });
        self.order.join(self.current, sync, SyncKind::Event);
        self.begun();
    }

    /// The current task enters a section of a lock.
    pub(crate) fn enter_section(&mut self, lock: usize) {
        self.tell(Event::Join {
            task: self.current,
            sync: of_kernel(SyncId::at(lock)),
            kind: SyncKind::Lock,
        });
        let section = self.sections.len() as u32;
        self.sections.push(None);
        self.holds.entry(self.current).or_default().push(Hold { lock, section });
        // A step of its own, so that a step has one set of locks.
        self.order.next_step(self.current);
        self.begun();
    }

    pub(crate) fn leave_section(&mut self, lock: usize) {
        self.tell(Event::Signal {
            task: self.current,
            sync: of_kernel(SyncId::at(lock)),
            kind: SyncKind::Lock,
        });
        let Some(holds) = self.holds.get_mut(&self.current) else { return };
        let Some(at) = holds.iter().rposition(|hold| hold.lock == lock) else { return };
        let hold = holds.remove(at);
        if holds.is_empty() {
            self.holds.remove(&self.current);
        }
        let end = self.new_sync();
        self.sections[hold.section as usize] = Some(end);
        self.order.signal(self.current, end, SyncKind::Lock);
        self.begun();
    }

    /// The running task begins to combine its part of a reduction, or ends it. The order in which parts are combined makes no
    /// difference that a program may depend on: as with atomic updates, none is before another, and nothing is excluded.
    pub(crate) fn reduce(&mut self, begin: bool) {
        self.reducing = begin;
        // So that no access is taken for one that was made before this.
        self.renumber();
    }

    /// What `from` holds is `to`'s from now on: a thread that goes on as another task.
    pub(crate) fn hand_over(&mut self, from: TaskId, to: TaskId) {
        let (from, to) = (self.runs_as(from), self.runs_as(to));
        self.tell_hand_over(from, to, true);
        if let Some(holds) = self.holds.remove(&from) {
            self.step_holds.insert(self.order.step_of(to).0, holds.as_slice().into());
            self.holds.insert(to, holds);
        }
    }

    /// A task of the order goes on.
    pub(super) fn go_on(&mut self, task: TaskId) {
        self.current = task;
        self.order.enter(task);
        self.own = self.chunks.get(&task).cloned().unwrap_or_default();
    }

    /// The children, by what tells of their ends, are waited for one by one.
    pub(crate) fn join_children(&mut self, children: &[SyncId]) {
        for &child in children {
            self.order.join(self.current, of_kernel(child), SyncKind::Future);
        }
        self.begun();
    }

    // ---- tasks that are waited for ----
    //
    // The tasks a region creates from one taskwait to the next are a finish of the order, which the taskwait ends. That is what
    // a taskwait orders, as long as the tasks themselves have waited for all they have created. If one has not, the finish is
    // left, each child is joined, and what else they have created belongs to the region around.

    pub(super) fn open_scope(&mut self, task: TaskId) -> ScopeId {
        let scope = ScopeId(self.scopes);
        self.scopes += 1;
        self.order.finish_begin(task, scope);
        scope
    }

    /// The finish that a child created now belongs to.
    pub(crate) fn children(&mut self, open: &mut Option<ScopeId>) -> ScopeId {
        match *open {
            Some(scope) => scope,
            None => *open.insert(self.open_scope(self.current)),
        }
    }

    /// The finish that was opened last.
    pub(crate) fn newest_scope(&self) -> ScopeId {
        ScopeId(self.scopes - 1)
    }

    /// Runs an operation of the kernel that waits for a child.
    pub(crate) fn set_waiting(&mut self, waiting: bool) {
        self.waiting = waiting;
    }

    /// A task waits for others before it begins: for siblings, by `depend`.
    pub(crate) fn set_preparing(&mut self, preparing: bool) {
        self.preparing = preparing;
    }

    /// All tasks of a finish have ended, and are waited for.
    pub(crate) fn close(&mut self, scope: ScopeId) {
        self.order.finish_end(self.current, scope);
        self.begun();
    }

    /// The children of a finish are waited for, by what tells of their ends; `around` is the finish around it.
    pub(crate) fn waited(&mut self, scope: ScopeId, around: Option<ScopeId>, children: &[SyncId]) {
        if !self.loose.remove(&scope) {
            return self.close(scope);
        }
        self.leave(scope, around);
        self.join_children(children);
    }

    /// The tasks of a finish are not waited for by the one that has created them.
    pub(crate) fn leave(&mut self, scope: ScopeId, around: Option<ScopeId>) {
        let current = &mut self.tasks[self.current.index()];
        current.loose = true;
        let around = around.unwrap_or(current.scope);
        self.order.finish_leave(scope, around);
    }
}

/// The kernel's syncs have even numbers in the order, the detector's own odd ones.
fn of_kernel(sync: SyncId) -> SyncId {
    SyncId(sync.0 * 2)
}

impl Observer for Detector {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        let mut task = self.next.take().unwrap_or(self.tasks[self.runs_as(parent).index()]);
        // Threads belong to the region of their team, explicit tasks to a finish of their creator's.
        if !matches!(task.role, Role::Explicit(_)) {
            task.scope = self.kernel_scopes[scope.index()];
        }
        let parent = self.runs_as(parent);
        debug_assert_eq!(
            child.index(),
            self.runs_as.len(),
            "the kernel's tasks come in the order of their ids"
        );
        let child = TaskId::at(self.tasks.len());
        self.runs_as.push(child);
        self.tasks.push(task);
        let around = self.kernel_scopes[scope.index()];
        self.tell(Event::Spawn { parent, child, scope: around, site: SiteId(task.created) });
        self.order.spawn(parent, child, task.scope);
        self.begun();
    }
    fn end(&mut self, task: TaskId) {
        let task = self.runs_as(task);
        self.tell(Event::End { task });
        let Task { scope, loose, .. } = self.tasks[task.index()];
        if loose {
            self.loose.insert(scope);
        }
        self.order.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, _: ScopeId) {
        let scope = self.open_scope(self.runs_as(task));
        self.tell(Event::FinishBegin { task: self.runs_as(task), scope });
        self.kernel_scopes.push(scope);
        self.begun();
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        let (task, scope) = (self.runs_as(task), self.kernel_scopes[scope.index()]);
        self.tell(Event::FinishEnd { task, scope });
        self.order.finish_end(task, scope);
        self.begun();
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if kind.is_section() {
            return self.leave_section(sync.index());
        }
        let task = self.runs_as(task);
        self.tell(Event::Signal { task, sync: of_kernel(sync), kind });
        match kind {
            // Only depend and taskwait ask for the end of a task.
            SyncKind::Future => self.order.signal_end(task, of_kernel(sync), kind),
            _ => self.order.signal(task, of_kernel(sync), kind),
        }
        self.begun();
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if !kind.is_section() {
            self.tell(Event::Join { task: self.runs_as(task), sync: of_kernel(sync), kind });
        }
        if self.waiting {
            return;
        }
        if kind.is_section() {
            self.exclusive = true;
            return self.enter_section(sync.index());
        }
        let task = self.runs_as(task);
        if self.preparing {
            self.order.join_sibling(task, of_kernel(sync), kind);
        } else {
            self.order.join(task, of_kernel(sync), kind);
        }
        self.begun();
    }
    fn access(&mut self, _: TaskId, _: AccessKind, _: Location, _: SiteId) {
        unreachable!("native accesses come through shadow memory")
    }
    fn turn(&mut self, task: TaskId) {
        self.running = task;
        self.go_on(self.runs_as(task));
        self.renumber();
    }
}
