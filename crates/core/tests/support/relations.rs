//! The predictive orders by their definitions, as tables of who precedes whom; cubic and obvious.
//! Nothing of it is shared with the orders.

use raceproof_core::event::{AccessKind, Event, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SyncId, TaskId};
use std::collections::HashMap;

pub fn task_of(event: &Event) -> TaskId {
    match *event {
        Event::Spawn { parent, .. } => parent,
        Event::End { task }
        | Event::FinishBegin { task, .. }
        | Event::FinishEnd { task, .. }
        | Event::Signal { task, .. }
        | Event::Join { task, .. }
        | Event::Access { task, .. }
        | Event::Atomic { task, .. } => task,
    }
}

/// `before[a]` has the bit of `b` iff a precedes b.
#[derive(Clone, PartialEq)]
pub struct Relation {
    before: Vec<Vec<u64>>,
}

impl Relation {
    pub fn empty(events: usize) -> Self {
        Relation { before: vec![vec![0; events.div_ceil(64)]; events] }
    }

    pub fn has(&self, a: usize, b: usize) -> bool {
        self.before[a][b / 64] >> (b % 64) & 1 == 1
    }

    /// Whether that is new.
    pub fn add(&mut self, a: usize, b: usize) -> bool {
        let new = !self.has(a, b);
        self.before[a][b / 64] |= 1 << (b % 64);
        new
    }

    fn close(&mut self) {
        for middle in 0..self.before.len() {
            let row = self.before[middle].clone();
            for a in 0..self.before.len() {
                if self.has(a, middle) {
                    self.before[a].iter_mut().zip(&row).for_each(|(mine, theirs)| *mine |= theirs);
                }
            }
        }
    }

    /// Pairs of `self`, then of `other`.
    fn then(&self, other: &Relation) -> Relation {
        let mut both = Relation::empty(self.before.len());
        for a in 0..self.before.len() {
            for b in 0..self.before.len() {
                if self.has(a, b) {
                    let row = &other.before[b];
                    both.before[a].iter_mut().zip(row).for_each(|(mine, theirs)| *mine |= theirs);
                }
            }
        }
        both
    }

    /// Whether something of `other` was new.
    fn unite(&mut self, other: &Relation) -> bool {
        let before = self.clone();
        for (mine, theirs) in self.before.iter_mut().flatten().zip(other.before.iter().flatten()) {
            *mine |= theirs;
        }
        *self != before
    }

    pub fn is_subset(&self, other: &Relation) -> bool {
        !other.clone().unite(self)
    }
}

pub struct Section {
    pub lock: SyncId,
    pub task: TaskId,
    pub enter: usize,
    pub leave: Option<usize>,
}

impl Section {
    pub fn contains(&self, events: &[Event], at: usize) -> bool {
        task_of(&events[at]) == self.task && self.enter < at && self.leave.is_none_or(|leave| at < leave)
    }
}

pub fn sections(events: &[Event]) -> Vec<Section> {
    let mut all: Vec<Section> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match *event {
            Event::Join { task, sync, kind: SyncKind::Lock | SyncKind::Isolated } => {
                all.push(Section { lock: sync, task, enter: at, leave: None });
            }
            Event::Signal { task, sync, kind: SyncKind::Lock | SyncKind::Isolated } => {
                let open = |s: &&mut Section| s.lock == sync && s.task == task && s.leave.is_none();
                all.iter_mut().find(open).expect("it was entered").leave = Some(at);
            }
            _ => {}
        }
    }
    all
}

pub fn conflict(a: &Event, b: &Event) -> bool {
    let (&Event::Access { task: t, kind: k, location: l, .. }, &Event::Access { task, kind, location, .. }) =
        (a, b)
    else {
        return false;
    };
    t != task && l == location && (k == AccessKind::Write || kind == AccessKind::Write)
}

fn read_and_write(a: &Event, b: &Event) -> bool {
    let kind = |event: &Event| match *event {
        Event::Access { kind, .. } => Some(kind),
        _ => None,
    };
    kind(a) != kind(b)
}

pub fn hard(events: &[Event]) -> Relation {
    let mut order = Relation::empty(events.len());
    let mut last: HashMap<TaskId, usize> = HashMap::new();
    let mut members: HashMap<ScopeId, Vec<TaskId>> = HashMap::new();
    let mut signalled: HashMap<SyncId, usize> = HashMap::new();
    for (at, event) in events.iter().enumerate() {
        if let Some(before) = last.insert(task_of(event), at) {
            order.add(before, at);
        }
        match *event {
            Event::Spawn { child, scope, .. } => {
                last.insert(child, at);
                members.entry(scope).or_default().push(child);
            }
            Event::FinishEnd { scope, .. } => {
                for task in members.remove(&scope).unwrap_or_default() {
                    order.add(last[&task], at);
                }
            }
            Event::Signal { sync, kind, .. } if !matches!(kind, SyncKind::Lock | SyncKind::Isolated) => {
                signalled.insert(sync, at);
            }
            Event::Join { sync, kind, .. } if !matches!(kind, SyncKind::Lock | SyncKind::Isolated) => {
                if let Some(&from) = signalled.get(&sync) {
                    order.add(from, at);
                }
            }
            _ => {}
        }
    }
    order.close();
    order
}

