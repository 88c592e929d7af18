//! Generated programs of threads with mutexes, reader-writer locks, semaphores, barriers, condition variables, tests of locks, limits on the time and
//! busy-waiting, in C: `verify` shows the races, deadlocks and livelocks that all interleavings show, and no others, with witnesses that replay; one run shows
//! none but these.
//!
//! `RACEPROOF_CASES` programs of each kind (6 unless set), from seed `RACEPROOF_SEED` on (0 unless set).
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Folder, root};
use native::threads;
use native::toolchain::compile;

fn judge(name: &str, level: &str, kinds: &[&str]) {
    let folder = Folder::new(name);
    let binary = folder.path("threads");
    compile(&root().join("crates/cli/tests/support/native/threads.c"), level, &[], &binary)
        .expect("it compiles");
    threads::judge(&folder, &binary, kinds, 6);
}

#[test]
fn mutexes_and_reader_writer_locks() {
    judge("threads-locks", "-O1", &["mm", "RW", "mRW", "kk", "km"]);
}

#[test]
fn semaphores_barriers_and_condition_variables() {
    judge("threads-waits", "-O2", &["pv", "b", "csa", "qv", "mpvRWb"]);
}

#[test]
fn tests_of_locks() {
    judge("threads-tests", "-O3", &["tt", "mt"]);
}

#[test]
fn spins() {
    judge("threads-spins", "-O1", &["zZ", "zZm", "zZpv"]);
}
