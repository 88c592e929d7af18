//! The search over native programs where executions are many, killed or cannot be kept, and what it
//! is given in their place.

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within};
use native::toolchain::{compile, runtime, tool};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(300);

fn built(name: &str, source: &str) -> (Folder, PathBuf) {
    let folder = Folder::new(&format!("search-{name}"));
    let file = folder.write(&format!("{name}.c"), source);
    let binary = folder.path(name);
    compile(&file, "-O1", &[], &binary).expect("it can be built");
    (folder, binary)
}

fn verify(words: &[&str], program: &Path) -> Done {
    let mut command = tool();
    command.arg("verify").args(words).arg(program).env("OMP_NUM_THREADS", "2");
    finish_within(&mut command, PATIENCE).unwrap()
}

fn in_folder(folder: &Folder, command: &mut Command) -> Done {
    finish_within(command.current_dir(folder.path("")).env("OMP_NUM_THREADS", "2"), PATIENCE).unwrap()
}

/// Tasks without end, of which three enter a section.
const MANY: &str = "
#include <stdlib.h>
int order;
static void tree(int depth, int number) {
  if (depth == 0) {
    if (number < 3) {
#pragma omp critical
      order = order * 3 + number;
    }
    return;
  }
  for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(i)
    tree(depth - 1, number * 10 + i);
  }
#pragma omp taskwait
}
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
#pragma omp single
  tree(atoi(argv[1]), 0);
  return 0;
}
";

/// 11,110 tasks: a row of numbers for each would take half a gigabyte for the clocks of the tasks
/// alone, and as much again for those of their transitions.
#[test]
fn tasks_that_make_no_choice_cost_little() {
    let (_folder, binary) = built("many", MANY);
    let mut command = tool();
    command.args(["verify", "--max-memory", "0.5", "--workers", "1"]).arg(&binary).args(["--", "4"]);
    let done = finish_within(&mut command, PATIENCE).unwrap();
    done.expect_status(0).says("6 executions");
}

/// 111,110 tasks: what is known of one execution fits, what the next ones leave beside it does not.
#[test]
fn the_memory_limit_is_kept_with_very_many_tasks() {
    let (_folder, binary) = built("very-many", MANY);
    let mut command = tool();
    command.args(["verify", "--max-memory", "0.15", "--workers", "1"]).arg(&binary).args(["--", "5"]);
    let done = finish_within(&mut command, PATIENCE).unwrap();
    done.expect_status(3).says("the memory limit was reached; raise --max-memory").says("111,115 tasks");
}

/// Kills itself in the order of sections that `when` names, or the first time of all.
const KILLED: &str = "
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int first, racy;
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
  {
    int me = 0;
#pragma omp critical
    {
      if (first == 0) first = 1, me = 1;
    }
    if (argc > 2) racy++;
#pragma omp barrier
  }
  if (!strcmp(argv[1], \"always\")) kill(getpid(), SIGKILL);
  if (!strcmp(argv[1], \"once\") && access(\"seen\", F_OK)) {
    fclose(fopen(\"seen\", \"w\"));
    kill(getpid(), SIGKILL);
  }
  return 0;
}
";

#[test]
fn an_execution_that_was_killed_is_run_again() {
    let (folder, binary) = built("once", KILLED);
    let mut command = tool();
    let done =
        in_folder(&folder, command.args(["verify", "--workers", "1"]).arg(&binary).args(["--", "once"]));
    done.expect_status(0).says("2 executions");
}

#[test]
fn one_that_is_killed_again_is_not_decided() {
    let (folder, binary) = built("always", KILLED);
    let mut command = tool();
    let done = in_folder(&folder, command.args(["verify"]).arg(&binary).args(["--", "always"]));
    done.expect_status(3).says("not decided").says("SIGKILL").says("inconclusive");
}

/// Two sections in either order; in one of them the process is killed.
const BY_ORDER: &str = "
#include <signal.h>
#include <unistd.h>
int order, other;
int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      order = order * 2 + 1;
    }
#pragma omp section
    {
#pragma omp critical
      order = order * 2;
    }
  }
  if (order == 1) kill(getpid(), SIGKILL);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      other = other * 2 + 1;
    }
#pragma omp section
    {
#pragma omp critical
      other = other * 2;
    }
  }
  return other == 1 ? 9 : 0;
}
";

