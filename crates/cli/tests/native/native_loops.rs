//! Loops over arrays, made at random: two tasks run one each, and race iff their bytes overlap
//! where one of them writes. Checks leave such loops (`raceproof cc` without
//! `-fno-raceproof-check-elimination`), so that bounds, strides and guards have to be right to the
//! byte.
//!
//! `RACEPROOF_CASES` pairs of loops (240 unless set), from seed `RACEPROOF_SEED` on (0 unless set).

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use common::seeds::seeds;
use native::generate::Random;
use native::loops::{Given, Loops, Shape};
use native::toolchain::{compile, tool};
use native::wander::{self, Wander};
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Shapes in one program.
const SHAPES: u64 = 40;
/// Pairs of each program.
const PAIRS: u64 = 80;
/// The array, and its middle, from which both tasks count.
const ROOM: i64 = 1 << 15;
const MIDDLE: i64 = ROOM / 2;

/// Runs two of the shapes, as its arguments say: number, place in the array, n and m of each.
fn program(shapes: &[impl Loops]) -> String {
    let mut text = String::from(
        "#include <stdlib.h>\nstruct point { int x; int y; int z; };\n\
         static __attribute__((noinline)) void touch(void) { __asm__ volatile(\"\" ::: \"memory\"); }\n",
    );
    text.push_str(wander::PROLOGUE);
    let _ = writeln!(text, "static _Alignas(64) char room[{ROOM}];");
    for (number, shape) in shapes.iter().enumerate() {
        text.push_str(&shape.c(&format!("shape{number}")));
    }
    text.push_str("static void run(char **word) {\n  void *a = room + atol(word[1]);\n  long n = atol(word[2]), m = atol(word[3]);\n");
    text.push_str("  switch (atoi(word[0])) {\n");
    for number in 0..shapes.len() {
        let _ = writeln!(text, "  case {number}: shape{number}(a, n, m); break;");
    }
    text.push_str(
        "  }\n}\nint main(int argc, char **argv) {\n  prepare();\n#pragma omp parallel num_threads(2)\n#pragma omp single\n  {\n#pragma omp task\n    \
         run(argv + 1);\n#pragma omp task\n    run(argv + 5);\n  }\n  return argc < 9;\n}\n",
    );
    text
}

fn is_racy(first: &HashMap<i64, bool>, second: &HashMap<i64, bool>, apart: i64) -> bool {
    first.iter().any(|(byte, writes)| second.get(&(byte - apart)).is_some_and(|others| *writes || *others))
}

struct Pair {
    words: Vec<String>,
    racy: bool,
}

/// Two shapes, side by side in the array or nearly so.
fn pair(shapes: &[impl Loops], random: &mut Random) -> Option<Pair> {
    let mut one = || {
        let number = random.below(shapes.len() as u64) as usize;
        let given = Given { n: random.below(24) as i64, m: random.below(14) as i64 };
        let bytes = shapes[number].bytes(given).filter(|bytes| !bytes.is_empty())?;
        Some((number, given, bytes))
    };
    let (first, second) = (one()?, one()?);
    let (end, begin) = (*first.2.keys().max()?, *second.2.keys().min()?);
    let alignment = shapes[first.0].alignment().max(shapes[second.0].alignment());
    let near = (end + 1 - begin).div_euclid(alignment) + 1 - random.below(4) as i64;
    let apart = near * alignment;
    let fits =
        |bytes: &HashMap<i64, bool>, from: i64| bytes.keys().all(|byte| (0..ROOM).contains(&(byte + from)));
    if !fits(&first.2, MIDDLE) || !fits(&second.2, MIDDLE + apart) {
        return None;
    }
    let mut words = Vec::new();
    for ((number, given, _), place) in [(&first, MIDDLE), (&second, MIDDLE + apart)] {
        words.extend([*number as i64, place, given.n, given.m].map(|number| number.to_string()));
    }
    Some(Pair { words, racy: is_racy(&first.2, &second.2, apart) })
}

fn is_found_racy(program: &Path, words: &[String], report: &Path) -> bool {
    let mut command = tool();
    command.args(["run", "--format", "json", "-o"]).arg(report).arg("--").arg(program).args(words);
    let done = finish_within(&mut command, Duration::from_secs(60))
        .unwrap_or_else(|error| panic!("{words:?}: {error}"));
    let report = fs::read_to_string(report).unwrap_or_default();
    assert!(report.contains("\"verdict\": \"race"), "{}", done.stderr);
    report.contains("\"verdict\": \"race\"")
}

/// Compares what is found with what the bytes say. One of these functions of the runtime has to be
/// called.
fn loops_race_where_their_bytes_do<L: Loops>(name: &str, calls: [&str; 2]) {
    let folder = Folder::new(name);
    let seeds = seeds(240);
    let (first, cases) = (seeds.start, seeds.end - seeds.start);
    let (mut racy, mut moved) = (0, false);
    for seed in first..first + cases.div_ceil(PAIRS) {
        let mut random = Random(seed);
        let shapes: Vec<L> = (0..SHAPES).map(|_| L::new(&mut random)).collect();
        let source = folder.write(&format!("loops{seed}.c"), program(&shapes));
        let program = folder.path(&format!("loops{seed}"));
        let level = ["-O2", "-O1", "-O3"][seed as usize % 3];
        compile(&source, level, &["-Wno-all".to_owned()], &program)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let object = folder.path("loops.o");
        let mut command = tool();
        command.args(["cc", level, "-fopenmp", "-c"]).arg(&source).arg("-o").arg(&object);
        assert_eq!(finish_within(&mut command, Duration::from_secs(60)).expect("it runs").status, Some(0));
        let object = fs::read(&object).expect("an object");
        let calls_it = |name: &&str| object.windows(name.len()).any(|part| part == name.as_bytes());
        moved |= calls.iter().any(calls_it);
        let mut made = 0;
        while made < PAIRS {
            let Some(Pair { words, racy: expected }) = pair(&shapes, &mut random) else { continue };
            made += 1;
            racy += u64::from(expected);
            let found = is_found_racy(&program, &words, &folder.path("report.json"));
            let shape = |at: usize| &shapes[words[at].parse::<usize>().expect("a number")];
            assert_eq!(
                found,
                expected,
                "seed {seed}, {level}, {words:?}\n{}\n{}",
                shape(0).c("first"),
                shape(4).c("second")
            );
        }
    }
    assert!(racy > cases / 10 && racy < cases, "{racy} of {cases} are racy: a test of one answer only");
    assert!(moved, "none of {calls:?} is called: no check has left its loop, and nothing was tested");
}

#[test]
fn loops_that_count_race_where_their_bytes_do() {
    loops_race_where_their_bytes_do::<Shape>(
        "native-loops",
        ["__raceproof_write_run\0", "__raceproof_read_runs\0"],
    );
}

#[test]
fn loops_that_wander_race_where_their_bytes_do() {
    loops_race_where_their_bytes_do::<Wander>(
        "native-wander",
        ["__raceproof_write_span\0", "__raceproof_read_span\0"],
    );
}
