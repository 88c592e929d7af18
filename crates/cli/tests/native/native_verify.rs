//! `raceproof verify` on native programs: every program of `programs/c/verify` gets the verdict,
//! the lines and the number of executions that its comments expect, every finding replays, and
//! programs with a twin in TP need as many executions as that.
//!
//! One program alone: `RACEPROOF_PROGRAM=bank cargo test --test native native_verify::` (a part of
//! its name).
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within, root};
use native::expect::Expected;
use native::judge::mistakes;
use native::toolchain::{compile, execute, runtime, tool};
use raceproof_cli::verify::{Options, verify};
use raceproof_tp::compile::compile as compile_tp;
use raceproof_tp::{parse, source::Source};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

fn programs() -> Vec<PathBuf> {
    let folder = root().canonicalize().unwrap().join("programs/c/verify");
    let files = fs::read_dir(folder).expect("programs/c/verify is there").map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    files
}

/// `raceproof WORDS -- PROGRAM`, for a program with its expectations.
fn command(words: &[&str], program: &Path, expected: &Expected) -> Command {
    let mut command = tool();
    command.args(words).arg("--").arg(program).args(&expected.arguments);
    command.env("OMP_NUM_THREADS", expected.threads.as_deref().unwrap_or("4"));
    command
}

fn json(done: &Done) -> Result<Value, String> {
    serde_json::from_str(&done.stdout).map_err(|error| format!("no JSON ({error}): {}", done.stderr.trim()))
}

fn executions(report: &Value) -> u64 {
    report["stats"]["executions"].as_u64().unwrap_or(0)
}

/// The complete executions of a TP program, all of them.
fn executions_as_tp(twin: &str) -> u64 {
    let text = fs::read_to_string(root().join("programs/tp").join(twin).with_extension("tp")).unwrap();
    let code = compile_tp(&parse(&text).unwrap(), &Source::new("f.tp", &text));
    // Nothing commutes in a native program.
    verify(&code, "f.tp", &Options { all: true, commuting: false, ..Options::default() })
        .report
        .stats
        .executions
}

fn judge(source: &Path, folder: &Folder) -> Result<Vec<String>, String> {
    let name = source.file_name().unwrap().to_string_lossy().into_owned();
    let expected = Expected::read(&[source])?;
    let binary = folder.path(&format!("{name}.out"));
    compile(source, "-O1", &expected.flags, &binary)?;
    let found = finish_within(&mut command(&["verify", "--format", "json"], &binary, &expected), PATIENCE)?;
    let mut wrong = mistakes(&expected, std::slice::from_ref(&name), &found);
    let report = json(&found)?;
    let count = executions(&report);
    if expected.executions != Some(count) {
        wrong.push(format!("{:?} executions expected, {count} came", expected.executions));
    }
    // What another order shows, one run does not.
    let once = json(&execute(&binary, &Expected { verdict: String::new(), ..expected.clone() })?)?;
    if once["verdict"].as_str() != expected.run.as_deref() {
        wrong.push(format!("one run: {:?} expected, {} came", expected.run, once["verdict"]));
    }
    if let Some(twin) = &expected.twin {
        let words = ["verify", "--all", "--format", "json"];
        let all = executions(&json(&finish_within(&mut command(&words, &binary, &expected), PATIENCE)?)?);
        let there = executions_as_tp(twin);
        if all != there {
            wrong.push(format!("{all} executions, {there} of {twin}"));
        }
    }
    wrong.extend(replays(&report, &found.stdout, &binary, &expected)?);
    Ok(wrong)
}

/// Every finding has a witness, which leads to the same.
fn replays(report: &Value, text: &str, binary: &Path, expected: &Expected) -> Result<Vec<String>, String> {
    let file = binary.with_extension("json");
    fs::write(&file, text).unwrap();
    let file = file.to_str().expect("the path is UTF-8");
    let mut wrong = Vec::new();
    let mut number = 0;
    for (kind, field) in [("races", "location"), ("deadlocks", ""), ("errors", "message")] {
        for finding in report[kind].as_array().into_iter().flatten() {
            number += 1;
            let which = number.to_string();
            let words = ["replay", "--witness", file, "--finding", &which];
            let done = finish_within(&mut command(&words, binary, expected), PATIENCE)?;
            let what = finding[field].as_str().unwrap_or("deadlock");
            // A block that is freed by then has no name any more.
            let named = what.starts_with("heap@") || what == "a local variable" || done.said().contains(what);
            if done.status != Some(1) || !named {
                wrong.push(format!(
                    "{what} does not replay: status {:?}, {}",
                    done.status,
                    done.stderr.trim()
                ));
            }
        }
    }
    Ok(wrong)
}

