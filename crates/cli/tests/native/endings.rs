//! How programs begin, crash and end: the place of a crash, code before and after `main`, a `main`
//! that is entered again, jumps.
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::expect::Expected;
use native::toolchain::{compile, execute, runtime, tool};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

fn built(folder: &Folder, name: &str, text: &str) -> PathBuf {
    runtime();
    let file = folder.write(name, text);
    let program = file.with_extension("out");
    compile(&file, "-O1", &[], &program).unwrap_or_else(|error| panic!("{error}"));
    program
}

/// What `raceproof run` reports.
fn run(program: &Path, arguments: &[&str]) -> Value {
    let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
    let done = execute(program, &Expected { arguments, ..Expected::default() }).expect("it ends");
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:#?}"))
}

fn verify(program: &Path, arguments: &[&str]) -> Value {
    let mut command = tool();
    command.args(["verify", "--format", "json", "--"]).arg(program).args(arguments);
    let done = finish_within(&mut command, PATIENCE).expect("it ends");
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:#?}"))
}

/// The line of a text that a mark is on.
fn line_of(text: &str, mark: &str) -> u64 {
    let line = text.lines().zip(1..).find(|(line, _)| line.contains(mark));
    line.unwrap_or_else(|| panic!("no line has {mark}")).1
}

const CRASHES: &str = r#"
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int *volatile nowhere;
volatile int zero;
void (*volatile function)(void);
char *volatile text;
__attribute__((noinline)) static int crash(int how) {
  switch (how) {
  case 0:
    return *nowhere; // 0: crash, segmentation fault
  case 1:
    return how % zero; // 1: crash, divided by zero
  case 2:
    function(); // 2: crash, null function pointer
    return 0;
  case 3:
    return (int)strlen(text); // 3: crash, segmentation fault
  case 4:
    abort(); // 4: abort, called abort
  case 5:
    assert(zero); // 5: assertion, assertion failed
    return 0;
  case 6:
    raise(SIGABRT); // 6: crash, aborted
    return 0;
  case 7:
    memcpy((void *)nowhere, &zero, 3); // 7: crash, segmentation fault
    return 0;
  case 8:
    __builtin_trap(); // 8: crash, illegal instruction
  }
  return 0;
}
int main(int argc, char **argv) {
  int got = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(got)
    got += crash(atoi(argv[1])); // called
  }
  return got & 0;
}
"#;

#[test]
fn crashes_name_the_line_and_the_calls() {
    let folder = Folder::new("crashes");
    let program = built(&folder, "crashes.c", CRASHES);
    let called = line_of(CRASHES, "// called");
    for how in 0..9 {
        let mark =
            CRASHES.lines().find_map(|line| line.split_once(&format!("// {how}: "))).expect("a mark").1;
        let (kind, message) = mark.split_once(", ").expect("a kind and a message");
        let report = run(&program, &[&how.to_string()]);
        let error = &report["errors"][0];
        assert_eq!(report["verdict"], "program-error", "{report:#}");
        assert_eq!(error["kind"], kind, "{report:#}");
        assert!(error["message"].as_str().unwrap().contains(message), "{report:#}");
        assert_eq!(error["line"], line_of(CRASHES, &format!("// {how}: ")), "{report:#}");
        assert_eq!(error["task"], "main/t0/1", "{report:#}");
        let frame = &error["stack"][0];
        assert_eq!((&frame["function"], &frame["line"]), (&"crash".into(), &called.into()), "{report:#}");
    }
    for how in ["0", "3", "4"] {
        let report = verify(&program, &[how]);
        let line = line_of(CRASHES, &format!("// {how}: "));
        assert_eq!(report["errors"][0]["line"], line, "{report:#}");
    }
}

/// A length that is negative, or a loop that misses its end: the accesses are not noted before the
/// crash, which would take shadow memory without end.
#[test]
fn accesses_beyond_all_memory_are_a_crash_with_its_place() {
    const TEXT: &str = r#"
#include <stdlib.h>
#include <string.h>
volatile size_t count = (size_t)1 << 40;
volatile long length = -5;
__attribute__((noinline)) static void work(int how, char *block, long *numbers, size_t end) {
  switch (how) {
  case 0:
    memset(block, how, (size_t)length); // 0
    break;
  case 1:
    memcpy(block, numbers, end); // 1
    break;
  case 2:
    for (size_t i = 0; i < end; i++)
      block[i] = (char)how; // 2
    break;
  case 3:
    for (size_t i = 0; i < end; i++)
      numbers[512 * i] = how; // 3
    break;
  case 4:
    for (size_t i = end; i-- > 0;)
      numbers[i] = how; // 4
    break;
  }
}
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
#pragma omp single
  work(atoi(argv[1]), malloc(4096), malloc(4096), count);
  return 0;
}
"#;
    let folder = Folder::new("beyond");
    let program = built(&folder, "beyond.c", TEXT);
    for how in 0..5 {
        let how = how.to_string();
        for report in [run(&program, &[&how]), verify(&program, &[&how])] {
            let error = &report["errors"][0];
            assert_eq!(error["kind"], "crash", "{report:#}");
            assert_eq!(error["line"], line_of(TEXT, &format!("; // {how}")), "{report:#}");
        }
    }
}

