//! Tasks as coroutines on the kernel, the teams and threads of OpenMP, explicit tasks, loops and locks, pools of workers.

pub(crate) mod constructs;
pub(crate) mod deadlock;
pub(crate) mod depend;
pub(crate) mod doacross;
pub(crate) mod explicit;
pub(crate) mod explorer;
pub(crate) mod groups;
pub(crate) mod icvs;
pub(crate) mod jobs;
pub(crate) mod locks;
pub(crate) mod loops;
pub(crate) mod observer;
pub(crate) mod omp;
pub(crate) mod preemption;
pub(crate) mod sched;
pub(crate) mod threadprivate;
pub(crate) mod workers;

use crate::process::global::InPlace;

/// What this module owns.
pub(crate) struct State {
    pub(crate) omp: omp::Omp,
    jobs: jobs::Jobs,
    pub(crate) workers: workers::Workers,
    /// Turns in a row in which a task looked in vain for what it waits for.
    pub(crate) idle: u64,
    /// Who ran, and how far all had come, when a share of time was last over.
    ran: Option<(u64, u64)>,
    /// Called whenever a task stops running, in a program that has the runtime as a shared library.
    after_turn: fn(),
}

static STATE: InPlace<State> = InPlace::new();

#[inline(always)]
pub(crate) fn state() -> &'static mut State {
    STATE.get()
}

/// Sets the module up.
pub(crate) fn begin(after_turn: fn()) {
    let omp = omp::Omp::new(&crate::process::state().options);
    let (jobs, workers) = Default::default();
    STATE.set(State { omp, jobs, workers, idle: 0, ran: None, after_turn });
}