#[test]
fn every_program_is_verified_as_it_expects() {
    runtime();
    let folder = Folder::new("native-verify");
    let asked = std::env::var("RACEPROOF_PROGRAM").unwrap_or_default();
    let todo = programs().into_iter().filter(|path| path.to_string_lossy().contains(&asked));
    let todo: Mutex<Vec<PathBuf>> = Mutex::new(todo.collect());
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(program) = todo.lock().unwrap().pop() else { break };
                    let wrong = judge(&program, &folder).unwrap_or_else(|wrong| vec![wrong]);
                    if !wrong.is_empty() {
                        failures.lock().unwrap().push(format!("{}: {}", program.display(), wrong.join("; ")));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    assert!(failures.is_empty(), "{} programs:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_corpus_is_what_it_says() {
    let (mut hidden, mut twins) = (0, 0);
    for program in programs() {
        let expected = Expected::read(&[&program]).unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        let suffix = match expected.verdict.as_str() {
            "race" => "_racy",
            "race-free" => "_norace",
            "deadlock" => "_deadlock",
            "inconclusive" => "_inconclusive",
            _ => "_error",
        };
        let stem = program.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(stem.ends_with(suffix), "{stem} is not named for its verdict");
        assert!(expected.executions.is_some() && expected.run.is_some(), "{stem} does not say what it takes");
        hidden += usize::from(expected.run.as_deref() != Some(&expected.verdict));
        twins += usize::from(expected.twin.is_some());
    }
    assert!(hidden >= 40 && twins >= 12, "{hidden} programs that one run does not decide, {twins} twins");
}

const COUNTER: &str = "
int n;
int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp critical
    n++;
  }
  return n != 4;
}
";

/// A folder with a program in it.
fn built(name: &str, source: &str) -> (Folder, PathBuf) {
    let folder = Folder::new(name);
    let file = folder.write(&format!("{name}.c"), source);
    let binary = folder.path(name);
    compile(&file, "-O1", &[], &binary).expect("it compiles");
    (folder, binary)
}

fn verified(words: &[&str], binary: &Path) -> Done {
    let words: Vec<&str> = [&["verify"], words].concat();
    finish_within(&mut command(&words, binary, &Expected::default()), PATIENCE).expect("it ends")
}

#[test]
fn budgets_end_a_search() {
    let (folder, counter) = built("counter", COUNTER);
    verified(&[], &counter).expect_status(0).says("24 executions");
    verified(&["--order", "hb"], &counter).expect_status(0).says("24 executions");
    verified(&["--workers", "1"], &counter).expect_status(0).says("24 executions");
    verified(&["--max-executions", "5"], &counter).expect_status(3).says("the limit of 5 executions");
    verified(&["--max-seconds", "0"], &counter).expect_status(3).says("--max-seconds");
    verified(&["--max-events", "3"], &counter).expect_status(3).says("raise --max-events");
    let checkpoint = folder.path("search.json");
    let kept = ["--checkpoint", checkpoint.to_str().unwrap()];
    verified(&[&kept[..], &["--max-executions", "5"]].concat(), &counter).expect_status(3);
    assert!(checkpoint.exists());
    verified(&kept, &counter).expect_status(0).says("24 executions");
    assert!(!checkpoint.exists());
}

#[test]
fn an_execution_that_never_ends_is_ended() {
    let (_folder, binary) = built("forever", "volatile int n;\nint main(void) { while (1) n++; }\n");
    verified(&["--time-limit", "0.3"], &binary).expect_status(3).says("took too long");
}

