//! Random task-parallel programs, run by a small scheduler into well-formed event streams.
//!
//! A program is a tree of statements without control flow; what cannot be done when its turn comes
//! (a second set, the get of a future that is not there yet, a lock the task has already) is
//! skipped. Deadlocks are left as they are: their streams end early.
#![allow(dead_code, unreachable_pub)]

pub mod exhaustive;
pub mod naive;
#[path = "../../src/random.rs"]
mod random;
pub mod relations;
pub mod sectioned;

pub use random::Random as Rng;

use raceproof_core::event::{AccessKind, Event, SyncKind};
use raceproof_core::ids::{Location, ScopeId, SiteId, SyncId, TaskId};
use std::collections::{HashMap, HashSet, VecDeque};

pub use Stmt::*;

#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    Read(u8),
    Write(u8),
    Async(Vec<Stmt>),
    /// `async await (promise)`.
    Await(u8, Vec<Stmt>),
    Finish(Vec<Stmt>),
    /// Starts a future and keeps it in a slot.
    Future(u8, Vec<Stmt>),
    GetFuture(u8),
    Set(u8),
    Get(u8),
    Isolated(Vec<Stmt>),
    With(u8, Vec<Stmt>),
    P(u8),
    V(u8),
    Post(u8),
    Wait(u8),
}

impl Stmt {
    pub fn body(&self) -> Option<&Vec<Stmt>> {
        match self {
            Async(b) | Await(_, b) | Finish(b) | Future(_, b) | Isolated(b) | With(_, b) => Some(b),
            _ => None,
        }
    }

    pub fn body_mut(&mut self) -> Option<&mut Vec<Stmt>> {
        match self {
            Async(b) | Await(_, b) | Finish(b) | Future(_, b) | Isolated(b) | With(_, b) => Some(b),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// Any task that can move, at every action.
    Random,
    /// The child first; a blocked task hands over to its parent; who waited for a set runs before
    /// the setter.
    DepthFirst,
}

/// What a generated program may contain.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub name: &'static str,
    pub schedule: Schedule,
    pub futures: bool,
    pub promises: bool,
    pub isolated: bool,
    pub locks: bool,
    pub semaphores: bool,
    pub events: bool,
}

/// Async and finish only.
pub const PLAIN: Profile = Profile {
    name: "async-finish",
    schedule: Schedule::DepthFirst,
    futures: false,
    promises: false,
    isolated: false,
    locks: false,
    semaphores: false,
    events: false,
};

/// All there is, in any order.
pub const EVERYTHING: Profile = Profile {
    name: "everything",
    schedule: Schedule::Random,
    futures: true,
    promises: true,
    isolated: true,
    locks: true,
    semaphores: true,
    events: true,
};

/// The sizes of one generated program.
struct Shape {
    profile: Profile,
    /// How many statements are still to come.
    budget: usize,
    locations: usize,
    /// Promises, futures and locks.
    slots: usize,
    /// One access in so many is a write.
    write_one_in: usize,
}

pub fn generate(profile: &Profile, rng: &mut Rng) -> Vec<Stmt> {
    let most = if rng.below(4) == 0 { 120 } else { 36 };
    let mut shape = Shape {
        profile: *profile,
        budget: 4 + rng.below(most),
        locations: 1 + rng.below(4),
        slots: 2 + rng.below(5),
        write_one_in: [2, 2, 4, 16][rng.below(4)],
    };
    let mut program = Vec::new();
    while shape.budget > 0 {
        program.extend(shape.statement(rng, 0, false));
    }
    program
}

impl Shape {
    fn body(&mut self, rng: &mut Rng, depth: usize, isolated: bool) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..1 + rng.below(5) {
            if self.budget > 0 {
                body.extend(self.statement(rng, depth + 1, isolated));
            }
        }
        body
    }

    fn statement(&mut self, rng: &mut Rng, depth: usize, isolated: bool) -> Option<Stmt> {
        self.budget = self.budget.saturating_sub(1);
        let profile = self.profile;
        let deep = depth >= 5 || isolated;
        let slot = rng.below(self.slots) as u8;
        Some(match rng.below(24) {
            0..=7 => {
                let location = rng.below(self.locations) as u8;
                if rng.below(self.write_one_in) == 0 { Write(location) } else { Read(location) }
            }
            8..=10 if !deep => Async(self.body(rng, depth, false)),
            11 if !deep => Finish(self.body(rng, depth, false)),
            12 | 13 if !deep && profile.futures => Future(slot, self.body(rng, depth, false)),
            14 | 15 if !isolated && profile.futures => GetFuture(slot),
            16 if profile.promises => Set(slot),
            17 | 18 if !isolated && profile.promises => Get(slot),
            19 if !deep && profile.promises => Await(slot, self.body(rng, depth, false)),
            20 if !deep && profile.isolated => Isolated(self.body(rng, depth, true)),
            21 if !deep && profile.locks => With(slot, self.body(rng, depth, false)),
            22 if profile.semaphores && rng.below(2) == 0 => V(slot % 2),
            22 if !isolated && profile.semaphores => P(slot % 2),
            23 if profile.events && rng.below(2) == 0 => Post(slot % 2),
            23 if !isolated && profile.events => Wait(slot % 2),
            _ => return None,
        })
    }
}

