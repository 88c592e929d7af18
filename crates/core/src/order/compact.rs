//! Reclaims what the order keeps of tasks that nobody will ask about.
//!
//! The user of the order names the steps it may still ask about, and the tasks and finishes that
//! are under way. The order keeps what these lead to (the ancestors of their tasks, the finishes
//! around them, the steps that a live task knows of and the tree does not: `prune.rs`) and drops
//! all else. It renumbers what it keeps, in the same order, so that every comparison of ids comes
//! out as before.
//!
//! Cost: linear in what is kept, plus a bit and a word for each entry there was. It runs each time
//! the tables have doubled: a constant a task.

use super::graph::{GraphOrder, Known, NONE, Signalled};
use super::past::Past;
use super::tree::LEFT;
use crate::ids::{ScopeId, StepId, TaskId};
use crate::marks::{Marks, Numbers};

/// The new ids of what was kept.
#[derive(Debug)]
pub struct Renumbering {
    steps: Numbers,
    /// Of tasks.
    pub tasks: Numbers,
    scopes: Numbers,
    known: Numbers,
}

impl Renumbering {
    #[inline]
    pub fn step(&self, step: StepId) -> Option<StepId> {
        self.steps.get(step.0).map(StepId)
    }

    #[inline]
    pub fn task(&self, task: TaskId) -> Option<TaskId> {
        self.tasks.get(task.0).map(TaskId)
    }

    #[inline]
    pub fn scope(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scopes.get(scope.0).map(ScopeId)
    }
}

/// What is kept.
struct Kept {
    steps: Marks,
    tasks: Marks,
    scopes: Marks,
    known: Marks,
    /// Tasks, finishes and known sets whose neighbours are still to be looked at.
    todo: Vec<Node>,
}

#[derive(Clone, Copy)]
enum Node {
    Task(u32),
    Scope(u32),
    Known(u32),
}

impl Kept {
    fn task(&mut self, task: u32) {
        if self.tasks.add(task as usize) {
            self.todo.push(Node::Task(task));
        }
    }

    fn scope(&mut self, scope: u32) {
        if self.scopes.add(scope as usize) {
            self.todo.push(Node::Scope(scope));
        }
    }

    fn known(&mut self, known: u32) {
        if known != NONE && self.known.add(known as usize) {
            self.todo.push(Node::Known(known));
        }
    }

    fn step(&mut self, order: &GraphOrder, step: u32) {
        if self.steps.add(step as usize) {
            self.task(order.steps[step as usize].0);
        }
    }

    /// Keeps what everything kept so far leads to.
    fn follow(&mut self, order: &GraphOrder) {
        while let Some(node) = self.todo.pop() {
            match node {
                Node::Task(at) => {
                    let task = &order.tree.tasks[at as usize];
                    self.task(task.parent);
                    self.scope(task.scope);
                    self.step(order, task.first);
                    self.step(order, task.data.step);
                    if let Some(into) = order.folds.as_ref().and_then(|folds| folds.folded_into(TaskId(at))) {
                        self.step(order, into);
                    }
                }
                Node::Scope(at) => {
                    let scope = &order.tree.scopes[at as usize];
                    self.task(scope.owner);
                    self.scope(scope.outer);
                    match scope.end {
                        NONE => self.known(scope.data.known),
                        LEFT => self.scope(scope.instead.get()),
                        end => self.step(order, end),
                    }
                }
                Node::Known(at) => {
                    let Known { source, left, right, .. } = order.known[at as usize];
                    if source != NONE {
                        self.step(order, source);
                    }
                    self.known(left);
                    self.known(right);
                }
            }
        }
    }
}

impl GraphOrder {
    /// What the tables hold, in entries of about 16 bytes.
    pub fn size(&self) -> usize {
        self.steps.len() / 4 + 4 * self.tree.tasks.len() + 2 * self.tree.scopes.len() + self.known.len()
    }

    /// How many finishes there are; the next gets this number.
    pub fn finishes(&self) -> usize {
        self.tree.scopes()
    }

