//! The order of a run while it runs, from a dynamic program structure tree and the non-tree joins.
//!
//! Paper: F. Jin et al., *Dynamic Determinacy Race Detection for Task-Parallel Programs with
//! Promises* (DRDP), 2023, section 4 and Figures 8 and 9.
//!
//! The tree (DPST): steps are leaves, asyncs and finishes are inner nodes, children stand in
//! program order. Of two leaves, the left one precedes the right one by tree edges just when the
//! child of their lowest common ancestor on the left one's side is no async. A signal (promise set,
//! end of a future, post, release of a section, `V`) is a leaf of its own, the paper's "empty
//! task": an async without a body. A join on it is a *non-tree join* of the joining task.
//! PRECEDE(a, b) looks at the tree, then searches backwards from b's task through its joins to the
//! signals, from these through the joins their tasks had at the time, and so on, until a signal is
//! found that `a` precedes by the tree.
//!
//! Tasks joined by a finish are one disjoint set with its owner, and all they did precedes what the
//! owner does now: equal sets answer PRECEDE at once.
//!
//! Where the figures are wrong, and what is done instead:
//! - Line 7 of Figure 9 holds that `a` precedes `b` whenever a's task is ACTIVE. A task that is
//!   resumed inside a `set` and blocks again passes control on while the setter is still active,
//!   and the setter's later steps, and with them races, are missed (the test
//!   `drdp_needs_no_active_rule`). The rule is not here.
//! - Figure 8 keeps the joins with the set of a task, and looks them up when it is asked, not as
//!   they were when the signal was made. It does not say whether a signal's empty task belongs to
//!   the finish around it. If so, the finish end merges it with the joins of the other tasks of
//!   that finish, too much is ordered, and a race is missed
//!   (`drdp_a_signal_has_the_joins_of_its_own_task`). If not, the way up from it leads through
//!   `set[lsa.task_id].lsa` of a task that has been merged, past the joins of the finish's owner,
//!   too little is ordered, and there is a false alarm
//!   (`drdp_a_signal_keeps_the_joins_it_inherited`). A model of the figures does the one or the
//!   other on these two programs. Here the joins of a task are a list that only grows at its head,
//!   so that a signal keeps its joins by keeping the head of that time.
//! - The least-significant ancestor of a task is the tail of the same list: a child begins with the
//!   joins that its parent has.
//! - Figure 9 marks *tasks* visited, and so skips a longer list of a task that was met with a
//!   shorter one. Here list entries are marked.
//! - A finish end takes over the joins of its tasks as one more entry for each, not by copying.
//!
//! A join made before `a` began cannot come after it: a search never looks at those, newest first
//! or not.
//!
//! Cost: an event is O(1) (a finish end O(tasks joined)), a query O(height) for each signal
//! searched; memory is linear in the steps with accesses, tasks, signals and joins. Locks,
//! semaphores and events are non-tree joins as well: the observed order. Nothing is missed and
//! nothing ordered that the graph does not order.

use crate::ids::{ScopeId, SyncId, TaskId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// A leaf of the tree, numbered in the order of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Leaf(u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A step, or an open or ended finish: what is inside comes before what stands to the right.
    Serial,
    /// A task, or a signal.
    Async,
}

#[derive(Clone, Copy)]
struct TreeNode {
    parent: u32,
    depth: u32,
    /// The place among the children of `parent`.
    place: u32,
    kind: Kind,
}

/// Which way the search goes through the signals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GraphOrder {
    #[default]
    BreadthFirst,
    DepthFirst,
}

/// Which of the joins of a task is looked at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum JoinOrder {
    #[default]
    NewestFirst,
    OldestFirst,
}

/// How much the searches had to look at: the columns of the paper's Table 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchStats {
    /// Queries that neither sets nor tree decided.
    pub searches: u64,
    /// Signals visited, over all searches.
    pub visited: u64,
    pub min_visited: u64,
    pub max_visited: u64,
}

impl SearchStats {
    pub fn average_visited(&self) -> f64 {
        self.visited as f64 / self.searches.max(1) as f64
    }

    fn add(&mut self, visited: u64) {
        self.min_visited = if self.searches == 0 { visited } else { self.min_visited.min(visited) };
        self.max_visited = self.max_visited.max(visited);
        self.searches += 1;
        self.visited += visited;
    }
}

#[derive(Clone, Copy)]
struct Signal {
    leaf: Leaf,
    /// The joins of the signalling task at that time.
    joins: u32,
}

