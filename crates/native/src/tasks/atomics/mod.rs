//! What atomic operations order, and how tasks wait by them.
//!
//! Atomic accesses do not race with each other. A load that acquires comes after the store that
//! releases whose value it sees, or whose release sequence it sees the end of; with fences, relaxed
//! operations do the same. A task that loads the same location again and again waits for another
//! one, so it lets the others run first ([`spins`]).
//!
//! Relaxed operations on words that no task has released by have three tiers, as plain accesses do:
//!
//! 1. *Fast path*: a same-epoch hit. Loads are decided in the entry point (`abi/tsan/atomic.rs`),
//!    without calls.
//! 2. *Medium path*: plain accesses evidently come before it
//!    ([`Detector::atomic_words`](crate::detect::detector::Detector)).
//! 3. *Slow path*: all else, and whatever releases or acquires.

pub(crate) mod operations;
pub(crate) mod released;
pub(crate) mod spins;
pub(crate) mod unobserved;

use crate::detect::detector;
use crate::detect::detector::Manner;
use crate::process;
use crate::process::global::Global;
use crate::tasks::{busy, explorer, repeats, sched};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::SyncId;
use released::Released;
use rustc_hash::{FxHashMap, FxHashSet};
use spins::{Look, Spins};
use unobserved::Unobserved;

/// What atomic operations order.
#[derive(Default)]
pub(crate) struct Atomics {
    pub(crate) released: Released,
    /// By a task's number: what its next fence comes after, and what its fence has published.
    seen: FxHashMap<u64, FxHashSet<SyncId>>,
    fenced: FxHashMap<u64, SyncId>,
    /// What was published, and is looked through when there is so much of it.
    published: Vec<SyncId>,
    enough: usize,
    pub(crate) spins: Spins,
    unobserved: Unobserved,
}

pub(crate) static ATOMICS: Global<Atomics> = Global::new();

#[inline(always)]
pub(crate) fn atomics() -> &'static mut Atomics {
    ATOMICS.get()
}

/// Sets the state up.
pub(super) fn begin() {
    ATOMICS.set(Atomics::default());
}

/// A memory order, as the compiler passes it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct MemoryOrder(i32);

impl MemoryOrder {
    const RELAXED: MemoryOrder = MemoryOrder(0);
    const ACQUIRE: MemoryOrder = MemoryOrder(2);
    const RELEASE: MemoryOrder = MemoryOrder(3);

    #[inline(always)]
    fn acquires(self) -> bool {
        matches!(self.0, 1 | 2 | 4 | 5)
    }

    #[inline(always)]
    fn releases(self) -> bool {
        matches!(self.0, 3..=5)
    }
}

/// Less than this is not looked through.
const FEW: usize = 1 << 10;

fn join_all(syncs: &[SyncId]) {
    for &sync in syncs {
        detector().join_sync(sync);
    }
}

fn publish() -> SyncId {
    let sync = new_sync();
    detector().signal_sync(sync);
    sync
}

/// The running task releases at the end of a release sequence, which it need not have acquired.
fn publish_after(before: SyncId) -> SyncId {
    let sync = new_sync();
    detector().signal_sync_after(sync, before);
    sync
}

fn new_sync() -> SyncId {
    let (atomics, sync) = (atomics(), detector().new_sync());
    // Those of a run that is recorded are in its trace.
    if !detector().is_recorded() {
        if atomics.published.len() >= atomics.enough.max(FEW) {
            atomics.retire();
        }
        atomics.published.push(sync);
    }
    sync
}

impl Atomics {
    /// Gives back what was published and nobody can acquire any more: else the order would keep the
    /// step and the task of every release there ever was. Done each time it has doubled: a constant
    /// a release.
    #[cold]
    fn retire(&mut self) {
        let detector = detector();
        // Who has ended does not come to a fence.
        let live = detector.identities();
        self.seen.retain(|task, _| live.contains(task));
        self.fenced.retain(|task, _| live.contains(task));
        let seen = self.seen.values().flatten().chain(self.fenced.values());
        let named: FxHashSet<SyncId> = seen.chain(self.released.syncs()).copied().collect();
        self.published.retain(|sync| {
            let is_named = named.contains(sync);
            if !is_named {
                detector.retire_sync(*sync);
            }
            is_named
        });
        self.enough = 2 * self.published.len();
    }
}

/// Before a load, or the load of a read-modify-write.
#[inline]
fn before_load(address: usize, order: MemoryOrder) {
    if atomics().released.may_be_at(address) {
        follow_releases(address, order);
    }
}

