//! raceproof as it is installed: the commands alone, elsewhere, in a folder that cannot be written
//! to; and in the hands of build tools, that want a compiler of one word.

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within, root};
use native::toolchain::runtime;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(180);

const RACY: &str = "\
int x;
int main(void) {
#pragma omp parallel num_threads(2)
  x++;
  return 0;
}
";

/// The commands of an installation, with links for the names that cargo cannot install.
const COMMANDS: [(&str, &str); 5] = [
    ("raceproof", env!("CARGO_BIN_EXE_raceproof")),
    ("raceproof-cc", env!("CARGO_BIN_EXE_raceproof-cc")),
    ("raceproof-cxx", env!("CARGO_BIN_EXE_raceproof-cxx")),
    ("raceproof-clang", env!("CARGO_BIN_EXE_raceproof-clang")),
    ("cargo-raceproof", env!("CARGO_BIN_EXE_cargo-raceproof")),
];

struct Installed {
    folder: Folder,
}

impl Installed {
    /// Nothing but the commands.
    fn new(name: &str) -> Installed {
        let folder = Folder::new(name);
        fs::create_dir_all(folder.path("bin")).unwrap();
        for (name, built) in COMMANDS {
            fs::copy(built, folder.path("bin").join(name)).unwrap();
        }
        Installed { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    /// A command with the installation in its PATH, in the folder of the test.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).env("XDG_CACHE_HOME", self.path("cache")).current_dir(self.path(""));
        for variable in ["LD_LIBRARY_PATH", "RACEPROOF_RUNTIME", "RACEPROOF_OPTIONS", "RACEPROOF_CLANG"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, line: &str) -> Done {
        let mut words = line.split(' ');
        let program = self.path("bin").join(words.next().unwrap_or_default());
        let program = if program.exists() { program } else { line.split(' ').next().unwrap().into() };
        finish(self.command(program).args(words))
    }
}

fn finish(command: &mut Command) -> Done {
    finish_within(command, PATIENCE).unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[test]
fn the_commands_alone_are_enough() {
    let here = Installed::new("installed-alone");
    here.folder.write("race.c", RACY);
    let made = here.run("raceproof doctor --links").expect_status(0);
    made.says("raceproof-c++ -> raceproof")
        .says("raceproof-clang++ -> raceproof")
        .says("raceproof-fc -> raceproof");
    here.run("raceproof doctor --links").expect_status(0).says("all names are there");
    fs::set_permissions(here.path("bin"), fs::Permissions::from_mode(0o555)).unwrap();
    for compiler in ["raceproof-cc", "raceproof-clang", "raceproof-c++ -x c++", "raceproof-clang++ -x c++"] {
        here.run(&format!("{compiler} -fopenmp race.c -o race")).expect_status(0);
        here.run("raceproof run -- ./race").expect_status(1).says("race: 1 race");
        // The runtime in a command of the tests is optimised less than an installed one.
        let bytes = fs::metadata(here.path("race")).unwrap().len();
        assert!(bytes < 8 << 20, "{compiler}: a program of {bytes} bytes");
    }
    // The runtime came out of the command, once.
    let kept = files(&here.path("cache/raceproof"));
    assert!(kept.iter().any(|path| path.ends_with("libraceproof_native.o")), "{kept:?}");
    fs::set_permissions(here.path("bin"), fs::Permissions::from_mode(0o755)).unwrap();
    // Without a folder to keep it in there is advice.
    let file = here.folder.write("file", "");
    let mut command = here.command(here.path("bin/raceproof-cc"));
    command.args(["-fopenmp", "race.c"]).env("XDG_CACHE_HOME", file);
    finish(&mut command).expect_status(2).says("set XDG_CACHE_HOME to a folder that can be written to");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Tries the front ends for which this machine has what the tests need.
#[test]
fn the_doctor_finds_an_installation_usable() {
    let here = Installed::new("installed-doctor");
    let mut command = here.command(here.path("bin/raceproof"));
    let done =
        finish(command.args(["doctor", "--for", "tp,openmp,rust", "--format", "json"])).expect_status(0);
    let answer: serde_json::Value = serde_json::from_str(&done.stdout).expect("one object");
    let checks = answer["checks"].as_array().expect("a list");
    for front_end in ["tp", "openmp", "rust"] {
        let of = |check: &&serde_json::Value| check["for"] == front_end;
        let trial = |check: &&serde_json::Value| check["name"].as_str().unwrap().starts_with("trial");
        let tried = checks.iter().filter(of).find(trial);
        assert_eq!(tried.expect("a trial")["outcome"], "ok", "{front_end}");
    }
    // A compiler that does not work is found out, not by its looks.
    let fake = here.folder.write("fake", "#!/bin/sh\n[ \"$1\" = --version ] && echo clang version 19.1.0\n");
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = here.command(here.path("bin/raceproof"));
    command.args(["doctor", "--for", "openmp"]).env("RACEPROOF_CLANG", fake);
    finish(&mut command).expect_status(1).says("missing trial: a C program with OpenMP: it does not compile");
}

/// A Makefile that looks for its compiler, and one that wants to see `clang`.
#[test]
fn make_finds_a_compiler_of_one_word() {
    let here = Installed::new("installed-make");
    here.folder.write("race.c", RACY);
    here.folder.write(
        "Makefile",
        "ifeq ($(shell which $(CC)),)\n$(error no compiler $(CC))\nendif\n\
         ifeq ($(findstring clang,$(CC)),)\nFLAG = -DOTHER\nelse\nFLAG = -DCLANG -fopenmp\nendif\n\
         race: race.c\n\t$(CC) $(FLAG) -o $@ $<\n",
    );
    here.run("make CC=raceproof-clang").expect_status(0).says("-DCLANG");
    here.run("raceproof run -- ./race").expect_status(1);
    here.run("make -B CC=raceproof-cc").expect_status(0).says("-DOTHER");
}

/// What `configure` runs behaves as if it had been compiled by clang.
#[test]
fn programs_without_openmp_say_nothing() {
    let here = Installed::new("installed-configure");
    let hello = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 3; }\n";
    here.folder.write("conftest.c", hello);
    let said = |done: Done| (done.status, done.stdout, done.stderr);
    let built = here.run("raceproof-cc -o conftest conftest.c");
    assert_eq!(said(built), (Some(0), String::new(), String::new()));
    let quiet = (Some(3), "hello\n".to_owned(), String::new());
    assert_eq!(said(finish(&mut here.command(here.path("conftest")))), quiet);
    // Compiled and linked in two steps as well.
    here.run("raceproof-cc -c conftest.c").expect_status(0);
    here.run("raceproof-cc conftest.o -o conftest2").expect_status(0);
    assert_eq!(said(finish(&mut here.command(here.path("conftest2")))), quiet);
    // With OpenMP in an object the program says that nothing ran in parallel, and `run` always
    // does.
    here.folder.write("part.c", "void part(void) {\n#pragma omp parallel\n  {}\n}\n");
    here.run("raceproof-cc -fopenmp -c part.c").expect_status(0);
    here.run("raceproof-cc conftest.o part.o -o other").expect_status(0);
    finish(&mut here.command(here.path("other"))).expect_status(3).says("nothing ran in parallel");
    here.run("raceproof run -- ./conftest").expect_status(1).says("nothing ran in parallel");
}

/// A program in C with a library in C++, as both build systems build it.
fn project(here: &Installed) {
    here.folder.write(
        "part.cpp",
        "#include <omp.h>\nint sum;\nextern \"C\" void add(int n) { sum += n + omp_in_final(); }\n",
    );
    here.folder.write(
        "prog.c",
        "void add(int n);\nint main(void) {\n#pragma omp parallel num_threads(2)\n  add(1);\n  return 0;\n}\n",
    );
}

#[test]
fn cmake_builds_with_the_toolchain_file() {
    let here = Installed::new("installed-cmake");
    project(&here);
    here.folder.write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.18)\nproject(sum C CXX)\nfind_package(OpenMP REQUIRED)\n\
         add_library(part SHARED part.cpp)\ntarget_link_libraries(part PRIVATE OpenMP::OpenMP_CXX)\n\
         add_executable(prog prog.c)\ntarget_link_libraries(prog PRIVATE part OpenMP::OpenMP_C)\n",
    );
    let file = root().canonicalize().unwrap().join("share/cmake/raceproof.cmake");
    here.run(&format!("cmake -G Ninja -B build --toolchain {}", file.display())).expect_status(0);
    here.run("cmake --build build").expect_status(0);
    here.run("raceproof run -- build/prog").expect_status(1).says("race 1 on sum");
}

#[test]
fn meson_builds_with_the_machine_file() {
    let here = Installed::new("installed-meson");
    project(&here);
    here.folder.write(
        "meson.build",
        "project('sum', 'c', 'cpp')\nadd_project_arguments('-fopenmp', language: ['c', 'cpp'])\n\
         part = shared_library('part', 'part.cpp')\nexecutable('prog', 'prog.c', link_with: part)\n",
    );
    let file = root().canonicalize().unwrap().join("share/meson/raceproof.ini");
    here.run(&format!("meson setup build --native-file {}", file.display())).expect_status(0);
    here.run("meson compile -C build").expect_status(0);
    here.run("raceproof run -- build/prog").expect_status(1).says("race 1 on sum");
}

/// An archive in a folder that cannot be written to is joined to an object in the cache.
#[test]
fn the_object_of_an_archive_is_kept_elsewhere_if_need_be() {
    let here = Installed::new("installed-archive");
    here.folder.write("race.c", RACY);
    fs::create_dir_all(here.path("lib/raceproof")).unwrap();
    fs::copy(runtime(), here.path("lib/raceproof/libraceproof_native.a")).unwrap();
    fs::set_permissions(here.path("lib/raceproof"), fs::Permissions::from_mode(0o555)).unwrap();
    here.run("raceproof-cc -fopenmp race.c -o race").expect_status(0);
    let (beside, kept) = (files(&here.path("lib/raceproof")), files(&here.path("cache/raceproof")));
    let is_object = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "o");
    // Root may write anywhere.
    assert_eq!(beside.iter().chain(&kept).filter(|path| is_object(path)).count(), 1, "{beside:?} {kept:?}");
    here.run("raceproof run -- ./race").expect_status(1);
    fs::set_permissions(here.path("lib/raceproof"), fs::Permissions::from_mode(0o755)).unwrap();
}
