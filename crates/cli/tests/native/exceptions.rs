//! C++ exceptions that nobody catches: the line of the throw, the type, what it says; and aborts
//! that have nothing to do with one.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within};
use native::toolchain::{runtime, tool};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// Behind each mark: the kind of the error, and what its message begins with.
const THROWS: &str = r#"
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
void thrown_elsewhere();
void called(void (*function)());
struct Own { int x; };
struct Derived : std::runtime_error { using runtime_error::runtime_error; };
struct Says : std::exception { const char *what() const noexcept override { abort(); } };
struct Second { ~Second() { try { throw 1; } catch (int) {} } };
volatile int zero;
volatile size_t size = size_t(1) << 60;
char *block;
std::string text;
static void throws() {
  throw 3L; // 5: exception, an exception of type long was not caught
}
__attribute__((noinline)) static void work(int how) {
  switch (how) {
  case 0:
    throw std::runtime_error("a text"); // 0: exception, an exception of type std::runtime_error, "a text", was not caught
  case 1:
    throw Own{1}; // 1: exception, an exception of type Own was not caught
  case 2:
    text.at(7) = 'x'; // 2: exception, an exception of type std::out_of_range, "basic_string::at
    break;
  case 3:
    block = new char[size]; // 3: exception, an exception of type std::bad_alloc, "std::bad_alloc", was not caught
    break;
  case 4:
    throw Derived("derived"); // 4: exception, an exception of type Derived, "derived", was not caught
  case 5:
    called(throws);
    break;
  case 6:
    throw new Own{1}; // 6: exception, an exception of type Own* was not caught
  case 7:
    try {
      throw Own{2}; // 7: exception, an exception of type Own was not caught
    } catch (Own &) {
      throw;
    }
  case 8: {
    std::exception_ptr kept;
    try {
      throw std::logic_error("kept"); // 8: exception, an exception of type std::logic_error, "kept", was not caught
    } catch (...) {
      kept = std::current_exception();
    }
    std::rethrow_exception(kept);
  }
  case 9:
    try {
      throw 1;
    } catch (int) {
      throw Own{3}; // 9: exception, an exception of type Own was not caught
    }
  case 10: {
    Second second;
    throw Own{4}; // 10: exception, an exception of type Own was not caught
  }
  case 11:
    try {
      throw Own{5};
    } catch (Own &) {
      abort(); // 11: abort, the program called abort
    }
  case 12:
    try {
      throw Own{6};
    } catch (Own &) {
      zero = 0;
    }
    abort(); // 12: abort, the program called abort
  case 13:
    try {
      throw Own{7};
    } catch (Own &) {
      std::terminate(); // 13: abort, the program called std::terminate
    }
  case 14:
    try {
      throw Own{8};
    } catch (Own &) {
    }
    throw Says(); // 14: exception, an exception of type Says was not caught
  case 15:
    thrown_elsewhere();
  }
}
int main(int argc, char **argv) {
  int how = atoi(argv[1]);
  switch (*argv[2]) {
  case 'm':
    work(how); // main: main
    break;
  case 'n':
    [&]() noexcept { work(how); }(); // noexcept: main
    break;
  case 'p':
#pragma omp parallel num_threads(2)
    if (zero == 0)
      work(how); // parallel: main/t0
    break;
  case 't':
#pragma omp parallel
#pragma omp single
#pragma omp task
    work(how); // task: main/t0/1
    break;
  }
  return 0;
}
"#;

