//! Atomic operations. The compiler leaves the operation itself to us.
//!
//! Atomic accesses do not race with each other. What they order: a load that acquires comes after the store that
//! releases whose value it sees, or whose chain of read-modify-writes it sees the end of; with a fence, relaxed ones do the same.
//! A task that loads the same location again and again waits for somebody: it lets the others go first ([`Spins`]).
//!
//! Relaxed operations on words of memory that nobody has released by have three tiers, as plain accesses do:
//!
//! 1. *Fast path*: the running step has made the operation before, by the epoch in its cell. Loads are decided in the entry point; no calls.
//! 2. *Medium path*: plain accesses evidently come before it ([`Detector::atomic_words`](crate::detector::Detector)).
//! 3. *Slow path*: all else, and whatever releases or acquires.

use super::released::Released;
use super::spins::{Look, Spins};
use super::unseen::{self, Unseen};
use crate::detector::Manner;
use crate::world::World;
use crate::{explored, sched, world};
use raceproof_core::event::AccessKind;
use raceproof_core::ids::SyncId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::arch::naked_asm;
use std::mem::offset_of;

/// What atomic operations order.
#[derive(Default)]
pub(crate) struct Atomics {
    released: Released,
    /// By a task's number: what its next fence comes after, and what its fence has published.
    seen: FxHashMap<u64, FxHashSet<SyncId>>,
    fenced: FxHashMap<u64, SyncId>,
    /// What was published, and is looked through when there is so much of it.
    published: Vec<SyncId>,
    enough: usize,
    spins: Spins,
    pub(crate) unseen: Unseen,
}

/// Less than this is not looked through.
const FEW: usize = 1 << 10;

fn acquires(order: i32) -> bool {
    matches!(order, 1 | 2 | 4 | 5)
}

fn releases(order: i32) -> bool {
    matches!(order, 3..=5)
}

fn join_all(syncs: &[SyncId]) {
    for &sync in syncs {
        world().detector.join_sync(sync);
    }
}

fn publish() -> SyncId {
    let sync = new_sync();
    world().detector.signal_sync(sync);
    sync
}

/// The running task releases at the end of a release sequence, which it need not have acquired.
fn publish_after(before: SyncId) -> SyncId {
    let sync = new_sync();
    world().detector.signal_sync_after(sync, before);
    sync
}

fn new_sync() -> SyncId {
    let (atomics, sync) = (&mut world().atomics, world().detector.new_sync());
    // Those of a run that is recorded are in its trace.
    if !world().detector.is_recorded() {
        if atomics.published.len() >= atomics.enough.max(FEW) {
            atomics.retire();
        }
        atomics.published.push(sync);
    }
    sync
}

