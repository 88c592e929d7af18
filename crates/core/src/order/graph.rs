//! The order of the computation graph: does an earlier step precede the one that runs now?
//!
//! A run is a graph of steps; `a` precedes `b` iff there is a path from `a` to `b`. Detectors only
//! ask about a step that has run and the step that runs now, which makes the answer cheap. It has
//! two parts.
//!
//! 1. *The tree part*, what spawn and finish order: a question about ancestors, see
//!    [`tree`](super::tree).
//! 2. *The joins outside the tree*: promise and future gets, events, and, as observed, lock
//!    sections and semaphores. Every task knows a set of sources (the steps that did the signals it
//!    has joined). The sets are persistent: a join adds one node in front, a child starts with its
//!    parent's node, the end of a finish merges the nodes its tasks ended with. `a` precedes now
//!    iff it precedes in the tree, or precedes in the tree some source known, directly or through
//!    what the source's task knew. The search goes newest source first, passes no node twice, and
//!    leaves out every node whose newest source is older than `a`: what ran before `a` cannot be
//!    after it. A positive answer holds for the task from then on and is cached.
//!
//! Most answers need neither part. The happens-before watermark ([`past`](super::past)) decides
//! them: every step before a region began, or inside a finish that has ended, has a smaller id than
//! the watermark.
//!
//! Cost: O(1) for what the tree orders nearby and for what is in the cache, O(log²) for what it
//! orders far apart; a search visits at most the joins since `a`, and in practice one or two.
//! Memory: 4 bytes a step, 56 a task, 44 a finish, 12 a sync, 16 a join (4 more once a search is
//! long).
//!
//! What it can miss: nothing of the graph of this run; it is exact in both directions. For locks
//! and semaphores the graph is that of the observed order.

use super::folds::Folds;
use super::past::{Inside, Past};
use super::tree::{ALL_STEPS, Bound, NO_STEP, Tree};
use crate::event::SyncKind;
use crate::ids::{ScopeId, StepId, SyncId, TaskId};

/// An index into `GraphOrder::known`, or `NONE` for "nothing".
pub(super) type KnownId = u32;

pub(super) const NONE: u32 = u32::MAX;

/// A set of sources, as a node of a persistent graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The newest source of the whole set.
    pub(super) newest: u32,
    /// The source this node adds, or `NONE` for the mere union of the two sets.
    pub(super) source: u32,
    /// For a source, what its task knew then.
    pub(super) left: KnownId,
    pub(super) right: KnownId,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TaskState {
    pub(super) step: u32,
    pub(super) known: KnownId,
    /// What it knew when it was spawned: part of what its parent knows.
    pub(super) inherited: KnownId,
    /// How many steps it has begun and how often it was resumed, those of the tasks it has waited
    /// for included.
    pub(super) total: u32,
    /// Its happens-before watermark when it last ran.
    pub(super) past: Past,
}

/// What is kept with a finish.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScopeState {
    /// What its tasks that have ended knew.
    pub(super) known: KnownId,
    pub(super) inside: Inside,
}

/// Entries of the step table to begin with.
const ROOM: usize = 32;
/// Tasks of an order that is compacted from time to time: as many as there mostly are until then.
const UNTIL_COMPACTED: usize = 1 << 13;

/// Sources that are looked at for what was signalled beside a step.
const LONG: usize = 1 << 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Signalled {
    pub(super) step: u32,
    /// What the task of the step knew.
    pub(super) known: KnownId,
    /// What else whoever joins it knows from then on, and the task of the step need not.
    pub(super) more: KnownId,
}

impl Signalled {
    pub(super) const NOTHING: Signalled = Signalled { step: NONE, known: NONE, more: NONE };
}

/// "The steps of `of` before `bound` precede `task` from some moment on."
#[derive(Clone, Copy, Debug)]
pub(super) struct Proven {
    task: u32,
    of: u32,
    bound: Bound,
}

/// The most entries of the cache of proofs.
const PROVEN: usize = 1 << 10;

/// Searches that visit no more nodes than this do without marks.
const SHORT: usize = 16;