/// A thread's storage is used at once, though its OS thread may not have begun: with one processor
/// it has not.
#[test]
fn threads_have_the_tables_of_the_c_library_from_the_start() {
    const TEXT: &str = r#"
#define _GNU_SOURCE
#include <ctype.h>
#include <sched.h>
#include <stdlib.h>
int main(void) {
  int got = 0;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
#pragma omp parallel num_threads(16) reduction(+ : got)
  got += toupper('a') + tolower('B') + (isalpha('c') != 0);
  if (got != 16 * ('A' + 'b' + 1))
    abort();
  return 0;
}
"#;
    let folder = Folder::new("tables");
    let program = built(&folder, "tables.c", TEXT);
    // Some OS threads begin all the same.
    for _ in 0..10 {
        let report = run(&program, &[]);
        assert_eq!(report["verdict"], "race-free", "{report:#}");
    }
}

/// A frame that reaches over the guard of its stack, into that of another task.
#[test]
fn a_large_frame_is_an_overflow_with_its_place() {
    const TEXT: &str = r#"
#include <stddef.h>
volatile size_t size = 64 << 20;
__attribute__((noinline)) static int fixed(int i) {
  volatile char frame[64 << 20];
  for (size_t at = 0; at < size; at += 4096)
    frame[at] = (char)i;
  return frame[i];
}
__attribute__((noinline)) static int variable(int i) {
  volatile char frame[size];
  frame[0] = (char)i;
  return frame[i];
}
int main(int argc, char **argv) {
  int got = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(got)
    got = argc > 1 ? variable(5) : fixed(5);
  }
  return got & 0;
}
"#;
    let folder = Folder::new("large-frame");
    let program = built(&folder, "large.c", TEXT);
    for (arguments, function) in [(&[][..], "fixed"), (&["x"][..], "variable")] {
        let report = run(&program, arguments);
        let error = &report["errors"][0];
        assert_eq!(error["kind"], "stack-overflow", "{report:#}");
        let from = line_of(TEXT, &format!("static int {function}("));
        let line = error["line"].as_u64().unwrap();
        assert!((from..from + 3).contains(&line), "{function}: {report:#}");
        assert_eq!(error["stack"][0]["function"], function, "{report:#}");
    }
}

/// In two units: `--wrap=main` makes what another unit calls the runtime's function.
#[test]
fn main_can_be_entered_again() {
    runtime();
    let folder = Folder::new("main-again");
    let one = folder.write(
        "one.c",
        "#include <stdio.h>\nint again(int, char **);\nint x, depth;\nint main(int count, char **words) {\n  #pragma omp parallel num_threads(2)\n  \
         {\n    #pragma omp atomic\n    x++;\n  }\n  if (depth++ < 2) return again(count, words);\n  printf(\"%d %d\\n\", depth, x);\n  return 0;\n}\n",
    );
    let two = folder.write(
        "two.c",
        "int main(int, char **);\nint again(int count, char **words) { return main(count, words); }\n",
    );
    let program = folder.path("again");
    let mut command = tool();
    command.args(["cc", "-fopenmp", "-O1"]).args([one, two]).arg("-o").arg(&program);
    finish_within(&mut command, PATIENCE).expect("it compiles").expect_status(0);
    let mut command = tool();
    command.args(["run", "--"]).arg(&program);
    finish_within(&mut command, PATIENCE).expect("it ends").expect_status(0).says("3 6").says("race-free");
}

const BEFORE_AND_AFTER: &str = r#"
#include <cstdlib>
int x, y, z, w;
struct Static {
  Static() {
#pragma omp parallel num_threads(2)
    x++;
  }
  ~Static() {
#pragma omp parallel num_threads(2)
    y++;
  }
} object;
static void at_exit() {
#pragma omp parallel num_threads(2)
  z++;
}
__attribute__((destructor)) static void last() {
#pragma omp parallel num_threads(2)
  w++;
}
int main(int argc, char **) {
  atexit(at_exit);
  if (argc > 1)
    exit(0);
  return 0;
}
"#;