/// Where a frame came from, so that leaving it does the right thing.
#[derive(Clone, Copy)]
enum Leave {
    Task,
    Finish(ScopeId),
    Section(SyncId, SyncKind),
    Nothing,
}

struct Frame<'p> {
    body: &'p [Stmt],
    at: usize,
    leave: Leave,
}

struct RunningTask<'p> {
    frames: Vec<Frame<'p>>,
    parent: Option<usize>,
    scope: ScopeId,
    scopes: Vec<ScopeId>,
    awaits: Option<u8>,
    future: Option<SyncId>,
    held: Vec<SyncId>,
    ended: bool,
}

enum Outcome {
    Ran,
    Blocked,
    Spawned,
    /// Something was signalled that others may wait for.
    Signalled,
}

struct Machine<'p> {
    tasks: Vec<RunningTask<'p>>,
    events: Vec<Event>,
    sites: HashMap<*const Stmt, SiteId>,
    scopes: u32,
    live: HashMap<ScopeId, usize>,
    syncs: u32,
    named: HashMap<(SyncKind, u8), SyncId>,
    signalled: HashSet<SyncId>,
    futures: HashMap<u8, SyncId>,
    locked: HashSet<SyncId>,
    tokens: HashMap<u8, VecDeque<SyncId>>,
}

/// Runs `program` and gives what happened.
pub fn run(program: &[Stmt], schedule: Schedule, seed: u64) -> Vec<Event> {
    let mut machine = Machine {
        tasks: Vec::new(),
        events: Vec::new(),
        sites: HashMap::new(),
        scopes: 1,
        live: HashMap::new(),
        syncs: 0,
        named: HashMap::new(),
        signalled: HashSet::new(),
        futures: HashMap::new(),
        locked: HashSet::new(),
        tokens: HashMap::new(),
    };
    machine.number(program);
    // Semaphore 0 begins with one token that nobody signalled.
    let token = machine.fresh();
    machine.tokens.entry(0).or_default().push_back(token);
    machine.start(program, None, ScopeId::PROGRAM, None);
    match schedule {
        Schedule::Random => machine.run_random(&mut Rng(seed)),
        Schedule::DepthFirst => machine.run_depth_first(),
    }
    machine.events
}

impl<'p> Machine<'p> {
    fn number(&mut self, body: &'p [Stmt]) {
        for stmt in body {
            let site = SiteId::at(self.sites.len());
            self.sites.insert(stmt, site);
            if let Some(body) = stmt.body() {
                self.number(body);
            }
        }
    }

    fn fresh(&mut self) -> SyncId {
        self.syncs += 1;
        SyncId(self.syncs - 1)
    }

    fn sync(&mut self, kind: SyncKind, name: u8) -> SyncId {
        if let Some(&sync) = self.named.get(&(kind, name)) {
            return sync;
        }
        let sync = self.fresh();
        self.named.insert((kind, name), sync);
        sync
    }

    fn start(&mut self, body: &'p [Stmt], parent: Option<usize>, scope: ScopeId, awaits: Option<u8>) {
        *self.live.entry(scope).or_default() += 1;
        self.tasks.push(RunningTask {
            frames: vec![Frame { body, at: 0, leave: Leave::Task }],
            parent,
            scope,
            scopes: Vec::new(),
            awaits,
            future: None,
            held: Vec::new(),
            ended: false,
        });
    }

    fn run_random(&mut self, rng: &mut Rng) {
        let mut movable: Vec<usize> = vec![0];
        while !movable.is_empty() {
            let pick = rng.below(movable.len());
            let task = movable[pick];
            let outcome = if self.tasks[task].ended { Outcome::Blocked } else { self.step(task) };
            if let Outcome::Blocked = outcome {
                movable.swap_remove(pick);
            } else {
                // What was blocked may be able to move now.
                movable = (0..self.tasks.len()).filter(|&t| !self.tasks[t].ended).collect();
            }
        }
    }