#[inline(never)]
fn follow_releases(address: usize, order: MemoryOrder) {
    let atomics = atomics();
    let Some(released) = atomics.released.at(address).map(<[_]>::to_vec) else { return };
    if order.acquires() {
        return join_all(&released);
    }
    // What the task has done itself, or acquired before, its fence adds nothing to: who gives a
    // lock back would else see, each time, all that was released by it.
    let task = detector().identity();
    let mut new = released.into_iter().filter(|&sync| !detector().has_joined(sync)).peekable();
    if new.peek().is_some() {
        atomics.seen.entry(task).or_default().extend(new);
    }
}

fn after_store(address: usize, order: MemoryOrder, is_update: bool) {
    let before = atomics().released.take(address);
    let mut chain = if is_update { before } else { Vec::new() };
    if order.releases() {
        release(&mut chain, order.acquires());
    } else if let Some(&fenced) = atomics().fenced.get(&detector().identity()) {
        release_fenced(&mut chain, fenced);
    }
    let atomics = atomics();
    if !chain.is_empty() {
        atomics.released.put(address, chain);
    }
    atomics.unobserved.stored(address);
    atomics.spins.forget();
}

/// Adds a release by the running task to a chain, of which it `knows` if it has acquired it. The
/// chain stays one sync, so that it costs the same however long it is; in a run that is recorded it
/// is a list, since a trace has no word for a sync that tells more than its task knows.
fn release(chain: &mut Vec<SyncId>, knows: bool) {
    let own = match chain.as_slice() {
        [before] if !knows && !detector().is_recorded() => publish_after(*before),
        _ => publish(),
    };
    if knows || !detector().is_recorded() {
        chain.clear();
    }
    chain.push(own);
}

/// The same for what the last fence of the running task has published.
fn release_fenced(chain: &mut Vec<SyncId>, fenced: SyncId) {
    match *chain.as_slice() {
        [before] if !detector().is_recorded() => {
            if !detector().order.signals_also(before, fenced) {
                let both = new_sync();
                detector().order.signal_both(both, before, fenced);
                chain[0] = both;
            }
        }
        _ if chain.contains(&fenced) => {}
        _ => chain.push(fenced),
    }
}

/// The running task releases, to no task in particular, so that it keeps its step in the order.
pub(super) fn release_to_any() {
    publish();
}

pub(crate) fn fence() {
    if !ATOMICS.is_set() {
        return;
    }
    let task = detector().identity();
    if let Some(seen) = atomics().seen.remove(&task) {
        let mut seen: Vec<SyncId> = seen.into_iter().collect();
        seen.sort_unstable();
        join_all(&seen);
    }
    let sync = publish();
    atomics().fenced.insert(task, sync);
}

/// What comes next comes after whoever called [`released`] with this address last.
pub(crate) fn acquired(address: usize) {
    if ATOMICS.is_set() {
        before_load(address, MemoryOrder::ACQUIRE);
    }
}

/// The same where the schedule decides who is first. If what was released there does not happen
/// before the running step already, another schedule may order the two the other way round.
pub(crate) fn acquired_by_schedule(address: usize) {
    if ATOMICS.is_set() {
        note_choice(address);
        acquired(address);
    }
}

/// Notes if the schedule has put what was released at an address before the running step.
fn note_choice(address: usize) {
    if detector().exclusive || !atomics().released.may_be_at(address) {
        return;
    }
    let released = atomics().released.at(address).map(<[_]>::to_vec).unwrap_or_default();
    detector().exclusive = released.into_iter().any(|sync| !detector().comes_after_sync(sync));
}

/// What the running task did so far comes before those who acquire this address from now on.
pub(crate) fn released(address: usize) {
    if ATOMICS.is_set() {
        after_store(address, MemoryOrder::RELEASE, false);
    }
}

/// As [`released`], and what was released there before is still to be acquired.
pub(crate) fn released_more(address: usize) {
    if ATOMICS.is_set() {
        after_store(address, MemoryOrder::RELEASE, true);
    }
}

/// The program frees memory: what was released there orders nobody who gets it next.
pub(crate) fn freed(address: usize, size: usize) {
    if ATOMICS.is_set() {
        atomics().released.forget(address..address + size);
    }
    unobserved::forget(address, size);
}

/// Nobody acquires an address any more that is no variable's.
pub(crate) fn forget(address: usize) {
    if ATOMICS.is_set() {
        atomics().released.take(address);
    }
}

