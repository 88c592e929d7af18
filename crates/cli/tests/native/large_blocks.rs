//! Large blocks of memory of which little is accessed: what is not accessed costs hardly anything
//! when a block is freed or grows.
#![cfg(target_arch = "x86_64")]

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::toolchain::{compile, runtime};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// Accesses the first and the last byte of a block of so many megabytes, which it then frees or
/// lets grow; prints the most memory that was resident, in kilobytes.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
char *volatile block;
int main(int argc, char **argv) {
  size_t size = (size_t)atol(argv[2]) << 20;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    block = malloc(size);
    block[0] = block[size - 1] = 1;
#pragma omp taskwait
    if (*argv[1] == 'f')
      free(block);
    else
      block = realloc(block, 2 * size);
  }
  // Not by getrusage, whose peak begins with that of the process that started this one.
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  long peak = -1;
  while (fgets(line, sizeof line, status))
    sscanf(line, "VmHWM: %ld", &peak);
  printf("%ld\n", peak);
  return 0;
}
"#;

fn built(folder: &Folder) -> PathBuf {
    runtime();
    let (file, program) = (folder.write("large.c", PROGRAM), folder.path("large"));
    compile(&file, "-O1", &[], &program).unwrap_or_else(|error| panic!("{error}"));
    program
}

/// Program memory on one page of shadow memory.
const PAGE: u64 = 2048;
/// Instructions that a page may cost on which there is nothing. To look at its cells would be
/// thousands.
const EMPTY_PAGE: u64 = 64;

#[test]
fn what_was_not_accessed_is_not_looked_at() {
    let folder = Folder::new("large-blocks");
    let program = built(&folder);
    let count = |what: &str, size: u64| {
        let out = folder.path("callgrind.out");
        let mut command = Command::new("valgrind");
        command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display()));
        command.arg(&program).arg(what).arg(size.to_string()).env("RACEPROOF_OPTIONS", "exitcode=0");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        finish_within(&mut command, PATIENCE).expect("valgrind runs: scripts/install-deps").expect_status(0);
        let text = std::fs::read_to_string(&out).unwrap();
        let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).expect("a total");
        total.trim().parse::<u64>().expect("a number")
    };
    for what in ["free", "realloc"] {
        let (small, large) = (32, 160);
        let each = (count(what, large) - count(what, small)) / (((large - small) << 20) / PAGE);
        assert!(each <= EMPTY_PAGE, "{what}: {each} instructions a page, at most {EMPTY_PAGE}");
    }
}

#[test]
fn a_block_that_grows_takes_no_shadow_memory_for_what_was_not_accessed() {
    let folder = Folder::new("large-growth");
    let program = built(&folder);
    for what in ["free", "realloc"] {
        let mut command = Command::new(&program);
        command.args([what, "512"]).env_remove("RACEPROOF_OPTIONS");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let done = finish_within(&mut command, PATIENCE).expect("it ends").expect_status(0);
        let kilobytes: u64 = done.stdout.trim().parse().expect("a number");
        assert!(kilobytes < 128 << 10, "{what}: {kilobytes} KB");
    }
}