    /// The step that `step` is folded into: for a task that was joined, a step of the one that
    /// joined it; else itself.
    #[inline]
    pub fn stand_in(&mut self, step: StepId) -> StepId {
        self.resolve(step, self.steps[step.index()]).0
    }

    /// Keeps what is needed to decide whether these steps happen before those that come, and to
    /// continue these tasks (first of all those that have not ended) and finishes; drops the rest.
    /// For an order that [folds](GraphOrder::folding).
    pub fn compact(
        &mut self,
        steps: impl IntoIterator<Item = StepId>,
        tasks: impl IntoIterator<Item = TaskId>,
        scopes: impl IntoIterator<Item = ScopeId>,
    ) -> Renumbering {
        let mut under_way = Marks::none(self.tree.tasks.len());
        for task in tasks.into_iter().chain([TaskId::MAIN, self.now.task]) {
            under_way.add(task.index());
        }
        let named: Vec<StepId> = steps.into_iter().collect();
        self.prune(&under_way, &named);
        let mut kept = Kept {
            steps: Marks::none(self.steps.len()),
            tasks: Marks::none(self.tree.tasks.len()),
            scopes: Marks::none(self.tree.scopes.len()),
            known: Marks::none(self.known.len()),
            todo: Vec::new(),
        };
        kept.task(TaskId::MAIN.0);
        kept.task(self.now.task.0);
        kept.scope(ScopeId::PROGRAM.0);
        under_way.each(|task| {
            let task = TaskId::at(task);
            kept.task(task.0);
            let state = self.tree.task(task);
            kept.known(state.known);
            kept.known(state.inherited);
        });
        for scope in scopes {
            kept.scope(scope.0);
        }
        for step in named {
            kept.step(self, step.0);
        }
        for &Signalled { step, known, more } in self.syncs.iter().filter(|sync| sync.step != NONE) {
            kept.step(self, step);
            kept.known(known);
            kept.known(more);
        }
        kept.follow(self);
        let Kept { steps, tasks, scopes, known, .. } = kept;
        let new = Renumbering {
            steps: steps.number(),
            tasks: tasks.number(),
            scopes: scopes.number(),
            known: known.number(),
        };
        self.renumber(&new, &under_way);
        new
    }

