//! Findings as addresses: what the native runtime knows at the moment it finds something.
//!
//! Everything that only the process knows (tasks, locks, blocks of memory) is in here in words;
//! what is left are addresses of code and of variables. To name these, the memory map and the files
//! of the program are enough, so that a process which has no more memory, descriptors or file
//! system, or has ended, can leave it to another.

use crate::locals::Local;
use crate::paths::{Path, Root};
use crate::{Symbols, names};
use raceproof_core::event::AccessKind;
use raceproof_core::finding::{
    Construct, Frame, Grade, Object, Operation, Place, ProgramError, Race, RaceAccess, Region, Related,
    SetBefore, Spawned,
};
use serde::{Deserialize, Serialize};

/// A place in the program: the address to which the call of the runtime returns, then those of the
/// calls that led there, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Calls(pub Vec<usize>);

/// A task that was created on the way from `main`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawSpawned {
    pub task: String,
    pub construct: Construct,
    pub thread: Option<u32>,
    /// The name that the program has given to the thread.
    #[serde(default)]
    pub name: Option<String>,
    pub at: Calls,
}

/// A lock that was held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RawLock {
    /// Of the variable at this address.
    At(usize),
    /// One that no variable names.
    Named(String),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawAccess {
    pub access: AccessKind,
    pub operation: Operation,
    /// The function of the C library that makes it.
    pub library: Option<String>,
    pub task: String,
    pub at: Calls,
    pub spawned: Vec<RawSpawned>,
    pub locks: Vec<RawLock>,
    /// The loop that the task is a chunk of.
    pub region: Option<(Construct, Calls)>,
}

/// What the memory of a race is, unless it is a variable of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RawMemory {
    /// A block that began there, and who allocated it where.
    Block {
        base: usize,
        size: usize,
        task: String,
        at: Calls,
    },
    /// A frame of a function, if it is known which: where the function was, and the base of the
    /// frame. And what may be the base of the frame, nearest first, with the function that was
    /// called there, where the call names it.
    Stack {
        frame: Option<(usize, usize)>,
        ends: Vec<(usize, Option<usize>)>,
    },
    ThreadLocal,
    /// Of the C library: what is in it.
    Library(String),
    Unknown,
}

/// A byte of the program's memory, by a name that it has in every run that goes the same way,
/// wherever the system has put things.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Spot {
    /// Of a module, in the order in which they were loaded.
    Module {
        number: usize,
        offset: usize,
    },
    /// Of a block, by how many were allocated before it.
    Block {
        ordinal: u32,
        offset: usize,
    },
    /// Of the stack of `main`, or of one that was made for tasks, by which it was.
    MainStack {
        offset: usize,
    },
    TaskStack {
        batch: usize,
        offset: usize,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawRace {
    pub address: usize,
    pub memory: RawMemory,
    pub grade: Grade,
    pub first: RawAccess,
    pub second: RawAccess,
    /// The closest task both come from.
    pub fork: String,
    /// The closest task whose stack both may use: that of `fork`, or where its team comes from.
    pub owner: String,
    pub count: u64,
    pub promise: Option<RawSetBefore>,
}

/// A promise that was set too early to order the accesses.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawSetBefore {
    pub task: String,
    pub created: Calls,
    pub set: Calls,
}

