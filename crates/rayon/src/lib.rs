//! A drop-in for `rayon-core`: the same interface, with every job a task of raceproof's runtime.
//!
//! `cargo raceproof` compiles this in place of the real crate, so that `rayon` and all that is
//! built on it run on one OS thread under a scheduler that sees every task. There is no work
//! stealing, no deque and no sleeping here: a job is handed to the runtime, and waiting for it is
//! the runtime's affair.
//!
//! | here | to the runtime |
//! | --- | --- |
//! | `join(a, b)` | a region with the task `b`; `a` is run by the caller, which then waits |
//! | `scope`, `broadcast`, `install` | a region; what is spawned in it is waited for at its end |
//! | `spawn` | a task that nobody waits for |
//! | `ThreadPool` | a team of virtual threads, each with thread-local storage of its own |
//!
//! Everything is compiled with instrumentation, this crate as well: what it keeps for itself is
//! either on one task's stack until that task waits, or with the runtime, whose memory is not
//! looked at. It uses no atomics, which would be taken for the program's.
//!
//! `migrated` is always true, as if every job were stolen: then parallel iterators split down to
//! single items (or `with_min_len`), which rayon may do on some machine on some day, and no race
//! between two items hides in one task.

mod broadcast;
mod builder;
mod join;
mod panics;
mod pool;
mod region;
mod runtime;
mod scope;
mod spawn;

pub use broadcast::{broadcast, spawn_broadcast, BroadcastContext};
#[allow(deprecated)]
pub use builder::{initialize, Configuration};
pub use builder::{CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadPoolBuildError, ThreadPoolBuilder};
pub use join::{join, join_context, FnContext};
pub use pool::{
    current_num_threads, current_thread_has_pending_tasks, current_thread_index, max_num_threads,
    yield_local, yield_now, ThreadPool, Yield,
};
pub use scope::{in_place_scope, in_place_scope_fifo, scope, scope_fifo, Scope, ScopeFifo};
pub use spawn::{spawn, spawn_fifo};
