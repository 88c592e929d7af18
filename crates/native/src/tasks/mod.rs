//! Tasks, teams and threads of the program, as coroutines on the kernel of the runtime.

pub(crate) mod fibers;
pub(crate) mod icvs;
pub(crate) mod interrupts;
pub(crate) mod jobs;
pub(crate) mod omp;
pub(crate) mod sched;
pub(crate) mod stacks;
pub(crate) mod threads;
pub(crate) mod workers;