/// What is found elsewhere stays found, and the rest is searched.
#[test]
fn the_search_goes_on_without_what_was_killed() {
    let (_folder, binary) = built("by-order", BY_ORDER);
    verify(&["--all"], &binary).expect_status(1).says("exit status 9").says("one execution is not decided");
}

/// Two pairs of sections in either order. In the second execution of four the process blocks every
/// signal and does not go on, loops where it is observed, or leaves a child behind; in the last one
/// it fails. It writes down its number, or the child's.
const HANGS: &str = "
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int order, other;
volatile int go_on = 1;
static void left(int number) {
  FILE *file = fopen(\"numbers\", \"a\");
  fprintf(file, \"%d\\n\", number);
  fclose(file);
}
static void block(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  while (1) pause();
}
static void hang(const char *how) {
  int child = strcmp(how, \"child\") ? -1 : fork();
  if (child == 0) block();
  left(child < 0 ? getpid() : child);
  if (!strcmp(how, \"blocks\")) block();
  if (!strcmp(how, \"loops\"))
    while (go_on) {
    }
}
int main(int argc, char **argv) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      order = order * 2 + 1;
    }
#pragma omp section
    {
#pragma omp critical
      order = order * 2;
    }
  }
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      other = other * 2 + 1;
    }
#pragma omp section
    {
#pragma omp critical
      other = other * 2;
    }
  }
  if (order == 2 && other == 1) hang(argv[1]);
  return order == 1 && other == 1 ? 9 : 0;
}
";

/// The numbers of the processes that a program wrote down; none of them runs any more.
fn gone(folder: &Folder) -> usize {
    let numbers = std::fs::read_to_string(folder.path("numbers")).unwrap();
    for number in numbers.lines() {
        // What was killed is to be collected by others, and there as long as that takes.
        let status = || std::fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
        let runs = || status().lines().any(|line| line.starts_with("State:") && !line.contains('Z'));
        let start = std::time::Instant::now();
        while runs() {
            assert!(start.elapsed() < PATIENCE, "{number} still runs: {}", status());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    numbers.lines().count()
}

/// One of the four executions hangs, as `how` says: why it is not decided, and how often it was
/// run. The rest is searched.
fn goes_on_without_one(how: &str, why: &str, runs: usize) {
    let (folder, binary) = built(how, HANGS);
    let mut command = tool();
    command.args(["verify", "--all", "--time-limit", "0.2", "--workers", "1"]).arg(&binary);
    let done = in_folder(&folder, command.args(["--", how]));
    let undecided = format!("one execution is not decided, and what would have followed: {why}");
    done.expect_status(1).says("exit status 9").says("3 executions").says(&undecided);
    assert_eq!(gone(&folder), runs);
}

/// Killed, run again, killed, and left out.
#[test]
fn the_search_goes_on_without_what_ignores_its_alarm() {
    goes_on_without_one("blocks", "it took too long and had to be killed", 2);
}

/// It answers, and once is enough.
#[test]
fn the_search_goes_on_without_what_takes_too_long() {
    goes_on_without_one("loops", "it took too long; raise --time-limit", 1);
}

#[test]
fn what_an_execution_leaves_running_ends_with_it() {
    let (folder, binary) = built("leaves", HANGS);
    let mut command = tool();
    let done =
        in_folder(&folder, command.args(["verify", "--workers", "1"]).arg(&binary).args(["--", "child"]));
    done.expect_status(3).says("the program forked");
    assert_eq!(gone(&folder), 1);
}

/// The verdict is about one deal of the loop, and says so.
#[test]
fn chunks_of_one_thread_are_compared_and_the_deal_is_named() {
    let source = "
#include <stdlib.h>
int x, sum;
int main(int argc, char **argv) {
  int a = atoi(argv[1]), b = atoi(argv[2]);
#pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 4; i++) {
    if (i == a || i == b) x = i;
#pragma omp critical
    sum += i;
  }
  return 0;
}
";
    let (_folder, binary) = built("deal", source);
    let with = |a: &str, b: &str| {
        let mut command = tool();
        command.arg("verify").arg(&binary).args(["--", a, b]);
        finish_within(&mut command, PATIENCE).unwrap()
    };
    with("0", "0").expect_status(0).says("24 executions").says("dealt out to the threads in one way");
    // Whichever thread takes them, two chunks that write the same are not race-free.
    for (a, b) in [("0", "1"), ("0", "2"), ("0", "3"), ("1", "2"), ("1", "3"), ("2", "3")] {
        let done = with(a, b);
        assert!(matches!(done.status, Some(1 | 3)), "{a} and {b}: {}", done.said());
        done.says("on x");
    }
}

#[test]
fn a_program_is_recognised_without_two_dashes() {
    let (folder, binary) = built("plain", "int main(void) { return 0; }\n");
    let done = verify(&["--format", "json"], &binary);
    assert!(done.stdout.contains("\"verdict\""), "{}", done.said());
    let refused = |words: &[&str], says: &str| {
        let mut command = tool();
        in_folder(&folder, command.args(words)).expect_status(2).says(says);
    };
    refused(&["check", "plain"], "`raceproof run ./plain`");
    in_folder(&folder, tool().args(["graph", "plain"])).expect_status(0).says("no task but main");
    refused(&["trace", "plain", "-o", "x"], "`raceproof run --trace run.rpt ./plain`");
    refused(&["analyze", "plain"], "`raceproof run --trace run.rpt ./plain`");
    refused(
        &["check", "plain.c"],
        "`raceproof cc -fopenmp -g plain.c -o plain`, then `raceproof run ./plain`",
    );
    refused(&["verify", "plain.c"], "then `raceproof verify ./plain`");
    refused(&["run", "plain.c"], "then `raceproof run ./plain`");
    assert!(runtime().exists());
    folder.write("f.tp", "proc main() { }\n");
    refused(&["run", "f.tp"], "`raceproof check f.tp`");
    refused(&["verify", "--", "f.tp"], "`raceproof verify f.tp`");
    refused(&["verify", "f.tp", "--", "1"], "nothing can follow `--`");
}

/// Appends to a file how much of a library that nobody uses the process has entries for in its page
/// tables, after how much there is.
const RESIDENT: &str = "
#include <stdio.h>
#include <string.h>
int order;
int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical
      order = order * 2 + 1;
    }
#pragma omp section
    {
#pragma omp critical
      order = order * 2;
    }
  }
  char line[1024], access[8];
  long size = 0, resident = 0, number, constant = 0;
  FILE *maps = fopen(\"/proc/self/smaps\", \"r\");
  while (fgets(line, sizeof line, maps)) {
    if (sscanf(line, \"%*lx-%*lx %7s\", access) == 1) constant = access[1] == '-' && strstr(line, \"/libm.\");
    if (constant && sscanf(line, \"Size: %ld\", &number) == 1) size += number;
    if (constant && sscanf(line, \"Rss: %ld\", &number) == 1) resident += number;
  }
  fclose(maps);
  FILE *out = fopen(\"sizes\", \"a\");
  fprintf(out, \"%ld %ld\\n\", size, resident);
  fclose(out);
  return 0;
}
";

/// To copy and remove entries for all code takes longer than to run a short execution.
#[test]
fn executions_have_page_tables_of_the_code_that_they_use() {
    let (folder, binary) = built("resident", RESIDENT);
    let mut command = tool();
    let done = in_folder(&folder, command.args(["verify", "--workers", "1"]).arg(&binary));
    done.expect_status(0).says("2 executions");
    let text = std::fs::read_to_string(folder.path("sizes")).unwrap();
    let last = text.lines().last().unwrap().split_once(' ').unwrap();
    let (size, resident): (u32, u32) = (last.0.parse().unwrap(), last.1.parse().unwrap());
    assert!(text.lines().count() >= 3 && resident > 0 && resident * 4 < size, "{text}");
}

/// Chooses a locale when its threads' storage is there.
const LOCALE: &str = "
#include <ctype.h>
#include <locale.h>
const unsigned short **__ctype_b_loc(void);
int wrong;
int main(void) {
  setlocale(LC_ALL, \"C.UTF-8\");
  const unsigned short *tables = *__ctype_b_loc();
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    wrong |= *__ctype_b_loc() != tables || toupper('a') != 'A';
  }
  return wrong;
}
";

#[test]
fn threads_have_the_locale_of_the_process() {
    let (folder, binary) = built("locale", LOCALE);
    let done = in_folder(&folder, tool().args(["verify", "--workers", "1"]).arg(&binary));
    done.expect_status(0).says("executions");
}
