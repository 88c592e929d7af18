//! The kernel: the state of a run and every operation a task can do, with its event.
//!
//! A task body (an interpreter's task, a coroutine) calls these operations while it runs. The
//! protocol:
//!
//! - `Ok` means the operation is done and the observer notified. If [`Kernel::gives_way`] is then
//!   true, the task has been put back into the ready list and must return to the driver.
//! - `Err(Stop::Retry)` means that nothing happened: the task waits, or its turn has ended. It must
//!   return to the driver and call the same operation again when it is resumed.
//! - `Err(Stop::Fault(_))` means that the program did something forbidden.
//!
//! The accesses and the operations that can wait or make others go on are *actions*: a turn is a
//! number of actions, and a schedule is a list of turns. Leaving a lock, opening a finish and
//! ending a task are no actions; they belong to the action before them. (To delay them enables
//! nothing, so no state in which two tasks are about to access something is lost.)

use crate::sync::{Gate, Syncs};
use crate::task::{Queue, State, Tasks};
use raceproof_core::event::{AccessKind, Observer, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};

/// Why an operation did not let its task go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    Retry,
    Fault(Fault),
}

/// Misuse of an operation by the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    ForbiddenInIsolated,
    LockHeld,
    SecondSet,
}

impl Fault {
    /// The stable name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Fault::ForbiddenInIsolated => "forbidden-in-isolated",
            Fault::LockHeld => "lock-held",
            Fault::SecondSet => "second-set",
        }
    }

    pub fn message(self) -> &'static str {
        match self {
            Fault::ForbiddenInIsolated => {
                "this is not allowed inside an isolated section: it could wait for a task that needs the section"
            }
            Fault::LockHeld => "the task holds this lock already; sections of one lock do not nest",
            Fault::SecondSet => "this promise is set already; a promise is set once",
        }
    }
}

/// An action a task is about to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Access {
        kind: AccessKind,
        location: Location,
        site: SiteId,
    },
    Spawn,
    FinishEnd(ScopeId),
    /// `set`, `V` or `post`.
    Signal(SyncId),
    /// `get`, `P` or `wait`, entering a lock or isolated section.
    Join(SyncId),
}

#[derive(Debug)]
struct Finish {
    outer: ScopeId,
    /// Tasks of the scope that have not ended.
    pending: u32,
    /// The owner, if it waits at the end.
    waiting: Queue,
}

/// The state of a run, for task bodies of type `B`. It notifies the observer `O` of every event.
pub struct Kernel<B, O> {
    pub observer: O,
    pub(crate) tasks: Tasks,
    pub(crate) bodies: Vec<Option<B>>,
    spare_bodies: Vec<u32>,
    finishes: Vec<Finish>,
    spare_finishes: Vec<ScopeId>,
    /// Whether the ids of ended tasks and finishes are reused.
    recycles: bool,
    syncs: Syncs,
    /// The lock behind `isolated`, and how deep its holder has nested it.
    isolated: SyncId,
    isolated_depth: u32,
    /// Locks held by anyone, in the order of acquisition.
    held: Vec<(TaskId, SyncId)>,
    pub(crate) current: TaskId,
    /// Actions left in this turn. The hot path's only test.
    pub(crate) fuel: u64,
    /// Choices left in this turn; see [`Turn::choices`](crate::strategy::Turn::choices).
    pub(crate) choices: u64,
    /// Whether a task that spawns or wakes others lets them go first.
    pub(crate) eager: bool,
    gives_way: bool,
    steps: u64,
    posted_twice: bool,
    excludes: bool,
    /// What the task whose turn ran out of actions was about to do.
    pub(crate) refused: Option<Action>,
}