/// See the module.
#[derive(Debug)]
pub struct GraphOrder {
    pub(super) tree: Tree<TaskState, ScopeState>,
    /// The task of every step.
    pub(super) steps: Vec<TaskId>,
    /// How many steps have begun and how often a task was resumed, in the whole run.
    pub(super) begun: u32,
    /// The time, if it is the user's.
    pub(super) time: Option<u32>,
    pub(super) syncs: Vec<Signalled>,
    pub(super) known: Vec<Known>,
    /// The number of the search that last visited each node of `known`; as long as the longest
    /// search needed.
    pub(super) visited: Vec<u32>,
    searches: u32,
    stack: Vec<KnownId>,
    /// A cache of searches: a power of two of entries, or none yet.
    pub(super) proven: Vec<Proven>,
    pub(super) now: Now,
    /// If finished tasks are folded: where they are.
    pub(super) folds: Option<Box<Folds>>,
}

/// The running task, and what its accesses need most often.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    pub(super) task: TaskId,
    /// The same as in its state.
    step: StepId,
    /// The steps of its parent before its first one precede it.
    parent: Before,
    /// Positive cache: what the last query proved about another task.
    last: Before,
    /// Negative cache: a step that the fast path found not to precede.
    unrelated: u32,
    /// The task will not be resumed.
    ended: bool,
    /// The happens-before watermark. The one in the task's state is stale while it runs.
    pub(super) past: Past,
}

/// "The steps of `task` before `bound` precede."
#[derive(Clone, Copy, Debug)]
struct Before {
    task: u32,
    bound: Bound,
}

const NOTHING: Before = Before { task: NONE, bound: NO_STEP };

impl Before {
    #[inline]
    fn covers(self, task: TaskId, step: StepId) -> bool {
        task.0 == self.task && step.0 < self.bound
    }
}

impl Default for GraphOrder {
    fn default() -> Self {
        let mut steps = Vec::with_capacity(ROOM);
        steps.push(TaskId::MAIN);
        let past = Past { since: 0, ..Past::NOTHING };
        GraphOrder {
            tree: Tree::new(
                TaskState { step: 0, known: NONE, inherited: NONE, total: 1, past },
                ScopeState { known: NONE, inside: Inside::NOBODY },
            ),
            steps,
            begun: 1,
            time: None,
            syncs: Vec::new(),
            known: Vec::new(),
            visited: Vec::new(),
            searches: 0,
            stack: Vec::new(),
            proven: Vec::new(),
            now: Now {
                task: TaskId::MAIN,
                step: StepId(0),
                parent: NOTHING,
                last: NOTHING,
                unrelated: NONE,
                ended: false,
                past,
            },
            folds: None,
        }
    }
}

impl GraphOrder {
    /// An order that folds tasks that have been waited for, and can be
    /// [compacted](GraphOrder::compact). Any task may join a [`signal`](GraphOrder::signal); only
    /// younger siblings and the parent a [`signal_end`](GraphOrder::signal_end).
    pub fn folding() -> Self {
        let mut order = GraphOrder { folds: Some(Box::new(Folds::new())), ..Self::default() };
        order.reserve(UNTIL_COMPACTED);
        order
    }

    /// Room for so many tasks: tables that grow by and by are copied, and leave memory that was
    /// used behind.
    fn reserve(&mut self, tasks: usize) {
        self.tree.tasks.reserve(tasks);
        self.tree.scopes.reserve(tasks);
        self.steps.reserve(4 * tasks);
        if let Some(folds) = &mut self.folds {
            folds.tasks.reserve(tasks);
            folds.scopes.reserve(tasks);
        }
    }

    /// Makes `task` the one that runs now; every event and access starts with this.
    #[inline]
    pub fn enter(&mut self, task: TaskId) {
        if task != self.now.task {
            if !self.now.ended {
                self.put_past_aside();
            }
            self.go_on(task);
            self.count(task);
        }
    }

    /// The running task is suspended: what begins now may not precede what it does next.
    pub(super) fn put_past_aside(&mut self) {
        // Not by way of `now`, which would be written in parts and read as a whole.
        let past = self.now.past.closed(self.time());
        self.tree.task_mut(self.now.task).past = past;
    }

    #[inline]
    pub(super) fn go_on(&mut self, task: TaskId) {
        let TaskState { step, mut past, .. } = *self.tree.task(task);
        let (parent, bound) = self.tree.parent(task);
        past.since = self.time();
        self.now = Now {
            task,
            step: StepId(step),
            parent: Before { task: parent.0, bound },
            last: NOTHING,
            unrelated: NONE,
            ended: false,
            past,
        };
    }

    /// The step that runs now.
    #[inline]
    pub fn step(&self) -> StepId {
        self.now.step
    }

    /// Whose step it is.
    pub fn task_of(&self, step: StepId) -> TaskId {
        self.steps[step.index()]
    }