/// Notes that the running task is about to load from there, when so much has happened; whether it
/// may wait for others.
#[inline(always)]
pub(crate) fn look(address: usize, steps: u64) -> bool {
    let (task, context) = (detector().current(), detector().contexts.now().context.0);
    atomics().spins.look(Look { task, address, steps, context })
}

pub(crate) fn pass_if_waiting() {
    if atomics().spins.waits() {
        sched::pass();
    }
}

/// Lets the others go first if this looks like waiting for them.
pub(crate) fn spin(address: usize) {
    detector().collect_within_turn();
    if sched::job().is_some() && look(address, sched::kernel().steps() - explorer::own_steps()) {
        pass_if_waiting();
    }
}

/// Whether a load of `N` words needs nothing but to be made: the running step has made it before,
/// it acquires nothing, and nobody is waited for by it.
#[inline(always)]
pub(crate) fn is_loaded_again<const N: usize>(address: usize) -> bool {
    let atomics = atomics();
    detector().is_same_epoch_atomic::<N>(address, AccessKind::Read)
        && !atomics.released.may_be_at(address)
        && atomics.spins.glance(address)
}

/// Whether a load acquires nothing, in a run that only detects.
#[inline(always)]
pub(crate) fn is_plain_load(address: usize) -> bool {
    sched::job().is_some()
        && detector().fast_path_enabled()
        && !atomics().released.may_be_at(address)
        && !process::is_shared()
}

/// Whether a store of `N` words, or a read-modify-write, orders nothing.
#[inline(always)]
fn orders_nothing(address: usize, order: MemoryOrder) -> bool {
    let atomics = atomics();
    !order.releases() && atomics.fenced.is_empty() && !atomics.released.may_be_at(address)
}

/// Whether a store of `N` words needs nothing but to be made: the running step has made it before,
/// and it orders nothing. Without calls.
#[inline(always)]
pub(crate) fn is_stored_again<const N: usize>(address: usize, order: MemoryOrder) -> bool {
    let is_again =
        orders_nothing(address, order) && detector().is_same_epoch_atomic::<N>(address, AccessKind::Write);
    if is_again {
        atomics().spins.forget();
    }
    is_again
}

/// The medium path of a store; whether it decides.
#[inline(always)]
pub(crate) fn try_store_medium<const N: usize>(address: usize, order: MemoryOrder, pc: usize) -> bool {
    let is_done = orders_nothing(address, order)
        && !process::is_shared()
        && detector().atomic_words::<N>(address, AccessKind::Write, pc);
    if is_done {
        atomics().spins.forget();
    }
    is_done
}

pub(crate) fn load(address: usize, size: usize, order: MemoryOrder, pc: usize) {
    spin(address);
    explorer::atomic(address, size, AccessKind::Read, pc);
    busy::looks(address, size);
    load_now(address, size, order, pc);
}

/// As [`load`], after the search has let the operation go on: no task runs between this and the
/// operation itself.
pub(crate) fn load_now(address: usize, size: usize, order: MemoryOrder, pc: usize) {
    note_choice(address);
    before_load(address, order);
    detector().access(address, size, AccessKind::Read, Manner::Atomic, pc);
}

#[inline(never)]
pub(crate) fn store(address: usize, size: usize, order: MemoryOrder, pc: usize) {
    explorer::atomic(address, size, AccessKind::Write, pc);
    busy::looks(address, size);
    repeats::acted();
    detector().access(address, size, AccessKind::Write, Manner::Atomic, pc);
    after_store(address, order, false);
}

#[inline(never)]
pub(crate) fn update(address: usize, size: usize, order: MemoryOrder, pc: usize) {
    explorer::atomic(address, size, AccessKind::Write, pc);
    busy::looks(address, size);
    update_now(address, size, order, pc);
}

pub(crate) fn update_now(address: usize, size: usize, order: MemoryOrder, pc: usize) {
    note_choice(address);
    before_load(address, order);
    detector().access(address, size, AccessKind::Write, Manner::Atomic, pc);
    after_store(address, order, true);
}

/// A read-modify-write that releases, which the library makes right after this, where nobody sees
/// it.
pub(in crate::tasks) fn releases(address: usize, size: usize, pc: usize) {
    update(address, size, MemoryOrder::RELEASE, pc);
}

/// One that releases nothing, and is no choice of a search.
pub(in crate::tasks) fn stores(address: usize) {
    after_store(address, MemoryOrder::RELAXED, true);
}

/// What a compare-and-exchange does if the comparison turned out so.
pub(crate) fn writes(same: bool) -> AccessKind {
    if same { AccessKind::Write } else { AccessKind::Read }
}