impl RawRace {
    /// Addresses in all functions that the accesses are in, or that have created their tasks.
    fn functions(&self) -> Vec<usize> {
        let accesses = [&self.first, &self.second];
        let calls = accesses.iter().flat_map(|access| {
            std::iter::once(&access.at).chain(access.spawned.iter().map(|spawned| &spawned.at))
        });
        calls.flat_map(|calls| calls.0.iter().copied()).collect()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RawError {
    pub kind: String,
    pub message: String,
    pub task: String,
    pub at: Calls,
    pub spawned: Vec<RawSpawned>,
    /// Other places, and what they are.
    pub related: Vec<(String, Calls)>,
}

impl Symbols {
    /// The place of a call stack, and the calls that led there.
    pub fn place(&self, calls: &Calls) -> (Place, Vec<Frame>) {
        self.site(calls.0.iter().copied())
    }

    /// The same of an allocation; if a header of the compiler's made it, where the program called
    /// that.
    fn allocation(&self, calls: &Calls) -> (Place, Vec<Frame>) {
        let (at, stack) = self.place(calls);
        let places = std::iter::once(&at).chain(stack.iter().map(|frame| &frame.call));
        match places.enumerate().find(|(_, place)| !names::is_system_header(&place.file)) {
            Some((1.., own)) if own.line != 0 => {
                let calls = stack.iter().position(|frame| frame.call == *own).map_or(0, |last| last + 1);
                (own.clone(), stack[calls..].to_vec())
            }
            _ => (at, stack),
        }
    }

    /// Where a task was created; a thread, if a library did it for the program, where the program
    /// called that.
    fn creation(&self, raw: &RawSpawned) -> Place {
        match raw.construct {
            Construct::Thread => self.own_place(&raw.at),
            _ => self.place(&raw.at).0,
        }
    }

    /// The place of a call stack; if a header of the compiler's made the call for the program, as a
    /// container does that constructs its elements, where the program called that.
    pub fn own_place(&self, calls: &Calls) -> Place {
        let (at, stack) = self.place(calls);
        let mut places = std::iter::once(&at).chain(stack.iter().map(|frame| &frame.call));
        let own = places.find(|place| place.line != 0 && !names::is_system_header(&place.file));
        own.cloned().unwrap_or(at)
    }

    fn owns(&self, calls: &Calls) -> bool {
        self.is_own(calls.0.iter().copied())
    }

    pub fn spawned(&self, list: &[RawSpawned]) -> Vec<Spawned> {
        let mut named: Vec<(Spawned, bool)> = list
            .iter()
            .map(|raw| {
                let at = self.creation(raw);
                let spawned = Spawned {
                    task: raw.task.clone(),
                    at,
                    construct: Some(raw.construct),
                    thread: raw.thread,
                    name: raw.name.clone(),
                };
                (spawned, self.owns(&raw.at))
            })
            .collect();
        // A library that creates a task which creates another does so for the program, where the
        // program called it.
        for at in 1..named.len() {
            if !named[at].1 {
                (named[at].0.at, named[at].1) = (named[at - 1].0.at.clone(), named[at - 1].1);
            }
        }
        named.into_iter().map(|(spawned, _)| spawned).collect()
    }

    /// The place of something that a task did; if a library did it and nothing of the program is on
    /// the way there, where the program had the library create the task.
    pub fn place_for(&self, calls: &Calls, spawned: &[Spawned]) -> (Place, Vec<Frame>) {
        match spawned.last() {
            Some(last) if !self.owns(calls) => (last.at.clone(), Vec::new()),
            _ => self.place(calls),
        }
    }

    pub fn error(&self, raw: &RawError) -> ProgramError {
        let spawned = self.spawned(&raw.spawned);
        let (at, stack) = self.place_for(&raw.at, &spawned);
        ProgramError {
            id: String::new(),
            kind: raw.kind.clone(),
            message: raw.message.clone(),
            task: raw.task.clone(),
            at,
            stack,
            spawned,
            witness: None,
            related: raw.related.iter().map(|(what, at)| self.related(what, at)).collect(),
        }
    }

    fn related(&self, what: &str, at: &Calls) -> Related {
        Related { what: what.to_owned(), at: self.own_place(at) }
    }

    fn set_before(&self, raw: &RawSetBefore) -> SetBefore {
        let place = |calls: &Calls| self.own_place(calls);
        SetBefore { task: raw.task.clone(), created: place(&raw.created), set: place(&raw.set) }
    }

    pub fn lock(&self, raw: &RawLock) -> String {
        let address = match raw {
            RawLock::Named(name) => return name.clone(),
            RawLock::At(address) => *address,
        };
        let Some(variable) = self.variable(address) else { return "lock".to_owned() };
        // The compiler's names for critical sections: `.gomp_critical_user_NAME.var`.
        match variable.name.strip_prefix(".gomp_critical_user_").and_then(|name| name.strip_suffix(".var")) {
            Some("") => "critical".to_owned(),
            Some(name) => format!("critical({name})"),
            None => variable.name,
        }
    }

    /// A race, with its accesses in source order.
    pub fn race(&self, raw: &RawRace) -> Race {
        let (mut first, mut second) = (self.access(&raw.first), self.access(&raw.second));
        let mut sites = [&raw.first.at, &raw.second.at];
        if side(&second) < side(&first) {
            std::mem::swap(&mut first, &mut second);
            sites.reverse();
        }
        let (location, object) = self.location(raw, sites);
        Race {
            count: raw.count,
            object,
            promise: raw.promise.as_ref().map(|promise| self.set_before(promise)),
            ..Race::new(location, raw.grade, raw.fork.clone(), [first, second])
        }
    }

    /// One race for each location and pair of sites, in the order of these. Beside those that were
    /// met, the pairs of accesses that theirs represent: they are made in the same steps, to the
    /// same bytes.
    pub fn races(&self, met: &[RawRace]) -> Vec<Race> {
        let mut all = merged(met.iter().map(|raw| self.race(raw)));
        for raw in met {
            let race = self.race(raw);
            let (first, second) = (self.alike(&raw.first), self.alike(&raw.second));
            for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
                let (a, b) = if side(b) < side(a) { (b, a) } else { (a, b) };
                let other = Race { first: a.clone(), second: b.clone(), ..race.clone() };
                if a.access.conflicts(b.access) && !all.iter().any(|known| is_same(known, &other)) {
                    all.push(other);
                }
            }
        }
        sort(&mut all);
        all
    }

    /// An access and those that it represents.
    fn alike(&self, raw: &RawAccess) -> Vec<RaceAccess> {
        let access = self.access(raw);
        let mut all = vec![access.clone()];
        if raw.operation == Operation::Plain
            && let Some(&pc) = raw.at.0.first()
        {
            for (kind, at) in self.made_with(pc, raw.access, &access.at) {
                all.push(RaceAccess { access: kind, at, library: None, ..access.clone() });
            }
        }
        all
    }

    fn access(&self, raw: &RawAccess) -> RaceAccess {
        let spawned = self.spawned(&raw.spawned);
        let (at, stack) = self.place_for(&raw.at, &spawned);
        RaceAccess {
            access: raw.access,
            task: raw.task.clone(),
            at,
            stack,
            spawned,
            locks: raw.locks.iter().map(|lock| self.lock(lock)).collect(),
            operation: raw.operation,
            library: raw.library.clone(),
            bytes: None,
            region: raw
                .region
                .as_ref()
                .map(|(construct, calls)| Region { construct: *construct, at: self.place(calls).0 }),
        }
    }

    /// What an address is called, in memory of this kind.
    pub fn location_name(&self, address: usize, memory: &RawMemory) -> String {
        if let Some(element) = self.element(address) {
            // Of a module, as the variable is.
            let name = self.variable(address).map(|variable| variable.name).unwrap_or_default();
            return match name.split_once("::") {
                Some((module, _)) => format!("{module}::{element}"),
                None => element,
            };
        }
        if let Some((name, _)) = self.global_name(address) {
            return name;
        }
        match memory {
            RawMemory::Block { base, at: calls, .. } => {
                let (place, _) = self.place(calls);
                let pc = calls.0.first().copied().unwrap_or(0);
                let into = address.wrapping_sub(*base) as u64;
                if let Some((_, element)) = self.of_block(pc, &place, into) {
                    return element;
                }
                let (at, _) = self.allocation(calls);
                format!("heap@{}:{}+{}", at.file, at.line, address.wrapping_sub(*base))
            }
            RawMemory::Stack { .. } => "a local variable".to_owned(),
            RawMemory::ThreadLocal => "a thread-local variable".to_owned(),
            RawMemory::Library(name) => name.clone(),
            RawMemory::Unknown => "memory".to_owned(),
        }
    }

    /// The part of a global variable at an address, and whether there was only one that could be
    /// named.
    fn global_name(&self, address: usize) -> Option<(String, bool)> {
        let variable = self.variable(address)?;
        // Members of a common block have their own names in each unit.
        if !variable.name.starts_with('/')
            && let Some((name, part)) = self.global_part(address)
        {
            return Some((name.unwrap_or(variable.name) + self.written(&part), part.is_whole));
        }
        let name = match (variable.offset, variable.size) {
            (0, 0..=8) => variable.name,
            (offset, _) => format!("{}+{offset}", variable.name),
        };
        Some((name, true))
    }

    /// What the memory of a race is called, and what it is a part of; `sites` are those of the
    /// accesses, in source order.
    fn location(&self, raw: &RawRace, sites: [&Calls; 2]) -> (String, Option<Object>) {
        if let RawMemory::Library(name) = &raw.memory {
            return (name.clone(), None);
        }
        let paths: Vec<(usize, Path)> = sites
            .iter()
            .filter_map(|calls| calls.0.first())
            .filter_map(|&pc| Some((pc, self.path(pc)?)))
            .collect();
        if let Some(variable) = self.variable(raw.address) {
            let mut location = self.location_name(raw.address, &raw.memory);
            // Of members of a union, the one that is accessed.
            if self.global_name(raw.address).is_some_and(|(_, is_whole)| !is_whole)
                && let Some(text) = paths.iter().find_map(|(_, path)| extended(&location, path))
            {
                location = text;
            }
            let object = Object::Global { name: variable.name, offset: variable.offset, size: variable.size };
            return (location, Some(object));
        }
        let task = raw.owner.clone();
        let declared = paths.iter().find(|(_, path)| matches!(path.root, Root::Local(_) | Root::Global));
        let written = || {
            let best = declared.or_else(|| paths.iter().find(|(_, path)| path.names_part()));
            best.or(paths.first()).map(|(_, path)| path.text())
        };
        let unnamed = || self.location_name(raw.address, &raw.memory);
        match &raw.memory {
            RawMemory::Library(_) | RawMemory::Unknown => (written().unwrap_or_else(unnamed), None),
            RawMemory::Block { base, size, task, at } => {
                let offset = raw.address.wrapping_sub(*base) as u64;
                let element = paths.iter().find_map(|(_, path)| path.in_block(offset));
                let (at, stack) = self.allocation(at);
                let object = Object::Heap { offset, size: *size as u64, task: task.clone(), at, stack };
                (element.or_else(written).unwrap_or_else(unnamed), Some(object))
            }
            RawMemory::ThreadLocal => {
                let name = declared.map(|(_, path)| path.first_name().to_owned());
                (written().unwrap_or_else(unnamed), Some(Object::ThreadLocal { task, name }))
            }
            RawMemory::Stack { frame: Some((pc, base)), .. } if self.is_fortran(pc.wrapping_sub(1)) => {
                let distance = (raw.address as i64).wrapping_sub(*base as i64);
                match self.fortran_local(pc.wrapping_sub(1), distance) {
                    Some((name, into, element)) => {
                        let location = element.unwrap_or_else(|| match into {
                            0 => name.clone(),
                            _ => format!("{name}+{into}"),
                        });
                        (location, Some(Object::Stack { task, name: Some(name) }))
                    }
                    None => (unnamed(), Some(Object::Stack { task, name: None })),
                }
            }
            RawMemory::Stack { frame, ends } => {
                let local = match declared {
                    Some((pc, path)) => self.declared_local(*pc, path, raw.address, ends),
                    None => {
                        let of_callee = self.local_of_callee(&raw.functions(), raw.address, ends);
                        of_callee.or_else(|| {
                            let (pc, base) = (*frame)?;
                            self.local(pc.wrapping_sub(1), (raw.address as i64).wrapping_sub(base as i64))
                        })
                    }
                };
                let name = match (&local, declared) {
                    (Some(local), _) => Some(local.name.clone()),
                    (None, Some((_, path))) => Some(path.first_name().to_owned()),
                    (None, None) => None,
                };
                let location = match local {
                    Some(Local { name, part }) => {
                        let whole = name + self.written(&part);
                        let told = paths.iter().find_map(|(_, path)| extended(&whole, path));
                        told.filter(|_| !part.is_whole).unwrap_or(whole)
                    }
                    None => written().unwrap_or_else(unnamed),
                };
                (location, Some(Object::Stack { task, name }))
            }
        }
    }
}

/// A path that goes on where a name ends: `u.count` of `u`.
fn extended(name: &str, path: &Path) -> Option<String> {
    let text = path.text();
    let declared = matches!(path.root, Root::Local(_) | Root::Global);
    let goes_on = text.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '[']));
    (declared && goes_on).then_some(text)
}

fn side(access: &RaceAccess) -> (&Place, AccessKind, Operation) {
    (&access.at, access.access, access.operation)
}

/// Whether two races are of one location and pair of sites.
fn is_same(one: &Race, other: &Race) -> bool {
    one.location == other.location
        && side(&one.first) == side(&other.first)
        && side(&one.second) == side(&other.second)
}

/// One race for each location and pair of sites.
fn merged(races: impl IntoIterator<Item = Race>) -> Vec<Race> {
    let mut all: Vec<Race> = Vec::new();
    for race in races {
        match all.iter_mut().find(|known| is_same(known, &race)) {
            Some(known) => known.count += race.count,
            None => all.push(race),
        }
    }
    all
}

/// By the location, then the sites.
pub fn sort(races: &mut [Race]) {
    let kinds = |race: &Race| (race.first.access, race.second.access);
    races.sort_by(|a, b| {
        let sites = (&a.location, &a.first.at, &a.second.at).cmp(&(&b.location, &b.first.at, &b.second.at));
        sites.then_with(|| kinds(a).cmp(&kinds(b)))
    });
}
