//! ESP-bags with isolated sections, on the fly.
//!
//! Paper: R. Raman, J. Zhao, V. Sarkar, M. Vechev, E. Yahav, *Efficient data race detection for
//! async-finish parallelism*, 2010; described in section 2.3 of the Zipper paper. It generalises
//! the SP-bags of Feng and Leiserson. Every task is in one bag: the S-bag of a task holds what
//! precedes its current step, the P-bag of a finish holds the ended tasks that run in parallel with
//! it. At the end of a task its S-bag goes to the P-bag of its finish; at the end of a finish its
//! P-bag goes to the S-bag of its owner. An earlier access is in parallel with the current one just
//! when its task is in a P-bag.
//!
//! Because the run is depth first, being parallel is pseudo-transitive: of events e1, e2, e3 in
//! this order, e1 ∥ e2 and e2 ∥ e3 give e1 ∥ e3. One reader, one writer, one isolated reader and
//! one isolated writer a location therefore suffice.
//!
//! Cost: nearly O(1) an event (disjoint sets), four accesses a location.
//!
//! What it gets wrong: two accesses inside isolated sections never race, and nothing else is
//! ordered by sections. The order that sections bring about is lost, so a program whose sections do
//! not commute can raise a **false alarm**. Figure 2 of the Zipper paper: `finish { async {
//! isolated { if (!a) { x = 1; } } } isolated { a = 1; } y = x; }` writes x only if the child's
//! section comes first, and then the main task's section orders the write before the read; ESP-bags
//! reports the read of x (the test `esp_bags_raises_the_false_alarm_of_figure_2`). Without isolated
//! sections it misses nothing and raises no false alarm. With them it can miss a race that only
//! another order of the sections shows.
//!
//! It needs a depth-first run and knows async, finish and isolated only; for anything else there is
//! a [`refusal`](Detector::refusal).

use super::{Access, Detector, Pair, Races};
use crate::event::{AccessKind, Observer, SyncKind};
use crate::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use rustc_hash::FxHashMap;

/// Which bag a set of tasks is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bag {
    Serial,
    Parallel,
}

#[derive(Clone, Copy, Default)]
struct Shadow {
    reader: Option<Access>,
    writer: Option<Access>,
    isolated_reader: Option<Access>,
    isolated_writer: Option<Access>,
}

pub struct EspBags {
    /// Disjoint sets of tasks: the parent of each, a root being its own.
    parent: Vec<u32>,
    /// Valid for roots.
    bag: Vec<Bag>,
    /// The scope each task belongs to.
    scope: Vec<ScopeId>,
    /// The P-bag of each scope: some task in it.
    parallel: FxHashMap<ScopeId, TaskId>,
    /// The tasks that have begun and not ended, the running one last.
    stack: Vec<TaskId>,
    isolated: bool,
    shadow: FxHashMap<Location, Shadow>,
    races: Races,
    unsupported: Option<&'static str>,
}

impl Default for EspBags {
    fn default() -> Self {
        EspBags {
            parent: vec![0],
            bag: vec![Bag::Serial],
            scope: vec![ScopeId::PROGRAM],
            parallel: FxHashMap::default(),
            stack: vec![TaskId::MAIN],
            isolated: false,
            shadow: FxHashMap::default(),
            races: Races::default(),
            unsupported: None,
        }
    }
}

impl EspBags {
    fn find(&mut self, task: TaskId) -> u32 {
        let mut at = task.0;
        while self.parent[at as usize] != at {
            let up = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = up;
            at = up;
        }
        at
    }

    /// Whether the run so far is one this algorithm understands and `task` is the one that runs.
    fn follows(&mut self, task: TaskId) -> bool {
        if self.unsupported.is_none() && self.stack.last() != Some(&task) {
            self.unsupported = Some("a run that is not depth first");
        }
        self.unsupported.is_none()
    }

