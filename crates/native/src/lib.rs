//! What an instrumented program is linked with, in place of the runtimes of thread sanitizer and
//! libomp.
//!
//! `raceproof cc` compiles with clang's `-fsanitize=thread -fopenmp`: every access and every
//! construct is a call, and this crate has the functions that are called. They run the program's
//! tasks and threads, as coroutines on one OS thread, on the scheduler of the [`raceproof`] crate,
//! and report to the detector what each does. When the program ends, however it does, they report
//! the findings.
//!
//! | module | what |
//! | --- | --- |
//! | `abi` | the entry points: `tsan` accesses and atomic operations, `kmpc` the constructs of OpenMP, `rayon` and `panics` what the drop-in for rayon calls, `interpose` and `library` functions of the C library, `jumps` `setjmp` and `longjmp`, `start` how a program begins and ends; `setup` sets everything up |
//! | `search` | one execution of a search over all schedules |
//! | `tasks` | `sched`, `jobs`: tasks as coroutines; `omp`, `regions`, `icvs`: teams and threads; `pools`, `workers`: those of rayon; `explicit`, `taskloop`, `depend`, `groups`, `loops`, `doacross`, `cancel`, `locks`, `threadprivate`: the constructs of OpenMP; `atomics`, `mutexes`, `guards`, `futex`, `standard`: what else synchronises tasks; `heap`: the program's blocks; `preemption`; `deadlock`: what each task waits for when none can run |
//! | `report` | findings as they are found (`raw`) and at the end (`delivery`), what the verdict rests on (`coverage`), crashes, exceptions and signals (`faults`, `exceptions`, `signals`, `calls`), the run as a trace (`record`) |
//! | `detect` | `detector`, `shadow`, `now`: who accessed what last; `contexts`, `frames`, `memory`, `modules`, `spots`: names of code and memory |
//! | `process` | what all stand on: `options`, the `channel` to the command, `stacks` and `fibers`, `threads` (thread-local storage of virtual threads), `call_site` |
//!
//! Each module imports only those below it in this table; a test (`tidy.rs`) checks it. What a
//! module needs of one above, it gets when the runtime is set up (`abi/setup.rs`): the detector a
//! `sink` for races, a `search` and a recorder; tasks an `explorer`; reports a search to answer.
//! Each module owns its state ([`Global`](process::global::Global)).

// The entry points are public by nature: C programs link with them.
#![allow(unreachable_pub)]

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("raceproof runs native programs on x86-64 Linux only");

mod abi;
mod detect;
mod process;
mod report;
mod search;
mod tasks;

pub(crate) use process::{fatal, say};
pub(crate) use raceproof_symbols as symbols;
