//! What the command is given that is not what it takes: devices that never end, folders, pipes,
//! files for another command.
#![cfg(unix)]

use crate::common;

use common::command::{Done, Folder, finish_within, raceproof, run, run_with_input};
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

const COUNTERS: &str = "var c;
proc main() { finish { for i in 0..12 { async { isolated { c = c * 2 + i; } } } } }
";

/// The command with little address space: what reads without end fails by it, not after minutes.
fn confined(words: &str) -> Done {
    let line = format!("ulimit -v 3000000; exec {} {words}", env!("CARGO_BIN_EXE_raceproof"));
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish_within(&mut shell, PATIENCE).unwrap()
}

#[test]
fn endless_input_is_refused() {
    confined("check /dev/zero").expect_status(2).says("/dev/zero: more than 64 MB, or endless");
    confined("verify /dev/stdin < /dev/zero").expect_status(2).says("endless");
    confined("check - < /dev/zero").expect_status(2).says("<stdin>: more than 64 MB, or endless");
    confined("graph /dev/zero").expect_status(2).says("endless");
    let folder = Folder::new("endless");
    let file = folder.write("f.tp", COUNTERS);
    let file = file.display();
    confined(&format!("replay {file} --witness /dev/zero")).expect_status(2).says("endless");
    confined("check /").expect_status(2).says("cannot read /");
}

#[test]
fn a_checkpoint_that_cannot_be_kept_is_noticed_before_the_first_execution() {
    let folder = Folder::new("no-checkpoint");
    // It would be searched for hours.
    let file = folder.write("f.tp", COUNTERS.replace("12", "60"));
    let refused = |checkpoint: &str, says: &str| {
        let mut command = raceproof();
        command.arg("verify").arg(&file).args(["--checkpoint", checkpoint]);
        finish_within(&mut command, PATIENCE).unwrap().expect_status(2).says(says);
    };
    refused("/dev/full", "/dev/full: it is a device or pipe");
    refused("/dev/zero", "/dev/zero: it is a device or pipe");
    refused(folder.path("").to_str().unwrap(), "it is a folder");
    refused(folder.path("none/c").to_str().unwrap(), "cannot write");
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    refused(pipe.to_str().unwrap(), "it is a device or pipe");
    let large = folder.path("large");
    File::create(&large).unwrap().set_len(3_000_000_000).unwrap();
    refused(large.to_str().unwrap(), "too large");
    assert_eq!(folder.names(), ["f.tp", "large", "pipe"], "nothing is left behind");
}

/// As a disk that fills: what was searched until then is reported.
#[test]
fn a_checkpoint_that_cannot_be_kept_any_more_ends_the_search_with_its_report() {
    let folder = Folder::new("lost-checkpoint");
    let file = folder.write("f.tp", COUNTERS);
    let kept = folder.path("kept");
    fs::create_dir(&kept).unwrap();
    let mut command = raceproof();
    command.arg("verify").arg(&file).args(["--max-seconds", "3", "--checkpoint"]).arg(kept.join("c"));
    let search = thread::spawn(move || finish_within(&mut command, PATIENCE).unwrap());
    while !kept.join("c").exists() {
        thread::sleep(Duration::from_millis(10));
    }
    fs::remove_dir_all(&kept).unwrap();
    let done =
        search.join().unwrap().expect_status(3).says("its checkpoint could not be kept").says("inconclusive");
    assert!(!done.said().contains("after 0 executions"), "{}", done.said());
}

