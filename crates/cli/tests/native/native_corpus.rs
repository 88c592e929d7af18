//! Every program of `programs/c`, compiled with `raceproof cc` and run with `raceproof run`: does the report say what
//! the program's comments expect, that and nothing else?
//!
//! One program alone: `RACEPROOF_PROGRAM=taskwait cargo test --test native native_corpus::` (a part of its path).
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within, root};
use native::corpus::{asked_for, judge_all, judge_all_by, some_of};
use native::expect::Expected;
use native::judge::mistakes;
use native::toolchain::{compile, execute, runtime, tool};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The programs of one file each, as paths from `programs/c`.
fn programs() -> Vec<PathBuf> {
    let corpus = root().join("programs/c");
    let mut found = Vec::new();
    for folder in fs::read_dir(&corpus).expect("programs/c is there").map(|entry| entry.unwrap().path()) {
        // Those of `verify` are for native_verify.rs.
        if !folder.is_dir() || folder.ends_with("project") || folder.ends_with("verify") {
            continue;
        }
        for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            assert!(
                file.extension().is_some_and(|e| e == "c" || e == "cpp"),
                "{} is no program",
                file.display()
            );
            found.push(file.strip_prefix(&corpus).unwrap().to_owned());
        }
    }
    found.sort();
    found
}

#[test]
fn every_program_is_judged_as_it_expects() {
    judge_all("programs/c", some_of(programs(), 0, 1), "-O1");
}

#[test]
fn the_verdict_does_not_depend_on_optimisation() {
    judge_all("programs/c", some_of(programs(), 1, 10), "-O0");
    judge_all("programs/c", some_of(programs(), 4, 10), "-O3");
    judge_all("programs/c", some_of(programs(), 7, 10), "-O2");
}

/// Has accesses that clang's own pass does not see (a read before a write of the same), iterations that it does not mark, or a result that is not used.
const OWN_PASS_ONLY: [&str; 12] = [
    "atomic_compare_plain_racy",
    "atomic_compare_float_racy",
    "assembly_operands_racy",
    "masked_vectors_racy",
    "static_written_racy",
    "simd/",
    "sizes/",
    "advice/simd_dependence_racy",
    "for_runtime_unset_racy",
    "netzer_parq_racy",
    "netzer_workq_racy",
    "thread_barrier_norace",
];

/// Where no plugin fits the user's clang, its own pass instruments.
#[test]
fn the_verdict_does_not_depend_on_the_pass() {
    let mut programs = some_of(programs(), 5, 10);
    programs.retain(|program| !OWN_PASS_ONLY.iter().any(|name| program.to_string_lossy().contains(name)));
    judge_all("programs/c", programs, "-fno-raceproof-pass");
}

/// Programs of different kinds for an older clang, whose code of constructs is another. There is no
/// `omp.h` for it.
const OLDER: [&str; 24] = [
    "cancel/cancel_for_racy.c",
    "cpp/exception_in_task_norace.cpp",
    "cpp/lambda_reference_racy.cpp",
    "cpp/vector_element_racy.cpp",
    "data/copyin_norace.c",
    "data/static_local_racy.c",
    "depend/depend_stencil_racy.c",
    "depend/depend_iterator_norace.c",
    "depend/mutexinoutset_norace.c",
    "device/distribute_racy.c",
    "library/strings_racy.c",
    "loop/for_collapse_racy.c",
    "loop/for_doacross_norace.c",
    "loop/for_lastprivate_norace.c",
    "memory/memcpy_overlap_racy.c",
    "memory/span_merge_racy.c",
    "memory/vla_racy.c",
    "reduction/taskgroup_reduction_norace.c",
    "rules/scan_exclusive_norace.c",
    "sync/atomic_capture_norace.c",
    "sync/sections_racy.c",
    "sync/single_copyprivate_norace.c",
    "task/taskloop_racy.c",
    "threads/std_thread_racy.cpp",
];