impl Atomics {
    /// Gives back what was published and nobody can acquire any more: else the order would keep the step and the task of every release there
    /// ever was. Done each time it has doubled: a constant a release.
    #[cold]
    fn retire(&mut self) {
        let detector = &mut world().detector;
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
fn before_load(address: usize, order: i32) {
    if world().atomics.released.may_be_at(address) {
        follow_releases(address, order);
    }
}

#[inline(never)]
fn follow_releases(address: usize, order: i32) {
    let atomics = &mut world().atomics;
    let Some(released) = atomics.released.at(address).map(<[_]>::to_vec) else { return };
    if acquires(order) {
        return join_all(&released);
    }
    // What the task has done itself, or acquired before, its fence adds nothing to: who gives a lock back would else see, each time, all that was
    // released by it.
    let detector = &mut world().detector;
    let mut new = released.into_iter().filter(|&sync| !detector.has_joined(sync)).peekable();
    if new.peek().is_some() {
        let task = world().detector.identity();
        atomics.seen.entry(task).or_default().extend(new);
    }
}

fn after_store(address: usize, order: i32, is_update: bool) {
    let before = world().atomics.released.take(address);
    let mut chain = if is_update { before } else { Vec::new() };
    if releases(order) {
        release(&mut chain, acquires(order));
    } else if let Some(&fenced) = world().atomics.fenced.get(&world().detector.identity()) {
        release_fenced(&mut chain, fenced);
    }
    let atomics = &mut world().atomics;
    if !chain.is_empty() {
        atomics.released.put(address, chain);
    }
    atomics.unseen.stored(address);
    atomics.spins.forget();
}

/// Adds a release by the running task to a chain, of which it `knows` if it has acquired it. The chain stays one sync, so that it costs the same
/// however long it is; in a run that is recorded it is a list, since a trace has no word for a sync that tells more than its task knows.
fn release(chain: &mut Vec<SyncId>, knows: bool) {
    let own = match chain.as_slice() {
        [before] if !knows && !world().detector.is_recorded() => publish_after(*before),
        _ => publish(),
    };
    if knows || !world().detector.is_recorded() {
        chain.clear();
    }
    chain.push(own);
}

/// The same for what the last fence of the running task has published.
fn release_fenced(chain: &mut Vec<SyncId>, fenced: SyncId) {
    match *chain.as_slice() {
        [before] if !world().detector.is_recorded() => {
            if !world().detector.order.signals_also(before, fenced) {
                let both = new_sync();
                world().detector.order.signal_both(both, before, fenced);
                chain[0] = both;
            }
        }
        _ if chain.contains(&fenced) => {}
        _ => chain.push(fenced),
    }
}

/// The running task tells how far it is, to nobody in particular.
pub(crate) fn tell() {
    publish();
}

pub(crate) fn fence() {
    if !crate::world::is_up() {
        return;
    }
    let task = world().detector.identity();
    if let Some(seen) = world().atomics.seen.remove(&task) {
        let mut seen: Vec<SyncId> = seen.into_iter().collect();
        seen.sort_unstable();
        join_all(&seen);
    }
    let sync = publish();
    world().atomics.fenced.insert(task, sync);
}

/// What comes next comes after whoever called [`released`] with this address last.
pub(crate) fn acquired(address: usize) {
    if crate::world::is_up() {
        before_load(address, ACQUIRE);
    }
}

/// What the running task did so far comes before those who acquire this address from now on.
pub(crate) fn released(address: usize) {
    if crate::world::is_up() {
        after_store(address, RELEASE, false);
    }
}

/// As [`released`], and what was released there before is still to be acquired.
pub(crate) fn added(address: usize) {
    if crate::world::is_up() {
        after_store(address, RELEASE, true);
    }
}

pub(super) const ACQUIRE: i32 = 2;
const RELEASE: i32 = 3;

/// Notes that the running task is about to load from there, when so much has happened; whether it may wait for others.
#[inline(always)]
fn look(address: usize, steps: u64) -> bool {
    let world = world();
    let (task, context) = (world.detector.current(), world.detector.contexts.now().context.0);
    world.atomics.spins.look(Look { task, address, steps, context })
}

fn pass_if_waiting() {
    if world().atomics.spins.waits() {
        sched::pass();
    }
}

/// Lets the others go first if this looks like waiting for them.
fn spin(address: usize) {
    if sched::job().is_some() && look(address, sched::kernel().steps() - explored::own_steps()) {
        pass_if_waiting();
    }
}

/// Whether a load of `N` words needs nothing but to be made: the running step has made it before, it acquires nothing, and nobody is waited for by it.
#[inline(always)]
fn is_loaded_again<const N: usize>(address: usize) -> bool {
    let world = world();
    world.detector.is_same_epoch_atomic::<N>(address, AccessKind::Read)
        && !world.atomics.released.may_be_at(address)
        && world.atomics.spins.glance(address)
}

/// Whether a load is made in a run that is only watched and acquires nothing.
#[inline(always)]
fn only_loads(address: usize) -> bool {
    let world = world();
    sched::job().is_some()
        && world.detector.fast_path_enabled()
        && !world.atomics.released.may_be_at(address)
        && !crate::start::is_shared()
}

/// Whether a store of `N` words, or a read-modify-write, orders nothing.
#[inline(always)]
fn only_stores(address: usize, order: i32) -> bool {
    let atomics = &world().atomics;
    !releases(order) && atomics.fenced.is_empty() && !atomics.released.may_be_at(address)
}

/// Whether a store of `N` words needs nothing but to be made: the running step has made it before, and it orders nothing. Without calls.
#[inline(always)]
fn is_stored_again<const N: usize>(address: usize, order: i32) -> bool {
    let is_again =
        only_stores(address, order) && world().detector.is_same_epoch_atomic::<N>(address, AccessKind::Write);
    if is_again {
        world().atomics.spins.forget();
    }
    is_again
}

/// The medium path of a store; whether it was taken.
#[inline(always)]
fn store_shortly<const N: usize>(address: usize, order: i32, pc: usize) -> bool {
    let is_done = only_stores(address, order)
        && !crate::start::is_shared()
        && world().detector.atomic_words::<N>(address, AccessKind::Write, pc);
    if is_done {
        world().atomics.spins.forget();
    }
    is_done
}

fn load(address: usize, size: usize, order: i32, pc: usize) {
    spin(address);
    explored::atomic(address, size, AccessKind::Read, pc);
    load_now(address, size, order, pc);
}

/// The search has its say before the operations that end in `now`, and not between these and what they tell of.
fn load_now(address: usize, size: usize, order: i32, pc: usize) {
    before_load(address, order);
    world().detector.access(address, size, AccessKind::Read, Manner::Atomic, pc);
}

#[inline(never)]
fn store(address: usize, size: usize, order: i32, pc: usize) {
    explored::atomic(address, size, AccessKind::Write, pc);
    world().detector.access(address, size, AccessKind::Write, Manner::Atomic, pc);
    after_store(address, order, false);
}

#[inline(never)]
fn update(address: usize, size: usize, order: i32, pc: usize) {
    explored::atomic(address, size, AccessKind::Write, pc);
    update_now(address, size, order, pc);
}

fn update_now(address: usize, size: usize, order: i32, pc: usize) {
    before_load(address, order);
    world().detector.access(address, size, AccessKind::Write, Manner::Atomic, pc);
    after_store(address, order, true);
}

/// What a compare-and-exchange does if the comparison turned out so.
fn writes(same: bool) -> AccessKind {
    if same { AccessKind::Write } else { AccessKind::Read }
}

/// Defines `__tsan_atomic…` functions: a stub that adds the return address as the last argument, and what it goes on as.
macro_rules! stub {
    ($name:ident, $register:literal, $target:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {target}", target = sym $target)
        }
    };
}

/// The fast path of loads of whole words: the running step has made the load before, to another location than the last, and nobody has released anything.
/// As [`is_loaded_again`], which also knows where something was released; without a call, in half the instructions. Where there are several cells they are
/// alike, as those of a pair are that share a record.
macro_rules! load_stub {
    ($name:ident, $aligned:literal, [$($alike:literal),*], $result:literal, $target:path) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!(
                "movabs rax, 0x3fffffffffc",
                "and rax, rdi",
                "movabs rcx, 0x100000000000",
                "mov r8d, [rcx + rax*2 + 4]",
                "cmp r8d, [rip + {now} + {epoch}]",
                "jb 2f",
                "cmp r8d, {last_epoch}",
                "ja 2f",
                $($alike,)*
                concat!("test dil, ", $aligned),
                "jnz 2f",
                "mov rdx, [rip + {world}]",
                "cmp qword ptr [rdx + {released}], 0",
                "jne 2f",
                "cmp [rdx + {looked_at}], rdi",
                "je 2f",
                "cmp dword ptr [rdx + {until}], 1",
                "je 2f",
                "mov [rdx + {looked_at}], rdi",
                "mov qword ptr [rdx + {steps}], {no_steps}",
                "dec dword ptr [rdx + {until}]",
                concat!("mov ", $result, ", [rdi]"),
                "ret",
                "2:",
                "mov rdx, [rsp]",
                "jmp {target}",
                now = sym crate::now::NOW,
                epoch = const crate::now::EPOCH,
                last_epoch = const crate::shadow::LAST_EPOCH as i32,
                world = sym crate::world::WORLD,
                released = const offset_of!(World, atomics.released.bits),
                looked_at = const offset_of!(World, atomics.spins.last.address),
                steps = const offset_of!(World, atomics.spins.last.steps),
                until = const offset_of!(World, atomics.spins.until),
                no_steps = const super::spins::NO_STEPS as i64,
                target = sym $target,
            )
        }
    };
    ($name:ident a32) => {
        load_stub!($name, "3", [], "eax", a32::load_it);
    };
    ($name:ident a64) => {
        load_stub!(
            $name, "7", ["mov r8, [rcx + rax*2]", "cmp r8, [rcx + rax*2 + 8]", "jne 2f"], "rax", a64::load_it
        );
    };
    ($name:ident $part:ident) => {
        stub!($name, "rdx", $part::load_it);
    };
}

