//! How many instructions an access costs, counted by callgrind: the budgets of the entry points of
//! the native runtime.
//!
//! A tiny program makes the same access n times in `work`. Two values of n give what one costs, by
//! the difference of all instructions that callgrind counts; less what it costs in the same program
//! with `work` left as it is. So the test that the pass puts before the call, the call, and what
//! the compiler has to do around it are all in it. The counts are exact and the same on every
//! machine, so the budgets have no slack for noise.
#![cfg(unix)]
#![cfg(target_arch = "x86_64")]

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::toolchain::{compile, runtime};
use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);
const FEW: u64 = 1000;
const MANY: u64 = 3000;

/// `a` has room for all n, and is not freed, which would be a write to all of it; `BEFORE` is done
/// to all of it by an earlier step, `ACCESS` n times by the step that is measured.
const PROGRAM: &str = r#"
#include <stdlib.h>
#define ROOM 4096
__attribute__((noinline)) static void before(TYPE *a, long n) {
  for (long i = 0; i < n; i++) {
    BEFORE;
    __asm__ volatile("" ::: "memory");
  }
#pragma omp taskwait
}
__attribute__((noinline UNSEEN)) static void work(TYPE *a, long n) {
  for (long i = 0; i < n; i++) {
    ACCESS;
    __asm__ volatile("" ::: "memory");
  }
}
int main(int argc, char **argv) {
  TYPE *a = calloc(ROOM, sizeof(TYPE));
  long n = atol(argv[1]);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task FIRST
    before(a, ROOM);
    BETWEEN;
#pragma omp task SECOND
    work(a, n);
#pragma omp taskwait
  }
  return 0;
}
"#;

const READ: &str = "TYPE x = *(a + AT); __asm__ volatile(\"\" : : \"r\"(x))";
const WRITE: &str = "*(a + AT) = (TYPE)i";
/// Of two elements in turn: a loop that loads one only is taken to wait for somebody.
const LOAD: &str = "TYPE x; _Pragma(\"omp atomic read\") x = a[AT]; __asm__ volatile(\"\" : : \"r\"(x))";
const UPDATE: &str = "_Pragma(\"omp atomic update\") a[AT] += 1";
/// So that no two elements were written by the same access.
const WRITE_EACH: &str = "_Pragma(\"omp task\") *(a + AT) = (TYPE)i";

/// How the task that is measured comes after the one before it.
#[derive(Clone, Copy)]
enum By {
    Wait,
    Depend,
}

impl By {
    /// The clauses of both tasks, and what is done between them.
    fn parts(self) -> [(&'static str, &'static str); 3] {
        match self {
            By::Wait => [("FIRST", ""), ("BETWEEN", "_Pragma(\"omp taskwait\")"), ("SECOND", "")],
            By::Depend => [("FIRST", "depend(out: a[0])"), ("BETWEEN", ""), ("SECOND", "depend(in: a[0])")],
        }
    }
}

/// Its name, the type of the elements, what is done to them before, the access, the element that
/// the i-th is to, how it is ordered, and the budget.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str, By, f64);

/// *Again*: accesses that the running step has made before. *After a write*, *each*: the first of a
/// step to memory that steps which are long over have written, be it one step or many. *After a
/// sibling*: where a step that is not over, but ordered before it, has written both this memory and
/// what was accessed last.
const CASES: [Case; 20] = [
    ("read4_again", "int", WRITE, READ, "0", By::Wait, 8.0),
    ("write4_again", "int", WRITE, WRITE, "0", By::Wait, 5.0),
    ("read8_again", "long", WRITE, READ, "0", By::Wait, 10.0),
    ("write8_again", "long", WRITE, WRITE, "0", By::Wait, 7.0),
    ("read4_after_write", "int", WRITE, READ, "i", By::Wait, 31.0),
    ("write4_after_write", "int", WRITE, WRITE, "i", By::Wait, 28.0),
    ("read8_after_write", "long", WRITE, READ, "i", By::Wait, 34.0),
    ("write8_after_write", "long", WRITE, WRITE, "i", By::Wait, 31.0),
    ("read4_after_each", "int", WRITE_EACH, READ, "i", By::Wait, 31.0),
    ("write4_after_each", "int", WRITE_EACH, WRITE, "i", By::Wait, 28.0),
    ("read8_after_each", "long", WRITE_EACH, READ, "i", By::Wait, 34.0),
    ("write8_after_each", "long", WRITE_EACH, WRITE, "i", By::Wait, 31.0),
    ("read4_after_sibling", "int", WRITE, READ, "i", By::Depend, 33.0),
    ("write4_after_sibling", "int", WRITE, WRITE, "i", By::Depend, 31.0),
    ("read8_after_sibling", "long", WRITE, READ, "i", By::Depend, 36.0),
    ("write8_after_sibling", "long", WRITE, WRITE, "i", By::Depend, 34.0),
    ("atomic4_read", "int", WRITE, LOAD, "i % 2", By::Wait, 25.0),
    ("atomic4_update", "int", WRITE, UPDATE, "i % 2", By::Wait, 39.0),
    ("atomic8_read", "long", WRITE, LOAD, "i % 2", By::Wait, 28.0),
    ("atomic8_update", "long", WRITE, UPDATE, "i % 2", By::Wait, 45.0),
];

