//! All races on given locations, by pair of source sites: what a report needs once it is known
//! where the races are.
//!
//! For each location, accesses are grouped by site. An access races with a group iff some access of
//! the group does not precede it. In a group only the accesses that precede no later one of the
//! group have to be kept: what is unordered with an earlier one is unordered with the later. So
//! every pair of sites that races somewhere in the run's graph is found. Beside the pairs it keeps
//! what it takes to go back to them: how many actions each side's task had taken, and the schedule
//! of the run.
//!
//! Cost: the graph order's, plus for each access of the given locations one question a group. A
//! group that grows past [`GROUP`] forgets its oldest accesses; then a pair of sites could be
//! missed, not the race itself.

use super::Access;
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, StepId, SyncId, TaskId};
use crate::order::graph::GraphOrder;
use rustc_hash::FxHashMap;

/// How many accesses of one site and location are kept.
const GROUP: usize = 1 << 12;

/// How many examples of one pair are kept, in case the first cannot be shown to be feasible.
const EXAMPLES: usize = 4;

/// One side of an example: the access, and how many actions its task had taken before it.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pub access: Access,
    pub actions: u64,
    /// The same for the moments before its task entered the sections the access is in.
    pub entered: Entered,
}

/// The actions a task had taken before it entered each section it is in, innermost first. Of more
/// than four, the three innermost and the outermost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entered {
    points: [u64; 4],
    count: u8,
}

impl Entered {
    /// From the sections of a task, outermost first.
    fn of(sections: &[u64]) -> Self {
        let mut entered = Entered::default();
        let innermost = sections.iter().rev().take(3);
        let outermost = sections.first().filter(|_| sections.len() > 3);
        for &actions in innermost.chain(outermost) {
            entered.points[usize::from(entered.count)] = actions;
            entered.count += 1;
        }
        entered
    }

    pub fn points(&self) -> &[u64] {
        &self.points[..usize::from(self.count)]
    }
}

/// Two accesses that raced in the run, `first` first.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub first: Side,
    pub second: Side,
    /// How many turns of the schedule had begun when the second access was made.
    pub turns: usize,
}

/// A pair of sites that races on a location.
#[derive(Clone, Debug)]
pub struct SitePair {
    pub location: Location,
    pub count: u64,
    pub examples: Vec<Example>,
}

/// Accesses of one location from one site.
#[derive(Debug)]
struct Group {
    kind: AccessKind,
    site: SiteId,
    /// Oldest first.
    entries: Vec<(StepId, Side)>,
}

/// See the module.
#[derive(Debug)]
pub struct Pairs {
    order: GraphOrder,
    groups: FxHashMap<Location, Vec<Group>>,
    found: FxHashMap<(Location, SiteId, SiteId), usize>,
    pairs: Vec<SitePair>,
    /// Actions taken so far, for each task.
    actions: Vec<u64>,
    /// For each task that is in a section: the actions it had taken before it entered each,
    /// outermost first.
    sections: FxHashMap<TaskId, Vec<u64>>,
    /// For each task but main: its parent and which child it is.
    spawned: Vec<(TaskId, u32)>,
    children: Vec<u32>,
    turns: Vec<(TaskId, u64)>,
}

/// What [`Pairs`] gathered.
#[derive(Debug, Default)]
pub struct Gathered {
    /// In the order of discovery.
    pub pairs: Vec<SitePair>,
    pub spawned: Vec<(TaskId, u32)>,
    /// The schedule of the run, neighbouring turns of one task joined.
    pub turns: Vec<(TaskId, u64)>,
}

impl Pairs {
    pub fn new(locations: &[Location]) -> Self {
        Pairs {
            order: GraphOrder::default(),
            groups: locations.iter().map(|&location| (location, Vec::new())).collect(),
            found: FxHashMap::default(),
            pairs: Vec::new(),
            actions: vec![0],
            sections: FxHashMap::default(),
            spawned: Vec::new(),
            children: vec![0],
            turns: Vec::new(),
        }
    }