macro_rules! atomics {
    ($($module:ident $type:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident
        $nand:ident $strong:ident $weak:ident $val:ident;)*) => { $(
        mod $module {
            use super::*;
            const SIZE: usize = size_of::<$type>();
            /// Parts of words have no short way.
            const IS_SHORT: bool = SIZE >= 4;
            const WORDS: usize = SIZE.div_ceil(4);

            pub(super) extern "C" fn load_it(at: *const $type, order: i32, pc: usize) -> $type {
                if IS_SHORT && is_loaded_again::<WORDS>(at as usize) {
                    // SAFETY: what the program asked for; no other thread runs, so that a plain access is atomic.
                    return unsafe { at.read_volatile() };
                }
                load_first(at, order, pc)
            }
            #[inline(never)]
            fn load_first(at: *const $type, order: i32, pc: usize) -> $type {
                if !IS_SHORT || !only_loads(at as usize) {
                    return load_slowly(at, order, pc);
                }
                // No search is on, and so there are no steps of its own.
                if look(at as usize, sched::kernel().steps()) {
                    return load_later(at, order, pc);
                }
                if !world().detector.atomic_words::<WORDS>(at as usize, AccessKind::Read, pc) {
                    return load_at_last(at, order, pc);
                }
                // SAFETY: as above.
                unsafe { at.read_volatile() }
            }
            #[inline(never)]
            fn load_slowly(at: *const $type, order: i32, pc: usize) -> $type {
                spin(at as usize);
                load_at_last(at, order, pc)
            }
            /// What was found out before is void: others have run.
            #[cold]
            fn load_later(at: *const $type, order: i32, pc: usize) -> $type {
                pass_if_waiting();
                load_at_last(at, order, pc)
            }
            fn load_at_last(at: *const $type, order: i32, pc: usize) -> $type {
                explored::atomic(at as usize, SIZE, AccessKind::Read, pc);
                load_now(at as usize, SIZE, order, pc);
                // SAFETY: as above.
                let value = unsafe { at.read_volatile() };
                unseen::looked(at as usize, SIZE);
                value
            }
            pub(super) extern "C" fn store_it(at: *mut $type, value: $type, order: i32, pc: usize) {
                if !IS_SHORT || !is_stored_again::<WORDS>(at as usize, order) {
                    return store_first(at, value, order, pc);
                }
                // SAFETY: as above.
                unsafe { at.write_volatile(value) }
            }
            #[inline(never)]
            fn store_first(at: *mut $type, value: $type, order: i32, pc: usize) {
                if !IS_SHORT || !store_shortly::<WORDS>(at as usize, order, pc) {
                    store(at as usize, SIZE, order, pc);
                }
                // SAFETY: as above.
                unsafe { at.write_volatile(value) }
            }
            #[inline(always)]
            fn modify(at: *mut $type, order: i32, pc: usize, with: impl FnOnce($type) -> $type) -> $type {
                if !IS_SHORT || !is_stored_again::<WORDS>(at as usize, order) {
                    return modify_first(at, order, pc, with);
                }
                replace(at, with)
            }
            #[inline(never)]
            fn modify_first(at: *mut $type, order: i32, pc: usize, with: impl FnOnce($type) -> $type) -> $type {
                if !IS_SHORT || !store_shortly::<WORDS>(at as usize, order, pc) {
                    update(at as usize, SIZE, order, pc);
                }
                replace(at, with)
            }
            /// The read-modify-write itself.
            #[inline(always)]
            fn replace(at: *mut $type, with: impl FnOnce($type) -> $type) -> $type {
                // SAFETY: as above.
                unsafe {
                    let before = at.read_volatile();
                    at.write_volatile(with(before));
                    before
                }
            }
            pub(super) extern "C" fn exchange_it(at: *mut $type, value: $type, order: i32, pc: usize) -> $type {
                spin(at as usize);
                let look = world().atomics.spins.last();
                let before = modify(at, order, pc, |_| value);
                // A lock that is taken by exchange and is taken already.
                world().atomics.spins.set_last(look);
                before
            }
            pub(super) extern "C" fn add_it(at: *mut $type, value: $type, order: i32, pc: usize) -> $type {
                modify(at, order, pc, |before| before.wrapping_add(value))
            }
            pub(super) extern "C" fn sub_it(at: *mut $type, value: $type, order: i32, pc: usize) -> $type {
                modify(at, order, pc, |before| before.wrapping_sub(value))
            }
            pub(super) extern "C" fn and_it(at: *mut $type, value: $type, order: i32, pc: usize) -> $type {
                modify(at, order, pc, |before| before & value)
            }
            pub(super) extern "C" fn or_it(at: *mut $type, value: $type, order: i32, pc: usize) -> $type {
                modify(at, order, pc, |before| before | value)
            }
            pub(super) extern "C" fn xor_it(at: *mut $type, value: $type, order: i32, pc: usize) -> $type {
                modify(at, order, pc, |before| before ^ value)
            }
            pub(super) extern "C" fn nand_it(at: *mut $type, value: $type, order: i32, pc: usize) -> $type {
                modify(at, order, pc, |before| !(before & value))
            }
            pub(super) extern "C" fn compare_it(
                at: *mut $type, expected: *mut $type, value: $type, order: i32, failed: i32, pc: usize,
            ) -> i32 {
                // SAFETY: as above.
                let wanted = unsafe { *expected };
                let before = compare(at, wanted, value, order, failed, pc);
                if before != wanted {
                    // SAFETY: as above.
                    unsafe { *expected = before };
                }
                i32::from(before == wanted)
            }
            fn compare(at: *mut $type, wanted: $type, value: $type, order: i32, failed: i32, pc: usize) -> $type {
                // SAFETY: as above.
                let now = || unsafe { at.read_volatile() };
                if now() != wanted {
                    spin(at as usize);
                }
                explored::atomic_as(at as usize, SIZE, pc, || writes(now() == wanted));
                // Others may have run.
                let before = now();
                if before == wanted {
                    let is_done = IS_SHORT
                        && (is_stored_again::<WORDS>(at as usize, order)
                            || store_shortly::<WORDS>(at as usize, order, pc));
                    if !is_done {
                        update_now(at as usize, SIZE, order, pc);
                    }
                    replace(at, |_| value);
                } else {
                    load_now(at as usize, SIZE, unseen::order_of_failure(failed), pc);
                }
                unseen::looked(at as usize, SIZE);
                before
            }
            pub(super) extern "C" fn compare_val_it(
                at: *mut $type, wanted: $type, value: $type, order: i32, failed: i32, pc: usize,
            ) -> $type {
                compare(at, wanted, value, order, failed, pc)
            }
        }
        load_stub!($load $module);
        stub!($store, "rcx", $module::store_it);
        stub!($exchange, "rcx", $module::exchange_it);
        stub!($add, "rcx", $module::add_it);
        stub!($sub, "rcx", $module::sub_it);
        stub!($and, "rcx", $module::and_it);
        stub!($or, "rcx", $module::or_it);
        stub!($xor, "rcx", $module::xor_it);
        stub!($nand, "rcx", $module::nand_it);
        stub!($strong, "r9", $module::compare_it);
        stub!($weak, "r9", $module::compare_it);
        stub!($val, "r9", $module::compare_val_it);
    )* };
}