#[test]
fn what_is_not_deterministic_is_noticed() {
    let source = "
#include <stdio.h>
int a, b;
int main(void) {
  int c = 0;
  FILE *file = fopen(\"count\", \"r+\");
  if (file && fscanf(file, \"%d\", &c) != 1) c = 0;
  if (!file) file = fopen(\"count\", \"w\");
  rewind(file);
  fprintf(file, \"%d\", c + 1);
  fclose(file);
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    if (c % 2) a++; else b++;
  }
  return 0;
}
";
    let (folder, binary) = built("moody", source);
    let mut command = command(&["verify"], &binary, &Expected::default());
    let done = finish_within(command.current_dir(folder.path("")), PATIENCE).unwrap();
    done.expect_status(3).says("did not do the same under the same schedule");
}

#[test]
fn tests_of_locks_are_explored() {
    let source = "
#include <omp.h>
omp_lock_t lock;
int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  if (omp_test_lock(&lock)) omp_unset_lock(&lock);
  return 0;
}
";
    let (_folder, binary) = built("tested", source);
    verified(&[], &binary).expect_status(0).says("race-free");
}

#[test]
fn each_execution_reads_the_file_from_the_beginning() {
    let source = "
#include <stdio.h>
int n;
int main(void) {
  int wanted = 0;
  if (scanf(\"%d\", &wanted) != 1) return 7;
  puts(\"not to be seen\");
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    n++;
  }
  return n != wanted;
}
";
    let (folder, binary) = built("reader", source);
    let file = folder.write("input", "3\n");
    let mut reading = command(&["verify"], &binary, &Expected::default());
    let done = finish_within(reading.stdin(fs::File::open(file).unwrap()), PATIENCE).unwrap();
    assert!(!done.said().contains("not to be seen"), "{done:#?}");
    done.expect_status(0).says("6 executions");
    // Otherwise there is nothing to read.
    verified(&[], &binary).expect_status(1).says("exit status 7");
}

/// A wait that is not repeated goes on without what it waits for if it ends by itself, which the
/// standards allow.
#[test]
fn waits_end_by_themselves_where_that_is_asked_for() {
    let source = "
#include <pthread.h>
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready, value;
static void *make(void *unused) {
  value = 7;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, make, 0);
  pthread_mutex_lock(&mutex);
  WAITS (!ready)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  int seen = value;
  pthread_join(thread, 0);
  return seen > 7;
}
";
    let asked = |binary: &Path| {
        let mut command = command(&["verify"], binary, &Expected::default());
        finish_within(command.env("RACEPROOF_OPTIONS", "spurious=on"), PATIENCE).expect("it ends")
    };
    let (_once, once) = built("waits-once", &source.replace("WAITS", "if"));
    verified(&[], &once).expect_status(0).says("race-free");
    asked(&once).expect_status(1).says("data race on value");
    let (_again, again) = built("waits-again", &source.replace("WAITS", "while"));
    asked(&again).expect_status(0).says("race-free");
}

#[test]
fn bad_input_is_refused() {
    let (folder, counter) = built("refused", COUNTER);
    verified(&[], Path::new("/bin/true")).expect_status(2).says("was not built by raceproof");
    verified(&["--determinism"], &counter).expect_status(2).says("--determinism");
    finish_within(tool().args(["verify", "f.tp", "--", "./prog"]), PATIENCE).unwrap().expect_status(2);
    finish_within(tool().args(["verify"]), PATIENCE).unwrap().expect_status(2);
    let replay = |name: &str, text: &str| {
        let file = folder.write(name, text);
        let words = ["replay", "--witness", file.to_str().unwrap()];
        finish_within(&mut command(&words, &counter, &Expected::default()), PATIENCE)
            .unwrap()
            .expect_status(2)
    };
    let other = r#"{"program": "0123456789abcdef", "schedule": [{"task": "main", "actions": 1}]}"#;
    replay("other.json", other).says("another program");
    replay("long.json", r#"{"schedule": [{"task": "main/9", "actions": 4}]}"#).says("part 1 of the schedule");
    replay("short.json", r#"{"schedule": [{"task": "main", "actions": 1}]}"#)
        .says("no two tasks are about to race");
    replay("path.json", r#"{"schedule": [{"task": "man", "actions": 1}]}"#).says("expected a task");
    replay("cut.json", r#"{"schedule": [{"task": "#).says("expected JSON");
}