/// How many instructions more a run has for each more access.
fn slope(program: &Path, folder: &Folder) -> f64 {
    slope_between(program, FEW, MANY, folder)
}

fn slope_between(program: &Path, few: u64, many: u64, folder: &Folder) -> f64 {
    let more = count(program, many, folder) as f64 - count(program, few, folder) as f64;
    more / (many - few) as f64
}

/// The instructions of a run.
fn count(program: &Path, n: u64, folder: &Folder) -> u64 {
    let out = folder.path("callgrind.out");
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display()));
    command
        .env("OMP_NUM_THREADS", "4")
        .arg(program)
        .arg(n.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let done =
        finish_within(&mut command, PATIENCE).unwrap_or_else(|e| panic!("{e}: run scripts/install-deps"));
    assert_eq!(done.status, Some(0), "{done:#?}");
    let text = std::fs::read_to_string(&out).unwrap();
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).expect("callgrind says how many there were")
}

#[test]
fn accesses_keep_their_budgets() {
    runtime();
    let folder = Folder::new("budget");
    let mut over = Vec::new();
    // What the loop costs by itself depends on the access alone.
    let mut unseen = HashMap::new();
    for (name, kind, before, access, at, by, most) in CASES {
        let program =
            by.parts().iter().fold(PROGRAM.to_owned(), |text, (name, part)| text.replace(name, part));
        let text = program
            .replace("BEFORE", &before.replace("AT", "i"))
            .replace("ACCESS", &access.replace("AT", at))
            .replace("TYPE", kind);
        let slope_of = |variant: &str, attribute: &str| {
            let source = folder.write(&format!("{name}_{variant}.c"), text.replace("UNSEEN", attribute));
            let program = folder.path(&format!("{name}_{variant}"));
            compile(&source, "-O1", &[], &program).unwrap_or_else(|e| panic!("{name}: {e}"));
            slope(&program, &folder)
        };
        let plain = unseen
            .entry((kind, access, at))
            .or_insert_with(|| slope_of("unseen", ", disable_sanitizer_instrumentation"));
        let each = slope_of("seen", "") - *plain;
        println!("{name}: {each:.1} instructions, at most {most}");
        // The difference has a little of what is not an access in it.
        if each.round() > most {
            over.push(format!("{name}: {each:.1} instructions, at most {most}"));
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}

/// A worksharing loop; what `main` does to fill the arrays is counted as well.
const LOOP: &str = r#"
#include <stdlib.h>
__attribute__((noinline)) static void work(double *a, double *b, int *p, long n) {
#pragma omp parallel for SCHEDULE
  for (long i = 0; i < n; i++)
    a[i] = b[ELEMENT] * 2;
}
int main(int argc, char **argv) {
  long n = atol(argv[1]);
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  int *p = malloc(n * sizeof *p);
  for (long i = 0; i < n; i++) {
    b[i] = i;
    p[i] = (int)(i * 7919 % n);
  }
  work(a, b, p, n);
  return a[n / 2] < 0;
}
"#;

/// Its name, the schedule, the element that is read, and the budget of an iteration. When
/// iterations were not told apart, one cost 18, 266, 827, 111, 80 and 304 instructions. At most
/// half as much again is wanted; a gather with a plain static schedule, whose every iteration makes
/// a record of its own, is above it.
const LOOPS: [(&str, &str, &str, f64); 6] = [
    ("static", "", "i", 19.0),
    ("static_4", "schedule(static, 4)", "i", 323.0),
    ("static_1", "schedule(static, 1)", "i", 1098.0),
    ("dynamic_64", "schedule(dynamic, 64)", "i", 127.0),
    ("gather", "", "p[i]", 139.0),
    ("gather_4", "schedule(static, 4)", "p[i]", 441.0),
];

#[test]
fn iterations_keep_their_budgets() {
    runtime();
    let folder = Folder::new("budget-loops");
    let mut over = Vec::new();
    for (name, schedule, element, most) in LOOPS {
        let text = LOOP.replace("SCHEDULE", schedule).replace("ELEMENT", element);
        let (source, program) = (folder.write(&format!("{name}.c"), text), folder.path(name));
        compile(&source, "-O2", &[], &program).unwrap_or_else(|e| panic!("{name}: {e}"));
        let each = slope_between(&program, 20_000, 60_000, &folder);
        println!("{name}: {each:.1} instructions, at most {most}");
        if each > most {
            over.push(format!("{name}: {each:.1} instructions, at most {most}"));
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}
