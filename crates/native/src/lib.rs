//! What an instrumented program is linked with, in place of the runtimes of thread sanitizer and libomp.
//!
//! `raceproof cc` compiles with clang's `-fsanitize=thread -fopenmp`: every access and every construct is a call. Here are
//! the functions that are called. They run the program's tasks and threads, as coroutines on one OS thread, on the
//! scheduler of the [`raceproof`] crate, and tell the detector what each does. When the program ends, however it
//! does, what was found is reported.
//!
//! | module | what |
//! | --- | --- |
//! | `abi` | the entry points: `tsan` accesses and atomic operations, `kmpc` the constructs of OpenMP, `rayon` and `panics` what the drop-in for rayon calls, `interpose` and `library` functions of the C library, `jumps` `setjmp` and `longjmp`, `start` how a program begins and ends; `world` sets everything up |
//! | `search` | one execution of a search over all schedules |
//! | `tasks` | `sched`, `jobs`: tasks as coroutines; `omp`, `icvs`, `workers`: teams, threads and pools; `explicit`, `depend`, `groups`, `loops`, `doacross`, `locks`, `threadprivate`: the constructs of OpenMP; `preemption`; `deadlock`: what each task waits for when none can go on |
//! | `report` | findings as they are found (`raw`) and at the end (`delivery`), what the verdict rests on (`coverage`), crashes, exceptions and signals (`faults`, `exceptions`, `signals`, `calls`), the run as a trace (`record`) |
//! | `detect` | `detector`, `shadow`, `now`: who accessed what last; `contexts`, `frames`, `memory`, `modules`, `spots`: names of code and memory |
//! | `process` | what all stand on: `options`, the `channel` to the command, `stacks` and `fibers`, `threads` (thread-local storage of virtual threads), `call_site` |
//!
//! Each module imports only those below it in this table; a test (`tidy.rs`) checks it. What a module needs of one above, it is given
//! when the runtime is set up (`abi/world.rs`): the detector a `sink` for races, a `search` and a recorder; tasks an `explorer`; reports a
//! search to answer. Each module owns its state ([`Global`](process::global::Global)).

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

// The detector's files and the entry points of accesses name these modules from the root.
use abi::kmpc;
use abi::world::world;
use abi::{tsan, world};
use detect::{contexts, detector, frames, memory, now, shadow, spots};
use process as start;
use report::signals as interrupts;
use search as explored;
use tasks::{jobs, omp, sched, workers};