const ELSEWHERE: &str = "
#include <stdexcept>
void thrown_elsewhere() {
  throw std::invalid_argument(\"elsewhere\"); // 15: exception, an exception of type std::invalid_argument, \"elsewhere\", was not caught
}
void called(void (*function)()) { function(); }
";

const WAYS: [&str; 4] = ["main", "noexcept", "parallel", "task"];

fn compile(arguments: &[&str], inputs: &[&Path], output: &Path) {
    let mut command = tool();
    // Calls of `std::terminate` and `abort` that the compiler has joined have one line.
    command.args(["c++", "-fopenmp", "-O1", "-w", "-mllvm", "-enable-tail-merge=0"]);
    command.args(["-mllvm", "-simplifycfg-sink-common=0"]).args(arguments).args(inputs);
    let done = finish_within(command.arg("-o").arg(output), PATIENCE).expect("it ends");
    assert_eq!(done.status, Some(0), "{}", done.stderr);
}

fn report(command: &str, program: &Path, arguments: &[&str]) -> Value {
    let file = program.with_extension("json");
    let mut run = tool();
    run.args([command, "--format", "json", "-o"]).arg(&file).arg("--").arg(program).args(arguments);
    let done = finish_within(&mut run, PATIENCE).expect("it ends");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {done:#?}"))
}

/// The file, line and text of a mark, of the two units.
fn marked(mark: &str) -> (&'static str, u64, &'static str) {
    let mark = format!("// {mark}: ");
    let found =
        [("throws.cpp", THROWS), ("elsewhere.cpp", ELSEWHERE)].into_iter().find_map(|(name, text)| {
            let (line, number) = text.lines().zip(1..).find(|(line, _)| line.contains(&mark))?;
            Some((name, number, line.split_once(&mark)?.1))
        });
    found.unwrap_or_else(|| panic!("no line has {mark}"))
}

/// Runs the program one way, and compares what it reports with the marks.
fn check(command: &str, program: &Path, how: usize, way: &str) {
    let report = report(command, program, &[&how.to_string(), &way[..1]]);
    let error = &report["errors"][0];
    let about = format!("{how} {way}: {report:#}");
    let (file, line, text) = marked(&how.to_string());
    let (kind, message) = text.split_once(", ").expect("a kind and a message");
    // In a search each thread that comes there may be the first.
    let errors = report["errors"].as_array().unwrap();
    assert!(errors.len() == 1 || command == "verify" && errors.len() == 2, "{about}");
    assert!(errors.iter().all(|other| other["line"] == error["line"]), "{about}");
    assert_eq!(error["kind"], kind, "{about}");
    assert!(error["message"].as_str().unwrap().starts_with(message), "{about}");
    // A function of the library's headers that the compiler has inlined is a frame of its own.
    let frames = std::iter::once(error).chain(error["stack"].as_array().unwrap());
    let places: Vec<_> = frames.map(|frame| (frame["file"].as_str(), frame["line"].as_u64())).collect();
    let is_at = |(name, number): &(Option<&str>, Option<u64>), file: &str, line| {
        name.is_some_and(|name| name.ends_with(file)) && *number == Some(line)
    };
    let own = places.iter().find(|(name, _)| name.is_some_and(|name| !name.contains("/include/")));
    assert!(own.is_some_and(|own| is_at(own, file, line)), "{about}");
    let (_, called, task) = marked(way);
    assert!(places.iter().any(|place| is_at(place, "throws.cpp", called)), "{about}");
    assert_eq!(error["task"], task, "{about}");
}

fn sources(folder: &Folder) -> [PathBuf; 2] {
    runtime();
    [folder.write("throws.cpp", THROWS), folder.write("elsewhere.cpp", ELSEWHERE)]
}

#[test]
fn exceptions_that_nobody_catches_name_the_throw() {
    let folder = Folder::new("exceptions");
    let [one, two] = sources(&folder);
    let program = folder.path("throws");
    compile(&[], &[&one, &two], &program);
    for how in 0..16 {
        for way in WAYS {
            check("run", &program, how, way);
        }
    }
    for (how, way) in [(0, "task"), (2, "main"), (11, "parallel"), (13, "task"), (15, "noexcept")] {
        check("verify", &program, how, way);
    }
}

#[test]
fn exceptions_of_a_library_in_the_program_name_the_throw() {
    let folder = Folder::new("exceptions-static");
    let [one, two] = sources(&folder);
    let program = folder.path("throws");
    compile(&["-static-libstdc++", "-static-libgcc"], &[&one, &two], &program);
    for how in [0, 1, 2, 3, 7, 8, 11, 12, 13, 15] {
        for way in ["main", "task"] {
            check("run", &program, how, way);
        }
    }
}

#[test]
fn exceptions_of_a_shared_library_name_the_throw() {
    let folder = Folder::new("exceptions-shared");
    let [one, two] = sources(&folder);
    let (library, program) = (folder.path("libelsewhere.so"), folder.path("throws"));
    compile(&["-shared", "-fPIC"], &[&two], &library);
    compile(&[], &[&one, &library], &program);
    for (how, way) in [(15, "main"), (15, "task"), (5, "parallel"), (5, "noexcept")] {
        check("run", &program, how, way);
    }
}

/// As without us: nothing is unwound before `std::terminate` is called, whose handler is the
/// program's.
#[test]
fn an_exception_that_leaves_main_unwinds_nothing() {
    const TEXT: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <exception>
struct Object {
  ~Object() { puts("unwound"); }
};
struct Static {
  Static() {
    if (getenv("EARLY"))
      throw 'e'; // early
  }
} early;
static void late() { throw 'l'; } // late
int main(int argc, char **) {
  std::set_terminate([] { puts("terminated"), fflush(stdout), abort(); });
  Object object;
  if (argc > 2)
    atexit(late), exit(0);
  if (argc > 1)
    throw 'm'; // main
  return 0;
}
"#;
    runtime();
    let folder = Folder::new("leaves-main");
    let (source, program) = (folder.write("leaves.cpp", TEXT), folder.path("leaves"));
    compile(&[], &[&source], &program);
    for (arguments, mark, early) in
        [(&["x"][..], "// main", false), (&["x", "y"], "// late", false), (&[], "// early", true)]
    {
        let mut command = tool();
        let file = folder.path("report.json");
        command.args(["run", "--format", "json", "-o"]).arg(&file).arg("--").arg(&program).args(arguments);
        if early {
            command.env("EARLY", "1");
        }
        let done = finish_within(&mut command, PATIENCE).expect("it ends");
        let report: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).expect("a report");
        let line = TEXT.lines().zip(1..).find(|(line, _)| line.contains(mark)).unwrap().1;
        assert_eq!(report["errors"][0]["kind"], "exception", "{mark}: {report:#}");
        assert_eq!(report["errors"][0]["line"], line, "{mark}: {report:#}");
        let said =
            if early { done.stderr.contains("terminate called") } else { done.stdout == "terminated\n" };
        assert!(said, "{mark}: {done:#?}");
    }
}
