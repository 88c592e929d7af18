//! OpenMP's settings: a program that prints them says the same as with libomp, whatever the
//! environment asks for.

use crate::common;
use crate::native;

use common::command::{Done, Folder, finish_within, root};
use native::toolchain::compile;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const VARIABLES: &[&[(&str, &str)]] = &[
    &[],
    &[("OMP_NUM_THREADS", "3")],
    &[("OMP_NUM_THREADS", "3,2")],
    &[("OMP_NUM_THREADS", " 3 , 2 ,4")],
    &[("OMP_NUM_THREADS", "3,")],
    &[("OMP_NUM_THREADS", "3,0")],
    &[("OMP_NUM_THREADS", "0")],
    &[("OMP_NUM_THREADS", "3,2"), ("OMP_MAX_ACTIVE_LEVELS", "5")],
    &[("OMP_NUM_THREADS", "2,2"), ("OMP_NESTED", "false")],
    &[("OMP_NESTED", "true")],
    &[("OMP_NESTED", ".T."), ("OMP_MAX_ACTIVE_LEVELS", "1")],
    &[("OMP_NESTED", "no"), ("OMP_MAX_ACTIVE_LEVELS", "3")],
    &[("OMP_MAX_ACTIVE_LEVELS", "2")],
    &[("OMP_MAX_ACTIVE_LEVELS", "0")],
    &[("OMP_THREAD_LIMIT", "3"), ("OMP_NUM_THREADS", "8")],
    &[("OMP_THREAD_LIMIT", "3"), ("OMP_NUM_THREADS", "2,2")],
    &[("OMP_SCHEDULE", "static,4")],
    &[("OMP_SCHEDULE", "DYNAMIC")],
    &[("OMP_SCHEDULE", "guided,2")],
    &[("OMP_SCHEDULE", "auto,3")],
    &[("OMP_SCHEDULE", "dynamic,0")],
    &[("OMP_SCHEDULE", "monotonic:dynamic,2")],
    &[("OMP_SCHEDULE", "nonmonotonic:guided,4")],
    &[("OMP_NUM_TEAMS", "3"), ("OMP_TEAMS_THREAD_LIMIT", "2"), ("OMP_MAX_TASK_PRIORITY", "4")],
    &[("OMP_CANCELLATION", "yes"), ("OMP_WAIT_POLICY", "ACTIVE"), ("OMP_STACKSIZE", "2 M")],
    &[("OMP_PROC_BIND", "spread,close"), ("OMP_PLACES", "threads")],
];

/// Values that mean nothing: said, and as if they were not there.
const BAD: &[(&str, &str)] = &[
    ("OMP_NUM_THREADS", "abc"),
    ("OMP_NUM_THREADS", "4 x"),
    ("OMP_NUM_THREADS", "-3"),
    ("OMP_NUM_THREADS", "3,,2"),
    ("OMP_NUM_THREADS", "99999999999"),
    ("OMP_NUM_THREADS", ""),
    ("OMP_NESTED", "maybe"),
    ("OMP_MAX_ACTIVE_LEVELS", "-1"),
    ("OMP_THREAD_LIMIT", "x"),
    ("OMP_DYNAMIC", "zzz"),
    ("OMP_SCHEDULE", "bogus"),
    ("OMP_SCHEDULE", "dynamic,-2"),
    ("OMP_STACKSIZE", "10X"),
    ("OMP_CANCELLATION", "x"),
    ("OMP_WAIT_POLICY", "foo"),
    ("OMP_PROC_BIND", "foo"),
    ("OMP_PLACES", "foo"),
    ("OMP_MAX_TASK_PRIORITY", "-1"),
    ("OMP_TEAMS_THREAD_LIMIT", "x"),
    ("OMP_NUM_TEAMS", "many"),
    ("OMP_DISPLAY_ENV", "foo"),
];

fn run(program: &Path, variables: &[(&str, &str)]) -> Done {
    let mut command = Command::new(program);
    // Unless it says otherwise, a team has as many threads as the machine has processors, or four.
    command.env("OMP_NUM_THREADS", "2").envs(variables.iter().copied());
    // As libomp: a team of one, where the environment asks for it.
    command.env("RACEPROOF_OPTIONS", "sizes=ran");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    finish_within(&mut command, Duration::from_secs(60)).expect("it ends")
}

/// The clang whose OpenMP is libomp.
fn plain_clang(source: &Path, program: &Path) {
    let mut names = (14..30).rev().map(|version| format!("clang-{version}")).chain(["clang".to_owned()]);
    let done = names.find_map(|name| {
        let mut command = Command::new(name);
        command.args(["-fopenmp", "-O1", "-Wno-deprecated-declarations", "-o"]).arg(program).arg(source);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        finish_within(&mut command, Duration::from_secs(120)).ok()
    });
    done.expect("clang is installed").expect_status(0);
}

fn programs(name: &str) -> Folder {
    let folder = Folder::new(name);
    let source = root().canonicalize().unwrap().join("crates/cli/tests/support/native/settings.c");
    compile(&source, "-O1", &["-Wno-deprecated-declarations".to_owned()], &folder.path("ours")).unwrap();
    plain_clang(&source, &folder.path("libomp"));
    folder
}

#[test]
fn settings_are_those_of_libomp() {
    let folder = programs("settings");
    for variables in VARIABLES {
        let (ours, libomp) = (run(&folder.path("ours"), variables), run(&folder.path("libomp"), variables));
        assert_eq!(ours.status, Some(0), "{variables:?}: {ours:#?}");
        assert_eq!(ours.stdout, libomp.stdout, "{variables:?}");
    }
}

#[test]
fn what_is_not_understood_is_said_and_ignored() {
    let folder = programs("settings-bad");
    let program = folder.path("ours");
    let unset = |name: &str| {
        let mut command = Command::new(&program);
        command.env("OMP_NUM_THREADS", "2").stdout(Stdio::piped()).stderr(Stdio::piped());
        if name == "OMP_NUM_THREADS" {
            command.env_remove(name);
        }
        finish_within(&mut command, Duration::from_secs(60)).expect("it ends")
    };
    for &(name, value) in BAD {
        let done = run(&program, &[(name, value)]);
        assert_eq!(done.stdout, unset(name).stdout, "{name}={value}");
        done.says(&format!("{name}=\"{value}\"")).says("ignored");
    }
    // What is too small is said as well, and the least is taken.
    run(&program, &[("OMP_THREAD_LIMIT", "0")]).says("OMP_THREAD_LIMIT=\"0\": value too small; 1 is used");
    // Nothing is said of what is right.
    let quiet = run(&program, &[("OMP_NUM_THREADS", "3,2"), ("OMP_PLACES", "{0:4},{4:4}")]);
    assert!(!quiet.stderr.contains("OMP_"), "{quiet:#?}");
}

#[test]
fn the_environment_is_shown_if_wanted() {
    let folder = programs("settings-shown");
    let shown = run(&folder.path("ours"), &[("OMP_DISPLAY_ENV", "true"), ("OMP_SCHEDULE", "guided,5")]);
    shown
        .says("OPENMP DISPLAY ENVIRONMENT BEGIN")
        .says("OMP_SCHEDULE='guided,5'")
        .says("OMP_NUM_THREADS='2'");
}
