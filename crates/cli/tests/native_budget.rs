//! How many instructions an access costs, counted by callgrind: the budgets of the entry points of the native runtime.
//!
//! A tiny program makes the same access n times in `work`. What the runtime did for it is what callgrind counts in all
//! functions but `work`. Two values of n give the cost of one access by their difference, to which the call itself, an
//! instruction of `work`, is added. The counts are exact and the same on every machine, so the budgets have no slack for noise.
#![cfg(unix)]
#![cfg(target_arch = "x86_64")]

mod common;
mod native;

use common::command::{Folder, finish_within};
use native::toolchain::{compile, runtime};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);
const FEW: u64 = 1000;
const MANY: u64 = 3000;

/// `a` has room for all n, and is not freed, which would be a write to all of it; `BEFORE` is done to all of it by an earlier step, `ACCESS` n times by the step that is measured.
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
__attribute__((noinline)) static void work(TYPE *a, long n) {
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
#pragma omp task
    before(a, ROOM);
#pragma omp taskwait
#pragma omp task
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

struct Case {
    name: &'static str,
    kind: &'static str,
    before: &'static str,
    access: &'static str,
    /// The element that the i-th access is to.
    at: &'static str,
    most: f64,
}

/// "This step again": the fast path, call and return included.
const AGAIN: f64 = 12.0;

const CASES: [Case; 16] = [
    Case { name: "read4_again", kind: "int", before: WRITE, access: READ, at: "0", most: AGAIN },
    Case { name: "write4_again", kind: "int", before: WRITE, access: WRITE, at: "0", most: AGAIN },
    Case { name: "read8_again", kind: "long", before: WRITE, access: READ, at: "0", most: AGAIN },
    Case { name: "write8_again", kind: "long", before: WRITE, access: WRITE, at: "0", most: AGAIN },
    Case { name: "read4_after_write", kind: "int", before: WRITE, access: READ, at: "i", most: ALIKE },
    Case { name: "write4_after_write", kind: "int", before: WRITE, access: WRITE, at: "i", most: ALIKE },
    Case { name: "read8_after_write", kind: "long", before: WRITE, access: READ, at: "i", most: ALIKE },
    Case { name: "write8_after_write", kind: "long", before: WRITE, access: WRITE, at: "i", most: ALIKE },
    Case { name: "read4_after_each", kind: "int", before: WRITE_EACH, access: READ, at: "i", most: FIRST },
    Case { name: "write4_after_each", kind: "int", before: WRITE_EACH, access: WRITE, at: "i", most: FIRST },
    Case { name: "read8_after_each", kind: "long", before: WRITE_EACH, access: READ, at: "i", most: FIRST },
    Case { name: "write8_after_each", kind: "long", before: WRITE_EACH, access: WRITE, at: "i", most: FIRST },
    Case { name: "atomic4_read", kind: "int", before: WRITE, access: LOAD, at: "i % 2", most: ATOMIC },
    Case { name: "atomic4_update", kind: "int", before: WRITE, access: UPDATE, at: "i % 2", most: ATOMIC },
    Case { name: "atomic8_read", kind: "long", before: WRITE, access: LOAD, at: "i % 2", most: ATOMIC_8 },
    Case { name: "atomic8_update", kind: "long", before: WRITE, access: UPDATE, at: "i % 2", most: ATOMIC_8 },
];

/// The first access of a step to memory that an earlier step, ordered before it, has written, as it has the memory that was accessed last.
const ALIKE: f64 = 33.0;
/// The same where another step has written what was accessed last.
const FIRST: f64 = 130.0;

/// An atomic access that the running step has made before.
const ATOMIC: f64 = 70.0;
/// The same of two words, each with what is known of it.
const ATOMIC_8: f64 = 95.0;

/// The instructions of a run, those of `work` apart.
fn count(program: &Path, n: u64, folder: &Folder) -> u64 {
    let out = folder.path("callgrind.out");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]);
    command.arg(format!("--callgrind-out-file={}", out.display())).arg(program).arg(n.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let done =
        finish_within(&mut command, PATIENCE).unwrap_or_else(|e| panic!("{e}: run scripts/install-deps"));
    assert_eq!(done.status, Some(0), "{done:#?}");
    outside_of_work(&std::fs::read_to_string(&out).unwrap())
}

/// What a file of callgrind's counts in all functions but `work`. After `fn=NAME` come lines `LINE COUNT`; the line
/// after `calls=` repeats what the called function counts for itself.
fn outside_of_work(text: &str) -> u64 {
    let (mut sum, mut ours, mut repeated, mut seen) = (0, true, false, false);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            ours = name != "work";
            seen |= !ours;
        } else if line.starts_with("calls=") {
            repeated = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let count = line.split(' ').nth(1).and_then(|count| count.parse::<u64>().ok());
            if !std::mem::take(&mut repeated) && ours {
                sum += count.unwrap_or_else(|| panic!("a line and a count expected: {line}"));
            }
        }
    }
    assert!(seen, "`work` is not in what callgrind counted");
    sum
}

#[test]
fn accesses_keep_their_budgets() {
    runtime();
    let folder = Folder::new("budget");
    let mut over = Vec::new();
    for Case { name, kind, before, access, at, most } in CASES {
        let text = PROGRAM
            .replace("BEFORE", &before.replace("AT", "i"))
            .replace("ACCESS", &access.replace("AT", at))
            .replace("TYPE", kind);
        let source = folder.write(&format!("{name}.c"), text);
        let program = folder.path(name);
        compile(&source, "-O1", &[], &program).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (few, many) = (count(&program, FEW, &folder), count(&program, MANY, &folder));
        let each = 1.0 + (many - few) as f64 / (MANY - FEW) as f64;
        println!("{name}: {each:.1} instructions, at most {most}");
        // The difference has a little of what is not an access in it.
        if each.round() > most {
            over.push(format!("{name}: {each:.1} instructions, at most {most}"));
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}