pub fn hb(events: &[Event]) -> Relation {
    let mut order = hard(events);
    let sections = sections(events);
    for a in &sections {
        for b in &sections {
            if let Some(leave) = a.leave
                && a.lock == b.lock
                && leave < b.enter
            {
                order.add(leave, b.enter);
            }
        }
    }
    order.close();
    order
}

/// For each read the write it saw.
pub fn observed(events: &[Event]) -> Vec<Option<usize>> {
    let mut last: HashMap<Location, usize> = HashMap::new();
    let mut observed = vec![None; events.len()];
    for (at, event) in events.iter().enumerate() {
        match *event {
            Event::Access { kind: AccessKind::Read, location, .. } => {
                observed[at] = last.get(&location).copied()
            }
            Event::Access { location, .. } => {
                last.insert(location, at);
            }
            _ => {}
        }
    }
    observed
}

pub fn shb(events: &[Event]) -> Relation {
    let mut order = hb(events);
    for (at, write) in observed(events).into_iter().enumerate() {
        if let Some(write) = write {
            order.add(write, at);
        }
    }
    order.close();
    order
}

/// Rule (a): the end of a section before a later access, in another section of the lock, that
/// conflicts with one of its own.
fn by_conflict(events: &[Event], conflict: impl Fn(&Event, &Event) -> bool) -> Vec<(usize, usize)> {
    let sections = sections(events);
    let mut pairs = Vec::new();
    for a in &sections {
        let Some(leave) = a.leave else { continue };
        for b in sections.iter().filter(|b| b.lock == a.lock && leave < b.enter) {
            for f in (0..events.len()).filter(|&f| b.contains(events, f)) {
                let any = (0..leave).any(|e| a.contains(events, e) && conflict(&events[e], &events[f]));
                if any {
                    pairs.push((leave, f));
                }
            }
        }
    }
    pairs
}

/// Rule (b): the end of a section before that of a later one, if `order` has its beginning before
/// that.
fn by_order(events: &[Event], order: &mut Relation) -> bool {
    let sections = sections(events);
    let mut new = false;
    for a in &sections {
        for b in sections.iter().filter(|b| b.lock == a.lock && a.enter < b.enter) {
            if let (Some(first), Some(second)) = (a.leave, b.leave)
                && order.has(a.enter, second)
            {
                new |= order.add(first, second);
            }
        }
    }
    new
}

fn commuting(events: &[Event], conflict: impl Fn(&Event, &Event) -> bool) -> Relation {
    let mut order = hard(events);
    for (a, b) in by_conflict(events, conflict) {
        order.add(a, b);
    }
    order.close();
    while by_order(events, &mut order) {
        order.close();
    }
    order
}

pub fn dc(events: &[Event]) -> Relation {
    commuting(events, conflict)
}

pub fn weak(events: &[Event]) -> Relation {
    commuting(events, |a, b| conflict(a, b) && read_and_write(a, b))
}

pub fn wcp(events: &[Event]) -> Relation {
    let mut hard = hard(events);
    while by_order(events, &mut hard) {
        hard.close();
    }
    let hb = hb(events);
    let mut wcp = Relation::empty(events.len());
    for (a, b) in by_conflict(events, conflict) {
        wcp.add(a, b);
    }
    loop {
        let mut new = wcp.unite(&hb.then(&wcp));
        new |= wcp.unite(&wcp.then(&hb));
        new |= by_order(events, &mut wcp);
        if !new {
            break;
        }
    }
    wcp.unite(&hard);
    wcp
}

/// Whether two accesses hold a lock in common.
pub fn share_a_lock(events: &[Event], a: usize, b: usize) -> bool {
    let sections = sections(events);
    let held = |at| sections.iter().filter(move |s| s.contains(events, at)).map(|s| s.lock);
    held(a).any(|lock| held(b).any(|other| other == lock))
}

/// For each event the one before it in its task, or the spawn of the task.
pub fn predecessors(events: &[Event]) -> Vec<Option<usize>> {
    let mut last: HashMap<TaskId, usize> = HashMap::new();
    let mut before = Vec::new();
    for (at, event) in events.iter().enumerate() {
        before.push(last.insert(task_of(event), at));
        if let Event::Spawn { child, .. } = *event {
            last.insert(child, at);
        }
    }
    before
}