#[test]
fn files_for_another_command_are_recognised() {
    let folder = Folder::new("recognised");
    folder.write("f.tp", COUNTERS);
    folder.write("main.rs", "fn main() {}\n");
    folder.write("a.cpp", "int main() {}\n");
    folder.write("a.o", [&b"\x7fELF\x02\x01\x01"[..], &[0; 9], &[1, 0, 62, 0]].concat());
    let here = |words: &[&str]| {
        let mut command = raceproof();
        command.current_dir(folder.path("")).args(words);
        run(&mut command)
    };
    here(&["trace", "f.tp", "-o", "x.rpt"]).expect_status(0);
    here(&["check", "x.rpt"]).expect_status(2).says("x.rpt is a trace").says("`raceproof analyze x.rpt`");
    here(&["verify", "x.rpt"]).expect_status(2).says("`raceproof analyze x.rpt`");
    here(&["graph", "x.rpt"]).expect_status(0).says("digraph");
    here(&["graph", "--", "x.rpt"]).expect_status(2).says("`raceproof graph x.rpt`");
    here(&["graph", "--", "f.tp"]).expect_status(2).says("`raceproof graph f.tp`");
    here(&["graph", "main.rs"]).expect_status(2).says("`cargo raceproof build` in its package");
    here(&["trace", "x.rpt"]).expect_status(2).says("`raceproof trace --stat x.rpt`");
    here(&["trace", "x.rpt", "-o", "y"]).expect_status(2).says("`raceproof trace --convert x.rpt -o OUT`");
    here(&["run", "x.rpt"]).expect_status(2).says("`raceproof analyze x.rpt`");
    here(&["trace", "f.tp"]).expect_status(2).says("-o OUT is missing");
    here(&["trace", "--convert", "x.rpt"]).expect_status(2).says("-o OUT is missing");
    here(&["analyze", "f.tp"]).expect_status(2).says("`raceproof trace f.tp -o run.rpt`");
    here(&["trace", "--stat", "f.tp"]).expect_status(2).says("f.tp is a TP program");
    here(&["check", "main.rs"]).expect_status(2).says("`cargo raceproof run` in its package");
    here(&["verify", "main.rs"]).expect_status(2).says("`cargo raceproof build` in its package");
    here(&["check", "a.cpp"]).expect_status(2).says("`raceproof c++ -fopenmp -g a.cpp -o a`, then");
    here(&["run", "./a.o"]).expect_status(2).says("a.o");
    here(&["check", "a.o"]).expect_status(2).says("an object file");
    here(&["verify", "f.tp", "--time-limit", "5"])
        .expect_status(2)
        .says("--time-limit is for native programs");
    // What is in a pipe is taken as it comes.
    run_with_input(raceproof().args(["check", "/dev/stdin"]), b"proc main() { }\n").expect_status(0);
}

/// A hundred thousand tasks, of which three make a choice: their clocks as rows would take 40 GB.
#[test]
fn clocks_take_what_they_need() {
    let folder = Folder::new("clocks");
    let program = "var c; var done[100000];
proc main() {
    finish {
        for i in 0..3 { async { isolated { c = c * 3 + i; } } }
        for i in 0..100000 { async { done[i] = 1; } }
    }
}
";
    let file = folder.write("many.tp", program);
    confined(&format!("verify --workers 1 {}", file.display())).expect_status(0).says("6 executions");
    // Where all conflict there is no end, but for the limits.
    let program = "var c;
proc main() { finish { for i in 0..20000 { async { isolated { c = c * 3 + i; } } } } }
";
    let file = folder.write("all.tp", program);
    let words = format!("verify --workers 1 --max-seconds 3 {}", file.display());
    confined(&words).expect_status(3).says("--max-seconds");
}

/// The square of the steps would take minutes.
#[test]
fn the_graph_of_a_large_run_ends() {
    let folder = Folder::new("large-graph");
    let program = "var c; var done[100000];
proc main() { finish { for i in 0..100000 { async { done[i] = i; if (i % 1000 == 0) { c = i; } } } } }
";
    let file = folder.write("large.tp", program);
    for format in ["dot", "json", "svg"] {
        let mut command = raceproof();
        command.arg("graph").arg(&file).args(["--format", format]);
        let done = finish_within(&mut command, PATIENCE).unwrap().expect_status(0);
        assert!(!done.stdout.is_empty());
    }
}
