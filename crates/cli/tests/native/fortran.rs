//! `raceproof fc`: every program of `programs/fortran`, judged as its comments expect, and the
//! driver as build tools use it.
//!
//! One program alone: `RACEPROOF_PROGRAM=taskwait cargo test --test native fortran::` (a part of
//! its name).
#![cfg(unix)]

use crate::common;
use crate::native;

use common::command::{Folder, finish_within, root};
use native::corpus::{judge_all, some_of};
use native::expect::Expected;
use native::toolchain::tool;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const CORPUS: &str = "programs/fortran";
const PATIENCE: Duration = Duration::from_secs(60);

fn programs() -> Vec<PathBuf> {
    let files = fs::read_dir(root().join(CORPUS)).expect("programs/fortran is there");
    let mut found: Vec<PathBuf> = files
        .map(|entry| PathBuf::from(entry.unwrap().file_name()))
        .filter(|name| !name.ends_with("README.md"))
        .collect();
    found.sort();
    found
}

#[test]
fn every_program_is_judged_as_it_expects() {
    judge_all(CORPUS, some_of(programs(), 0, 1), "-O2");
}

#[test]
fn the_verdict_does_not_depend_on_optimisation() {
    judge_all(CORPUS, some_of(programs(), 0, 4), "-O0");
    judge_all(CORPUS, some_of(programs(), 2, 4), "-O1");
}

#[test]
fn the_corpus_is_what_it_says() {
    let programs = programs();
    let mut of_verdict = [0, 0];
    for program in &programs {
        let expected = Expected::read(&[&root().join(CORPUS).join(program)]);
        let expected = expected.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let racy = expected.verdict == "race";
        let suffix = if racy { "_racy" } else { "_norace" };
        let stem = program.file_stem().unwrap().to_string_lossy();
        assert!(stem.ends_with(suffix), "{} is not named for its verdict", program.display());
        of_verdict[usize::from(racy)] += 1;
    }
    assert!(of_verdict.iter().all(|count| *count >= 20), "{of_verdict:?} programs without and with a race");
}

fn compiler(words: &[&str], folder: &Folder) -> Command {
    let mut command = tool();
    command.args(words).current_dir(folder.path(""));
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    command
}

const MODULE: &str = "\
module shared_state
  integer :: hits = 0
end module
";

const MAIN: &str = "\
program p
  use shared_state
  implicit none
  interface
    subroutine bump(n) bind(c)
      integer, intent(inout) :: n
    end subroutine
  end interface
  !$omp parallel
  call bump(hits)
  !$omp end parallel
  print *, hits
end program
";

/// Units compiled apart, modules in a folder of their own, C beside Fortran: a race in C code on a
/// variable of a module.
#[test]
fn fortran_and_c_are_linked_together() {
    let folder = Folder::new("fortran-mixed");
    folder.write("state.f90", MODULE);
    folder.write("main.f90", MAIN);
    folder.write("bump.c", "void bump(int *n) {\n  *n += 1;\n}\n");
    fs::create_dir(folder.path("modules")).unwrap();
    for line in [
        "fc -fopenmp -c -J modules state.f90",
        "fc -fopenmp -c -Imodules main.f90 -o main.o",
        "cc -fopenmp -c bump.c",
        "fc -fopenmp main.o state.o bump.o -o mixed",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let done = finish_within(&mut compiler(&words, &folder), PATIENCE).unwrap();
        assert_eq!((done.status, done.stderr.as_str()), (Some(0), ""), "{line}");
    }
    let done = finish_within(&mut compiler(&["run", "--", "./mixed"], &folder), PATIENCE).unwrap();
    done.expect_status(1).says("race 1 on shared_state::hits").says("bump.c:2").says("`#pragma omp atomic`");
}

