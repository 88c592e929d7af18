//! What was found outlives the program, whichever way it ends; what is asked to end does, and
//! leaves nothing behind.

use crate::common;
use crate::native;

use common::command::{Done, Folder, corpus, finish, raceproof, root, run};
use native::toolchain::{compile, runtime, tool};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use raceproof_core::finding::{Report, Scope, Verdict};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("outlive.c");
const PATIENCE: Duration = Duration::from_secs(60);

/// The program, compiled once; its folder is removed with the last test that uses it.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outlive");
        fs::create_dir_all(&folder).unwrap();
        let source = folder.join("outlive.c");
        fs::write(&source, SOURCE).unwrap();
        let flags = ["-Wno-unused-result", "-Wno-unused-value"].map(str::to_owned);
        compile(&source, "-O1", &flags, &folder.join("outlive")).unwrap();
        folder.join("outlive")
    })
}

fn line(of: &str) -> u32 {
    1 + SOURCE.lines().position(|line| line.contains(of)).unwrap() as u32
}

/// `raceproof run` of the program with these arguments; the report as it comes in a file.
fn report(folder: &Folder, options: &[&str], arguments: &[&OsStr]) -> (Done, Report) {
    let file = folder.path("report.json");
    let mut command = tool();
    command.args(["run", "--format", "json", "-o"]).arg(&file).args(options).arg("--").arg(program());
    let done = run(command.args(arguments));
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {done:#?}"));
    (done, serde_json::from_str(&text).unwrap())
}

#[track_caller]
fn has_the_race(report: &Report, what: &str) {
    let at = line("/* the race */");
    let found = report.races.iter().any(|race| {
        race.location == "shared" && race.first.at.line == at && race.second.at.line == at && race.count > 0
    });
    assert!(found, "{what}: {report:#?}");
    assert_eq!(report.verdict, Verdict::Race, "{what}");
}

/// What the report says beside the races.
fn said(report: &Report) -> String {
    let errors = report.errors.iter().map(|error| error.message.clone());
    errors.chain(report.limits.iter().cloned()).collect::<Vec<_>>().join("; ")
}

#[test]
fn under_run_no_way_of_ending_loses_a_race() {
    let folder = Folder::new("outlive-run");
    let (empty, file) = (folder.path("empty"), folder.path("large"));
    fs::create_dir(&empty).unwrap();
    // A way, what is said of it, and whether the end is one that nothing can be said about
    // schedules after.
    let ways: &[(&str, &str, bool)] = &[
        ("", "", false),
        ("quick_exit", "", false),
        ("_exit", "", false),
        ("_Exit", "", false),
        ("exit_group", "", false),
        ("raw", "ended before its report was whole", true),
        ("execve", "became another (/bin/true)", true),
        ("execv", "became another (/bin/true)", true),
        ("execvp", "became another (true)", true),
        ("execl", "became another (/bin/sh)", true),
        ("execlp", "became another (true)", true),
        ("execle", "became another (/bin/sh)", true),
        ("syscall-execve", "became another (/bin/true)", true),
        ("no-exec", "", false),
        ("alarm", "signal 14 (SIGALRM)", true),
        ("usr1", "signal 10 (SIGUSR1)", true),
        ("kill", "signal 9 (SIGKILL)", true),
        ("segv", "crashed", true),
        ("abort", "abort", true),
        ("close", "", false),
        ("chroot", "", false),
        ("early-chroot", "", false),
        ("early-nofile", "", false),
        ("early-close", "", false),
        ("early-over", "", false),
        ("nofile", "", false),
        ("as", "", false),
        ("fsize", "", false),
        ("fsize-write", "signal 25 (SIGXFSZ)", true),
        ("fork", "forked", false),
    ];
    for (way, expected, unusual) in ways {
        let place = if way.contains("chroot") { &empty } else { &file };
        let (done, report) = report(&folder, &[], &[way.as_ref(), place.as_os_str()]);
        assert_eq!(done.status, Some(1), "{way}: {done:#?}");
        has_the_race(&report, way);
        let said = said(&report);
        assert!(said.contains(expected), "{way}: {expected} expected in {said:?}");
        assert!(!expected.is_empty() || said.is_empty(), "{way}: {said}");
        if *unusual {
            assert_eq!((report.scope, report.determinate), (Scope::ObservedSchedule, None), "{way}");
        }
    }
}

#[test]
fn a_child_that_shares_the_memory_ends_alone() {
    let folder = Folder::new("outlive-vfork");
    for way in ["vfork", "vfork-exec"] {
        let (_, report) = report(&folder, &[], &[way.as_ref()]);
        has_the_race(&report, way);
        assert!(report.races.iter().any(|race| race.location == "other"), "{way}: {report:#?}");
        assert!(report.limits.is_empty(), "{way}: {:?}", report.limits);
    }
}

#[test]
fn a_program_that_becomes_another_of_ours_is_reported_with_it() {
    let folder = Folder::new("outlive-self");
    let (_, report) = report(&folder, &[], &["self".as_ref()]);
    has_the_race(&report, "self");
    assert!(report.races.iter().any(|race| race.location == "other"), "{report:#?}");
    assert!(report.limits.is_empty(), "the other program was seen: {:?}", report.limits);
}

#[test]
fn a_script_may_run_several_programs() {
    let folder = Folder::new("outlive-script");
    let script = folder.write("go.sh", "#!/bin/sh\n\"$1\"; \"$1\" free; \"$1\" kill; \"$1\" other\n");
    run(Command::new("chmod").arg("+x").arg(&script).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut command = tool();
    command.args(["run", "--format", "json", "--"]).arg(&script).arg(program());
    let done = run(&mut command).expect_status(1);
    let report: Report = serde_json::from_str(&done.stdout).unwrap();
    has_the_race(&report, "script");
    let mut locations: Vec<&str> = report.races.iter().map(|race| race.location.as_str()).collect();
    locations.dedup();
    assert_eq!(locations, ["shared", "other"]);
    assert!(said(&report).contains("ended before its report was whole"), "one was killed: {report:#?}");
}

#[test]
fn a_program_that_does_not_want_to_end_is_ended() {
    let folder = Folder::new("outlive-deaf");
    let (done, report) = report(&folder, &["--time-limit", "0.3"], &["deaf".as_ref()]);
    assert_eq!(done.status, Some(1));
    has_the_race(&report, "deaf");
    assert!(said(&report).contains("--time-limit"), "{report:#?}");
}

#[test]
fn a_disk_that_is_full_costs_the_trace_and_not_the_races() {
    let folder = Folder::new("outlive-full");
    let (done, report) = report(&folder, &["--trace", "/dev/full"], &[]);
    assert_eq!(done.status, Some(1));
    has_the_race(&report, "/dev/full");
    assert!(said(&report).contains("cannot write the trace to /dev/full"), "{report:#?}");
    let mut free = tool();
    free.args(["run", "--trace", "/dev/full", "--"]).arg(program()).arg("free");
    run(&mut free).expect_status(3).says("cannot write the trace");
}

/// The program by itself.
fn alone(options: &OsStr, arguments: &[&OsStr]) -> (Option<i32>, Option<i32>, String) {
    let mut command = Command::new(program());
    command.args(arguments).env("RACEPROOF_OPTIONS", options).stdin(Stdio::null());
    let output = command.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    (output.status.code(), output.status.signal(), words)
}

#[test]
fn alone_it_reports_before_it_ends() {
    let folder = Folder::new("outlive-alone");
    let empty = folder.path("empty");
    fs::create_dir(&empty).unwrap();
    let (found, other, by) = (Some(66), Some(0), |signal| (None, Some(signal)));
    let ways = [
        ("", (found, None)),
        ("quick_exit", (found, None)),
        ("_exit", (found, None)),
        ("_Exit", (found, None)),
        ("exit_group", (found, None)),
        // The status is the other program's.
        ("execve", (other, None)),
        ("execv", (other, None)),
        ("execvp", (other, None)),
        ("execl", (other, None)),
        ("execlp", (other, None)),
        ("execle", (other, None)),
        ("syscall-execve", (other, None)),
        ("no-exec", (found, None)),
        ("alarm", by(14)),
        ("usr1", by(10)),
        ("segv", by(11)),
        ("abort", by(6)),
        ("fsize-write", by(25)),
        ("early-over", (found, None)),
        ("chroot", (found, None)),
        ("early-chroot", (found, None)),
        ("early-nofile", (found, None)),
        ("nofile", (found, None)),
        ("as", (found, None)),
        ("fork", (found, None)),
        ("vfork", (found, None)),
    ];
    let place = format!("outlive.c:{}", line("/* the race */"));
    for (way, (code, signal)) in ways {
        let place_of_way = if way.contains("chroot") { empty.clone() } else { folder.path("large") };
        let (status, killed, stderr) = alone(OsStr::new(""), &[way.as_ref(), place_of_way.as_os_str()]);
        assert_eq!((status, killed), (code, signal), "{way}: {stderr}");
        assert_eq!(stderr.matches(": error: data race on shared: ").count(), 1, "{way}: {stderr}");
        assert!(stderr.contains(&place), "{way}: {stderr}");
    }
}

#[test]
fn a_report_in_a_file_does_not_change_the_status() {
    let folder = Folder::new("outlive-file");
    let empty = folder.path("empty");
    fs::create_dir(&empty).unwrap();
    // A name of any bytes, with all that separates words.
    let name = [folder.path("").as_os_str().as_bytes(), b"a b:c\xff\"d.json"].concat();
    let file = Path::new(OsStr::from_bytes(&name));
    let word = |more: &str| [b"report='", name.as_slice(), b"'", more.as_bytes()].concat();
    let given = |more: &str, arguments: &[&OsStr]| {
        let _ = fs::remove_file(file);
        let done = alone(OsStr::from_bytes(&word(more)), arguments);
        (done, fs::read_to_string(file).ok().and_then(|text| serde_json::from_str::<Report>(&text).ok()))
    };
    let ((status, _, stderr), written) = given("", &[]);
    assert_eq!((status, stderr.as_str()), (Some(66), ""));
    has_the_race(&written.unwrap(), "report=");
    assert_eq!(given(":exitcode=7", &[]).0.0, Some(7));
    assert_eq!(given(":exitcode=0", &[]).0.0, Some(0));
    assert_eq!(given("", &["free".as_ref()]).0.0, Some(0));
    let ((status, ..), written) = given("", &["early-chroot".as_ref(), empty.as_os_str()]);
    assert_eq!(status, Some(66));
    has_the_race(&written.unwrap(), "report= with chroot");
    let ((status, ..), written) = given("", &["close".as_ref()]);
    assert_eq!(status, Some(66));
    has_the_race(&written.unwrap(), "report= with all descriptors closed");
    // What cannot be written is said, with the report as text.
    let ((status, _, stderr), _) = given("", &["fsize".as_ref()]);
    assert_eq!(status, Some(66), "{stderr}");
    assert!(stderr.contains("cannot write the report to") && stderr.contains("race 1 on shared"), "{stderr}");
    let (status, _, stderr) = alone(OsStr::new("report=/no/such/folder/x.json"), &[]);
    assert_eq!(status, Some(66), "{stderr}");
    assert!(stderr.contains("cannot write the report to /no/such/folder/x.json"), "{stderr}");
    assert!(stderr.contains("race 1 on shared"), "{stderr}");
}

fn is_there(process: i32) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // One that has ended and was not waited for is `Z`.
    !state.is_empty() && !state.contains(") Z ")
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The number that a process has written to a file.
fn number_in(file: &Path) -> i32 {
    let number = || fs::read_to_string(file).ok().filter(|text| text.ends_with('\n'));
    wait_until("the program has begun", || number().is_some());
    number().unwrap().trim().parse().unwrap()
}

/// A script in the place of a tool: says which version it is, or waits.
fn waiting_tool(folder: &Folder, name: &str) -> PathBuf {
    let script = "#!/bin/sh\ncase \"$*\" in *--version*) echo 'clang version 19.1.0'; exit;; esac\n\
                  echo $$ > \"$0.pid\"; exec sleep 1000\n";
    let script = folder.write(name, script);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script
}

#[test]
fn compilers_and_cargo_end_with_raceproof() {
    let folder = Folder::new("outlive-tools");
    let temporary = folder.path("tmp");
    fs::create_dir(&temporary).unwrap();
    let clang = waiting_tool(&folder, "clang");
    let mut cc = tool();
    cc.args(["cc", "-O1", "-c"]).arg(folder.write("a.c", "int x;\n")).env("RACEPROOF_CLANG", &clang);
    let cargo = waiting_tool(&folder, "cargo");
    let mut build = Command::new(env!("CARGO_BIN_EXE_cargo-raceproof"));
    build.args(["build", "--target-dir"]).arg(folder.path("target")).env("CARGO", &cargo);
    build.env("RACEPROOF_RUNTIME", runtime()).stdin(Stdio::null());
    for (mut command, tool) in [(cc, clang), (build, cargo)] {
        command.env("TMPDIR", &temporary).current_dir(folder.path(""));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let process = number_in(&tool.with_extension("pid"));
        kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
        let done = finish(child);
        assert!(done.status.is_some_and(|status| status != 0), "{done:#?}");
        wait_until("the tool has ended", || !is_there(process));
        let left: Vec<_> = fs::read_dir(&temporary).unwrap().collect();
        assert!(left.is_empty(), "{tool:?}: {left:?}");
    }
}

/// What cargo starts ends with the process that cargo works for, though cargo is between them.
#[test]
fn a_program_of_cargo_ends_with_its_owner() {
    let folder = Folder::new("outlive-runner");
    let mut owner = Command::new("sleep").arg("1000").spawn().unwrap();
    let said = folder.path("pid");
    let mut runner = Command::new(env!("CARGO_BIN_EXE_cargo-raceproof"));
    runner.args(["runner", "--"]).arg(program()).arg("wait").arg(&said);
    runner.env("RACEPROOF_OWNER", owner.id().to_string()).env_remove("RACEPROOF_OPTIONS");
    let child = runner.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let process = number_in(&said);
    owner.kill().unwrap();
    owner.wait().unwrap();
    finish(child).expect_status(1).says("race 1 on shared");
    wait_until("the program has ended", || !is_there(process));
}

/// Starts a command with a program that waits, sends the command a signal, and gives what became of
/// it; the program is gone.
fn ended_by(signal: Signal, words: &[&str]) -> Done {
    let folder = Folder::new(&format!("outlive-ended-{signal}-{}", words[0]));
    let (said, temporary) = (folder.path("pid"), folder.path("with space:tmp"));
    fs::create_dir(&temporary).unwrap();
    let mut command = tool();
    command.args(words).arg("--").arg(program()).arg("wait").arg(&said).env("TMPDIR", &temporary);
    let child = command.spawn().unwrap();
    let process = number_in(&said);
    assert!(is_there(process));
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
    let done = finish(child);
    wait_until("the program has ended", || !is_there(process));
    let left: Vec<_> = fs::read_dir(&temporary).unwrap().collect();
    assert!(left.is_empty(), "{words:?}, {signal}: {left:?}");
    done
}

#[test]
fn sigterm_and_ctrl_c_end_a_run_with_what_is_known() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        ended_by(signal, &["run"]).expect_status(1).says("race 1 on shared").says("interrupted");
        ended_by(signal, &["verify"]).expect_status(3).says("interrupted");
    }
}

