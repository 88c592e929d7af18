//! Functions of a program that have the names of the C library's, in a unit of their own: what
//! calls them is compiled before it is known whose they are.

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within};
use native::toolchain::{runtime, tool};
use std::path::Path;
use std::time::Duration;

/// Calls `log` between two writes. That in between is a task's is a race with the second, unless
/// `log` waits for it.
const CALLS: &str = "
double log(double);
int x;
volatile double value = 2;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    x = 0;
    value = log(value);
    x = 2;
  }
  return 0;
}
";

const SPAWNS: &str = "
extern int x;
double log(double value) {
#pragma omp task shared(x)
  x = 1;
  return value;
}
";

const COMPUTES: &str = "double log(double value) { return value / 2; }\n";

fn cc(folder: &Folder, words: &[&str]) -> Done {
    let mut command = tool();
    command.arg("cc").args(["-fopenmp", "-O1"]).args(words).current_dir(folder.path(""));
    command.env("RACEPROOF_RUNTIME", runtime());
    finish_within(&mut command, Duration::from_secs(120)).expect("it ends")
}

fn verdict(program: &Path) -> String {
    let mut command = tool();
    command.args(["run", "--format", "json", "--"]).arg(program);
    let done = finish_within(&mut command, Duration::from_secs(120)).expect("it ends");
    let report: serde_json::Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:#?}"));
    report["verdict"].as_str().unwrap_or_default().to_owned()
}

fn sources(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("calls.c", CALLS);
    folder.write("spawns.c", SPAWNS);
    folder.write("computes.c", COMPUTES);
    folder
}

#[test]
fn units_of_one_command_are_compiled_for_what_they_call() {
    let folder = sources("own-functions-at-once");
    cc(&folder, &["calls.c", "spawns.c", "-o", "spawns"]).expect_status(0);
    assert_eq!(verdict(&folder.path("spawns")), "race");
    cc(&folder, &["calls.c", "computes.c", "-o", "computes"]).expect_status(0);
    assert_eq!(verdict(&folder.path("computes")), "race-free");
    // The library's own.
    cc(&folder, &["calls.c", "-lm", "-o", "library"]).expect_status(0);
    assert_eq!(verdict(&folder.path("library")), "race-free");
}

#[test]
fn units_compiled_before_are_not_linked_with_what_they_did_not_expect() {
    let folder = sources("own-functions-before");
    cc(&folder, &["-c", "calls.c"]).expect_status(0);
    cc(&folder, &["-c", "spawns.c"]).expect_status(0);
    let done = cc(&folder, &["calls.o", "spawns.o", "-o", "program"]);
    done.expect_status(2).says("`log`").says("-fno-builtin-log");
    assert!(!folder.path("program").exists(), "nobody is to run it");
    // The symbols of a stripped program are gone, those of its objects are not.
    cc(&folder, &["calls.o", "spawns.o", "-s", "-o", "program"]).expect_status(2).says("`log`");
    // As advised.
    for option in ["-fno-builtin-log", "-fno-builtin", "-ffreestanding", "-fno-raceproof-check-elimination"] {
        cc(&folder, &["-c", option, "calls.c"]).expect_status(0);
        cc(&folder, &["calls.o", "spawns.o", "-o", "program"]).expect_status(0);
        assert_eq!(verdict(&folder.path("program")), "race", "{option}");
    }
}

#[test]
fn a_shared_library_of_the_program_is_looked_at_too() {
    let folder = sources("own-functions-shared");
    cc(&folder, &["-shared", "-fPIC", "spawns.c", "-o", "libown.so"]).expect_status(0);
    cc(&folder, &["-c", "calls.c"]).expect_status(0);
    cc(&folder, &["calls.o", "libown.so", "-o", "program"]).expect_status(2).says("`log`");
}