#[test]
fn what_runs_before_and_after_main_is_judged() {
    let folder = Folder::new("before-and-after");
    let program = built(&folder, "around.cpp", BEFORE_AND_AFTER);
    let locations = |report: &Value| -> Vec<String> {
        let races = report["races"].as_array().expect("a list");
        let mut names: Vec<String> =
            races.iter().map(|race| race["location"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    };
    for arguments in [&[][..], &["exit"]] {
        let report = run(&program, arguments);
        assert_eq!(locations(&report), ["w", "x", "y", "z"], "{report:#}");
        assert_eq!(report["scope"], "all-schedules", "{report:#}");
        let report = verify(&program, arguments);
        assert_eq!(locations(&report), ["w", "x", "y", "z"], "{report:#}");
        assert_eq!(report["limits"], serde_json::json!([]), "{report:#}");
    }
}

/// `jump` goes back over three functions that do not return.
const JUMPS: &str = r#"
#include <setjmp.h>
#include <stdlib.h>
jmp_buf back;
int x;
__attribute__((noinline)) static void jump(int depth) {
  if (depth == 0)
    longjmp(back, 1);
  jump(depth - 1);
  x++;
}
__attribute__((noinline)) static void add(void) { x++; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (volatile int i = 0; i < n; i++)
    if (setjmp(back) == 0)
      jump(2);
#pragma omp parallel num_threads(2)
  add();
  return 0;
}
"#;

#[test]
fn a_jump_leaves_the_functions_it_jumps_over() {
    let folder = Folder::new("jumps");
    let program = built(&folder, "jumps.c", JUMPS);
    let report = run(&program, &["1000"]);
    let race = &report["races"][0];
    assert_eq!(race["location"], "x", "{report:#}");
    assert_eq!(race["first"]["stack"].as_array().unwrap().len(), 2, "add, called by main: {report:#}");
}

/// Instructions that a jump over three functions may cost, with their calls, `setjmp` and the C
/// library's own part.
const JUMP: u64 = 450;

#[test]
#[cfg(target_arch = "x86_64")]
fn a_jump_costs_about_as_much_as_the_calls_it_leaves() {
    let folder = Folder::new("jump-costs");
    let program = built(&folder, "jumps.c", JUMPS);
    let count = |n: u64| {
        let out = folder.path("callgrind.out");
        let mut command = Command::new("valgrind");
        command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display()));
        command.arg(&program).arg(n.to_string()).env("RACEPROOF_OPTIONS", "exitcode=0");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        finish_within(&mut command, PATIENCE).expect("valgrind runs: scripts/install-deps").expect_status(0);
        let text = std::fs::read_to_string(&out).unwrap();
        let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).expect("a total");
        total.trim().parse::<u64>().expect("a number")
    };
    let each = (count(5000) - count(1000)) / 4000;
    assert!(each <= JUMP, "{each} instructions, at most {JUMP}");
}

/// In a loop without an access, or in a call of the system, after a race.
const STUCK: &str = r#"
#include <stdio.h>
#include <unistd.h>
int x;
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
  x++;
  puts("ready");
  fflush(stdout);
  if (argc > 1)
    for (;;)
      pause();
  __asm__ volatile("1: jmp 1b");
  return 0;
}
"#;

/// A handler only notes the signal, and no access comes that would look: what was found comes out
/// all the same.
#[test]
fn a_program_that_notices_nothing_is_ended_with_what_was_found() {
    let folder = Folder::new("stuck");
    let program = built(&folder, "stuck.c", STUCK);
    for arguments in [&[][..], &["system"]] {
        let mut command = Command::new(&program);
        command.args(arguments).env_remove("RACEPROOF_OPTIONS").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("it prints");
        assert_eq!(line, "ready\n");
        let sent =
            Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().expect("kill is there");
        assert!(sent.success());
        let done = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.contains("race 1 on x") && said.contains("ended by a signal"), "{arguments:?}: {said}");
        assert_eq!(done.status.signal(), Some(15), "{arguments:?}: {said}");
        let mut command = tool();
        command.args(["run", "--time-limit", "2", "--"]).arg(&program).args(arguments);
        finish_within(&mut command, PATIENCE).expect("it ends").expect_status(1).says("race 1 on x");
    }
}

/// A lock that was left taken: who waits for it, who took it, and where, in one run and in all.
#[test]
fn a_lock_of_a_task_that_has_ended_is_a_deadlock_that_names_it() {
    let text = include_str!("../../../../programs/c/faults/lock_left_by_task.c");
    let folder = Folder::new("left-lock");
    let program = built(&folder, "left.c", text);
    for report in [run(&program, &[]), verify(&program, &[])] {
        assert_eq!(report["verdict"], "deadlock", "{report:#}");
        let waiting = &report["deadlocks"][0]["waiting"][0];
        assert_eq!(
            (&waiting["task"], &waiting["held_by"]),
            (&"main/t0".into(), &"main/t0/1".into()),
            "{report:#}"
        );
        assert_eq!(waiting["holder_ended"]["line"], line_of(text, "omp_set_lock(&lock);"), "{report:#}");
    }
}