#[derive(Clone, Copy)]
enum Joined {
    Signal(u32),
    /// The joins of a task that a finish joined.
    Task(u32),
}

/// An entry in the list of the joins of a task, newest first.
#[derive(Clone, Copy)]
struct Join {
    previous: u32,
    joined: Joined,
    /// How many tree nodes there were: a step that began later is not before this join.
    made: u32,
}

struct DpstTask {
    /// The inner nodes the task is in, innermost last, each with the number of its children.
    open: Vec<(u32, u32)>,
    step: Option<Leaf>,
    joins: u32,
    /// The joins it began with.
    inherited: u32,
    scope: ScopeId,
    /// How many spawns and signals it has made: the ways out of it other than its end.
    exits: u32,
    ended: bool,
    /// The task of the same scope that was spawned before.
    sibling: Option<TaskId>,
    /// The disjoint set: a root is its own parent.
    set: TaskId,
}

/// The order of the run so far.
pub struct Dpst {
    nodes: Vec<TreeNode>,
    tasks: Vec<DpstTask>,
    newest: FxHashMap<ScopeId, TaskId>,
    signals: Vec<Signal>,
    latest: FxHashMap<SyncId, u32>,
    joins: Vec<Join>,
    /// The search that met each join last.
    met: Vec<u32>,
    search: u32,
    work: VecDeque<u32>,
    batch: Vec<u32>,
    lists: Vec<u32>,
    graph_order: GraphOrder,
    join_order: JoinOrder,
    pub stats: SearchStats,
}

impl Dpst {
    pub fn new(graph_order: GraphOrder, join_order: JoinOrder) -> Self {
        let root = TreeNode { parent: NONE, depth: 0, place: 0, kind: Kind::Async };
        let mut dpst = Dpst {
            nodes: vec![root],
            tasks: Vec::new(),
            newest: FxHashMap::default(),
            signals: Vec::new(),
            latest: FxHashMap::default(),
            joins: Vec::new(),
            met: Vec::new(),
            search: 0,
            work: VecDeque::new(),
            batch: Vec::new(),
            lists: Vec::new(),
            graph_order,
            join_order,
            stats: SearchStats::default(),
        };
        dpst.add_task(TaskId::MAIN, ScopeId::PROGRAM, 0, NONE);
        dpst
    }

    fn add_task(&mut self, task: TaskId, scope: ScopeId, node: u32, joins: u32) {
        let sibling = self.newest.insert(scope, task);
        let open = vec![(node, 0)];
        let inherited = joins;
        let (step, exits, ended) = (None, 0, false);
        self.tasks.push(DpstTask { open, step, joins, inherited, scope, exits, ended, sibling, set: task });
    }

    /// Adds a node to the right of all others in what `task` has open; its current step has ended.
    fn add_node(&mut self, task: TaskId, kind: Kind) -> u32 {
        let node = self.nodes.len() as u32;
        let task = &mut self.tasks[task.index()];
        task.step = None;
        let (parent, children) = task.open.last_mut().expect("a task is in its own node");
        let depth = self.nodes[*parent as usize].depth + 1;
        self.nodes.push(TreeNode { parent: *parent, depth, place: *children, kind });
        *children += 1;
        node
    }

    fn add_join(&mut self, task: TaskId, joined: Joined) {
        let list = &mut self.tasks[task.index()].joins;
        let join = Join { previous: *list, joined, made: self.nodes.len() as u32 };
        *list = self.joins.len() as u32;
        self.joins.push(join);
        self.met.push(0);
    }

