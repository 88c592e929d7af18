//! What a search over schedules decides about tasks. The module `search` implements [`Explorer`];
//! tasks know only that there may be one.

use crate::process::global::Global;
use crate::report;
use crate::tasks::busy;
use crate::tasks::sched::kernel;
use raceproof_core::event::{AccessKind, Observer};
use raceproof_core::explore::trace::Trace;
use raceproof_core::ids::SyncId;
use std::ops::Range;

/// An execution of a search. Methods may switch tasks, so nothing is borrowed by them.
pub(crate) trait Explorer {
    /// What the kernel's events go to beside the detector.
    fn observer(&self) -> &'static mut dyn Observer;

    /// Whether a sync is the search's own: the detector is not notified of it.
    fn hides(&self, sync: SyncId) -> bool;

    fn trace(&self) -> &'static Trace;

    /// The number of a sync that is the same in every schedule.
    fn label(&self, sync: SyncId) -> SyncId;

    /// Whether the detector is on in this execution.
    fn detects(&self) -> bool;

    /// A lock of the kernel is that of what the program has at an address.
    fn name_lock(&self, sync: SyncId, address: usize);

    /// Storage for a virtual thread was made.
    fn name_thread(&self, from: usize, to: usize, thread: u32);

    /// The running task begins on a stack.
    fn name_stack(&self, memory: Range<usize>);

    /// A name of an address that is the same in every schedule.
    fn name(&self, address: usize) -> u64;

    /// The running task is about to make an access. Returns when it may.
    fn access(&self, address: usize, size: usize, kind: AccessKind, pc: usize);

    /// The running task waits for the next notification.
    fn wait(&self, event: WaitEvent);

    /// Orders the running task after the last notification.
    fn join_last(&self, event: WaitEvent);

    fn notify(&self, event: WaitEvent);

    /// Notifies all events of a team, by its address: what its threads wait for may not come any
    /// more.
    fn notify_all(&self, team: usize);

    /// The running task is about to make an atomic operation. Returns when it may; `kind` then says
    /// what it does.
    fn atomic(&self, address: usize, size: usize, pc: usize, kind: &dyn Fn() -> AccessKind);

    /// Whether the search knows of a change that uninstrumented code of the running task, which
    /// stops, has made to a word.
    fn knows_change(&self, address: usize, size: usize) -> bool;

    /// The running task frees memory.
    fn freed(&self, address: usize, size: usize, pc: usize);

    /// How many of the kernel's steps are the search's own.
    fn own_steps(&self) -> u64;

    /// A task of the program has failed, as reported: it stays where it is.
    fn failed(&self);
}

/// Something that tasks wait for: the team, the loop, and the iteration if each has an event of its
/// own; or what is at an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct WaitEvent {
    pub(crate) team: usize,
    pub(crate) number: u64,
    pub(crate) iteration: u64,
}

impl WaitEvent {
    /// The event of a change to the program's memory.
    pub(crate) fn of(address: usize) -> WaitEvent {
        let number = EXPLORER.find().map_or(0, |explorer| explorer.name(address));
        WaitEvent { team: address, number, iteration: WaitEvent::MEMORY }
    }

    /// The event of a change to any of these.
    pub(crate) fn of_all(addresses: impl Iterator<Item = usize>) -> WaitEvent {
        let fold = |all: WaitEvent, one: WaitEvent| WaitEvent {
            team: all.team.rotate_left(7) ^ one.team,
            number: all.number.rotate_left(7) ^ one.number,
            iteration: WaitEvent::MEMORY,
        };
        addresses.map(WaitEvent::of).reduce(fold).unwrap_or(WaitEvent::of(0))
    }

    /// Whether it is one of memory, whose name says all, and not of a team.
    pub(crate) fn is_of_memory(self) -> bool {
        self.iteration == WaitEvent::MEMORY
    }

    /// No loop has so many iterations.
    const MEMORY: u64 = u64::MAX;
}

static EXPLORER: Global<&'static dyn Explorer> = Global::new();

/// Makes this process an execution of a search, before the program runs.
pub(crate) fn set(explorer: &'static dyn Explorer) {
    EXPLORER.set(explorer);
}

#[inline]
pub(super) fn find() -> Option<&'static dyn Explorer> {
    EXPLORER.find().map(|explorer| *explorer)
}

/// Whether this process is an execution of a search.
#[inline]
pub(crate) fn is_on() -> bool {
    EXPLORER.is_set()
}

/// Whether the detector is on, as far as a search is concerned.
pub(crate) fn detects() -> bool {
    find().is_none_or(|explorer| explorer.detects())
}

/// A lock of the kernel for what the program has at an address.
pub(crate) fn new_lock(address: usize) -> SyncId {
    let sync = kernel().new_lock();
    if let Some(explorer) = find() {
        explorer.name_lock(sync, address);
    }
    sync
}

pub(super) fn thread(from: usize, to: usize, thread: u32) {
    if let Some(explorer) = find() {
        explorer.name_thread(from, to, thread);
    }
}

#[inline]
pub(super) fn stack(memory: Range<usize>) {
    if let Some(explorer) = find() {
        explorer.name_stack(memory);
    }
}

/// The running task is about to make an atomic operation of this kind.
pub(crate) fn atomic(address: usize, size: usize, kind: AccessKind, pc: usize) {
    atomic_as(address, size, pc, || kind);
}

/// The same where only the turn of the operation decides whether it writes.
pub(crate) fn atomic_as(address: usize, size: usize, pc: usize, kind: impl Fn() -> AccessKind) {
    if let Some(explorer) = find() {
        explorer.atomic(address, size, pc, &kind);
    }
}

/// Whether no search is on, or it knows of the change.
pub(super) fn knows_change(address: usize, size: usize) -> bool {
    find().is_none_or(|explorer| explorer.knows_change(address, size))
}

pub(super) fn freed(address: usize, size: usize, pc: usize) {
    if let Some(explorer) = find() {
        busy::freed(address, size);
        explorer.freed(address, size, pc);
    }
}

pub(super) fn own_steps() -> u64 {
    find().map_or(0, |explorer| explorer.own_steps())
}

pub(super) fn notify_all(team: usize) {
    if let Some(explorer) = find() {
        explorer.notify_all(team);
    }
}

pub(super) fn access(address: usize, size: usize, kind: AccessKind, pc: usize) {
    if let Some(explorer) = find() {
        explorer.access(address, size, kind, pc);
    }
}

pub(crate) fn wait(event: WaitEvent) {
    if let Some(explorer) = find() {
        explorer.wait(event);
    }
}

pub(crate) fn join_last(event: WaitEvent) {
    if let Some(explorer) = find() {
        explorer.join_last(event);
    }
}

pub(super) fn notify(event: WaitEvent) {
    if let Some(explorer) = find() {
        explorer.notify(event);
    }
}

/// The program does something whose outcome depends on the schedule in a way that is not explored.
pub(crate) fn unexplored(what: &str) {
    report::unexplored(what);
}

/// A task of the program has failed. Returns if this is no execution of a search.
pub(crate) fn failed() {
    if let Some(explorer) = find() {
        explorer.failed();
    }
}