#[test]
fn the_verdict_does_not_depend_on_the_version_of_clang() {
    let programs: Vec<PathBuf> = OLDER.iter().map(PathBuf::from).filter(|path| asked_for(path)).collect();
    for level in ["-O2", "-fno-raceproof-pass"] {
        judge_all_by(Some("clang-16"), "programs/c", programs.clone(), level);
    }
}

/// Which checks of a task's private variables, and of static ones, are left out depends on what the optimiser has made of the program.
#[test]
fn what_is_left_out_is_judged_alike_at_every_level() {
    let is_left_out = |program: &PathBuf| {
        let name = program.to_string_lossy();
        (name.contains("firstprivate") || name.contains("/static_")) && asked_for(program)
    };
    for level in ["-O0", "-O2", "-O3"] {
        judge_all("programs/c", programs().into_iter().filter(is_left_out).collect(), level);
    }
}

/// The optimiser knows the functions of the C library and makes others, or nothing, of their calls; without the pass the linker redirects them.
#[test]
fn calls_of_the_c_library_are_judged_alike_at_every_level() {
    let is_of_library = |program: &PathBuf| program.starts_with("library") && asked_for(program);
    for level in ["-O0", "-O2", "-O3", "-fno-raceproof-pass"] {
        judge_all("programs/c", programs().into_iter().filter(is_of_library).collect(), level);
    }
}

/// A program, a static and a shared library, built by make as the README shows.
#[test]
fn a_project_is_checked_by_make() {
    runtime();
    let folder = Folder::new("project");
    let from = root().join("programs/c/project");
    let mut sources = Vec::new();
    for file in fs::read_dir(&from).unwrap().map(|entry| entry.unwrap().path()) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        folder.write(&name, fs::read(&file).unwrap());
        sources.extend((name.ends_with(".c") || name.ends_with(".h")).then_some(file));
    }
    let mut make = std::process::Command::new("make");
    make.arg(format!("CC={} cc", env!("CARGO_BIN_EXE_raceproof")))
        .current_dir(folder.path(""))
        .env("RACEPROOF_RUNTIME", runtime())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    finish_within(&mut make, Duration::from_secs(120)).unwrap().expect_status(0);

    let paths: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
    let names: Vec<String> =
        paths.iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let expected = Expected::read(&paths).unwrap();
    let wrong = mistakes(&expected, &names, &execute(&folder.path("inventory"), &expected).unwrap());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Alone, without `raceproof run`, a program prints the text report and ends as programs under TSan do.
#[test]
fn a_program_reports_for_itself() {
    let folder = Folder::new("alone");
    let source = root().canonicalize().unwrap().join("programs/c/task/task_two_racy.c");
    let binary = folder.path("alone");
    compile(&source, "-O1", &[], &binary).unwrap();
    let mut alone = std::process::Command::new(&binary);
    alone.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let done = finish_within(&mut alone, Duration::from_secs(60)).unwrap();
    assert_eq!((done.status, done.stdout.as_str()), (Some(66), ""), "{done:#?}");
    assert!(done.stderr.contains("task_two_racy.c:9"), "{done:#?}");
}

/// A mistake in a command line is said before anything runs.
#[test]
fn a_program_that_is_not_there_is_bad_input() {
    let done =
        finish_within(tool().args(["run", "--", "./no-such-program"]), Duration::from_secs(60)).unwrap();
    done.expect_status(2).says("no-such-program");
}

#[test]
fn the_corpus_is_what_it_says() {
    let mut kinds: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut names = BTreeMap::new();
    let programs = programs();
    for program in &programs {
        let expected = Expected::read(&[&root().join("programs/c").join(program)]);
        let expected = expected.unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        let stem = program.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = program.parent().unwrap().to_string_lossy().into_owned();
        let racy = expected.verdict == "race";
        if folder != "faults" {
            let suffix = if racy { "_racy" } else { "_norace" };
            assert!(stem.ends_with(suffix), "{} is not named for its verdict", program.display());
            assert!(racy || expected.verdict == "race-free", "{} belongs to faults", program.display());
            kinds.entry(folder).or_default()[usize::from(racy)] += 1;
        }
        let double = names.insert(program.file_name().unwrap().to_owned(), program.clone());
        assert!(double.is_none(), "{} and {double:?} have the same name", program.display());
    }
    assert!(programs.len() >= 130, "{} programs", programs.len());
    for (folder, [free, racy]) in kinds {
        assert!(free >= 3 && racy >= 3, "{folder}: {free} race-free and {racy} racy programs");
    }
}

