//! `omp_*_lock`, nested locks, and the locks behind critical sections.

use crate::explored;
use crate::sched::{self, kernel, wait};
use crate::world;
use raceproof_core::ids::SyncId;

/// A lock of the program, by its address.
pub(crate) struct OmpLock {
    sync: SyncId,
    /// How often its holder has taken it, for nested locks.
    depth: i32,
}

fn entry(address: usize) -> &'static mut OmpLock {
    let omp = &mut world().omp;
    let addresses = &mut omp.lock_addresses;
    omp.locks.entry(address).or_insert_with(|| {
        let sync = explored::new_lock(address);
        addresses.insert(sync, address);
        OmpLock { sync, depth: 0 }
    })
}

/// The lock of the critical sections of one name.
pub(crate) fn critical(name: usize) -> SyncId {
    entry(name).sync
}

/// The address of a lock, for reports; also of one that was destroyed. None: no lock of the program's, but one of `mutexinoutset`.
pub(crate) fn address(sync: usize) -> Option<usize> {
    world().omp.lock_addresses.get(&SyncId::at(sync)).copied()
}

fn is_running() -> bool {
    sched::job().is_some()
}

fn holds(sync: SyncId) -> bool {
    kernel().holder(sync) == Some(kernel().current())
}

fn release(sync: SyncId) {
    if holds(sync) {
        kernel().unlock(sync);
    } else {
        crate::report::program_error("lock", "a lock is released by a task that does not hold it");
    }
}

// Whoever waits for a lock is reported with where it does.
super::entry! {
    omp_set_lock => omp_set;
    omp_set_nest_lock => omp_set_nest;
    __kmpc_set_lock => kmpc_set;
    __kmpc_set_nest_lock => kmpc_set_nest;
}

macro_rules! locks {
    ($($init:ident $init_hint:ident $destroy:ident $set:ident $unset:ident $test:ident
       / $nest_init:ident $nest_init_hint:ident $nest_destroy:ident $nest_set:ident $nest_unset:ident $nest_test:ident
       ($($extra:ident: $type:ty),*);)*) => { $(
        #[unsafe(no_mangle)]
        pub extern "C" fn $init($($extra: $type,)* lock: usize) { let _ = ($($extra,)*); init(lock); }
        #[unsafe(no_mangle)]
        pub extern "C" fn $init_hint($($extra: $type,)* lock: usize, _hint: usize) { let _ = ($($extra,)*); init(lock); }
        #[unsafe(no_mangle)]
        pub extern "C" fn $destroy($($extra: $type,)* lock: usize) { let _ = ($($extra,)*); init(lock); }
        extern "C" fn $set($($extra: $type,)* lock: usize) { let _ = ($($extra,)*); set(lock); }
        #[unsafe(no_mangle)]
        pub extern "C" fn $unset($($extra: $type,)* lock: usize) { let _ = ($($extra,)*); unset(lock); }
        #[unsafe(no_mangle)]
        pub extern "C" fn $test($($extra: $type,)* lock: usize) -> i32 { let _ = ($($extra,)*); test(lock) }
        #[unsafe(no_mangle)]
        pub extern "C" fn $nest_init($($extra: $type,)* lock: usize) { let _ = ($($extra,)*); init(lock); }
        #[unsafe(no_mangle)]
        pub extern "C" fn $nest_init_hint($($extra: $type,)* lock: usize, _hint: usize) { let _ = ($($extra,)*); init(lock); }
        #[unsafe(no_mangle)]
        pub extern "C" fn $nest_destroy($($extra: $type,)* lock: usize) { let _ = ($($extra,)*); init(lock); }
        extern "C" fn $nest_set($($extra: $type,)* lock: usize) { let _ = ($($extra,)*); nest_set(lock); }
        #[unsafe(no_mangle)]
        pub extern "C" fn $nest_unset($($extra: $type,)* lock: usize) { let _ = ($($extra,)*); nest_unset(lock); }
        #[unsafe(no_mangle)]
        pub extern "C" fn $nest_test($($extra: $type,)* lock: usize) -> i32 { let _ = ($($extra,)*); nest_test(lock) }
    )* };
}

locks! {
    omp_init_lock omp_init_lock_with_hint omp_destroy_lock omp_set omp_unset_lock omp_test_lock
        / omp_init_nest_lock omp_init_nest_lock_with_hint omp_destroy_nest_lock omp_set_nest omp_unset_nest_lock
          omp_test_nest_lock ();
    __kmpc_init_lock __kmpc_init_lock_with_hint __kmpc_destroy_lock kmpc_set __kmpc_unset_lock __kmpc_test_lock
        / __kmpc_init_nest_lock __kmpc_init_nest_lock_with_hint __kmpc_destroy_nest_lock kmpc_set_nest
          __kmpc_unset_nest_lock __kmpc_test_nest_lock (_loc: super::Loc, _thread: i32);
}

/// What whether the lock is held decides.
const TESTED: &str = "the program tests whether a lock is held";

/// A new lock at this address; what was there is forgotten.
pub(crate) fn init(lock: usize) {
    world().omp.locks.remove(&lock);
}

fn set(lock: usize) {
    if is_running() {
        let sync = entry(lock).sync;
        wait(|kernel| kernel.lock(sync));
    }
}

fn unset(lock: usize) {
    if is_running() {
        release(entry(lock).sync);
    }
}

fn test(lock: usize) -> i32 {
    if !is_running() {
        return 1;
    }
    explored::unexplored(TESTED);
    let sync = entry(lock).sync;
    if kernel().holder(sync).is_some() {
        // Somebody may be spinning on it.
        sched::pass();
        return 0;
    }
    wait(|kernel| kernel.lock(sync));
    1
}

pub(crate) fn nest_set(lock: usize) {
    if !is_running() {
        return;
    }
    let sync = entry(lock).sync;
    if !holds(sync) {
        wait(|kernel| kernel.lock(sync));
    }
    entry(lock).depth += 1;
}

pub(crate) fn nest_unset(lock: usize) {
    if !is_running() {
        return;
    }
    let entry = entry(lock);
    entry.depth -= 1;
    if entry.depth <= 0 {
        entry.depth = 0;
        release(entry.sync);
    }
}

pub(crate) fn nest_test(lock: usize) -> i32 {
    if !is_running() {
        return 1;
    }
    explored::unexplored(TESTED);
    let sync = entry(lock).sync;
    if !holds(sync) && kernel().holder(sync).is_some() {
        sched::pass();
        return 0;
    }
    nest_set(lock);
    entry(lock).depth
}
