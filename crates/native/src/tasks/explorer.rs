//! What a search over schedules decides about tasks. The module `search` implements [`Explorer`]; tasks know of it only that it may be there.

use crate::process::global::Global;
use crate::report;
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

    /// The running task waits for the next ring.
    fn listen(&self, bell: Bell);

    /// What the running task does now comes after the last ring.
    fn heard(&self, bell: Bell);

    fn ring(&self, bell: Bell);

    /// A task of the program has failed, as reported: it stays where it is.
    fn failed(&self);
}

/// Something that is waited for: the team, the loop, and the iteration if each has a bell of its own; or what is at an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Bell {
    pub(crate) team: usize,
    pub(crate) number: u64,
    pub(crate) iteration: u64,
}

impl Bell {
    /// That of something in the program's memory.
    pub(crate) fn of(address: usize) -> Bell {
        let number = EXPLORER.find().map_or(0, |explorer| explorer.name(address));
        Bell { team: address, number, iteration: 0 }
    }
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

pub(super) fn access(address: usize, size: usize, kind: AccessKind, pc: usize) {
    if let Some(explorer) = find() {
        explorer.access(address, size, kind, pc);
    }
}

pub(crate) fn listen(bell: Bell) {
    if let Some(explorer) = find() {
        explorer.listen(bell);
    }
}

pub(crate) fn heard(bell: Bell) {
    if let Some(explorer) = find() {
        explorer.heard(bell);
    }
}

pub(super) fn ring(bell: Bell) {
    if let Some(explorer) = find() {
        explorer.ring(bell);
    }
}

/// The program does something whose outcome depends on the schedule in a way that is not explored.
pub(super) fn unexplored(what: &str) {
    report::unexplored(what);
}

/// A task of the program has failed. Returns if this is no execution of a search.
pub(super) fn failed() {
    if let Some(explorer) = find() {
        explorer.failed();
    }
}