    /// Ends the run and gives what was gathered; nothing is left behind.
    pub fn gather(&mut self) -> Gathered {
        Gathered {
            pairs: std::mem::take(&mut self.pairs),
            spawned: std::mem::take(&mut self.spawned),
            turns: std::mem::take(&mut self.turns),
        }
    }

    fn act(&mut self, task: TaskId) {
        self.actions[task.index()] += 1;
        match self.turns.last_mut() {
            Some((last, actions)) if *last == task => *actions += 1,
            _ => self.turns.push((task, 1)),
        }
    }

    fn examine(&mut self, location: Location, now: Side) {
        let Some(groups) = self.groups.get_mut(&location) else { return };
        let order = &mut self.order;
        for group in groups.iter().filter(|group| group.kind.conflicts(now.access.kind)) {
            let racing = group
                .entries
                .iter()
                .rev()
                .find(|(step, side)| side.access.task != now.access.task && !order.precedes_now(*step));
            let Some(&(_, first)) = racing else { continue };
            let (a, b) = (group.site.min(now.access.site), group.site.max(now.access.site));
            let index = *self.found.entry((location, a, b)).or_insert_with(|| {
                self.pairs.push(SitePair { location, count: 0, examples: Vec::new() });
                self.pairs.len() - 1
            });
            let pair = &mut self.pairs[index];
            pair.count += 1;
            if pair.examples.len() < EXAMPLES {
                pair.examples.push(Example { first, second: now, turns: self.turns.len() });
            }
        }
        let Access { kind, site, .. } = now.access;
        let group = match groups.iter_mut().position(|group| (group.site, group.kind) == (site, kind)) {
            Some(at) => &mut groups[at],
            None => {
                groups.push(Group { kind, site, entries: Vec::new() });
                groups.last_mut().expect("just pushed")
            }
        };
        while let Some(&(step, _)) = group.entries.last()
            && order.precedes_now_evidently(step)
        {
            group.entries.pop();
        }
        if group.entries.len() == GROUP {
            group.entries.drain(..GROUP / 2);
        }
        group.entries.push((order.step(), now));
    }
}

impl Observer for Pairs {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        self.order.spawn(parent, child, scope);
        self.act(parent);
        self.children[parent.index()] += 1;
        self.spawned.push((parent, self.children[parent.index()]));
        self.children.push(0);
        self.actions.push(0);
    }
    fn end(&mut self, task: TaskId) {
        self.order.end(task);
    }
    fn finish_begin(&mut self, task: TaskId, scope: ScopeId) {
        self.order.finish_begin(task, scope);
    }
    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        self.order.finish_end(task, scope);
        self.act(task);
    }
    fn signal(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.order.signal(task, sync, kind);
        if matches!(kind, SyncKind::Lock | SyncKind::Isolated)
            && let Some(sections) = self.sections.get_mut(&task)
        {
            // Sections nest: the one that is left is the one that was entered last.
            sections.pop();
            if sections.is_empty() {
                self.sections.remove(&task);
            }
        }
        if kind.signal_is_action() {
            self.act(task);
        }
    }
    fn join(&mut self, task: TaskId, sync: SyncId, kind: SyncKind) {
        self.order.join(task, sync, kind);
        if matches!(kind, SyncKind::Lock | SyncKind::Isolated) {
            self.sections.entry(task).or_default().push(self.actions[task.index()]);
        }
        self.act(task);
    }
    fn edge(&mut self, task: TaskId, sync: SyncId) {
        self.order.join(task, sync, SyncKind::Lock);
    }
    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        self.order.enter(task);
        let actions = self.actions[task.index()];
        self.act(task);
        let entered = self.sections.get(&task).map(|sections| Entered::of(sections)).unwrap_or_default();
        self.examine(location, Side { access: Access { task, kind, site }, actions, entered });
    }
}
