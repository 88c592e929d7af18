//! Tasks as coroutines on the kernel, the teams and threads of OpenMP, explicit tasks, loops and
//! locks, pools of workers, and what synchronises tasks: locks, atomic operations, futexes.

pub(crate) mod atomics;
pub(crate) mod busy;
pub(crate) mod cancel;
pub(crate) mod constructs;
pub(crate) mod deadlock;
pub(crate) mod depend;
pub(crate) mod doacross;
mod excuses;
pub(crate) mod explicit;
pub(crate) mod explorer;
pub(crate) mod finishes;
pub(crate) mod forasync;
pub(crate) mod futex;
pub(crate) mod futures;
pub(crate) mod groups;
pub(crate) mod guards;
pub(crate) mod hclib;
pub(crate) mod heap;
pub(crate) mod icvs;
pub(crate) mod jobs;
pub(crate) mod locks;
pub(crate) mod loops;
pub(crate) mod monitors;
pub(crate) mod mutexes;
pub(crate) mod observer;
pub(crate) mod omp;
pub(crate) mod polls;
pub(crate) mod pools;
pub(crate) mod preemption;
pub(crate) mod promises;
pub(crate) mod regions;
pub(crate) mod repeats;
pub(crate) mod sched;
pub(crate) mod standard;
pub(crate) mod taskloop;
pub(crate) mod threadprivate;
pub(crate) mod threads;
pub(crate) mod units;
pub(crate) mod waits;
pub(crate) mod workers;

use crate::process::global::InPlace;
use raceproof_core::ids::TaskId;
use rustc_hash::{FxHashMap, FxHashSet};

/// What this module owns.
pub(crate) struct State {
    pub(crate) omp: omp::Omp,
    jobs: jobs::Jobs,
    pub(crate) workers: workers::Workers,
    pools: pools::Pools,
    hclib: hclib::Hclib,
    futures: futures::Futures,
    excuses: excuses::Excuses,
    /// Threads that the program has created.
    threads: threads::Threads,
    /// Reader-writer locks, condition variables, semaphores and barriers.
    monitors: monitors::Monitors,
    /// Who sleeps, where and until when.
    waits: waits::Waits,
    /// Who waits by looking, in a search.
    busy: busy::Busy,
    polls: polls::Polls,
    /// Where tasks have been, in a search.
    repeats: repeats::Repeats,
    /// Who waits at which address.
    waiters: FxHashMap<usize, futex::Waiters>,
    standard: standard::Standard,
    /// Blocks of the heap that code which is not instrumented has got.
    librarys_blocks: FxHashSet<usize>,
    /// Turns in a row in which a task looked in vain for what it waits for.
    pub(crate) idle: u64,
    /// Who gave up its turn last in a search, and how often in a row.
    rounds: (TaskId, u32),
    /// Who ran, and how far all had come, when a share of time was last over.
    ran: Option<(u64, u64)>,
}

static STATE: InPlace<State> = InPlace::new();

#[inline(always)]
pub(crate) fn state() -> &'static mut State {
    STATE.get()
}

/// Sets the module up.
pub(crate) fn begin() {
    let omp = omp::Omp::new(&crate::process::state().options);
    let (jobs, workers, pools, hclib, futures, threads, monitors, waits, waiters) = Default::default();
    STATE.set(State {
        standard: standard::Standard::default(),
        omp,
        jobs,
        workers,
        pools,
        hclib,
        futures,
        excuses: excuses::Excuses::default(),
        threads,
        monitors,
        waits,
        busy: busy::Busy::default(),
        polls: Default::default(),
        repeats: repeats::Repeats::default(),
        waiters,
        librarys_blocks: FxHashSet::default(),
        idle: 0,
        rounds: (TaskId::MAIN, 0),
        ran: None,
    });
    atomics::begin();
    excuses::begin();
}