impl<B, O: Observer> Kernel<B, O> {
    pub(crate) fn new(observer: O, main: B) -> Self {
        let mut tasks = Tasks::default();
        let current = tasks.add(None, ScopeId::PROGRAM, SiteId(0), 0);
        tasks.push_newest(current);
        let mut syncs = Syncs::default();
        let isolated = syncs.add(SyncKind::Isolated, Gate::Held(None));
        let program = Finish { outer: ScopeId::PROGRAM, pending: 1, waiting: Queue::default() };
        Kernel {
            observer,
            tasks,
            bodies: vec![Some(main)],
            spare_bodies: Vec::new(),
            finishes: vec![program],
            spare_finishes: Vec::new(),
            recycles: false,
            syncs,
            isolated,
            isolated_depth: 0,
            held: Vec::new(),
            current,
            fuel: 0,
            choices: 0,
            eager: true,
            gives_way: false,
            steps: 1,
            posted_twice: false,
            excludes: false,
            refused: None,
        }
    }

    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// How many steps the tasks have begun.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn current(&self) -> TaskId {
        self.current
    }

    /// What the task whose turn last ran out of actions was about to do.
    pub fn refused(&self) -> Option<Action> {
        self.refused
    }

    /// The body of a suspended task, for a look at where it stands.
    pub fn body(&self, task: TaskId) -> Option<&B> {
        let entry = self.tasks.get(task);
        // The slot of a task that has ended may be another's by now.
        if entry.state == State::Ended { None } else { self.bodies.get(entry.body as usize)?.as_ref() }
    }

    /// The finish scope around a scope; none around the whole program.
    pub fn outer(&self, scope: ScopeId) -> Option<ScopeId> {
        (scope != ScopeId::PROGRAM).then(|| self.finishes[scope.index()].outer)
    }

    /// Whether the current task has to return to the driver; clears the mark.
    #[inline]
    pub fn gives_way(&mut self) -> bool {
        std::mem::take(&mut self.gives_way)
    }

    /// The locks `task` holds, in the order of acquisition.
    pub fn locks_held(&self, task: TaskId) -> impl Iterator<Item = SyncId> + '_ {
        self.held.iter().filter(move |&&(holder, _)| holder == task).map(|&(_, lock)| lock)
    }

    pub fn holder(&self, sync: SyncId) -> Option<TaskId> {
        match self.syncs.get(sync).gate {
            Gate::Held(holder) => holder,
            _ => None,
        }
    }

    /// Whether somebody holds a lock, or has ended without leaving it.
    pub fn is_held(&self, lock: SyncId) -> bool {
        self.syncs.get(lock).gate != Gate::Held(None)
    }

    /// A lock whose holder has ended without leaving it is free again, and those who wait for it
    /// try again.
    pub fn reclaim(&mut self, lock: SyncId) {
        let entry = self.syncs.get_mut(lock);
        if entry.gate == Gate::Abandoned {
            entry.gate = Gate::Held(None);
            self.syncs.wake(lock, &mut self.tasks);
        }
    }

    /// Whether a promise is set, a future over, an event posted.
    pub fn is_open(&self, sync: SyncId) -> bool {
        self.syncs.get(sync).gate == Gate::Once { open: true }
    }

    pub fn sync_kind(&self, sync: SyncId) -> SyncKind {
        self.syncs.get(sync).kind
    }

    pub fn isolated_lock(&self) -> SyncId {
        self.isolated
    }

    /// Whether an action could be taken now.
    pub fn is_enabled(&self, action: Action) -> bool {
        match action {
            Action::Access { .. } | Action::Spawn | Action::Signal(_) => true,
            Action::FinishEnd(scope) => self.finishes[scope.index()].pending == 0,
            Action::Join(sync) => match self.syncs.get(sync).gate {
                Gate::Once { open } => open,
                Gate::Held(holder) => holder.is_none(),
                Gate::Abandoned => false,
                Gate::Counting(semaphore) => self.syncs.has_token(semaphore),
                Gate::Token => true,
            },
        }
    }

    /// From now on the ids of ended tasks and finishes are reused: for a front end with its own,
    /// which may run for ever.
    pub fn recycle(&mut self) {
        self.recycles = true;
    }

    /// No task will ask for this sync any more, nor wait for it: its id may be reused.
    pub fn forget(&mut self, sync: SyncId) {
        if self.recycles {
            self.syncs.forget(sync);
        }
    }

    // ---- making things ----

    pub fn new_promise(&mut self) -> SyncId {
        self.syncs.add(SyncKind::Promise, Gate::Once { open: false })
    }

    pub fn new_event(&mut self) -> SyncId {
        self.syncs.add(SyncKind::Event, Gate::Once { open: false })
    }

    pub fn new_lock(&mut self) -> SyncId {
        self.syncs.add(SyncKind::Lock, Gate::Held(None))
    }

    pub fn new_semaphore(&mut self, count: u64) -> SyncId {
        self.syncs.add_semaphore(count)
    }

    /// The sync by which a future's end is known; make it before the spawn, signal it with
    /// [`Kernel::end`].
    pub fn new_future(&mut self) -> SyncId {
        self.syncs.add(SyncKind::Future, Gate::Once { open: false })
    }

    // ---- actions ----

    /// Ends the turn if no action is left in it. The action it was about to take is kept for
    /// whoever schedules.
    #[inline]
    fn gate(&mut self, action: Action) -> Result<(), Stop> {
        if self.fuel == 0 { self.refuse(action) } else { Ok(()) }
    }

    /// As `gate`, for an action that is a choice; once it is taken, `chosen` counts it.
    #[inline]
    fn choice(&mut self, action: Action) -> Result<(), Stop> {
        if self.choices == 0 { self.refuse(action) } else { self.gate(action) }
    }

    #[inline]
    fn chosen(&mut self) {
        self.fuel -= 1;
        self.choices -= 1;
    }

    #[cold]
    fn refuse(&mut self, action: Action) -> Result<(), Stop> {
        self.refused = Some(action);
        Err(Stop::Retry)
    }

    /// An access of shared memory. Hot: one test, one decrement, and the observer.
    #[inline]
    pub fn access(&mut self, kind: AccessKind, location: Location, site: SiteId) -> Result<(), Stop> {
        self.gate(Action::Access { kind, location, site })?;
        self.fuel -= 1;
        self.observer.access(self.current, kind, location, site);
        Ok(())
    }

    /// The same for one that is part of an addition.
    #[inline]
    pub fn addition(&mut self, kind: AccessKind, location: Location, site: SiteId) -> Result<(), Stop> {
        self.gate(Action::Access { kind, location, site })?;
        self.fuel -= 1;
        self.observer.addition(self.current, kind, location, site);
        Ok(())
    }

    /// Whether an access can be made now; [`Kernel::access`] then succeeds. For bodies that must
    /// check bounds between the two.
    #[inline]
    pub fn may_act(&mut self, action: Action) -> Result<(), Stop> {
        self.gate(action)
    }

    /// Starts a child task of the current one, in the innermost finish of the current one.
    #[inline]
    pub fn spawn(&mut self, site: SiteId, body: impl FnOnce(TaskId) -> B) -> Result<TaskId, Stop> {
        self.spawn_in(self.tasks.get(self.current).scope, site, body)
    }

    /// The same in another finish: a thread belongs to the program, wherever it is created.
    #[inline]
    pub fn spawn_in(
        &mut self,
        scope: ScopeId,
        site: SiteId,
        body: impl FnOnce(TaskId) -> B,
    ) -> Result<TaskId, Stop> {
        self.outside_isolated()?;
        self.gate(Action::Spawn)?;
        self.fuel -= 1;
        self.finishes[scope.index()].pending += 1;
        let slot = self.spare_bodies.pop().unwrap_or_else(|| {
            self.bodies.push(None);
            (self.bodies.len() - 1) as u32
        });
        let child = self.tasks.add(Some(self.current), scope, site, slot);
        self.bodies[slot as usize] = Some(body(child));
        self.steps += 2;
        self.observer.spawn(self.current, child, scope, site);
        if self.eager {
            self.give_way();
        }
        self.tasks.push_newest(child);
        Ok(child)
    }

    /// Opens a finish scope in the current task.
    pub fn finish_begin(&mut self) -> Result<ScopeId, Stop> {
        self.outside_isolated()?;
        let task = self.tasks.get_mut(self.current);
        let scope = self.spare_finishes.pop().unwrap_or_else(|| ScopeId::at(self.finishes.len()));
        let outer = std::mem::replace(&mut task.scope, scope);
        let finish = Finish { outer, pending: 0, waiting: Queue::default() };
        match self.finishes.get_mut(scope.index()) {
            Some(spare) => *spare = finish,
            None => self.finishes.push(finish),
        }
        self.steps += 1;
        self.observer.finish_begin(self.current, scope);
        Ok(scope)
    }

    /// Closes the innermost finish scope of the current task, once all its tasks have ended.
    pub fn finish_end(&mut self) -> Result<(), Stop> {
        let scope = self.tasks.get(self.current).scope;
        self.gate(Action::FinishEnd(scope))?;
        let finish = &mut self.finishes[scope.index()];
        if finish.pending > 0 {
            finish.waiting.push(&mut self.tasks, self.current);
            self.tasks.get_mut(self.current).state = State::Finishing(scope);
            return Err(Stop::Retry);
        }
        self.fuel -= 1;
        let outer = finish.outer;
        self.tasks.get_mut(self.current).scope = outer;
        self.steps += 1;
        self.observer.finish_end(self.current, scope);
        if self.recycles {
            self.spare_finishes.push(scope);
        }
        Ok(())
    }

    /// Fulfils a promise.
    pub fn set(&mut self, promise: SyncId) -> Result<(), Stop> {
        self.choice(Action::Signal(promise))?;
        if self.syncs.get(promise).gate == (Gate::Once { open: true }) {
            return Err(Stop::Fault(Fault::SecondSet));
        }
        self.open(promise);
        Ok(())
    }

    /// Posts an event. Posting it again changes nothing (the event is the signal of a sync that no
    /// task waits for); but then whom a wait is ordered after is the schedule's choice, which is
    /// noted.
    pub fn post(&mut self, event: SyncId) -> Result<(), Stop> {
        self.choice(Action::Signal(event))?;
        if self.syncs.get(event).gate == (Gate::Once { open: true }) {
            self.posted_twice = true;
            let unheard = self.new_event();
            self.open(unheard);
        } else {
            self.open(event);
        }
        Ok(())
    }

    /// Whether the run depends on choices of the schedule beyond races: a lock or isolated section
    /// was entered, a semaphore's token taken, an event posted more than once. Then one run does
    /// not decide all schedules.
    pub fn is_schedule_dependent(&self) -> bool {
        self.excludes || self.posted_twice
    }

    #[inline]
    fn open(&mut self, sync: SyncId) {
        self.chosen();
        let entry = self.syncs.get_mut(sync);
        entry.gate = Gate::Once { open: true };
        let kind = entry.kind;
        self.steps += 1;
        self.observer.signal(self.current, sync, kind);
        self.wake(sync);
    }

    /// Waits for a promise, a future or an event.
    #[inline]
    pub fn get(&mut self, sync: SyncId) -> Result<(), Stop> {
        self.outside_isolated()?;
        self.gate(Action::Join(sync))?;
        if self.syncs.get(sync).gate != (Gate::Once { open: true }) {
            return self.wait(sync);
        }
        self.fuel -= 1;
        let kind = self.syncs.get(sync).kind;
        self.steps += 1;
        self.observer.join(self.current, sync, kind);
        Ok(())
    }

    /// `P`
    pub fn acquire_token(&mut self, semaphore: SyncId) -> Result<(), Stop> {
        self.outside_isolated()?;
        self.choice(Action::Join(semaphore))?;
        let Gate::Counting(index) = self.syncs.get(semaphore).gate else {
            unreachable!("front ends take tokens of semaphores only")
        };
        self.excludes = true;
        let Some(token) = self.syncs.take_token(semaphore, index) else { return self.wait(semaphore) };
        self.chosen();
        self.steps += 1;
        self.observer.join(self.current, token, SyncKind::Semaphore);
        Ok(())
    }

    /// `V`
    pub fn release_token(&mut self, semaphore: SyncId) -> Result<(), Stop> {
        self.choice(Action::Signal(semaphore))?;
        let Gate::Counting(index) = self.syncs.get(semaphore).gate else {
            unreachable!("front ends give tokens to semaphores only")
        };
        self.chosen();
        let token = self.syncs.put_token(index);
        self.steps += 1;
        self.observer.signal(self.current, token, SyncKind::Semaphore);
        self.wake(semaphore);
        Ok(())
    }

    /// Enters a section of a lock.
    pub fn lock(&mut self, lock: SyncId) -> Result<(), Stop> {
        self.outside_isolated()?;
        self.take(lock)
    }

    /// Enters an isolated section; nested ones count as one.
    pub fn isolated_enter(&mut self) -> Result<(), Stop> {
        if self.in_isolated() {
            self.isolated_depth += 1;
            return Ok(());
        }
        self.take(self.isolated)?;
        self.isolated_depth = 1;
        Ok(())
    }

    fn take(&mut self, lock: SyncId) -> Result<(), Stop> {
        self.choice(Action::Join(lock))?;
        self.excludes = true;
        let entry = self.syncs.get_mut(lock);
        match entry.gate {
            Gate::Held(Some(holder)) if holder == self.current => return Err(Stop::Fault(Fault::LockHeld)),
            Gate::Held(Some(_)) | Gate::Abandoned => return self.wait(lock),
            _ => entry.gate = Gate::Held(Some(self.current)),
        }
        let kind = entry.kind;
        self.chosen();
        self.held.push((self.current, lock));
        self.steps += 1;
        self.observer.join(self.current, lock, kind);
        Ok(())
    }

    /// Leaves a section of a lock the current task holds.
    pub fn unlock(&mut self, lock: SyncId) {
        let entry = self.syncs.get_mut(lock);
        debug_assert!(entry.gate == Gate::Held(Some(self.current)), "only the holder leaves a lock");
        entry.gate = Gate::Held(None);
        let kind = entry.kind;
        if let Some(at) = self.held.iter().rposition(|&held| held == (self.current, lock)) {
            self.held.remove(at);
        }
        self.steps += 1;
        self.observer.signal(self.current, lock, kind);
        // Those who wait for a lock try again after the task that left it: nothing is owed to them.
        let eager = std::mem::replace(&mut self.eager, false);
        self.wake(lock);
        self.eager = eager;
    }

    /// Leaves an isolated section.
    pub fn isolated_leave(&mut self) {
        self.isolated_depth -= 1;
        if self.isolated_depth == 0 {
            self.unlock(self.isolated);
        }
    }

    /// The current task lets every other ready task go first; it has to return to the driver.
    pub fn pass(&mut self) {
        self.tasks.push_oldest(self.current);
    }

    /// The current task waits until [`Kernel::rouse`] is called for this sync, and has to return to
    /// the driver: for what a front end keeps itself. No action, and no event.
    pub fn sleep(&mut self, sync: SyncId) {
        // Whoever is roused looks again by itself.
        let _: Result<(), Stop> = self.wait(sync);
    }

    /// Those who sleep at the sync are ready again; whether there were any.
    pub fn rouse(&mut self, sync: SyncId) -> bool {
        self.syncs.wake(sync, &mut self.tasks)
    }

    /// Whether the tasks spawned from now on in this turn go before their parent.
    pub fn set_eager(&mut self, eager: bool) {
        self.eager = eager;
    }

    /// The current task, which is about to end, lets go of its locks without leaving their
    /// sections: a front end's thread that goes on as another task, which is given them.
    pub fn take_held(&mut self) -> Vec<SyncId> {
        let held = self.locks_held(self.current).collect();
        self.held.retain(|&(holder, _)| holder != self.current);
        held
    }

    pub fn give_held(&mut self, to: TaskId, locks: &[SyncId]) {
        for &lock in locks {
            self.held.push((to, lock));
            self.syncs.get_mut(lock).gate = Gate::Held(Some(to));
        }
    }

    /// Ends the current task; `future` is its sync if it is one.
    #[inline]
    pub(crate) fn end(&mut self, future: Option<SyncId>) {
        let task = self.current;
        if let Some(sync) = future {
            self.syncs.get_mut(sync).gate = Gate::Once { open: true };
            self.steps += 1;
            self.observer.signal(task, sync, SyncKind::Future);
            self.syncs.wake(sync, &mut self.tasks);
        }
        if !self.held.is_empty() {
            self.abandon(task);
        }
        self.observer.end(task);
        let entry = self.tasks.get(task);
        let (scope, body) = (entry.scope, entry.body);
        self.tasks.retire(task, State::Ended);
        self.spare_bodies.push(body);
        if self.recycles {
            self.tasks.recycle(task);
        }
        let finish = &mut self.finishes[scope.index()];
        finish.pending -= 1;
        if finish.pending == 0 {
            finish.waiting.wake_all(&mut self.tasks);
        }
    }

    // ---- helpers ----

    /// The task ends: what it holds stays taken. Its number may become another task's, which must
    /// not have its locks.
    #[cold]
    fn abandon(&mut self, task: TaskId) {
        for lock in self.held.extract_if(.., |held| held.0 == task).map(|(_, lock)| lock) {
            self.syncs.get_mut(lock).gate = Gate::Abandoned;
        }
    }

    #[inline]
    fn in_isolated(&self) -> bool {
        self.isolated_depth > 0 && self.holder(self.isolated) == Some(self.current)
    }

    /// Faults inside an isolated section: for what must not be done there.
    #[inline]
    pub fn outside_isolated(&self) -> Result<(), Stop> {
        if self.in_isolated() { Err(Stop::Fault(Fault::ForbiddenInIsolated)) } else { Ok(()) }
    }

    fn wait(&mut self, sync: SyncId) -> Result<(), Stop> {
        self.syncs.get_mut(sync).waiting.push(&mut self.tasks, self.current);
        self.tasks.get_mut(self.current).state = State::Waiting(sync);
        Err(Stop::Retry)
    }

    #[inline]
    fn wake(&mut self, sync: SyncId) {
        if self.eager && !self.syncs.get(sync).waiting.is_empty() {
            self.give_way();
        }
        self.syncs.wake(sync, &mut self.tasks);
    }

    /// Puts the current task into the ready list, below those that are pushed after it.
    #[inline]
    fn give_way(&mut self) {
        self.tasks.push_newest(self.current);
        self.gives_way = true;
    }
}