    /// The step a task is at.
    pub fn step_of(&self, task: TaskId) -> StepId {
        StepId(self.tree.task(task).step)
    }

    /// The number of steps so far.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    fn add_step(&mut self, task: TaskId) -> StepId {
        let step = StepId::at(self.steps.len());
        self.steps.push(task);
        step
    }

    /// A task begins a step, or is resumed.
    fn count(&mut self, task: TaskId) {
        self.begun = self.begun.wrapping_add(1);
        let total = &mut self.tree.task_mut(task).total;
        *total = total.wrapping_add(1);
    }

    /// Begins the next step of the task that runs.
    pub(super) fn begin_step(&mut self) {
        let step = self.add_step(self.now.task);
        self.now.step = step;
        self.now.unrelated = NONE;
        self.tree.task_mut(self.now.task).step = step.0;
        self.count(self.now.task);
    }

    /// What the task that runs knows.
    #[inline]
    fn known_now(&self) -> KnownId {
        self.tree.task(self.now.task).known
    }

    fn set_known(&mut self, known: KnownId) {
        self.tree.task_mut(self.now.task).known = known;
    }

    pub fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId) {
        self.enter(parent);
        debug_assert_eq!(child.index(), self.tree.tasks(), "tasks come in the order of their ids");
        let past = self.now.past.closed(self.time());
        let first = self.add_step(child);
        let known = self.known_now();
        if let Some(folds) = &mut self.folds {
            let scope = self.tree.stands_for(scope);
            folds.tasks[parent.index()].detached |= self.tree.owner(scope) != parent;
            folds.add_task(scope.0);
        }
        let state = TaskState { step: first.0, known, inherited: known, total: 0, past };
        self.tree.spawn(parent, scope, first, state);
        // Now, since the step has its number now, and may belong to another finish than the one the
        // parent is in.
        self.count(child);
        self.begin_step();
        // The child's first step stands between those of its parent.
        self.now.past = Past { since: self.time.unwrap_or(self.now.step.0), ..past };
    }

    pub fn end(&mut self, task: TaskId) {
        let &TaskState { known, inherited, .. } = self.tree.task(task);
        self.count_ended(task);
        self.now.ended |= task == self.now.task;
        let mut gathers = known != inherited;
        if let Some(folds) = &mut self.folds {
            folds.live -= 1;
            folds.tasks[task.index()].ended = true;
            // A task that waits for it waits for the siblings it knows as well.
            gathers &= folds.tasks[task.index()].outward;
        }
        if gathers {
            let scope = self.tree.stands_for(self.tree.scope_of(task));
            let gathered = self.tree.scope_mut(scope).known;
            self.tree.scope_mut(scope).known = self.union(gathered, known);
        }
    }

    pub fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.begin_finish(task, scope, false);
    }

    /// The same for a finish that is nested: the task ends it after all nested ones that it begins
    /// later, and never leaves it. Then what runs inside of these is inside of it as well.
    pub fn nested_finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.begin_finish(task, scope, true);
    }

    fn begin_finish(&mut self, task: TaskId, scope: ScopeId, is_nested: bool) {
        debug_assert_eq!(scope.index(), self.tree.scopes(), "scopes come in the order of their ids");
        self.enter(task);
        let inside = self.inside();
        self.tree.finish_begin(task, is_nested, ScopeState { known: NONE, inside });
        if let Some(folds) = &mut self.folds {
            folds.add_scope();
        }
    }

    pub fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.enter(task);
        let gathered = self.tree.scope_mut(scope).known;
        let known = self.union(self.known_now(), gathered);
        self.set_known(known);
        self.begin_step();
        self.tree.finish_end(scope, self.now.step);
        self.close_inside(scope);
        if let Some(folds) = &mut self.folds {
            folds.tasks[task.index()].outward |= gathered != NONE;
            folds.finish_end(scope.0, self.now.step.0);
            if folds.live == 1 {
                let (tree, Now { task, step, .. }) = (&self.tree, self.now);
                folds.alone(step.0, |other| tree.before(other, task, step) == ALL_STEPS);
            }
        }
    }

    /// The finish is left without waiting for its tasks, which belong to `instead`, an open one
    /// around it, from now on.
    pub fn finish_leave(&mut self, scope: ScopeId, instead: ScopeId) {
        let ScopeState { known: gathered, inside } = *self.tree.scope_mut(scope);
        self.tree.finish_leave(scope, instead);
        let instead = self.tree.stands_for(instead);
        let owner = self.tree.owner(scope);
        if let Some(folds) = &mut self.folds {
            folds.tasks[owner.index()].detached = true;
            folds.leave(scope.0, instead.0);
        }
        let so_far = self.tree.scope_mut(instead);
        so_far.inside.ended = so_far.inside.ended.wrapping_add(inside.ended);
        let so_far = so_far.known;
        self.tree.scope_mut(instead).known = self.union(so_far, gathered);
    }

    pub fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.tell(task);
        self.signal_end(task, sync, kind);
        self.begin_step();
    }

    pub(super) fn signalled(&self, sync: SyncId) -> Signalled {
        self.syncs.get(sync.index()).copied().unwrap_or(Signalled::NOTHING)
    }

    pub(super) fn make_room_for(&mut self, sync: SyncId) {
        if self.syncs.len() <= sync.index() {
            self.syncs.resize(sync.index() + 1, Signalled::NOTHING);
        }
    }

    /// The first few nodes of a set.
    pub(super) fn near_by(&self, known: KnownId) -> impl Iterator<Item = Known> + '_ {
        let node = |at: KnownId| (at != NONE).then(|| self.known[at as usize]);
        std::iter::successors(node(known), move |known| node(known.right)).take(SHORT)
    }

    /// Whether a set was evidently made from another one.
    pub(super) fn has_near_by(&self, known: KnownId, part: KnownId) -> bool {
        known == part || self.near_by(known).any(|node| node.left == part || node.right == part)
    }

    /// The task publishes how far it is, and with that how far those are that it knows of, and
    /// their ancestors.
    pub fn tell(&mut self, task: TaskId) {
        let Some(folds) = &mut self.folds else { return };
        let tree = &self.tree;
        // Of an ancestor the steps before the spawn of the child that leads to the task. Where
        // those are published already, so are all above.
        let tell = |folds: &mut Folds, mut task: TaskId, mut bound: Bound| {
            while folds.tasks[task.index()].told < bound {
                folds.tasks[task.index()].told = bound;
                (task, bound) = tree.parent(task);
            }
        };
        tell(folds, task, tree.task(task).step + 1);
        folds.told.resize(self.known.len(), false);
        self.stack.clear();
        self.stack.push(self.tree.task(task).known);
        while let Some(at) = self.stack.pop() {
            if at == NONE || std::mem::replace(&mut folds.told[at as usize], true) {
                continue;
            }
            let Known { source, left, right, .. } = self.known[at as usize];
            if source != NONE {
                tell(folds, self.steps[source as usize], source + 1);
            }
            self.stack.extend([left, right]);
        }
    }

    /// As [`GraphOrder::signal`], for a task that does nothing more, and what only its younger
    /// siblings and its parent join.
    pub fn signal_end(&mut self, task: TaskId, sync: SyncId, _: SyncKind) {
        self.enter(task);
        self.make_room_for(sync);
        self.syncs[sync.index()] = Signalled { step: self.now.step.0, known: self.known_now(), more: NONE };
    }

    pub fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        if let Some(folds) = &mut self.folds {
            folds.tasks[task.index()].outward = true;
        }
        self.join_sibling(task, sync, kind);
    }

    /// No task will join what was signalled by `sync` any more.
    pub fn forget(&mut self, sync: SyncId) {
        if let Some(sync) = self.syncs.get_mut(sync.index()) {
            *sync = Signalled::NOTHING;
        }
    }

    /// Whether what was signalled by `sync` evidently precedes the step that runs now.
    pub fn is_known(&mut self, sync: SyncId) -> bool {
        let Signalled { step, more, .. } = self.signalled(sync);
        step == NONE
            || self.precedes_now_evidently(StepId(step))
                && (more == NONE || self.has_near_by(self.known_now(), more))
    }

    /// Whether what was signalled by `sync` precedes the step that runs now. Where it would take long
    /// to say, it need not.
    pub fn has_come(&mut self, sync: SyncId) -> bool {
        let Signalled { step, more, .. } = self.signalled(sync);
        let mut rest = vec![more];
        let mut precedes = step == NONE || self.precedes_now(StepId(step));
        for _ in 0..LONG {
            let Some(at) = rest.pop().filter(|_| precedes) else { return precedes };
            if at == NONE {
                continue;
            }
            let Known { source, left, right, .. } = self.known[at as usize];
            // What the task of a source knew then comes with it.
            rest.push(right);
            match source {
                NONE => rest.push(left),
                source => precedes = self.precedes_now(StepId(source)),
            }
        }
        false
    }

    /// Whether `step` precedes what the task of `other`, a step that has run as well, has come to
    /// by now, or is one of its steps.
    pub fn is_known_to(&mut self, step: StepId, other: StepId) -> bool {
        let (step, of) = self.resolve(step, self.steps[step.index()]);
        let (_, task) = self.resolve(other, self.steps[other.index()]);
        let TaskState { step: last, known, .. } = *self.tree.task(task);
        of == task
            || step.0 < self.tree.before(of, task, StepId(last))
            || self.search(step, of, known).is_some()
    }

    /// Begins another step of `task`.
    pub fn next_step(&mut self, task: TaskId) {
        self.enter(task);
        self.begin_step();
    }

    /// As [`GraphOrder::join`], for what an older sibling of the task, in the same finish, has
    /// signalled.
    pub fn join_sibling(&mut self, task: TaskId, sync: SyncId, _: SyncKind) {
        self.enter(task);
        let source = self.signalled(sync);
        // A source that is known already (a lock taken again by the same task, a second get) adds
        // nothing. Only an evident one is left out: adding it twice does no harm, a search at every
        // join might.
        if source.step != NONE && !self.precedes_now_evidently(StepId(source.step)) {
            let right = self.known_now();
            let newest = source.step.max(self.newest(right));
            let known = self.add(Known { newest, source: source.step, left: source.known, right });
            self.set_known(known);
        }
        if source.more != NONE && !self.has_near_by(self.known_now(), source.more) {
            let known = self.union(source.more, self.known_now());
            self.set_known(known);
        }
        self.begin_step();
    }

    /// Whether `step`, which has run, precedes the step that runs now (or is it).
    #[inline]
    pub fn precedes_now(&mut self, step: StepId) -> bool {
        self.precedes_now_within(step, usize::MAX)
    }

    /// The fast path of [`GraphOrder::precedes_now`]: answers no where only a search could say yes.
    #[inline]
    pub fn precedes_now_evidently(&mut self, step: StepId) -> bool {
        // Queries of neighbouring locations are mostly the same.
        if step.0 == self.now.unrelated {
            return false;
        }
        let precedes = self.precedes_now_within(step, SHORT);
        if !precedes {
            self.now.unrelated = step.0;
        }
        precedes
    }

    #[inline]
    fn precedes_now_within(&mut self, step: StepId, budget: usize) -> bool {
        self.is_past(step) || self.precedes_otherwise(step, budget)
    }

    /// The slow path, where the watermark does not decide.
    #[inline]
    pub(super) fn precedes_otherwise(&mut self, step: StepId, budget: usize) -> bool {
        let task = self.steps[step.index()];
        task == self.now.task
            || self.now.parent.covers(task, step)
            || self.now.last.covers(task, step)
            || self.find_out(step, task, budget)
    }

    /// Whether `step` is one of the running task, or one of its parent that precedes it. A "no"
    /// means nothing.
    #[inline(always)]
    pub fn is_near(&self, step: StepId) -> bool {
        let task = self.steps[step.index()];
        task == self.now.task || self.now.parent.covers(task, step)
    }

    /// The step that represents a step, and its task.
    #[inline]
    pub(super) fn resolve(&mut self, step: StepId, task: TaskId) -> (StepId, TaskId) {
        let Some(folds) = &mut self.folds else { return (step, task) };
        let Some(into) = folds.step_for(step, task) else { return (step, task) };
        let (mut to, mut at) = (into, self.steps[into as usize]);
        while let Some(into) = folds.step_for(StepId(to), at) {
            (to, at) = (into, self.steps[into as usize]);
        }
        // Path compression: all on the way lead there from now on.
        let mut on_the_way = task;
        while on_the_way != at {
            let into = std::mem::replace(&mut folds.tasks[on_the_way.index()].into, to);
            on_the_way = self.steps[into as usize];
        }
        (StepId(to), at)
    }

    #[inline(never)]
    fn find_out(&mut self, step: StepId, task: TaskId, budget: usize) -> bool {
        let (step, task) = self.resolve(step, task);
        if task == self.now.task || self.now.parent.covers(task, step) || self.now.last.covers(task, step) {
            return true;
        }
        let slot = (task.0 ^ (self.now.task.0 << 5)) as usize & self.proven.len().wrapping_sub(1);
        let proven =
            self.proven.get(slot).filter(|proven| (proven.task, proven.of) == (self.now.task.0, task.0));
        if let Some(&Proven { bound, .. }) = proven
            && step.0 < bound
        {
            self.now.last = Before { task: task.0, bound };
            return true;
        }
        let bound = self.tree.before(task, self.now.task, self.now.step);
        if step.0 < bound {
            self.prove(task, bound);
            return true;
        }
        self.known_now() != NONE && self.precedes_by_joins(step, task, budget)
    }

    /// Remembers that the steps of `of` before `bound` precede the task that runs from now on.
    fn prove(&mut self, of: TaskId, bound: Bound) {
        self.make_room_for_proofs();
        let slot = (of.0 ^ (self.now.task.0 << 5)) as usize & (self.proven.len() - 1);
        self.proven[slot] = Proven { task: self.now.task.0, of: of.0, bound };
        self.now.last = Before { task: of.0, bound };
    }

    pub(super) fn newest(&self, known: KnownId) -> u32 {
        if known == NONE { 0 } else { self.known[known as usize].newest }
    }

    pub(super) fn add(&mut self, node: Known) -> KnownId {
        let id = self.known.len() as u32;
        self.known.push(node);
        id
    }

    pub(super) fn union(&mut self, left: KnownId, right: KnownId) -> KnownId {
        if right == NONE || left == right {
            return left;
        }
        if left == NONE {
            return right;
        }
        let newest = self.newest(left).max(self.newest(right));
        self.add(Known { newest, source: NONE, left, right })
    }

    fn precedes_by_joins(&mut self, step: StepId, of: TaskId, budget: usize) -> bool {
        let found = match self.search_briefly(step, of) {
            Searched::GaveUp if budget > SHORT => self.search(step, of, self.known_now()),
            Searched::GaveUp => None,
            Searched::Done(found) => found,
        };
        let Some(bound) = found else { return false };
        self.prove(of, bound);
        true
    }

    /// Keeps the cache of proofs small for small programs.
    fn make_room_for_proofs(&mut self) {
        let wanted = self.tree.tasks().next_power_of_two().clamp(8, PROVEN);
        if self.proven.len() < wanted {
            self.proven.clear();
            self.proven.resize(wanted, Proven { task: NONE, of: NONE, bound: NO_STEP });
        }
    }

    /// Looks among these for a known source that `step`, a step of `of`, precedes in the tree or
    /// is; for which steps of `of` the same holds.
    fn search(&mut self, step: StepId, of: TaskId, known: KnownId) -> Option<Bound> {
        self.visited.resize(self.known.len(), 0);
        self.searches += 1;
        self.stack.clear();
        self.stack.push(known);
        while let Some(at) = self.stack.pop() {
            if at == NONE
                || self.known[at as usize].newest < step.0
                || self.visited[at as usize] == self.searches
            {
                continue;
            }
            self.visited[at as usize] = self.searches;
            let node = self.known[at as usize];
            if let Some(bound) = self.before_source(step, of, node) {
                return Some(bound);
            }
            self.stack.extend(self.halves(node));
        }
        None
    }

    /// The same without marks; gives up after a few nodes.
    fn search_briefly(&self, step: StepId, of: TaskId) -> Searched {
        let mut stack = [NONE; SHORT + 1];
        stack[0] = self.known_now();
        let (mut height, mut visits) = (1, 0);
        while height > 0 {
            height -= 1;
            let at = stack[height];
            if at == NONE || self.known[at as usize].newest < step.0 {
                continue;
            }
            if visits == SHORT {
                return Searched::GaveUp;
            }
            visits += 1;
            let node = self.known[at as usize];
            if let Some(bound) = self.before_source(step, of, node) {
                return Searched::Done(Some(bound));
            }
            // Each visit adds one entry at most to those that were there.
            stack[height..height + 2].copy_from_slice(&self.halves(node));
            height += 2;
        }
        Searched::Done(None)
    }

    fn before_source(&self, step: StepId, of: TaskId, node: Known) -> Option<Bound> {
        if node.source == NONE || node.source < step.0 {
            return None;
        }
        let bound = self.tree.before(of, self.steps[node.source as usize], StepId(node.source));
        (step.0 < bound).then_some(bound)
    }

    /// The two sets below a node, that to be looked at first standing last: a source's own, or the
    /// newer.
    fn halves(&self, node: Known) -> [KnownId; 2] {
        if node.source != NONE || self.newest(node.left) >= self.newest(node.right) {
            [node.right, node.left]
        } else {
            [node.left, node.right]
        }
    }
}

enum Searched {
    /// What was found.
    Done(Option<Bound>),
    GaveUp,
}