    pub fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId) {
        debug_assert_eq!(child.index(), self.tasks.len(), "task ids are dense");
        let node = self.add_node(parent, Kind::Async);
        self.tasks[parent.index()].exits += 1;
        self.add_task(child, scope, node, self.tasks[parent.index()].joins);
    }

    pub fn end(&mut self, task: TaskId) {
        let task = &mut self.tasks[task.index()];
        task.ended = true;
        task.step = None;
        task.open = Vec::new();
    }

    pub fn finish_begin(&mut self, task: TaskId) {
        let node = self.add_node(task, Kind::Serial);
        self.tasks[task.index()].open.push((node, 0));
    }

    pub fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        let owner = &mut self.tasks[task.index()];
        owner.open.pop();
        owner.step = None;
        let mut next = self.newest.remove(&scope);
        while let Some(joined) = next {
            let DpstTask { joins, inherited, sibling, .. } = self.tasks[joined.index()];
            // What it inherited is in the list of its parent, which is the owner or joined here as
            // well.
            if joins != inherited {
                self.add_join(task, Joined::Task(joins));
            }
            self.tasks[joined.index()].set = task;
            next = sibling;
        }
    }

    pub fn signal(&mut self, task: TaskId, sync: SyncId) {
        let leaf = Leaf(self.add_node(task, Kind::Async));
        let task = &mut self.tasks[task.index()];
        task.exits += 1;
        self.latest.insert(sync, self.signals.len() as u32);
        self.signals.push(Signal { leaf, joins: task.joins });
    }

    pub fn join(&mut self, task: TaskId, sync: SyncId) {
        self.tasks[task.index()].step = None;
        if let Some(&signal) = self.latest.get(&sync) {
            self.add_join(task, Joined::Signal(signal));
        }
    }

    /// The current step of `task`; steps without accesses never come into being.
    pub fn step(&mut self, task: TaskId) -> Leaf {
        if let Some(step) = self.tasks[task.index()].step {
            return step;
        }
        let step = Leaf(self.add_node(task, Kind::Serial));
        self.tasks[task.index()].step = Some(step);
        step
    }

    /// A mark of how far `task` has come, for [`Dpst::silent_since`].
    pub fn exits(&self, task: TaskId) -> u32 {
        self.tasks[task.index()].exits
    }

    /// If nothing but its end ever orders what `task` did since the mark `exits`: the scope that it
    /// ends in. Two such steps of one scope precede the same steps from then on.
    pub fn silent_since(&self, task: TaskId, exits: u32) -> Option<ScopeId> {
        let task = &self.tasks[task.index()];
        (task.ended && task.exits == exits).then_some(task.scope)
    }

    /// PRECEDE: whether the step `a` of `a_task` precedes the current step of `task`.
    pub fn precedes(&mut self, a: Leaf, a_task: TaskId, task: TaskId) -> bool {
        if a_task == task || self.find(a_task) == self.find(task) {
            return true;
        }
        let b = self.step(task);
        self.tree_precedes(a, b) || self.search(a, self.tasks[task.index()].joins)
    }

    fn find(&mut self, task: TaskId) -> TaskId {
        let mut at = task;
        while self.tasks[at.index()].set != at {
            let up = self.tasks[self.tasks[at.index()].set.index()].set;
            self.tasks[at.index()].set = up;
            at = up;
        }
        at
    }

    /// Whether tree edges order `a` before `b`: climbs to their lowest common ancestor.
    fn tree_precedes(&self, a: Leaf, b: Leaf) -> bool {
        let (mut a, mut b) = (a.0, b.0);
        if a == b {
            return true;
        }
        loop {
            let (left, right) = (self.nodes[a as usize], self.nodes[b as usize]);
            if left.parent == right.parent {
                return left.place < right.place && left.kind == Kind::Serial;
            }
            if left.depth >= right.depth {
                a = left.parent;
            }
            if right.depth >= left.depth {
                b = right.parent;
            }
        }
    }

    /// Whether `a` precedes a signal that is reached through the list `joins`.
    fn search(&mut self, a: Leaf, joins: u32) -> bool {
        self.search += 1;
        self.work.clear();
        self.expand(a, joins);
        let mut visited = 0;
        let mut found = false;
        while let Some(signal) = match self.graph_order {
            GraphOrder::BreadthFirst => self.work.pop_front(),
            GraphOrder::DepthFirst => self.work.pop_back(),
        } {
            visited += 1;
            let Signal { leaf, joins } = self.signals[signal as usize];
            if self.tree_precedes(a, leaf) {
                found = true;
                break;
            }
            self.expand(a, joins);
        }
        self.stats.add(visited);
        found
    }

    /// Puts the signals of a list of joins that may come after `a`, and have not been met, up for a
    /// visit.
    fn expand(&mut self, a: Leaf, joins: u32) {
        self.lists.push(joins);
        while let Some(mut at) = self.lists.pop() {
            while at != NONE && self.met[at as usize] != self.search {
                let Join { previous, joined, made } = self.joins[at as usize];
                if made <= a.0 {
                    break;
                }
                self.met[at as usize] = self.search;
                match joined {
                    Joined::Signal(signal) => self.batch.push(signal),
                    Joined::Task(list) => self.lists.push(list),
                }
                at = previous;
            }
        }
        let newest_first = self.join_order == JoinOrder::NewestFirst;
        // A stack gives back last what was put on it first.
        if newest_first == (self.graph_order == GraphOrder::BreadthFirst) {
            self.work.extend(self.batch.drain(..));
        } else {
            self.work.extend(self.batch.drain(..).rev());
        }
    }
}