#[test]
fn the_program_dies_with_raceproof() {
    for words in ["run", "verify"] {
        assert_eq!(ended_by(Signal::SIGKILL, &[words]).status, None);
    }
}

#[test]
fn sigterm_is_treated_as_ctrl_c_by_commands_on_tp_programs() {
    let folder = Folder::new("outlive-check");
    let endless = folder.write("endless.tp", "var x;\nproc main() { while (1) { x = x + 1; } }\n");
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        for words in [&["check"][..], &["graph"], &["trace", "-o", "out.rpt"]] {
            let mut command = raceproof();
            let child = command.args(words).arg(&endless).current_dir(folder.path("")).spawn().unwrap();
            thread::sleep(Duration::from_millis(300));
            kill(Pid::from_raw(child.id() as i32), signal).unwrap();
            finish(child).expect_status(3).says("interrupted");
        }
        assert!(folder.names().iter().all(|name| !name.starts_with('.')), "{:?}", folder.names());
    }
}

#[test]
fn the_report_and_the_program_do_not_mix() {
    let json = |command: &mut Command| {
        let done = run(command).expect_status(1);
        let report: Report = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:#?}"));
        has_the_race(&report, "standard output");
        assert!(done.stderr.contains("line 2 of the program"), "{done:#?}");
    };
    json(tool().args(["run", "--format", "json", "--"]).arg(program()).arg("print"));
    let folder = Folder::new("outlive-mix");
    let file = folder.path("report.txt");
    let mut command = tool();
    command.args(["run", "-o"]).arg(&file).arg("--").arg(program()).arg("print");
    let done = run(&mut command).expect_status(1);
    assert_eq!(done.stdout, "line 0 of the program\nline 1 of the program\nline 2 of the program\n");
    assert!(fs::read_to_string(&file).unwrap().contains("race 1 on shared"));
}