/// The code of the task has ended, and its event comes: the task is over. Or a thread of a team is.
#[test]
fn a_lock_of_a_detached_task_or_a_thread_that_has_ended_is_a_deadlock_that_names_it() {
    let before = "#include <omp.h>\nomp_lock_t lock;\nint x;\nint main(void) {\n  omp_init_lock(&lock);\n";
    let detached = "
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    omp_set_lock(&lock); // taken
    omp_fulfill_event(event);
#pragma omp taskwait
    omp_set_lock(&lock); // waits
    x = 2;
  }
  return 0;
}
";
    let thread = "
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1)
    omp_set_lock(&lock); // taken
  omp_set_lock(&lock); // waits
  x = 2;
  return 0;
}
";
    let folder = Folder::new("left-by-others");
    for (name, text, waits, holder) in
        [("detached.c", detached, "main/t0", "main/t0/1"), ("thread.c", thread, "main", "main/t1")]
    {
        let text = format!("{before}{text}");
        let program = built(&folder, name, &text);
        for report in [run(&program, &[]), verify(&program, &[])] {
            assert_eq!(report["verdict"], "deadlock", "{report:#}");
            let waiting = &report["deadlocks"][0]["waiting"][0];
            assert_eq!(
                (&waiting["task"], &waiting["held_by"]),
                (&waits.into(), &holder.into()),
                "{report:#}"
            );
            assert_eq!(waiting["line"], line_of(&text, "// waits"), "{report:#}");
            assert_eq!(waiting["holder_ended"]["line"], line_of(&text, "// taken"), "{report:#}");
        }
    }
}

/// Its code has ended with the lock, and the event that it still needs comes only after the lock.
const DETACHED: &str = "
#include <omp.h>
omp_lock_t lock;
int x;
int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
    omp_set_lock(&lock); // taken
#pragma omp task
    {
      omp_set_lock(&lock); // waits
      omp_unset_lock(&lock);
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : x) // begins
    x = 1;
#pragma omp taskwait // main waits
  }
  return 0;
}
";

#[test]
fn a_deadlock_by_a_detached_task_says_who_waits_where_and_for_what() {
    let folder = Folder::new("detached");
    let program = built(&folder, "detached.c", DETACHED);
    for report in [run(&program, &[]), verify(&program, &[])] {
        assert_eq!(report["verdict"], "deadlock", "{report:#}");
        let waiting = report["deadlocks"][0]["waiting"].as_array().expect("who waits");
        let of = |task: &str| {
            let found = waiting.iter().find(|waiting| waiting["task"] == task);
            found.unwrap_or_else(|| panic!("{task} does not wait: {report:#}"))
        };
        let holder = "main/t0/1";
        assert_eq!(of(holder)["on"], "detach event", "{report:#}");
        let second = of("main/t0/2");
        assert_eq!((&second["on"], &second["held_by"]), (&"lock".into(), &holder.into()), "{report:#}");
        assert_eq!(second["line"], line_of(DETACHED, "// waits"), "{report:#}");
        assert_eq!(second["holder_ended"]["line"], line_of(DETACHED, "// taken"), "{report:#}");
        let third = of("main/t0/3");
        assert_eq!((&third["on"], &third["held_by"]), (&"task".into(), &holder.into()), "{report:#}");
        assert_eq!(third["line"], line_of(DETACHED, "// begins"), "{report:#}");
        let main = of("main/t0");
        assert_eq!(
            (&main["on"], &main["line"]),
            (&"task".into(), &line_of(DETACHED, "// main waits").into()),
            "{report:#}"
        );
    }
    let mut command = tool();
    command.args(["run", "--"]).arg(&program);
    let done = finish_within(&mut command, PATIENCE).expect("it ends").expect_status(1);
    done.says("main/t0/3 waits for the end of main/t0/1")
        .says("main/t0/1 waits for its event, which nobody is left to fulfill")
        .says("main/t0/2 waits for lock, held by main/t0/1, which has ended without releasing it");
}

/// Waits for nothing if it runs a second time.
const WAITS_AGAIN: &str = r#"
#include <fcntl.h>
#include <unistd.h>
int x;
int main(int argc, char **argv) {
  if (open(argv[1], O_CREAT | O_EXCL, 0600) < 0) pause();
#pragma omp parallel
  x++;
}
"#;

#[test]
fn a_program_that_does_not_end_again_is_ended() {
    let folder = Folder::new("waits-again");
    let program = built(&folder, "server.c", WAITS_AGAIN);
    let report = run(&program, &[folder.path("there").to_str().unwrap()]);
    assert_eq!(report["verdict"], "race", "{report}");
    assert_eq!(report["races"].as_array().map(Vec::len), Some(2), "the pairs of the first run: {report}");
    let limit = report["limits"][0].as_str().unwrap_or_default();
    assert!(limit.starts_with("the program ran again"), "{report}");
}
