//! What an instrumented program is linked with, in place of the runtimes of thread sanitizer and libomp.
//!
//! `raceproof cc` compiles with clang's `-fsanitize=thread -fopenmp`: every access and every construct is a call. Here are
//! the functions that are called. They run the program's tasks and threads, as coroutines on one OS thread, on the
//! scheduler of the [`raceproof`] crate, and tell the detector what each does. When the program ends, however it
//! does, what was found is reported.
//!
//! | module | what |
//! | --- | --- |
//! | `abi` | the entry points: `tsan` accesses and atomic operations, `kmpc` the constructs of OpenMP, `rayon` and `panics` what the drop-in for rayon calls, `interpose` and `library` functions of the C library, `jumps` `setjmp` and `longjmp`, `start` how a program begins and ends |
//! | `search` | one execution of a search over all schedules |
//! | `tasks` | `sched`, `jobs`, `fibers`, `stacks`: tasks as coroutines; `omp`, `icvs`, `workers`: teams, threads and pools; `threads`: thread-local storage of virtual threads; `interrupts`: preemption, and signals that end the program |
//! | `report` | findings as they are found (`raw`, `channel`) and at the end (`delivery`), what the verdict rests on (`coverage`), crashes and exceptions (`faults`, `exceptions`, `calls`), the run as a trace (`record`) |
//! | `detect` | `detector`, `shadow`, `now`: who accessed what last; `contexts`, `frames`, `memory`, `spots`: names of code and memory |
//!
//! `world` and `options` hold what all of them share.

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
