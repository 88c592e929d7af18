//! Programs with more rights than their user, and reports of the same run.

use crate::common;
use crate::native;

use common::command::{Done, Folder, run};
use native::toolchain::{compile, tool};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RACY: &str = "int x; int main(void) {\n#pragma omp parallel num_threads(2)\n  x++;\n  return 0; }\n";

fn built(folder: &Folder) -> PathBuf {
    let (source, program) = (folder.write("p.c", RACY), folder.path("p"));
    compile(&source, "-O1", &[], &program).unwrap_or_else(|error| panic!("{error}"));
    program
}

/// Gives a program rights that we do not have: another user's if we may, else those of another
/// group of ours.
fn raise(program: &Path) {
    let own = fs::metadata(program).unwrap();
    let mut mode = 0o4755;
    if chown(program, Some(65534), None).is_err() {
        let groups = Command::new("id").arg("-G").output().expect("id is there").stdout;
        let groups = String::from_utf8_lossy(&groups).into_owned();
        let other = groups
            .split_whitespace()
            .filter_map(|group| group.parse().ok())
            .find(|&group| group != own.gid());
        let other = other.expect("this test needs root, or a user with a second group");
        chown(program, None, Some(other)).expect("a file can be given to a group of ours");
        mode = 0o2755;
    }
    fs::set_permissions(program, fs::Permissions::from_mode(mode)).unwrap();
}

fn alone(program: &Path, report: &Path) -> Done {
    let mut command = Command::new(program);
    command.env("RACEPROOF_OPTIONS", format!("report={}:exitcode=7", report.display()));
    run(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))
}

#[test]
fn a_privileged_program_ignores_the_options() {
    let folder = Folder::new("privileged");
    // So that whoever it runs as could write there.
    fs::set_permissions(folder.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    let (program, report) = (built(&folder), folder.path("report.json"));
    alone(&program, &report);
    assert!(report.exists(), "with our own rights it writes the report");
    fs::remove_file(&report).unwrap();
    raise(&program);
    let done = alone(&program, &report);
    assert!(!report.exists(), "it was told by somebody else where to write");
    assert_eq!(done.status, Some(66), "{done:?}");
    assert!(done.stderr.contains("race"), "the report goes to standard error: {done:?}");
}

/// There is no report, and the user is told why.
#[test]
fn the_commands_say_that_a_privileged_program_cannot_be_observed() {
    let folder = Folder::new("privileged-run");
    let program = built(&folder);
    for verb in ["run", "verify"] {
        run(tool().args([verb, "--"]).arg(&program)).expect_status(1);
    }
    raise(&program);
    for verb in ["run", "verify"] {
        let done = run(tool().args([verb, "--"]).arg(&program)).expect_status(2);
        assert!(done.stderr.contains("setuid or setgid"), "{verb}: {done:?}");
    }
}

#[test]
fn two_runs_have_the_same_report() {
    let folder = Folder::new("run-twice");
    let program = built(&folder);
    let report = |number: u32| {
        let output = folder.path(&format!("{number}.json"));
        run(tool()
            .args(["run", "--threads", "2,3", "--format", "json", "-o"])
            .arg(&output)
            .arg("--")
            .arg(&program))
        .expect_status(1);
        let text = fs::read_to_string(output).unwrap();
        let (same, measured) = text.split_once("  \"measured\": {\n").expect("what was measured");
        assert_eq!(measured.lines().count(), 3, "nothing comes after it: {measured}");
        same.to_owned()
    };
    assert_eq!(report(1), report(2));
}
