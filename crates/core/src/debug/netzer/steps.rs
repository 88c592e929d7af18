//! The steps of a run, which of them synchronisation orders (Algorithms 6.1 and 6.2), and those
//! that conflict though it does not (6.3).

use super::{Conflict, Level, TooMany, Uses};
use crate::detect::Access;
use crate::event::{AccessKind, Event};
use crate::ids::{Location, TaskId};
use crate::order::clock::{Clock, Epoch};
use crate::order::hard::Hard;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

const NEVER: u32 = u32::MAX;

/// Chains, and entries of clocks that are kept: beyond these, some hundred megabytes, a run is not
/// analysed.
const MAX_CHAINS: u32 = 4096;
const MAX_ENTRIES: usize = 1 << 26;

/// Conflicts listed for one race.
const LISTED: usize = 256;

#[derive(Debug)]
struct Step {
    /// Its place on its chain.
    at: u32,
    epoch: Epoch,
    /// What comes before it on other chains.
    known: Rc<Clock>,
    /// The event of its first access.
    begins: u32,
    task: TaskId,
    accesses: Vec<Made>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Made {
    location: Location,
    kind: AccessKind,
    site: crate::ids::SiteId,
    event: u32,
}

/// When a step first and last accessed a location, by event; `NEVER` and 0 if it did not.
#[derive(Clone, Copy, Debug)]
struct Touch {
    step: u32,
    first_read: u32,
    last_read: u32,
    first_write: u32,
    last_write: u32,
    /// The last read whose value decided something.
    last_use: u32,
}

impl Touch {
    fn reads(&self) -> bool {
        self.first_read != NEVER
    }
    fn writes(&self) -> bool {
        self.first_write != NEVER
    }
    fn uses(&self) -> bool {
        self.last_use != NEVER
    }
}

/// Two conflicting steps that synchronisation leaves unordered, and how the one may depend on the
/// other.
#[derive(Debug)]
pub(super) struct Apparent {
    pub(super) steps: [u32; 2],
    /// Whether the second may have got data of the first, and the other way round.
    pub(super) data: [bool; 2],
    /// Whether the first can decide what the second does, and the other way round.
    pub(super) control: [bool; 2],
}

/// See the module.
#[derive(Debug)]
pub(super) struct Steps {
    steps: Vec<Step>,
    /// By location, then by chain: who touched it, in the order of the chain.
    touched: FxHashMap<Location, Vec<(u32, Vec<Touch>)>>,
}

impl Steps {
    pub(super) fn new(events: &[Event], uses: Uses<'_>, cut: impl Fn(u32) -> bool) -> Result<Self, TooMany> {
        let mut entries = 0;
        let mut tasks: Hard<Clock> = Hard::default();
        let mut steps = Steps { steps: Vec::new(), touched: FxHashMap::default() };
        // By task: the step it is in. By slot: a copy of what its task knows, if it has learnt
        // nothing since; the last step.
        let mut current: Vec<Option<u32>> = vec![None];
        let mut known: Vec<Option<Rc<Clock>>> = Vec::new();
        let mut lengths: Vec<u32> = Vec::new();
        let mut seen: FxHashSet<(u32, Location, AccessKind, crate::ids::SiteId)> = FxHashSet::default();
        for (event, at) in events.iter().zip(0u32..) {
            let learns = |task: TaskId, tasks: &Hard<Clock>, known: &mut Vec<Option<Rc<Clock>>>| {
                if let Some(known) = known.get_mut(tasks.slot(task) as usize) {
                    *known = None;
                }
            };
            let Event::Access { task, kind, location, site } = *event else {
                current[event.task().index()] = None;
                match *event {
                    Event::Spawn { parent, child, scope, .. } => {
                        tasks.spawn(parent, child, scope);
                        if tasks.slot(child) >= MAX_CHAINS || entries > MAX_ENTRIES {
                            return Err(TooMany);
                        }
                        current.push(None);
                        learns(child, &tasks, &mut known);
                    }
                    Event::End { task } => tasks.end(task),
                    Event::FinishEnd { task, scope } => {
                        tasks.finish_end(task, scope);
                        learns(task, &tasks, &mut known);
                    }
                    Event::Signal { task, sync, kind } => tasks.signal(task, sync, kind),
                    Event::Join { task, sync, .. } => {
                        tasks.join(task, sync);
                        learns(task, &tasks, &mut known);
                    }
                    Event::FinishBegin { .. } | Event::Access { .. } | Event::Atomic { .. } => {}
                }
                continue;
            };
            let step = match current[task.index()] {
                Some(step) if !cut(at) => step,
                _ => {
                    let epoch = tasks.epoch(task);
                    let slot = epoch.slot as usize;
                    if slot >= known.len() {
                        known.resize(slot + 1, None);
                        lengths.resize(slot + 1, 0);
                    }
                    let chains = known.len();
                    let known = known[slot].get_or_insert_with(|| {
                        entries += chains;
                        Rc::new(tasks.view(task).clone())
                    });
                    let known = Rc::clone(known);
                    let step =
                        Step { at: lengths[slot], epoch, known, begins: at, task, accesses: Vec::new() };
                    lengths[slot] += 1;
                    steps.steps.push(step);
                    let step = steps.steps.len() as u32 - 1;
                    current[task.index()] = Some(step);
                    step
                }
            };
            let used = match uses {
                Uses::Unknown => true,
                Uses::Exact(used) => used.get(at as usize).copied().unwrap_or(true),
            };
            if seen.insert((step, location, kind, site)) {
                let made = Made { location, kind, site, event: at };
                steps.steps[step as usize].accesses.push(made);
            }
            steps.touch(step, location, kind, at, used);
        }
        Ok(steps)
    }