fn sample(text: &str) -> Result<Expected, String> {
    Expected::parse(&[("f.c".to_owned(), text.to_owned())])
}

#[test]
fn markers_that_mean_nothing_are_refused() {
    for (text, error) in [
        ("// expect: maybe\n", "verdict"),
        ("// expect: race\n", "without a marked pair"),
        ("// expect: race all-schedules\nx; //~ race x #1\n", "scope"),
        ("// expect: race-free\nx; //~ race x #1\n", "marked pairs"),
        ("// expect: race-free sometimes\n", "no such scope"),
        ("// expect: race\nx; //~ rase x #1\n", "f.c:2: `race` or `race?` expected"),
        ("// expect: race\nx; //~ race #1\n", "name of a location"),
        ("// expect: race\nx; //~ race x\n", "number of a pair"),
        ("// expect: race\nx; //~ race x #one\n", "a number expected"),
        ("// expect: race\nx; //~ race x #1\ny; //~ race y #1\n", "another pair"),
        ("// expect: race\nx; //~ race x #1\ny; //~ race x #1\nz; //~ race x #1\n", "another pair"),
        ("// expect: race\n// env: FOO\n", "NAME=VALUE"),
    ] {
        let found = sample(text).expect_err(text);
        assert!(found.contains(error), "{text:?}: {found}");
    }
}

/// A report of one race between two lines of `f.c`, as the judge sees it.
fn report(verdict: &str, lines: Option<[u64; 2]>) -> Done {
    let end = |line| {
        serde_json::json!({ "file": "/usr/include/h.h", "line": 1, "stack": [
        { "function": "get", "file": "some/folder/f.c", "line": line },
        { "function": "main", "file": "f.c", "line": 99 } ] })
    };
    let races: Vec<_> = lines
        .into_iter()
        .map(|[a, b]| {
            serde_json::json!({ "location": "x", "first": end(a), "second": end(b),
                "object": { "kind": "global", "name": "x" } })
        })
        .collect();
    let report = serde_json::json!({ "verdict": verdict, "scope": "all-schedules", "races": races,
        "errors": [], "deadlocks": [], "limits": [] });
    let status = Some(i32::from(verdict != "race-free"));
    Done { status, stdout: report.to_string(), stderr: String::new() }
}

#[test]
fn the_judge_sees_every_mistake() {
    let racy = sample("// expect: race\nx; //~ race x #1\ny; //~ race x #1 race? x #2\n").unwrap();
    let free = sample("// expect: race-free observed-schedule\n").unwrap();
    let other = sample("// expect: race\nx; //~ race z #1\ny; //~ race z #1\n").unwrap();
    let fault = sample("// expect: deadlock\n// message: event\n").unwrap();
    let judge = |expected: &Expected, done: &Done| mistakes(expected, &["f.c".to_owned()], done).join("; ");
    assert_eq!(judge(&racy, &report("race", Some([3, 2]))), "");
    assert_eq!(judge(&racy, &report("race", Some([3, 3]))), "missing race on x at f.c:2 and f.c:3");
    for (expected, done, words) in [
        (&racy, report("race-free", None), "verdict race expected, race-free came; status 1 expected"),
        (&racy, report("race", Some([2, 4])), "unmarked race on \"x\" at f.c:2 and f.c:4; missing race"),
        (&other, report("race", Some([2, 3])), "unmarked race"),
        (&free, report("race-free", None), "scope observed-schedule expected, all-schedules came"),
        (&fault, report("deadlock", None), "\"event\" expected"),
        (&free, Done { status: Some(2), stdout: String::new(), stderr: "bad".into() }, "no JSON report"),
    ] {
        let found = judge(expected, &done);
        assert!(found.contains(words), "{words:?} expected, {found:?} came");
    }
}
