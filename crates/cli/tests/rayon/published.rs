//! The tests of published crates, fetched by cargo and unchanged: those of crossbeam-utils that
//! create threads, and some of parking_lot's. docs/THREADS.md has the result.
#![cfg(unix)]

use crate::common;
use crate::rayon;

use common::command::Folder;
use rayon::{cargo_raceproof_in, corpus};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a package that the corpus depends on.
fn package(name: &str) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--locked", "--format-version", "1"]).current_dir(corpus());
    let output = cargo.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let package = packages.iter().find(|package| package["name"] == name).expect("it is in the list");
    Path::new(package["manifest_path"].as_str().expect("a path")).parent().expect("a folder").to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder to read") {
        let (path, to) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).expect("an entry");
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).expect("a copy");
        }
    }
}

#[test]
fn tests_of_crossbeam_utils() {
    let folder = Folder::new("crossbeam-utils");
    let home = folder.path("crate");
    copy(&package("crossbeam-utils"), &home);
    let junit = folder.path("tests.xml");
    let words = ["test", "--test", "thread", "--test", "sharded_lock", "--test", "wait_group", "--junit"];
    let words: Vec<&str> = words.into_iter().chain([junit.to_str().expect("UTF-8")]).collect();
    let done = cargo_raceproof_in(&home, &words).expect_status(0);
    let done = done
        .says("test join_nested ... ok test nesting ... ok")
        .says("test arc_poison_ww ... ok test forget_guard ... ok (nothing");
    let done =
        done.says("test result: ok. 16 passed; 0 failed; 0 ignored; in 7 of them nothing ran in parallel");
    done.says("test wait ... ok test wait_and_drop ... ok");
    let cases = fs::read_to_string(junit).expect("the JUnit file");
    assert!(cases.contains("tests=\"28\" failures=\"0\" errors=\"0\""), "{cases}");
}

#[test]
fn tests_of_parking_lot() {
    let folder = Folder::new("parking-lot");
    let home = folder.path("crate");
    copy(&package("parking_lot"), &home);
    let done = cargo_raceproof_in(&home, &["test", "--lib", "--", "condvar::tests", "rwlock::tests"]);
    let done = done.expect_status(0).says("test condvar::tests::notify_all ... ok test");
    done.says("test rwlock::tests::frob ... ok test")
        .says("test result: ok. 39 passed; 0 failed; 0 ignored; in 15 of them nothing ran in parallel");
}