    fn run_depth_first(&mut self) {
        // Who was set aside, to be resumed last in, first out.
        let mut aside: Vec<usize> = Vec::new();
        let mut waiting: Vec<usize> = Vec::new();
        let mut current = 0;
        loop {
            if !self.tasks[current].ended {
                match self.step(current) {
                    Outcome::Ran => continue,
                    Outcome::Spawned => {
                        aside.push(current);
                        current = self.tasks.len() - 1;
                        continue;
                    }
                    Outcome::Signalled => {
                        aside.push(current);
                        aside.extend(waiting.drain(..).rev());
                    }
                    Outcome::Blocked => {
                        waiting.push(current);
                        let parent = self.tasks[current].parent;
                        if let Some(at) = aside.iter().rposition(|&t| Some(t) == parent) {
                            current = aside.remove(at);
                            continue;
                        }
                    }
                }
            }
            match aside.pop() {
                Some(next) => current = next,
                None => {
                    // Nobody was set aside: whoever can move goes on (a finish whose tasks have
                    // ended).
                    let Some(at) = waiting.iter().position(|&t| self.can_move(t)) else { return };
                    current = waiting.remove(at);
                }
            }
        }
    }

    /// Whether `task` is not blocked: tries it out without its effects being kept.
    fn can_move(&self, task: usize) -> bool {
        if self.tasks[task].ended {
            return false;
        }
        if let Some(name) = self.tasks[task].awaits {
            return self.is_set(SyncKind::Promise, name);
        }
        let Some(frame) = self.tasks[task].frames.last() else { return true };
        match frame.body.get(frame.at) {
            None => match frame.leave {
                Leave::Finish(scope) => self.live.get(&scope).copied().unwrap_or(0) == 0,
                _ => true,
            },
            Some(Get(name)) => self.is_set(SyncKind::Promise, *name),
            Some(GetFuture(slot)) => self.futures.get(slot).is_none_or(|sync| self.signalled.contains(sync)),
            Some(Wait(name)) => self.is_set(SyncKind::Event, *name),
            Some(P(name)) => self.tokens.get(name).is_some_and(|t| !t.is_empty()),
            Some(Isolated(_)) => self.is_free(SyncKind::Isolated, 0, task),
            Some(With(name, _)) => self.is_free(SyncKind::Lock, *name, task),
            Some(_) => true,
        }
    }

    fn is_set(&self, kind: SyncKind, name: u8) -> bool {
        self.named.get(&(kind, name)).is_some_and(|sync| self.signalled.contains(sync))
    }

    fn is_free(&self, kind: SyncKind, name: u8, task: usize) -> bool {
        let Some(sync) = self.named.get(&(kind, name)) else { return true };
        !self.locked.contains(sync) || self.tasks[task].held.contains(sync)
    }

    fn signal(&mut self, task: usize, sync: SyncId, kind: SyncKind) {
        self.signalled.insert(sync);
        self.events.push(Event::Signal { task: TaskId::at(task), sync, kind });
    }

    fn join(&mut self, task: usize, sync: SyncId, kind: SyncKind) {
        self.events.push(Event::Join { task: TaskId::at(task), sync, kind });
    }

    fn spawn(&mut self, parent: usize, body: &'p [Stmt], site: SiteId, awaits: Option<u8>) -> usize {
        let scope = *self.tasks[parent].scopes.last().unwrap_or(&self.tasks[parent].scope);
        let child = self.tasks.len();
        self.start(body, Some(parent), scope, awaits);
        self.events.push(Event::Spawn { parent: TaskId::at(parent), child: TaskId::at(child), scope, site });
        child
    }