atomics! {
    a8 u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub
        __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
        __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val;
    a16 u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
        __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor
        __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
        __tsan_atomic16_compare_exchange_val;
    a32 u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
        __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor
        __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
        __tsan_atomic32_compare_exchange_val;
    a64 u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
        __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor
        __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
        __tsan_atomic64_compare_exchange_val;
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(_: i32) {
    fence();
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: i32) {}

/// The generic operations of the compiler's support library, for what has no size of its own: with `size` first.
macro_rules! generic {
    ($($name:ident, $register:literal, $target:ident;)*) => { $( stub!($name, $register, $target); )* };
}
generic! {
    __atomic_load, "r8", generic_load;
    __atomic_store, "r8", generic_store;
    __atomic_exchange, "r9", generic_exchange;
}

extern "C" fn generic_load(size: usize, from: *const u8, to: *mut u8, order: i32, pc: usize) {
    load(from as usize, size, order, pc);
    // SAFETY: what the program asked for.
    unsafe { std::ptr::copy(from, to, size) };
}

extern "C" fn generic_store(size: usize, to: *mut u8, from: *const u8, order: i32, pc: usize) {
    store(to as usize, size, order, pc);
    // SAFETY: what the program asked for.
    unsafe { std::ptr::copy(from, to, size) };
}

extern "C" fn generic_exchange(
    size: usize,
    at: *mut u8,
    value: *const u8,
    before: *mut u8,
    order: i32,
    pc: usize,
) {
    update(at as usize, size, order, pc);
    // SAFETY: what the program asked for.
    unsafe {
        std::ptr::copy(at, before, size);
        std::ptr::copy(value, at, size);
    }
}

/// `__atomic_compare_exchange(size, at, expected, desired, success, failure)`; the return address is noted as for constructs.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub extern "C" fn __atomic_compare_exchange() {
    naked_asm!("mov rax, [rsp]", "mov [rip + {caller}], rax", "jmp {target}",
        caller = sym crate::kmpc::CALLER, target = sym generic_compare)
}

extern "C" fn generic_compare(
    size: usize,
    at: *mut u8,
    expected: *mut u8,
    desired: *const u8,
    success: i32,
    failure: i32,
) -> bool {
    let pc = crate::kmpc::caller();
    // SAFETY: the program's pointers, to `size` bytes each.
    let is_same =
        || unsafe { std::slice::from_raw_parts(at, size) == std::slice::from_raw_parts(expected, size) };
    if !is_same() {
        spin(at as usize);
    }
    explored::atomic_as(at as usize, size, pc, || writes(is_same()));
    let same = is_same();
    // SAFETY: as above.
    unsafe {
        if same {
            update_now(at as usize, size, success, pc);
            std::ptr::copy(desired, at, size);
        } else {
            load_now(at as usize, size, failure, pc);
            std::ptr::copy(at, expected, size);
        }
    }
    same
}