/// What a shell says of a command.
fn shell(script: &str) -> Done {
    let mut command = Command::new("bash");
    command.args(["-c", script, "bash", env!("CARGO_BIN_EXE_raceproof")]);
    command.arg(program()).arg(root().join(corpus("examples/async_await_racy.tp")));
    command.arg(env!("CARGO_BIN_EXE_cargo-raceproof"));
    run(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))
}

#[test]
fn a_closed_standard_output_is_no_reason_to_panic() {
    for (script, status) in [
        ("\"$1\" check \"$3\" >&-", 1),
        ("\"$1\" run -- \"$2\" print >&-", 1),
        ("\"$1\" run -- \"$2\" print >&- 2>&-", 1),
        ("\"$1\" run -- \"$2\" free >&-", 3),
        ("\"$1\" run -- \"$2\" print | head -1; exit ${PIPESTATUS[0]}", 1),
        ("\"$1\" run --format json -- \"$2\" | true; exit ${PIPESTATUS[0]}", 1),
        ("\"$1\" check \"$3\" | true; exit ${PIPESTATUS[0]}", 1),
        ("\"$1\" --help | true; exit ${PIPESTATUS[0]}", 0),
        ("\"$4\" --help | true; exit ${PIPESTATUS[0]}", 0),
        ("\"$4\" --help >&-", 0),
        ("\"$4\" --help > /dev/full", 2),
        ("\"$1\" check \"$3\" > /dev/full", 2),
        ("\"$2\" 2>&-", 66),
        ("\"$2\" 2>&1 | true; exit ${PIPESTATUS[0]}", 66),
    ] {
        let done = shell(script);
        assert_eq!(done.status, Some(status), "{script}: {done:#?}");
        assert!(!done.stderr.contains("panicked") && !done.stderr.contains("error of its own"), "{done:#?}");
    }
}

#[test]
fn a_trace_may_have_any_name() {
    let folder = Folder::new("outlive-trace");
    let file = folder.path("it's a \"trace\": 1.rpt");
    let mut command = tool();
    command.args(["run", "--trace"]).arg(&file).arg("--").arg(program());
    run(&mut command).expect_status(1).says("race 1 on shared");
    run(raceproof().args(["analyze", "--order", "dc"]).arg(&file)).expect_status(1).says("shared");
}

#[test]
fn options_need_not_be_utf8_and_are_not_ignored() {
    let (status, _, stderr) = alone(OsStr::from_bytes(b"threads=3:colour=\xff"), &[]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("`colour=\u{fffd}` is not understood"), "{stderr}");
    let (status, _, stderr) = alone(OsStr::new("report='x"), &[]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("is not closed"), "{stderr}");
    let mut command = tool();
    command.env("RACEPROOF_OPTIONS", OsStr::from_bytes(b"suppressions=/no/\xff"));
    command.args(["run", "--"]).arg(program()).arg(OsStr::from_bytes(b"\xff\xfe"));
    run(&mut command).expect_status(1).says("cannot use the suppressions in /no/\u{fffd}").says("race 1");
}