    /// Does the next action of `task`, unless it is blocked.
    fn step(&mut self, task: usize) -> Outcome {
        if !self.can_move(task) {
            return Outcome::Blocked;
        }
        let id = TaskId::at(task);
        if let Some(name) = self.tasks[task].awaits.take() {
            let sync = self.sync(SyncKind::Promise, name);
            self.join(task, sync, SyncKind::Promise);
            return Outcome::Ran;
        }
        let frame = self.tasks[task].frames.last_mut().expect("a live task has a frame");
        let (body, at) = (frame.body, frame.at);
        let Some(stmt) = body.get(at) else {
            return self.leave(task);
        };
        frame.at += 1;
        let site = self.sites[&(stmt as *const Stmt)];
        let access = |kind, location| Event::Access { task: id, kind, location: Location(location), site };
        match stmt {
            Read(location) => self.events.push(access(AccessKind::Read, (*location).into())),
            Write(location) => self.events.push(access(AccessKind::Write, (*location).into())),
            Async(body) => {
                self.spawn(task, body, site, None);
                return Outcome::Spawned;
            }
            Await(promise, body) => {
                self.spawn(task, body, site, Some(*promise));
                return Outcome::Spawned;
            }
            Future(slot, body) => {
                let sync = self.fresh();
                let child = self.spawn(task, body, site, None);
                self.tasks[child].future = Some(sync);
                self.futures.insert(*slot, sync);
                return Outcome::Spawned;
            }
            Finish(body) => {
                let scope = ScopeId(self.scopes);
                self.scopes += 1;
                self.tasks[task].scopes.push(scope);
                self.tasks[task].frames.push(Frame { body, at: 0, leave: Leave::Finish(scope) });
                self.events.push(Event::FinishBegin { task: id, scope });
            }
            GetFuture(slot) => {
                if let Some(&sync) = self.futures.get(slot) {
                    self.join(task, sync, SyncKind::Future);
                }
            }
            Set(name) => {
                let sync = self.sync(SyncKind::Promise, *name);
                if !self.signalled.contains(&sync) {
                    self.signal(task, sync, SyncKind::Promise);
                    return Outcome::Signalled;
                }
            }
            Get(name) => {
                let sync = self.sync(SyncKind::Promise, *name);
                self.join(task, sync, SyncKind::Promise);
            }
            Post(name) => {
                let sync = self.sync(SyncKind::Event, *name);
                self.signal(task, sync, SyncKind::Event);
                return Outcome::Signalled;
            }
            Wait(name) => {
                let sync = self.sync(SyncKind::Event, *name);
                self.join(task, sync, SyncKind::Event);
            }
            V(name) => {
                let token = self.fresh();
                self.tokens.entry(*name).or_default().push_back(token);
                self.signal(task, token, SyncKind::Semaphore);
                return Outcome::Signalled;
            }
            P(name) => {
                let token = self.tokens.get_mut(name).and_then(VecDeque::pop_front).expect("a token");
                self.join(task, token, SyncKind::Semaphore);
            }
            Isolated(body) => self.enter(task, SyncKind::Isolated, 0, body),
            With(name, body) => self.enter(task, SyncKind::Lock, *name, body),
        }
        Outcome::Ran
    }

    fn enter(&mut self, task: usize, kind: SyncKind, name: u8, body: &'p [Stmt]) {
        let sync = self.sync(kind, name);
        let leave = if self.tasks[task].held.contains(&sync) {
            Leave::Nothing
        } else {
            self.locked.insert(sync);
            self.tasks[task].held.push(sync);
            self.join(task, sync, kind);
            Leave::Section(sync, kind)
        };
        self.tasks[task].frames.push(Frame { body, at: 0, leave });
    }

    fn leave(&mut self, task: usize) -> Outcome {
        let id = TaskId::at(task);
        let frame = self.tasks[task].frames.pop().expect("a frame to leave");
        match frame.leave {
            Leave::Nothing => Outcome::Ran,
            Leave::Finish(scope) => {
                self.tasks[task].scopes.pop();
                self.events.push(Event::FinishEnd { task: id, scope });
                Outcome::Ran
            }
            Leave::Section(sync, kind) => {
                self.locked.remove(&sync);
                self.tasks[task].held.retain(|&held| held != sync);
                self.signal(task, sync, kind);
                Outcome::Signalled
            }
            Leave::Task => {
                if let Some(sync) = self.tasks[task].future {
                    self.signal(task, sync, SyncKind::Future);
                }
                self.events.push(Event::End { task: id });
                self.tasks[task].ended = true;
                *self.live.get_mut(&self.tasks[task].scope).expect("its scope") -= 1;
                Outcome::Signalled
            }
        }
    }
}

/// A smaller program for which `fails` still holds, as small as single removals make it.
pub fn shrink(mut program: Vec<Stmt>, fails: impl Fn(&[Stmt]) -> bool) -> Vec<Stmt> {
    while let Some(smaller) = smaller(&program).into_iter().find(|p| fails(p)) {
        program = smaller;
    }
    program
}

/// Every program with one statement taken out or replaced by its body.
fn smaller(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for at in 0..body.len() {
        let with = |new: Vec<Stmt>| [&body[..at], &new, &body[at + 1..]].concat();
        all.push(with(Vec::new()));
        if let Some(inner) = body[at].body() {
            all.push(with(inner.clone()));
            for new in smaller(inner) {
                let mut stmt = body[at].clone();
                *stmt.body_mut().expect("it has a body") = new;
                all.push(with(vec![stmt]));
            }
        }
    }
    all
}
