//! What is known of a finding when it is found, as addresses ([`raceproof_symbols::raw`]): nothing
//! here looks a name up or reads a file.

use crate::detect::detector;
use crate::detect::detector::promises::SetBefore;
use crate::detect::detector::{Raced, RacedAccess, Role, Site};
use crate::detect::memory::Block;
use crate::report::{self, common, hidden, name, owner};
use raceproof_core::finding::{Construct, Grade, Operation};
use raceproof_core::ids::{SyncId, TaskId};
use raceproof_symbols::raw::{
    Calls, RawAccess, RawError, RawLock, RawMemory, RawRace, RawSetBefore, RawSpawned,
};

/// Of a deeper recursion the innermost calls are kept; of the place where a task was created, those
/// that can show whose it is.
const DEEPEST: usize = 1024;
const CREATION: usize = 128;

fn limited(site: Site, most: usize) -> Calls {
    let calls = detector().contexts.calls(site.context);
    Calls(std::iter::once(site.pc).chain(calls).take(most).collect())
}

pub(crate) fn calls(site: Site) -> Calls {
    limited(site, DEEPEST)
}

/// The tasks on the way from `main` to a task.
pub(crate) fn spawned(task: TaskId) -> Vec<RawSpawned> {
    let mut list = Vec::new();
    let mut at = task;
    loop {
        let entry = detector().tasks[at.index()];
        let (construct, thread) = match entry.role {
            Role::Main => break,
            // Which thread executed it is this run's choice.
            role if role.is_unit() => {
                at = entry.parent;
                continue;
            }
            Role::Thread(number) => (Construct::Parallel, Some(number)),
            Role::Started(_) => (Construct::Thread, None),
            Role::Explicit(_) if crate::process::is_shared() => (Construct::Rayon, None),
            Role::Async(_) => (Construct::Async, None),
            _ => (Construct::Task, None),
        };
        let created = limited(detector().site(entry.created), CREATION);
        let called = match construct {
            Construct::Thread => report::state().thread_names.get(&entry.thread).cloned(),
            _ => None,
        };
        list.push(RawSpawned { task: name(at), construct, thread, name: called, at: created });
        at = entry.parent;
    }
    list.reverse();
    list
}

pub(crate) fn error(kind: &str, message: &str, task: TaskId, calls: Vec<usize>) -> RawError {
    let (kind, message) = (kind.to_owned(), message.to_owned());
    let at = Calls(calls.into_iter().take(DEEPEST).collect());
    RawError { kind, message, task: name(task), at, spawned: spawned(task), related: Vec::new() }
}

pub(crate) fn lock(lock: usize) -> RawLock {
    match report::state().locks.get(&SyncId::at(lock)) {
        Some(&address) => RawLock::At(address),
        None => RawLock::Named("mutexinoutset".to_owned()),
    }
}

/// What is at an address, in a block of memory that began at another, or in none.
pub(crate) fn memory(address: usize, block: Option<(usize, Block)>) -> RawMemory {
    if let Some((base, block)) = block {
        let at = calls(detector().site(block.site));
        return RawMemory::Block { base, size: block.size, task: name(block.task), at };
    }
    if let Some(name) = hidden::name(address) {
        return RawMemory::Library(name.to_owned());
    }
    let detector = detector();
    if detector.is_thread_local(address) {
        return RawMemory::ThreadLocal;
    }
    match detector.stack_of(address) {
        Some(_) => RawMemory::Stack { frame: None, ends: Vec::new() },
        None => RawMemory::Unknown,
    }
}

pub(crate) fn race(raced: &Raced, grade: Grade) -> RawRace {
    let mut memory = memory(raced.address, raced.block);
    if let RawMemory::Stack { frame, ends } = &mut memory {
        *frame = raced.frame.map(|frame| (frame.pc, frame.base));
        *ends = raced.ends.iter().map(|end| (end.base, end.callee)).collect();
    }
    RawRace {
        address: raced.address,
        memory,
        grade,
        first: access(&raced.first),
        second: access(&raced.second),
        fork: name(common(raced.first.task, raced.second.task)),
        owner: name(owner(raced)),
        count: raced.count,
        promise: raced.promise.map(|promise| set_before(raced, promise)),
    }
}

fn set_before(raced: &Raced, promise: SetBefore) -> RawSetBefore {
    let by = if promise.by_first { &raced.first } else { &raced.second };
    let at = |site| calls(detector().site(site));
    RawSetBefore { task: name(by.task), created: at(promise.created), set: at(promise.set) }
}

/// The function of the C library whose call returns to an address.
fn called_at(pc: usize) -> Option<String> {
    report::state().library.get(&pc)?.to_str().ok().map(str::to_owned)
}

fn access(access: &RacedAccess) -> RawAccess {
    let entry = detector().tasks[access.task.index()];
    let construct = match entry.role {
        Role::Single(_) => Some(Construct::Single),
        Role::Share { is_sections: true, .. } => Some(Construct::Sections),
        Role::Chunk(_) | Role::Share { .. } => Some(Construct::For),
        _ => None,
    };
    let (mut task, mut spawned) = (name(access.task), spawned(access.task));
    if access.alike {
        task = format!("{}/…", name(entry.parent));
        if let Some(last) = spawned.last_mut() {
            last.task.clone_from(&task);
        }
    }
    if access.folded {
        task.push_str("/…");
    }
    if let Some(iteration) = access.lane.or(access.iteration) {
        task.push_str(&format!(", iteration {iteration}"));
    }
    RawAccess {
        access: access.kind,
        operation: if access.freed {
            Operation::Free
        } else if access.lane.is_some() {
            Operation::Lane
        } else if access.atomic {
            Operation::Atomic
        } else {
            Operation::Plain
        },
        library: called_at(access.site.pc),
        task,
        at: calls(access.site),
        spawned,
        locks: access.locks.iter().filter(|&&held| held != 0).map(|&held| lock(held)).collect(),
        region: construct.map(|construct| (construct, limited(detector().site(entry.created), CREATION))),
    }
}