    fn renumber(&mut self, new: &Renumbering, under_way: &Marks) {
        let Renumbering { steps, tasks, scopes, .. } = new;
        let known = |old: u32| if old == NONE { NONE } else { new.known.of(old) };
        let (bound, is_by_steps) = (|old: u32| steps.before(old), self.time.is_none());
        self.tree.task_mut(self.now.task).past = self.now.past;
        tasks.gather(&mut self.tree.tasks, |old, mut task| {
            task.parent = tasks.of(task.parent);
            task.jump = tasks.of(task.jump);
            task.scope = scopes.of(task.scope);
            task.nested = if task.nested == NONE { NONE } else { scopes.of(task.nested) };
            task.first = steps.of(task.first);
            task.data.step = steps.of(task.data.step);
            if under_way.has(old) {
                (task.data.known, task.data.inherited) = (known(task.data.known), known(task.data.inherited));
                if is_by_steps {
                    task.data.past.renumber(bound);
                }
            } else {
                (task.data.known, task.data.inherited, task.data.past) = (NONE, NONE, Past::NOTHING);
            }
            task
        });
        scopes.gather(&mut self.tree.scopes, |_, mut scope| {
            scope.owner = tasks.of(scope.owner);
            scope.outer = scopes.of(scope.outer);
            scope.jump = scopes.of(scope.jump);
            match scope.end {
                NONE => {
                    scope.data.known = known(scope.data.known);
                    if is_by_steps {
                        scope.data.inside.renumber(bound);
                    }
                }
                LEFT => scope.instead.set(scopes.of(scope.instead.get())),
                end => scope.end = steps.of(end),
            }
            if scope.end != NONE {
                scope.data.known = NONE;
            }
            scope
        });
        new.known.gather(&mut self.known, |_, mut node| {
            (node.left, node.right) = (known(node.left), known(node.right));
            if node.source != NONE {
                node.source = steps.of(node.source);
            }
            node
        });
        steps.gather(&mut self.steps, |_, task| TaskId(tasks.of(task.0)));
        // The newest source of a set: of what it adds and of the sets below, which come before it.
        for at in 0..self.known.len() {
            let Known { source, left, right, .. } = self.known[at];
            let own = if source == NONE { 0 } else { source };
            self.known[at].newest = own.max(self.newest(left)).max(self.newest(right));
        }
        for sync in self.syncs.iter_mut().filter(|sync| sync.step != NONE) {
            *sync = Signalled { step: steps.of(sync.step), known: known(sync.known), more: known(sync.more) };
        }
        if let Some(folds) = &mut self.folds {
            folds.renumber(tasks, scopes, steps);
        }
        self.visited.clear();
        self.proven.clear();
        let task = TaskId(tasks.of(self.now.task.0));
        self.go_on(task);
        self.now.past = self.tree.task(task).past;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::SyncKind;
    use crate::ids::SyncId;
    use crate::random::random;
    use std::collections::{HashMap, HashSet};

    #[derive(Clone)]
    struct Task {
        /// Its numbers in the plain order and in the folding one.
        id: (TaskId, TaskId),
        parent: usize,
        /// The finish it belongs to, and those it owns that are open.
        scope: usize,
        open: Vec<usize>,
        ended: bool,
    }

    struct Scope {
        id: (ScopeId, ScopeId),
        /// Tasks that have not ended.
        pending: usize,
        instead: Option<usize>,
        ended: bool,
    }

    /// One run, fed to two orders: one that keeps everything, and one that folds and is compacted.
    struct Both {
        plain: GraphOrder,
        folding: GraphOrder,
        tasks: Vec<Task>,
        scopes: Vec<Scope>,
        /// What was done and may be asked about: its steps, and the time.
        named: Vec<(StepId, StepId, u32)>,
        /// The time of the next, and whether the folding order goes by it.
        time: u32,
        timed: bool,
        /// Signals anybody may join, and ends of tasks with who may.
        events: u32,
        ends: Vec<(SyncId, usize)>,
        syncs: u32,
        /// Steps with later ones that they subsume, if nobody joins the ends of tasks.
        standing: Option<Vec<(StepId, StepId)>>,
        /// If ends of tasks are joined all at once, by who leaves their finish: the tasks of the
        /// folding order that were, and how often one has counted as another.
        siblings: Option<(HashSet<TaskId>, usize)>,
        /// Pairs of steps of which the second comes after the first by a direct join.
        succeeding: Vec<(StepId, StepId)>,
        /// By tasks of the folding order: the first step after the last join of a sibling.
        joined: HashMap<TaskId, StepId>,
        /// How often a step has counted as another.
        stretched: usize,
        /// The newest task mostly goes first.
        deep: bool,
        /// Of so many finishes one is none that the folding order knows to be nested, if any is.
        nested: Option<usize>,
        /// How often an id alone has decided, and a time.
        past: usize,
        times: usize,
    }

    impl Both {
        fn new() -> Self {
            let main = Task {
                id: (TaskId::MAIN, TaskId::MAIN),
                parent: 0,
                scope: 0,
                open: Vec::new(),
                ended: false,
            };
            let program =
                Scope { id: (ScopeId::PROGRAM, ScopeId::PROGRAM), pending: 1, instead: None, ended: false };
            Both {
                plain: GraphOrder::default(),
                folding: GraphOrder::folding(),
                deep: false,
                nested: None,
                past: 0,
                times: 0,
                tasks: vec![main],
                scopes: vec![program],
                named: Vec::new(),
                time: 1,
                timed: false,
                events: 0,
                ends: Vec::new(),
                syncs: 0,
                standing: None,
                siblings: None,
                succeeding: Vec::new(),
                joined: HashMap::new(),
                stretched: 0,
            }
        }

        fn stands_for(&self, mut scope: usize) -> usize {
            while let Some(instead) = self.scopes[scope].instead {
                scope = instead;
            }
            scope
        }

        fn inner(&self, task: usize) -> usize {
            self.tasks[task].open.last().copied().unwrap_or(self.tasks[task].scope)
        }

        fn sync(&mut self) -> SyncId {
            self.syncs += 1;
            SyncId(self.syncs)
        }

        fn spawn(&mut self, task: usize) {
            let scope = self.inner(task);
            let to = self.stands_for(scope);
            self.scopes[to].pending += 1;
            let (parent, within) = (self.tasks[task].id, self.scopes[scope].id);
            let id = (TaskId::at(self.plain.tree.tasks()), TaskId::at(self.folding.tree.tasks()));
            self.plain.spawn(parent.0, id.0, within.0);
            self.folding.spawn(parent.1, id.1, within.1);
            self.tasks.push(Task { id, parent: task, scope, open: Vec::new(), ended: false });
        }

        fn set_time(&mut self) {
            if self.timed {
                self.folding.set_time(self.time);
            }
        }

        fn open(&mut self, task: usize) {
            let id = self.tasks[task].id;
            let ids = (ScopeId::at(self.plain.tree.scopes()), ScopeId::at(self.folding.tree.scopes()));
            self.plain.finish_begin(id.0, ids.0);
            match self.is_nested(self.scopes.len()) {
                true => self.folding.nested_finish_begin(id.1, ids.1),
                false => self.folding.finish_begin(id.1, ids.1),
            }
            self.tasks[task].open.push(self.scopes.len());
            self.scopes.push(Scope { id: ids, pending: 0, instead: None, ended: false });
        }

        fn is_nested(&self, scope: usize) -> bool {
            self.nested.is_some_and(|but| !scope.is_multiple_of(but))
        }

        fn end(&mut self, task: usize) {
            let end = self.sync();
            let Task { id, scope, .. } = self.tasks[task];
            self.plain.signal(id.0, end, SyncKind::Future);
            self.folding.signal_end(id.1, end, SyncKind::Future);
            self.ends.push((end, task));
            self.plain.end(id.0);
            self.folding.end(id.1);
            let to = self.stands_for(scope);
            self.scopes[to].pending -= 1;
            self.tasks[task].ended = true;
        }

        fn note(&mut self, task: usize) {
            let id = self.tasks[task].id;
            self.plain.enter(id.0);
            self.folding.enter(id.1);
            let now = self.plain.step();
            if let Some(standing) = &mut self.standing {
                let stands = self.named.iter().filter(|named| self.folding.representative(named.1).is_some());
                standing.extend(stands.map(|named| (named.0, now)));
            }
            self.named.push((now, self.folding.step(), self.time));
            self.time += 1;
        }

        /// A short task, in a finish of its creator's.
        fn short(&mut self, task: usize) {
            if self.tasks[task].open.is_empty() {
                self.open(task);
            }
            let child = self.tasks.len();
            self.spawn(task);
            self.note(child);
            self.set_time();
            self.end(child);
        }

        /// A task that waits for two older siblings before it begins.
        fn waiting(&mut self, task: usize, mut random: impl FnMut(usize) -> usize) {
            if self.tasks[task].open.is_empty() {
                self.open(task);
            }
            let child = self.tasks.len();
            self.spawn(task);
            let Task { id, scope, .. } = self.tasks[child];
            let is_sibling = |of: usize| (self.tasks[of].parent, self.tasks[of].scope) == (task, scope);
            let ends = self.ends.iter().filter(|(_, of)| is_sibling(*of));
            let ends: Vec<SyncId> = ends.map(|&(end, _)| end).collect();
            for _ in 0..ends.len().min(2) {
                let end = ends[random(ends.len())];
                self.plain.join(id.0, end, SyncKind::Future);
                self.folding.join_sibling(id.1, end, SyncKind::Future);
                self.joined.insert(id.1, self.plain.step());
            }
            self.note(child);
            self.set_time();
            self.end(child);
        }

        fn act(&mut self, mut random: impl FnMut(usize) -> usize) {
            self.set_time();
            let live: Vec<usize> = (0..self.tasks.len()).filter(|&task| !self.tasks[task].ended).collect();
            // Half of the runs are mostly depth-first.
            let at = match self.deep && random(8) != 0 {
                true => *live.last().expect("main never ends"),
                false => live[random(live.len())],
            };
            let Task { id, parent, scope, ref open, .. } = self.tasks[at];
            let (inner, is_open) = (self.inner(at), !open.is_empty());
            match random(13) {
                0 | 1 | 7 if self.siblings.is_some() => self.short(at),
                0 | 1 if self.standing.is_none() => self.waiting(at, random),
                0..=2 => self.spawn(at),
                3 => self.open(at),
                4 | 5 if is_open && self.scopes[inner].pending == 0 => {
                    let ids = self.scopes[inner].id;
                    self.plain.finish_end(id.0, ids.0);
                    self.folding.finish_end(id.1, ids.1);
                    self.scopes[inner].ended = true;
                    self.tasks[at].open.pop();
                }
                6 if is_open && !self.is_nested(inner) => {
                    self.tasks[at].open.pop();
                    let instead = self.inner(at);
                    let (left, to) = (self.scopes[inner].id, self.scopes[instead].id);
                    self.plain.finish_leave(left.0, to.0);
                    self.folding.finish_leave(left.1, to.1);
                    self.scopes[inner].instead = Some(instead);
                    let to = self.stands_for(instead);
                    self.scopes[to].pending += std::mem::take(&mut self.scopes[inner].pending);
                    let is_child = |task: &Task| task.parent == at && task.scope == inner;
                    if self.siblings.is_some()
                        && self.tasks.iter().filter(|task| is_child(task)).all(|task| task.ended)
                    {
                        let children = self.ends.iter().filter(|(_, of)| is_child(&self.tasks[*of]));
                        let children: Vec<SyncId> = children.map(|&(end, _)| end).collect();
                        children.into_iter().for_each(|end| self.join_child(id, end));
                    }
                }
                7 | 8 if !is_open && at != 0 => self.end(at),
                9 if random(3) == 0 => {
                    let before = SyncId(self.events);
                    self.events = self.sync().0;
                    let sync = SyncId(self.events);
                    if random(2) == 0 {
                        self.plain.signal(id.0, sync, SyncKind::Event);
                        self.folding.signal(id.1, sync, SyncKind::Event);
                    } else {
                        self.plain.signal_after(id.0, sync, before, SyncKind::Event);
                        self.folding.signal_after(id.1, sync, before, SyncKind::Event);
                    }
                }
                10 if self.events != 0 => {
                    self.plain.join(id.0, SyncId(self.events), SyncKind::Event);
                    self.folding.join(id.1, SyncId(self.events), SyncKind::Event);
                }
                11 if !self.ends.is_empty() && self.standing.is_none() && self.siblings.is_none() => {
                    let (end, of) = self.ends[random(self.ends.len())];
                    let (sibling, child) =
                        (self.tasks[of].parent == parent && at > of, self.tasks[of].parent == at);
                    // Before the finish of its task has ended, and an older sibling's only.
                    if self.scopes[self.stands_for(self.tasks[of].scope)].ended || !(sibling || child) {
                        return;
                    }
                    self.plain.join(id.0, end, SyncKind::Future);
                    if sibling && self.tasks[of].scope == scope {
                        self.joined.insert(id.1, self.plain.step());
                        self.folding.join_sibling(id.1, end, SyncKind::Future);
                    } else {
                        self.folding.join(id.1, end, SyncKind::Future);
                    }
                }
                12 => self.note(at),
                _ => {}
            }
        }

        fn join_child(&mut self, id: (TaskId, TaskId), end: SyncId) {
            self.plain.join(id.0, end, SyncKind::Future);
            self.folding.join(id.1, end, SyncKind::Future);
            if let Some((joined, _)) = &mut self.siblings {
                joined.extend(self.folding.signaller(end));
            }
        }

        /// Makes one of the tasks that nobody can distinguish represent all.
        fn merge(&mut self) {
            let Some((joined, merged)) = &mut self.siblings else { return };
            let mut firsts = HashMap::new();
            for (_, step, time) in &mut self.named {
                let sibling = self.folding.sibling(*step).filter(|(task, _)| !joined.contains(task));
                let Some((_, sibling)) = sibling else { continue };
                let first = *firsts.entry(sibling).or_insert((*step, *time));
                *merged += usize::from(first.0 != *step);
                (*step, *time) = first;
            }
        }

        /// Forgets ends of tasks that are not asked about.
        fn forget_ends(&mut self) {
            let named: HashSet<TaskId> =
                self.named.iter().map(|named| self.folding.task_of(named.1)).collect();
            self.folding.forget_ends(|task| !named.contains(&task));
        }

        /// Makes one of the steps of a task that nobody can distinguish represent all.
        fn merge_steps(&mut self) {
            let live = self.tasks.iter().filter(|task| !task.ended).map(|task| task.id.1);
            let branches = self.folding.branches(live);
            let mut firsts = HashMap::new();
            for (_, step, time) in &mut self.named {
                if let Some(stretch) = self.folding.stretch(*step, &branches) {
                    let first = *firsts.entry(stretch).or_insert((*step, *time));
                    self.stretched += usize::from(first.0 != *step);
                    (*step, *time) = first;
                }
            }
        }

        /// Finds pairs of steps of which the second comes after the first by a direct join.
        fn find_successors(&mut self) {
            let successors = self.folding.successors();
            for &(first, step, _) in &self.named {
                for after in successors.of(self.folding.task_of(step), step) {
                    let joined = self.joined.get(&after).copied().unwrap_or(StepId(0));
                    let own = |named: &&(StepId, StepId, u32)| {
                        self.folding.task_of(named.1) == after && named.0 >= joined
                    };
                    let later = self.named.iter().filter(own);
                    self.succeeding.extend(later.map(|later| (first, later.0)));
                }
            }
        }

        fn compact(&mut self, mut random: impl FnMut(usize) -> usize) {
            self.set_time();
            self.find_successors();
            self.named.retain(|_| random(8) != 0);
            for (_, step, _) in &mut self.named {
                *step = self.folding.stand_in(*step);
            }
            self.merge();
            if self.siblings.is_some() || random(2) == 0 {
                self.forget_ends();
            }
            if random(2) == 0 {
                self.merge_steps();
            }
            let over: Vec<SyncId> = self.ends.iter().map(|&(end, _)| end).collect();
            let ended = |this: &Self, of: usize| this.scopes[this.stands_for(this.tasks[of].scope)].ended;
            let gone: Vec<bool> = self.ends.iter().map(|&(_, of)| ended(self, of)).collect();
            for (end, _) in over.into_iter().zip(&gone).filter(|(_, gone)| **gone) {
                self.folding.forget(end);
            }
            let mut gone = gone.into_iter();
            self.ends.retain(|_| !gone.next().expect("one for each"));
            let live = self.tasks.iter().filter(|task| !task.ended).map(|task| task.id.1);
            let scopes = self
                .tasks
                .iter()
                .filter(|task| !task.ended)
                .flat_map(|task| task.open.iter().chain([&task.scope]));
            let open: Vec<ScopeId> = scopes.map(|&scope| self.scopes[scope].id.1).collect();
            let new =
                self.folding.compact(self.named.iter().map(|named| named.1), live.collect::<Vec<_>>(), open);
            for (_, step, _) in &mut self.named {
                *step = new.step(*step).expect("it was named");
            }
            let joined = self.joined.drain();
            self.joined = joined.filter_map(|(task, step)| Some((new.task(task)?, step))).collect();
            if let Some((joined, _)) = &mut self.siblings {
                *joined = joined.drain().filter_map(|task| new.task(task)).collect();
            }
            if self.timed {
                // From 1 on: at 0 nothing was done.
                let mut times: Vec<u32> = self.named.iter().map(|named| named.2).collect();
                times.sort_unstable();
                times.dedup();
                let before = |old: u32| times.partition_point(|&time| time < old) as u32;
                let new = |old: u32| if old == 0 { 0 } else { 1 + before(old) };
                self.folding.renumber_times(new);
                self.named.iter_mut().for_each(|named| named.2 = new(named.2));
                self.time = new(self.time);
            }
            for task in self.tasks.iter_mut().filter(|task| !task.ended) {
                task.id.1 = new.task(task.id.1).expect("it is under way");
            }
            for scope in &mut self.scopes {
                scope.id.1 = new.scope(scope.id.1).unwrap_or(ScopeId(NONE));
            }
        }

        fn compare(&mut self, round: usize) {
            self.set_time();
            for task in self.tasks.iter().filter(|task| !task.ended) {
                self.plain.enter(task.id.0);
                self.folding.enter(task.id.1);
                for &(a, b, time) in &self.named {
                    let should = self.plain.precedes_otherwise(a, usize::MAX);
                    let by_time = self.timed && self.folding.is_below_watermark(time);
                    for (past, order) in [
                        (self.plain.is_past(a), "plain"),
                        (self.folding.is_past(b), "folding"),
                        (by_time, "by time"),
                    ] {
                        assert!(should || !past, "round {round}, {order}: {a:?} is past for {:?}", task.id.0);
                    }
                    self.past += usize::from(self.plain.is_past(a));
                    self.times += usize::from(by_time);
                    let is = self.folding.precedes_now(b);
                    assert_eq!(is, should, "round {round}: {a:?} before {:?}", task.id.0);
                }
                for &(first, later) in &self.succeeding {
                    let fine = !self.plain.precedes_now(later) || self.plain.precedes_now(first);
                    assert!(fine, "round {round}: {:?} is after {later:?}, but not {first:?}", task.id.0);
                }
                for &(first, later) in self.standing.iter().flatten() {
                    let fine = !self.plain.precedes_now(first) || self.plain.precedes_now(later);
                    assert!(fine, "round {round}: {:?} is after {first:?}, but not {later:?}", task.id.0);
                }
            }
        }
    }

    #[test]
    fn folding_and_compacting_change_no_answer() {
        let (mut stood, mut past, mut times, mut merged, mut stretched) = (0, 0, 0, 0, 0);
        let mut succeeded = 0;
        for round in 0..8000 {
            let mut random = random(0x2545_f491_4f6c_dd1du64.wrapping_mul(round as u64 + 1));
            let mut both = Both::new();
            both.standing = (round % 2 == 0).then(Vec::new);
            both.siblings = (round % 3 == 0 && round % 2 != 0).then(Default::default);
            both.deep = round % 4 < 2;
            both.timed = round % 8 < 4;
            both.nested = [None, Some(usize::MAX), Some(2)][round / 12 % 3];
            let often = 5 + round % 30;
            for turn in 0..20 + round % 120 {
                both.act(&mut random);
                if turn % often == often - 1 {
                    both.compare(round);
                    both.compact(&mut random);
                    both.compare(round);
                }
            }
            past += both.past;
            times += both.times;
            stretched += both.stretched;
            succeeded += both.succeeding.len();
            merged += both.siblings.map_or(0, |(_, merged)| merged);
            stood += both.standing.map_or(0, |standing| standing.len());
        }
        assert!(past > 80_000, "only {past} times was a step past by its number");
        assert!(times > 50_000, "only {times} times was a step past by its time");
        assert!(stood > 1000, "only {stood} steps ever stood for others");
        assert!(stretched > 3000, "only {stretched} times has a step counted as another");
        assert!(succeeded > 1000, "only {succeeded} steps ever came after others by a direct join");
        assert!(merged > 1000, "only {merged} times has a task counted as another");
    }

    /// A thousand times a finish with ten tasks: what is kept does not grow.
    #[test]
    fn what_was_waited_for_is_given_back() {
        let mut order = GraphOrder::folding();
        let mut sizes = Vec::new();
        let mut step = order.step();
        for _ in 0..1000 {
            let scope = ScopeId::at(order.tree.scopes());
            order.finish_begin(TaskId::MAIN, scope);
            for _ in 0..10 {
                let child = TaskId::at(order.tree.tasks());
                order.spawn(TaskId::MAIN, child, scope);
                order.enter(child);
                step = order.step();
                order.end(child);
            }
            order.finish_end(TaskId::MAIN, scope);
            step = order.stand_in(step);
            step = order.compact([step], [], []).step(step).expect("it was named");
            assert!(order.precedes_now(step));
            sizes.push(order.size());
        }
        assert_eq!(sizes.first(), sizes.last(), "{sizes:?}");
    }
}