fn refused(words: &[&str], folder: &Folder) -> String {
    let done = finish_within(&mut compiler(words, folder), PATIENCE).unwrap();
    assert_eq!(done.status, Some(2), "{words:?}: {done:?}");
    done.stderr
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = Folder::new("fortran-refused");
    folder.write("a.f90", "end\n");
    folder.write("a.c", "int x;\n");
    for (words, said) in [
        (&["fc", "a.f90", "a.c"][..], "a.c is not Fortran: compile it with `raceproof cc -c`"),
        (&["cc", "a.f90"], "a.f90 is Fortran: compile it with `raceproof fc`"),
        (&["fc", "-fno-raceproof-pass", "a.f90"], "flang has no pass of its own"),
        (&["run", "a.f90"], "type `raceproof fc -fopenmp -g a.f90 -o a`"),
    ] {
        let found = refused(words, &folder);
        assert!(found.contains(said), "{words:?}: {found}");
    }
}

/// A flang that is not there, is none, is too old, or for which there is no pass.
#[test]
fn a_flang_that_does_not_fit_is_refused() {
    let folder = Folder::new("fortran-flang");
    folder.write("a.f90", "end\n");
    for (answer, said) in [
        (None, "cannot run"),
        (Some("gcc (Debian) 12.2.0"), "does not say that it is LLVM's flang"),
        (Some("flang-new version 17.0.6"), "is flang 17; raceproof needs flang 19 or newer"),
        (Some("flang version 99.1.0"), "there is no LLVM pass of raceproof's for flang 99"),
    ] {
        let program = folder.path("flang");
        let _ = fs::remove_file(&program);
        if let Some(answer) = answer {
            folder.write("flang", format!("#!/bin/sh\necho '{answer}'\n"));
            common::command::run(Command::new("chmod").arg("+x").arg(&program));
        }
        let mut command = compiler(&["fc", "a.f90"], &folder);
        let done = finish_within(command.env("RACEPROOF_FLANG", &program), PATIENCE).unwrap();
        assert_eq!(done.status, Some(2), "{answer:?}: {done:?}");
        assert!(done.stderr.contains(said), "{answer:?}: {}", done.stderr);
    }
}

/// What flang does not compile it says itself.
#[test]
fn flang_speaks_for_itself() {
    let folder = Folder::new("fortran-errors");
    folder.write("a.f90", "program p\n  integer :: i\n  i = \"x\"\nend program\n");
    let done = finish_within(&mut compiler(&["fc", "-c", "a.f90"], &folder), PATIENCE).unwrap();
    assert_eq!(done.status, Some(1), "{done:?}");
    assert!(done.stderr.contains("a.f90:3"), "{done:?}");
    assert!(!Path::new(&folder.path("a.o")).exists());
}

/// Directives that were compiled without `-fopenmp` are warned of, and known to the program.
#[test]
fn directives_without_openmp_are_told() {
    let folder = Folder::new("fortran-ignored");
    folder.write(
        "a.f90",
        "program p\n  integer :: i\n  !$omp parallel do\n  do i = 1, 2\n  end do\nend program\n",
    );
    for words in [&["fc", "-c", "a.f90"][..], &["fc", "a.o", "-o", "a"]] {
        let done = finish_within(&mut compiler(words, &folder), PATIENCE).unwrap();
        assert_eq!(done.status, Some(0), "{done:?}");
        assert_eq!(done.stderr.contains("a.f90:3: `!$omp parallel`"), words[1] == "-c", "{done:?}");
    }
    let done = finish_within(&mut compiler(&["run", "--", "./a"], &folder), PATIENCE).unwrap();
    done.expect_status(3).says("!$omp at a.f90:3 was compiled without -fopenmp");
}

/// A search, and the schedule that it hands back.
#[test]
fn programs_are_verified_and_replayed() {
    let folder = Folder::new("fortran-verify");
    let source = root().canonicalize().unwrap().join(CORPUS).join("critical_names_racy.f90");
    let source = source.to_string_lossy();
    for (words, status) in [
        (&["fc", "-fopenmp", &source, "-o", "names"][..], 0),
        (&["verify", "--format", "json", "-o", "report.json", "--", "./names"], 1),
        (&["replay", "--witness", "report.json", "--", "./names"], 1),
    ] {
        let done = finish_within(&mut compiler(words, &folder), PATIENCE).unwrap();
        assert_eq!(done.status, Some(status), "{words:?}: {done:?}");
    }
}
