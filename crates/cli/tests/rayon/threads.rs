//! Rust programs and tests with threads by `cargo raceproof verify` and `replay`, and what reports
//! say of those that wait for each other. `rayon_corpus` judges
//! `programs/rust/src/bin/thread_*.rs`.
#![cfg(unix)]

use crate::common;
use crate::rayon;

use common::command::Folder;
use rayon::cargo_raceproof;

#[test]
fn a_test_is_verified_and_its_race_replayed() {
    let folder = Folder::new("rust-threads");
    let report = folder.path("report.json");
    let report = report.to_str().expect("UTF-8");
    let test = |name| ["verify", "--test", "threads", "--", name];
    cargo_raceproof(&test("locked")).expect_status(0).says("no schedule of this program on this input");
    let race = cargo_raceproof(&test("published")).expect_status(1);
    race.says("tests/threads.rs:27").says("tests/threads.rs:31").says("data race on threads::CELL");
    let written = ["verify", "--test", "threads", "--format", "json", "-o", report, "--", "published"];
    cargo_raceproof(&written).expect_status(1);
    let replayed = ["replay", "--witness", report, "--test", "threads", "--", "published"];
    cargo_raceproof(&replayed).expect_status(1).says("tests/threads.rs:27").says("tests/threads.rs:31");
}

#[test]
fn who_waits_for_whom_is_said() {
    let circle = cargo_raceproof(&["verify", "--bin", "thread_circle_verify_faulty"]).expect_status(1);
    circle
        .says("2 tasks wait for each other in a circle")
        .says("waits for mutex thread_circle_verify_faulty::SECOND, held by main/1")
        .says("waits for mutex thread_circle_verify_faulty::FIRST, held by main");
    let lost = cargo_raceproof(&["verify", "--bin", "thread_condvar_lost_verify_faulty"]).expect_status(1);
    lost.says("waits for condition variable thread_condvar_lost_verify_faulty::CHANGED, which nobody");
    let parked = cargo_raceproof(&["run", "--bin", "thread_park_twice_faulty"]).expect_status(1);
    parked.says("waits for `unpark`, which nobody is left to call").says("thread_park_twice_faulty.rs:11");
    let lock = cargo_raceproof(&["run", "--bin", "thread_rwlock_circle_faulty"]).expect_status(1);
    lock.says("main waits for itself").says("waits for reader-writer lock");
}

#[test]
fn waiting_by_looking_is_decided_or_said() {
    cargo_raceproof(&["verify", "--bin", "thread_flag_norace"])
        .expect_status(0)
        .says("no schedule of this program");
    // A sender that has taken its place, of which a channel counts how often the receiver has looked.
    cargo_raceproof(&["verify", "--bin", "thread_channel_norace"])
        .expect_status(3)
        .says("a task waits by looking again and again");
}
