//! What reports call memory, at every level of optimisation: the programs of `names/` have the name
//! of what is accessed in a comment on the line of the access, and every report has these names and
//! no others.

use crate::common;
use crate::native;

use common::command::{Folder, finish_within, root};
use native::toolchain::tool;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Compilers, and the options with which each is tried.
type Builds = [(&'static str, &'static [&'static str])];

const WITH_PASS: &Builds = &[("clang-19", &["-O0", "-O1", "-O2", "-O3"]), ("clang-16", &["-O0", "-O2"])];
const WITHOUT_PASS: &Builds =
    &[("clang-19", &["-O0 -fno-raceproof-pass"]), ("clang-16", &["-O0 -fno-raceproof-pass"])];

const PATIENCE: Duration = Duration::from_secs(60);

type Names = BTreeMap<u64, BTreeSet<String>>;

/// The names that a program's comments expect, by line.
fn expected(source: &Path) -> Names {
    let text = fs::read_to_string(source).expect("a program");
    let named = text.lines().zip(1..).filter_map(|(line, number)| {
        let names = line.split_once("// names: ")?.1.split("; ");
        Some((number, names.map(str::to_owned).collect()))
    });
    named.collect()
}

/// Compiled by a version of clang.
fn build(source: &Path, clang: &str, options: &str, binary: &Path) {
    let mut command = tool();
    let driver = if source.extension().is_some_and(|kind| kind == "cpp") { "c++" } else { "cc" };
    command.arg(driver).arg(source).arg("-fopenmp").args(options.split(' ')).arg("-o").arg(binary);
    let done = finish_within(command.env("RACEPROOF_CLANG", clang), PATIENCE).expect("it ends");
    assert_eq!(done.status, Some(0), "{}: {}", source.display(), done.stderr);
}

/// The names that a report has, by line of either access.
fn reported(binary: &Path) -> Names {
    let mut command = tool();
    let done = finish_within(command.args(["run", "--format", "json", "--"]).arg(binary), PATIENCE);
    let report: serde_json::Value = serde_json::from_str(&done.expect("it ends").stdout).expect("a report");
    let mut names = Names::new();
    for race in report["races"].as_array().expect("races") {
        for side in ["first", "second"] {
            let line = race[side]["line"].as_u64().expect("a line");
            let location = race["location"].as_str().expect("a name");
            names.entry(line).or_default().insert(location.to_owned());
        }
    }
    names
}

/// Every name of a program, however it is built.
fn check(program: &str, builds: &Builds) {
    let source = root().join("crates/cli/tests/native/names").join(program);
    let expected = expected(&source);
    let folder = Folder::new(&format!("names-{program}"));
    let binary = folder.path("program");
    let mut wrong = String::new();
    for (clang, all) in builds {
        for options in *all {
            build(&source, clang, options, &binary);
            let reported = reported(&binary);
            let lines: BTreeSet<_> = expected.keys().chain(reported.keys()).collect();
            for line in lines {
                let (wanted, got) = (expected.get(line), reported.get(line));
                if wanted != got {
                    let _ = writeln!(wrong, "{clang} {options}, line {line}: {wanted:?} is called {got:?}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{program}\n{wrong}");
}

#[test]
fn objects_of_c_are_called_as_in_the_source() {
    check("objects.c", WITH_PASS);
}

#[test]
fn objects_of_cpp_are_called_as_in_the_source() {
    check("objects.cpp", WITH_PASS);
}

#[test]
fn parts_of_objects_are_called_as_in_the_source() {
    check("parts.c", WITH_PASS);
    check("parts.cpp", WITH_PASS);
}

#[test]
fn variables_need_no_pass() {
    check("variables.c", WITHOUT_PASS);
    check("variables.c", WITH_PASS);
}
