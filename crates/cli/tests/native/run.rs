//! `raceproof run`, of programs linked with a stub that writes the report it is given.

use crate::common;

use common::command::{Done, finish, run, run_with_input};
use common::native;
use common::native_tools::{Native, tool};
use raceproof_core::finding::{Report, Verdict};
use raceproof_report::json;
use std::process::Command;
use std::time::Duration;

/// Prints what it reads, and ends as its argument says.
const PROGRAM: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int number(const char *text) {
  int n = 0;
  while (*text) n = 10 * n + *text++ - '0';
  return n;
}
int main(int argc, char **argv) {
  for (int c; (c = getchar()) != EOF;) putchar(c);
  if (argc > 2) sleep(number(argv[2]));
  return argc > 1 ? number(argv[1]) : 0;
}
";

fn built(name: &str) -> Native {
    let native = Native::new(name);
    native.folder.write("a.c", PROGRAM);
    native.run(&["cc", "a.c", "-o", "a"]).expect_status(0);
    native
}

/// `raceproof run WORDS` of a program that writes this report.
fn reporting(native: &Native, report: &Report, words: &[&str]) -> Command {
    let file = native.folder.write("stub.json", json::render(report));
    let mut command = native.command(&["run"]);
    command.args(words).env("STUB_REPORT", file);
    command
}

fn race_free() -> Report {
    common::sample::report(vec![])
}

fn parsed(done: &Done) -> Report {
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:#?}"))
}

#[test]
fn the_status_is_that_of_the_verdict() {
    let native = built("run-status");
    let free = run(&mut reporting(&native, &race_free(), &["--", "./a"])).expect_status(0);
    free.says("race-free:");
    let racy = run(&mut reporting(&native, &native::update(), &["./a"])).expect_status(1);
    racy.says("race 1 on sum").says("reduction").says("findings=/proc/");
}

#[test]
fn the_report_comes_in_any_format_and_place() {
    let native = built("run-format");
    let report = native::nowait();
    let done = run(&mut reporting(&native, &report, &["--format", "json", "--", "./a"])).expect_status(1);
    let mut written = parsed(&done);
    assert_eq!(written.races[0].id.len(), 10, "the command names the cause");
    written.races[0].id.clear();
    assert_eq!(json::render(&written), json::render(&report));
    let mut command = reporting(&native, &report, &["-o", "out.txt", "--", "./a"]);
    let done = run_with_input(&mut command, b"hello").expect_status(1);
    assert_eq!(done.stdout, "hello", "the program's streams are its own");
    let text = std::fs::read_to_string(native.folder.path("out.txt")).unwrap();
    assert!(text.contains("\nrace 1 on a[3]"), "{text}");
}

#[test]
fn several_team_sizes_are_joined() {
    let native = built("run-threads");
    let mut report = native::update();
    report.threads = vec![4];
    let words = ["--threads", "2,3,8", "--format", "json", "-o", "out.json", "--", "./a"];
    let mut command = reporting(&native, &report, &words);
    let done = run_with_input(&mut command, b"again\n").expect_status(1);
    assert_eq!(done.stdout, "again\nagain\nagain\n", "every run reads the same");
    for team in ["threads=2", "threads=3", "threads=8"] {
        assert!(done.stderr.contains(team), "{done:#?}");
    }
    let text = std::fs::read_to_string(native.folder.path("out.json")).unwrap();
    let joined: Report = serde_json::from_str(&text).unwrap();
    assert_eq!((joined.races.len(), joined.races[0].count, joined.stats.executions), (1, 3, 3));
    assert_eq!(joined.threads, [4], "as the runs say");
    native.run(&["run", "--threads", "0", "./a"]).expect_status(2);
    native.run(&["run", "--threads", "two", "./a"]).expect_status(2);
}

#[test]
fn how_the_program_ended_is_part_of_the_report() {
    let native = built("run-ended");
    let words = ["--format", "json", "--", "./a", "3"];
    let failed = run(&mut reporting(&native, &race_free(), &words)).expect_status(1);
    let report = parsed(&failed);
    assert_eq!((report.verdict, report.errors[0].kind.as_str()), (Verdict::ProgramError, "exit-status"));
    assert!(report.errors[0].message.contains("exit status 3"));
    let both = run(&mut reporting(&native, &native::update(), &words)).expect_status(1);
    let report = parsed(&both);
    assert_eq!((report.verdict, report.races.len(), report.errors.len()), (Verdict::Race, 1, 1));
    let mut aborts = reporting(&native, &native::update(), &["--", "./a"]);
    run(aborts.env("STUB_ABORT", "1")).expect_status(1).says("signal 6 (SIGABRT)").says("race 1 on sum");
    // Nothing written: the crash is all that is known.
    let mut silent = native.command(&["run", "./a"]);
    run(silent.env("STUB_ABORT", "1")).expect_status(1).says("SIGABRT").says("before its report was whole");
}

#[test]
fn a_program_that_takes_too_long_is_ended() {
    let native = built("run-long");
    let mut command = reporting(&native, &race_free(), &["--time-limit", "0.2", "--", "./a", "0", "60"]);
    let start = std::time::Instant::now();
    run(&mut command).expect_status(3).says("inconclusive").says("--time-limit");
    assert!(start.elapsed() < Duration::from_secs(50), "it was not waited for");
}

#[test]
fn suppressions_are_counted() {
    let native = built("run-suppressed");
    native.folder.write("known", "# a statistic\nrace:^sum$\n");
    let mut report = native::update();
    report.suppressed = 0;
    let words = ["--suppressions", "known", "--", "./a"];
    run(&mut reporting(&native, &report, &words)).expect_status(0).says("suppressed: 1 finding not shown");
    native.folder.write("wrong", "race sum");
    let words = ["--suppressions", "wrong", "--", "./a"];
    run(&mut reporting(&native, &report, &words))
        .expect_status(2)
        .says("wrong: line 1: `race sum` has no `:`");
    native.run(&["run", "--suppressions", "nowhere", "./a"]).expect_status(2).says("cannot read nowhere");
}

#[test]
fn other_programs_are_refused() {
    let native = built("run-other");
    tool(Command::new("gcc").args(["a.c", "-o", "plain"]).current_dir(native.path()));
    native.run(&["run", "./plain"]).expect_status(2).says("was not built by raceproof").says("raceproof cc");
    native.run(&["run", "./a.c"]).expect_status(2).says("is a C source");
    native.run(&["run", "./nothing"]).expect_status(2).says("is not there");
    native.run(&["run", "a"]).expect_status(2).says("did you mean ./a?");
    native.run(&["run", "true"]).expect_status(2).says("was not built by raceproof");
    native.run(&["run"]).expect_status(2);
    // Stripped, it is still ours.
    tool(Command::new("strip").arg("a").current_dir(native.path()));
    run(&mut reporting(&native, &race_free(), &["./a"])).expect_status(0);
}

#[test]
fn a_script_may_start_the_program() {
    let native = built("run-script");
    let script = native.folder.write("go.sh", "#!/bin/sh\nexec ./a \"$@\"\n");
    tool(Command::new("chmod").arg("+x").arg(&script));
    run(&mut reporting(&native, &native::update(), &["./go.sh"])).expect_status(1).says("race 1 on sum");
    native.folder.write("go.sh", "#!/bin/sh\nexit 0\n");
    let mut command = native.command(&["run", "./go.sh"]);
    finish(command.spawn().unwrap()).expect_status(2).says("wrote no report");
}