    fn touch(&mut self, step: u32, location: Location, kind: AccessKind, at: u32, used: bool) {
        let chain = self.chain(step);
        let chains = self.touched.entry(location).or_default();
        let place = chains.iter().position(|&(other, _)| other == chain).unwrap_or_else(|| {
            chains.push((chain, Vec::new()));
            chains.len() - 1
        });
        let touches = &mut chains[place].1;
        if touches.last().is_none_or(|last| last.step != step) {
            touches.push(Touch {
                step,
                first_read: NEVER,
                last_read: 0,
                first_write: NEVER,
                last_write: 0,
                last_use: NEVER,
            });
        }
        let Some(touch) = touches.last_mut() else { return };
        match kind {
            AccessKind::Read => {
                touch.first_read = touch.first_read.min(at);
                touch.last_read = at;
                if used {
                    touch.last_use = at;
                }
            }
            AccessKind::Write => {
                touch.first_write = touch.first_write.min(at);
                touch.last_write = at;
            }
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.steps.len() as u32
    }

    pub(super) fn chain(&self, step: u32) -> u32 {
        self.steps[step as usize].epoch.slot
    }

    /// The place of a step on its chain.
    pub(super) fn place(&self, step: u32) -> u32 {
        self.steps[step as usize].at
    }

    pub(super) fn begins(&self, step: u32) -> u32 {
        self.steps[step as usize].begins
    }

    /// Whether synchronisation puts one step before another.
    pub(super) fn precedes(&self, earlier: u32, later: u32) -> bool {
        let (a, b) = (&self.steps[earlier as usize], &self.steps[later as usize]);
        if a.epoch.slot == b.epoch.slot { a.at < b.at } else { b.known.covers(a.epoch) }
    }

    pub(super) fn ordered(&self, a: u32, b: u32) -> bool {
        self.precedes(a, b) || self.precedes(b, a)
    }

    /// The apparent races, in the order of their steps.
    pub(super) fn races(&self, level: Level, limit: usize) -> Result<Vec<Apparent>, TooMany> {
        let mut found: FxHashMap<[u32; 2], Apparent> = FxHashMap::default();
        for chains in self.touched.values() {
            if chains.iter().all(|(_, touches)| touches.iter().all(|touch| !touch.writes())) {
                continue;
            }
            for (at, (_, ours)) in chains.iter().enumerate() {
                for (_, theirs) in &chains[at + 1..] {
                    self.compare(ours, theirs, level, &mut found);
                    if found.len() > limit {
                        return Err(TooMany);
                    }
                }
            }
        }
        let mut races: Vec<Apparent> = found.into_values().collect();
        races.sort_unstable_by_key(|race| race.steps);
        Ok(races)
    }

    /// The races on one location between two chains: what is unordered with a step is an interval
    /// of the other chain, and both its ends move forward as the step does.
    fn compare(
        &self,
        ours: &[Touch],
        theirs: &[Touch],
        level: Level,
        found: &mut FxHashMap<[u32; 2], Apparent>,
    ) {
        let (mut from, mut to) = (0, 0);
        for a in ours {
            while from < theirs.len() && self.precedes(theirs[from].step, a.step) {
                from += 1;
            }
            to = to.max(from);
            while to < theirs.len() && !self.precedes(a.step, theirs[to].step) {
                to += 1;
            }
            for b in &theirs[from..to] {
                if !(a.writes() || b.writes()) {
                    continue;
                }
                let (a, b) = if a.step < b.step { (a, b) } else { (b, a) };
                let race = found.entry([a.step, b.step]).or_insert(Apparent {
                    steps: [a.step, b.step],
                    data: [false; 2],
                    control: [false; 2],
                });
                for (way, (from, to)) in [(a, b), (b, a)].into_iter().enumerate() {
                    race.data[way] |= level == Level::Approximate || flows(from, to);
                    race.control[way] |= from.writes()
                        && to.uses()
                        && (level == Level::Approximate || from.first_write < to.last_use);
                }
            }
        }
    }

    /// The pairs of accesses by which two steps conflict.
    pub(super) fn conflicts(&self, [a, b]: [u32; 2]) -> Vec<Conflict> {
        let (a, b) = (&self.steps[a as usize], &self.steps[b as usize]);
        let mut conflicts = Vec::new();
        let mut theirs: FxHashMap<Location, Vec<&Made>> = FxHashMap::default();
        for made in &b.accesses {
            theirs.entry(made.location).or_default().push(made);
        }
        let access = |step: &Step, made: &Made| Access { task: step.task, kind: made.kind, site: made.site };
        for first in &a.accesses {
            for second in theirs.get(&first.location).into_iter().flatten() {
                if first.kind.conflicts(second.kind) {
                    conflicts.push(Conflict {
                        location: first.location,
                        first: access(a, first),
                        second: access(b, second),
                        first_event: first.event,
                        second_event: second.event,
                    });
                    if conflicts.len() == LISTED {
                        return conflicts;
                    }
                }
            }
        }
        conflicts
    }
}

/// Whether an access of one step came before a conflicting one of the other.
fn flows(from: &Touch, to: &Touch) -> bool {
    let (to_write, to_read) = (to.writes().then_some(to.last_write), to.reads().then_some(to.last_read));
    let after_write = to_write.max(to_read).is_some_and(|last| from.writes() && from.first_write < last);
    let after_read = to_write.is_some_and(|last| from.reads() && from.first_read < last);
    after_write || after_read
}
