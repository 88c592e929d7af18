//! Ctrl-C in the middle of a search, on a terminal: what is known is reported, and the search can
//! be resumed.
#![cfg(unix)]

use crate::common;

use common::command::{Done, Folder, finish, raceproof, run};
use common::programs::sized;
use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The progress has to show within this, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn verify(program: &Path, more: &[&str]) -> Command {
    let mut command = raceproof();
    command.arg("verify").arg(program).args(more);
    command
}

/// Runs a command with a terminal for its standard error, and sends it SIGINT when its progress
/// shows; also gives what was on the terminal.
fn interrupted(command: Command) -> (Done, String) {
    interrupted_by(command, &[Signal::SIGINT])
}

/// The same with other signals, one right after the other.
fn interrupted_by(mut command: Command, signals: &[Signal]) -> (Done, String) {
    let terminal = openpty(None, None).expect("there are terminals");
    let child = command.stderr(terminal.slave).spawn().expect("the binary starts");
    // It holds the other end of the terminal, which would never end otherwise.
    drop(command);
    let mut screen = File::from(terminal.master);
    let (begun, has_begun) = mpsc::channel();
    let reader = thread::spawn(move || {
        let (mut text, mut bytes) = (String::new(), [0; 4096]);
        // A terminal that nobody holds any more gives an error.
        while let Ok(count @ 1..) = screen.read(&mut bytes) {
            text += &String::from_utf8_lossy(&bytes[..count]);
            if text.contains(" left") {
                let _ = begun.send(());
            }
        }
        text
    });
    has_begun.recv_timeout(PATIENCE).expect("the progress shows");
    for &signal in signals {
        kill(Pid::from_raw(child.id() as i32), signal).expect("it can be interrupted");
    }
    let done = finish(child);
    (done, reader.join().expect("the screen can be read"))
}

fn json(done: &Done) -> Value {
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

/// `timeout` signals the process and its group. Two different signals are never merged into one by
/// the system.
#[test]
fn signals_that_come_together_are_one_request() {
    let folder = Folder::new("together");
    let program = folder.write("f.tp", sized("examples/indexer", "TASKS", 20));
    let (done, screen) =
        interrupted_by(verify(&program, &[]), &[Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT]);
    assert!(screen.contains("interrupted, writing what is known"), "{screen:?}");
    done.expect_status(3).says("inconclusive").says(": interrupted");
}

#[test]
fn a_search_that_is_interrupted_says_what_is_known() {
    let folder = Folder::new("interrupted");
    // 8^9 executions.
    let program = folder.write("f.tp", sized("examples/indexer", "TASKS", 20));
    for workers in ["1", "3"] {
        let (done, screen) = interrupted(verify(&program, &["--workers", workers]));
        assert!(screen.contains(" executions, ") && screen.contains("about "), "{screen:?}");
        assert!(screen.contains("interrupted, writing what is known"), "{screen:?}");
        let done =
            done.expect_status(3).says("inconclusive").says(": interrupted").says("schedules that were run");
        assert!(done.said().contains("the search ended after ") && done.said().contains(" left"), "{done:?}");

        let (done, _) = interrupted(verify(&program, &["--workers", workers, "--format", "json"]));
        let report = json(&done.expect_status(3));
        assert_eq!(
            (&report["verdict"], &report["scope"]),
            (&"inconclusive".into(), &"observed-schedule".into())
        );
        assert!(report["stats"]["executions"].as_u64() > Some(0), "{report}");
        assert!(report["stats"]["executions_left"].as_u64() > Some(1 << 20), "{report}");
    }
}

#[test]
fn an_interrupted_search_is_resumed() {
    let folder = Folder::new("resumed");
    let program = folder.write("f.tp", sized("examples/indexer", "TASKS", 16));
    let kept = folder.path("search.json");
    let options = ["--format", "json", "--workers", "2", "--checkpoint", kept.to_str().expect("UTF-8")];
    let (done, _) = interrupted(verify(&program, &options));
    let first = json(&done.expect_status(3));
    assert_eq!(first["verdict"], "inconclusive");
    let begun = first["stats"]["executions"].as_u64().expect("a number");
    assert!((1..32_768).contains(&begun), "{first}");
    assert_eq!(
        first["stats"]["executions_left"],
        32_768 - begun,
        "each pair of sections doubles what is below it"
    );
    assert!(kept.exists());
    let last = json(&run(&mut verify(&program, &options)).expect_status(0));
    assert_eq!((&last["verdict"], &last["scope"]), (&"race-free".into(), &"all-schedules".into()));
    assert_eq!(last["stats"]["executions"], 32_768, "as many as without an interruption");
    assert!(last["stats"].get("executions_left").is_none(), "{last}");
    assert!(!kept.exists(), "a search that is over leaves nothing behind");
}
