//! Generated programs of threads in Rust, from the description of those in C (`crates/cli/tests/native/threads_generated.rs`), with the same oracle:
//! `programs/rust/examples/threads.rs` does what they say.
//!
//! `RACEPROOF_CASES` programs of each kind (2 unless set), from seed `RACEPROOF_SEED` on (0 unless set).
#![cfg(unix)]

use crate::common;
use crate::native;
use crate::rayon;

use common::command::Folder;
use native::threads;
use rayon::build;

#[test]
fn threads_of_the_standard_library() {
    let folder = Folder::new("rust-threads-generated");
    let binary = build("--examples", "release").join("threads");
    threads::judge(&folder, &binary, &["mm", "RW", "mRW", "pv", "b", "tt", "zZ", "zZm"], 2);
}
