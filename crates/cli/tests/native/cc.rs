//! `raceproof cc` as build tools use it: the command lines it makes of theirs, and what clang does
//! with them.

use crate::common;

use common::command::{run, run_with_input};
use common::native_tools::{Native, tool};
use raceproof_cc::{Action, Arguments, Language, Plan};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "\
#include <omp.h>
#include <stdio.h>
int sum;
int main(void) {
#pragma omp parallel
  sum += omp_get_thread_num() + 1;
  printf(\"sum %d\\n\", sum);
  return 0;
}
";

fn plan(line: &str) -> Plan {
    let words = line.split_whitespace().map(OsString::from).collect();
    Plan::new(&Arguments::parse(words), Language::C).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn words(plan: &Plan) -> String {
    plan.words().iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_compiled_is_instrumented() {
    const TSAN: &str = "-fno-omit-frame-pointer -Xclang -fsanitize=thread -Xclang -fstack-clash-protection";
    const OMP: &str = "-Xclang -fopenmp";
    for (line, expected) in [
        ("-c a.c", format!("{TSAN} -g -c a.c")),
        ("-O2 -fopenmp -c a.c -o a.o", format!("{TSAN} {OMP} -g -O2 -c a.c -o a.o")),
        ("-fopenmp=libomp -c a.c", format!("{TSAN} {OMP} -g -c a.c")),
        ("-fopenmp -fno-openmp -c a.c", format!("{TSAN} -g -c a.c")),
        (
            "-fopenmp -fopenmp-version=50 -c a.c",
            format!("{TSAN} {OMP} -Xclang -fopenmp-version=50 -g -c a.c"),
        ),
        ("-fsanitize=thread -g1 -S a.cc", format!("{TSAN} -g1 -S a.cc")),
        ("-gdwarf-4 -E a.c", format!("{TSAN} -gdwarf-4 -E a.c")),
        ("-MM a.c", format!("{TSAN} -g -MM a.c")),
        ("-x c -c -", format!("{TSAN} -g -x c -c -")),
        ("-fopenmp -c a.s", "-c a.s".to_owned()),
        // Nothing to compile: an option for the compiler would be unused, which clang warns of.
        ("-fopenmp a.o b.o", "a.o b.o".to_owned()),
        ("-shared -fopenmp a.o -lomp -lm", "-shared a.o -lm".to_owned()),
        ("-fopenmp a.o /usr/lib/libomp.so libgomp.so.1", "a.o".to_owned()),
    ] {
        assert_eq!(words(&plan(line)), expected, "{line}");
    }
}

/// flang has other words for its compiler proper, and our pass does what it has no option for.
#[test]
fn what_flang_compiles_is_instrumented_by_the_pass() {
    const KEPT: &str = "-fno-omit-frame-pointer";
    for (line, expected) in [
        ("-c a.f90", format!("{KEPT} -g -c a.f90")),
        ("-fopenmp -J m -c a.F90", format!("{KEPT} -Xflang -fopenmp -g -J m -c a.F90")),
        ("-g0 -fno-sanitize=none -c a.f", format!("{KEPT} -g -fno-sanitize=none -c a.f")),
        ("-fopenmp a.o", "a.o".to_owned()),
    ] {
        let words_of = line.split_whitespace().map(OsString::from).collect();
        let plan = Plan::new(&Arguments::parse(words_of), Language::Fortran);
        assert_eq!(words(&plan.unwrap_or_else(|error| panic!("{line}: {error}"))), expected, "{line}");
    }
}

#[test]
fn the_action_is_told_apart() {
    for (line, action) in [
        ("--version", Action::Query),
        ("-v", Action::Query),
        ("-print-search-dirs", Action::Query),
        ("-print-file-name=x a.c", Action::Query),
        ("-fopenmp", Action::Query),
        ("-c a.c", Action::Compile),
        ("-fsyntax-only a.c", Action::Compile),
        ("a.h", Action::Compile),
        ("a.c", Action::Executable),
        ("a.o -o a", Action::Executable),
        ("-shared a.c", Action::SharedLibrary),
        ("-r a.o b.o", Action::Relocatable),
        ("-Wl,-r a.o", Action::Relocatable),
    ] {
        assert_eq!(plan(line).action, action, "{line}");
    }
    assert_eq!(words(&plan("-fopenmp --version")), "-fopenmp --version");
}

#[test]
fn an_executable_gets_the_runtime_and_a_shared_library_does_not() {
    let mut made = plan("a.c -o a");
    made.link_runtime(Path::new("lib.a"));
    let line = words(&made);
    assert!(
        line.ends_with(
            "a.c -o a -Wl,--wrap=main -Wl,-u,main -x none lib.a -rdynamic -lpthread -ldl -lrt -lm"
        ),
        "{line}"
    );
    assert!(words(&plan("-shared -Wl,--no-undefined a.o")).ends_with("-Wl,-z,undefs"));
}

#[test]
fn what_cannot_work_is_refused() {
    for line in ["-fsanitize=address a.c", "-fsanitize=thread,undefined -c a.c", "-static a.o -o a"] {
        let words = line.split(' ').map(OsString::from).collect();
        let error = Plan::new(&Arguments::parse(words), Language::C).expect_err(line);
        assert!(error.contains("cannot be used") && error.contains("leave it out"), "{error}");
    }
}

#[test]
fn one_command_compiles_and_links() {
    let native = Native::new("cc-one");
    native.folder.write("a.c", PROGRAM);
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let done =
            native.run(&["cc", level, "-fopenmp", "-Wall", "-Werror", "a.c", "-o", "a"]).expect_status(0);
        assert_eq!(done.stderr, "", "{level}");
        native.program("a").expect_status(0).says("sum 1").says("some accesses, 1 regions");
    }
}

#[test]
fn steps_of_their_own_and_several_files() {
    let native = Native::new("cc-steps");
    native.folder.write("a.c", PROGRAM.replace("int sum;", "extern int sum;"));
    native.folder.write("b.c", "int sum;");
    native.run(&["cc", "-fopenmp", "-c", "a.c", "b.c", "-MMD"]).expect_status(0);
    assert!(native.folder.names().contains(&"a.d".to_owned()));
    let done = native.run(&["cc", "-fopenmp", "-O2", "a.o", "b.o", "-o", "ab", "-lm"]).expect_status(0);
    assert_eq!(done.stderr, "", "nothing is amiss with objects of our own, with code or without");
    native.program("ab").expect_status(0).says("some accesses");
    native.run(&["cc", "-fopenmp", "a.c", "b.o", "-o", "mixed"]).expect_status(0);
    native.program("mixed").expect_status(0).says("some accesses");
    // A wrong program is clang's to complain about.
    native.folder.write("wrong.c", "int main(void) { return x; }");
    native.run(&["cc", "-c", "wrong.c"]).expect_status(1).says("use of undeclared identifier");
}

/// A loop whose checks leave it.
const LOOP: &str = "void fill(int *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }\n";

#[test]
fn checks_leave_loops_unless_told_otherwise() {
    let native = Native::new("cc-elimination");
    native.folder.write("a.c", LOOP);
    let calls_runs = |name: &str| {
        let object = std::fs::read(native.folder.path(name)).expect("an object");
        object.windows(11).any(|part| part == b"__raceproof")
    };
    native.run(&["cc", "-O2", "-c", "a.c"]).expect_status(0);
    assert!(calls_runs("a.o"));
    native
        .run(&["cc", "-O2", "-fno-raceproof-check-elimination", "-c", "a.c", "-o", "off.o"])
        .expect_status(0);
    assert!(!calls_runs("off.o"));
    native
        .run(&[
            "cc",
            "-fno-raceproof-check-elimination",
            "-fraceproof-check-elimination",
            "-O2",
            "-c",
            "a.c",
            "-o",
            "on.o",
        ])
        .expect_status(0);
    assert!(calls_runs("on.o"));
    native.run(&["cc", "-O2", "-fno-raceproof-pass", "-c", "a.c", "-o", "clangs.o"]).expect_status(0);
    assert!(!calls_runs("clangs.o"));
    native.run(&["cc", "-O2", "-x", "c", "-c", "a.c", "-o", "one.o"]).expect_status(0);
    assert!(calls_runs("one.o"));
    assert!(
        !words(&plan("-fno-raceproof-check-elimination -c a.c")).contains("elimination"),
        "clang does not know it"
    );
}

#[test]
fn what_a_compilation_leaves_is_clangs() {
    let native = Native::new("cc-leaves");
    native.folder.write("a.c", format!("#include \"a.h\"\n{LOOP}int unused(int x) {{ int y; return x; }}\n"));
    native.folder.write("a.h", "void fill(int *a, int n);\n");
    let done = native.run(&["cc", "-Wall", "-MD", "-c", "a.c", "-o", "b.o"]).expect_status(0);
    assert_eq!(done.stderr.matches("unused variable").count(), 1, "a warning is given once: {}", done.stderr);
    let dependencies = std::fs::read_to_string(native.folder.path("b.d")).expect("dependencies");
    assert!(dependencies.starts_with("b.o: a.c a.h"), "{dependencies}");
    native.run(&["cc", "-MMD", "-MF", "d", "-MT", "target", "-c", "a.c"]).expect_status(0);
    let dependencies = std::fs::read_to_string(native.folder.path("d")).expect("dependencies");
    assert!(dependencies.starts_with("target: a.c a.h"), "{dependencies}");
    // What fails, fails once.
    native.folder.write("wrong.c", "void f(void) { __asm__(\"no such thing\"); }\n");
    let done = native.run(&["cc", "-c", "wrong.c"]).expect_status(1);
    assert_eq!(done.stderr.matches("1 error generated").count(), 1, "{}", done.stderr);
}

#[test]
fn a_shared_library_calls_into_the_executable() {
    let native = Native::new("cc-shared");
    native.folder.write("lib.c", "int cell; void touch(void) { cell++; }");
    native.folder.write("main.c", "void touch(void); int main(void) { touch(); return 0; }");
    let shared = ["cc", "-shared", "-fPIC", "-Wl,--no-undefined", "lib.c", "-o", "libtouch.so"];
    native.run(&shared).expect_status(0);
    let origin = "-Wl,-rpath,$ORIGIN";
    let done = native.run(&["cc", "main.c", "-L.", "-ltouch", origin, "-o", "main"]).expect_status(0);
    assert_eq!(done.stderr, "");
    native.program("main").expect_status(0).says("some accesses");
}

#[test]
fn cxx_programs() {
    let native = Native::new("cc-cxx");
    native.folder.write(
        "a.cpp",
        "#include <iostream>\n#include <vector>\nint main() { std::vector<int> v(3); v[1] = 2; std::cout << v[1]; }",
    );
    native.run(&["c++", "-std=c++17", "a.cpp", "-o", "a"]).expect_status(0);
    let done = native.program("a").expect_status(0).says("some accesses");
    assert_eq!(done.stdout, "2");
}

#[test]
fn by_another_name_it_is_the_compiler() {
    let native = Native::new("cc-name");
    native.folder.write("a.c", PROGRAM);
    for name in ["raceproof-cc", "raceproof-c++"] {
        let link = native.folder.path(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_raceproof"), &link).unwrap();
        let mut command = Command::new(&link);
        command.args(["-x", "c", "-fopenmp", "a.c", "-o", "a"]).current_dir(native.path());
        tool(command.env("RACEPROOF_RUNTIME", native.path()));
        native.program("a").expect_status(0).says("1 regions");
    }
}

#[test]
fn questions_are_passed_on() {
    let native = Native::new("cc-ask");
    native.run(&["cc", "--version"]).expect_status(0).says("clang version");
    native.run(&["cc", "-v"]).expect_status(0).says("Target:");
    native.run(&["cc", "-print-file-name=libc.so.6"]).expect_status(0).says("libc.so.6");
    native.run(&["c++", "-dumpmachine"]).expect_status(0);
    let mut from_stdin = native.command(&["cc", "-fopenmp", "-dM", "-E", "-x", "c", "-"]);
    run_with_input(&mut from_stdin, b"").expect_status(0).says("#define _OPENMP");
}

#[test]
fn response_files() {
    let native = Native::new("cc-response");
    native.folder.write("a.c", PROGRAM);
    native.folder.write("more.rsp", "-o 'a b'");
    native.folder.write("line.rsp", "-fopenmp a.c\n@more.rsp");
    native.run(&["cc", "@line.rsp"]).expect_status(0);
    native.program("a b").expect_status(0).says("some accesses");
    let many: String = (0..20_000).map(|n| format!("-DNAME_{n}=\"a b\" ")).collect();
    native.folder.write("long.rsp", many);
    native.run(&["cc", "@long.rsp", "@line.rsp"]).expect_status(0);
    native.folder.write("itself.rsp", "@itself.rsp");
    native.run(&["cc", "@itself.rsp"]).expect_status(2).says("themselves");
}

#[test]
fn objects_of_other_compilers() {
    let native = Native::new("cc-foreign");
    native.folder.write("main.c", "int f(void); int main(void) { return f(); }");
    native.folder.write("f.c", "int x; int f(void) { return x; }");
    let gcc = |words: &[&str]| tool(Command::new("gcc").args(words).current_dir(native.path()));
    gcc(&["-c", "f.c"]);
    let said = "f.o was not compiled by `raceproof cc`: what it accesses is not seen";
    native.run(&["cc", "main.c", "f.o", "-o", "a"]).expect_status(0).says(said);
    tool(Command::new("ar").args(["rc", "libf.a", "f.o"]).current_dir(native.path()));
    native
        .run(&["cc", "main.c", "-L.", "-lf", "-o", "a"])
        .expect_status(0)
        .says("libf.a: f.o was not compiled");
    native.folder.write("omp.c", "int x; int f(void) {\n#pragma omp parallel\n x++; return x; }");
    gcc(&["-fopenmp", "-c", "omp.c"]);
    let done = native.run(&["cc", "-fopenmp", "main.c", "omp.o", "-o", "b"]).expect_status(2);
    done.says("omp.o was compiled by gcc with -fopenmp").says("GOMP_parallel");
    assert!(!native.folder.path("b").exists());
}

#[test]
fn what_is_missing_is_said() {
    let native = Native::new("cc-missing");
    native.folder.write("a.c", PROGRAM);
    let with = |name: &str, value: &str| run(native.command(&["cc", "-fopenmp", "a.c"]).env(name, value));
    with("RACEPROOF_CLANG", "/no/such/clang").expect_status(2).says("clang-19");
    with("RACEPROOF_CLANG", "gcc").expect_status(2).says("does not say that it is clang");
    with("RACEPROOF_RUNTIME", "/no/such/folder").expect_status(2).says("is not there");
    let old = native.folder.write("old", "#!/bin/sh\necho clang version 9.0.1\n");
    let mut mode = fs::metadata(&old).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(&old, mode).unwrap();
    with("RACEPROOF_CLANG", old.to_str().unwrap())
        .expect_status(2)
        .says("is clang 9; raceproof needs clang 14");
    native.run(&["cc", "-fsanitize=address", "a.c"]).expect_status(2).says("leave it out");
}

#[test]
fn make_with_raceproof_for_its_compiler() {
    let native = Native::new("cc-make");
    native.folder.write("a.c", PROGRAM);
    native.folder.write(
        "Makefile",
        "CFLAGS = -O2 -fopenmp\nLDFLAGS = -fopenmp\na: a.o\n\t$(CC) $(LDFLAGS) -o $@ $^\n",
    );
    let compiler = format!("CC={} cc", env!("CARGO_BIN_EXE_raceproof"));
    let mut make = Command::new("make");
    tool(make.arg(compiler).current_dir(native.path()).env("RACEPROOF_RUNTIME", native.path()));
    native.program("a").expect_status(0).says("some accesses, 1 regions");
}