    /// Reports a race of `now` with `earlier` if that is in a P-bag; says whether it is in an
    /// S-bag.
    fn check(&mut self, location: Location, earlier: Option<Access>, now: Access, report: bool) -> bool {
        let Some(earlier) = earlier else { return true };
        let root = self.find(earlier.task);
        let serial = self.bag[root as usize] == Bag::Serial;
        if report && !serial {
            self.races.add(location, earlier, now);
        }
        serial
    }
}

impl Detector for EspBags {
    fn finish(self) -> Vec<Pair> {
        self.races.into_vec()
    }

    fn refusal(&self) -> Option<String> {
        let what = self.unsupported?;
        Some(format!(
            "ESP-bags knows async, finish and isolated in a depth-first run; it cannot judge {what}: use another detector"
        ))
    }
}

impl Observer for EspBags {
    fn spawn(&mut self, parent: TaskId, child: TaskId, scope: ScopeId, _: SiteId) {
        if !self.follows(parent) {
            return;
        }
        self.parent.push(child.0);
        self.bag.push(Bag::Serial);
        self.scope.push(scope);
        self.stack.push(child);
    }

    fn end(&mut self, task: TaskId) {
        if !self.follows(task) {
            return;
        }
        self.stack.pop();
        let root = self.find(task);
        self.bag[root as usize] = Bag::Parallel;
        if let Some(other) = self.parallel.insert(self.scope[task.index()], task) {
            let other = self.find(other);
            self.parent[other as usize] = root;
        }
    }

    fn finish_begin(&mut self, task: TaskId, _: ScopeId) {
        self.follows(task);
    }

    fn finish_end(&mut self, task: TaskId, scope: ScopeId) {
        if !self.follows(task) {
            return;
        }
        if let Some(joined) = self.parallel.remove(&scope) {
            let (joined, owner) = (self.find(joined), self.find(task));
            self.parent[joined as usize] = owner;
        }
    }

    fn signal(&mut self, task: TaskId, _: SyncId, kind: SyncKind) {
        if self.follows(task) {
            match unsupported(kind) {
                None => self.isolated = false,
                refused => self.unsupported = refused,
            }
        }
    }

    fn join(&mut self, task: TaskId, _: SyncId, kind: SyncKind) {
        if self.follows(task) {
            match unsupported(kind) {
                None => self.isolated = true,
                refused => self.unsupported = refused,
            }
        }
    }

    fn access(&mut self, task: TaskId, kind: AccessKind, location: Location, site: SiteId) {
        if !self.follows(task) {
            return;
        }
        let now = Access { task, kind, site };
        let mut shadow = self.shadow.get(&location).copied().unwrap_or_default();
        let plain = !self.isolated;
        let writes = kind == AccessKind::Write;
        // An isolated access races with plain ones only, a read with writes only. The one that
        // stays is the earlier if it is still parallel, else the present one.
        let serial_writer = self.check(location, shadow.writer, now, true);
        let serial_isolated_writer = self.check(location, shadow.isolated_writer, now, plain);
        let serial_reader = self.check(location, shadow.reader, now, writes);
        let serial_isolated_reader = self.check(location, shadow.isolated_reader, now, writes && plain);
        let (slot, replace) = match (writes, plain) {
            (true, true) => (&mut shadow.writer, serial_writer),
            (true, false) => (&mut shadow.isolated_writer, serial_isolated_writer),
            (false, true) => (&mut shadow.reader, serial_reader),
            (false, false) => (&mut shadow.isolated_reader, serial_isolated_reader),
        };
        if replace {
            *slot = Some(now);
        }
        self.shadow.insert(location, shadow);
    }
}

/// What of `kind` this algorithm does not know, if it does not.
fn unsupported(kind: SyncKind) -> Option<&'static str> {
    match kind {
        SyncKind::Isolated => None,
        SyncKind::Promise => Some("promises"),
        SyncKind::Future => Some("futures"),
        SyncKind::Lock => Some("named locks"),
        SyncKind::Semaphore => Some("semaphores"),
        SyncKind::Event => Some("events"),
    }
}
