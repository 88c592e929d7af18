//! One run of the program: its environment, its streams, its end.

use super::findings;
use crate::shared::channel::{Channel, OPTIONS, options, path_word};
use crate::shared::process::{Ended, absolute, beside_the_report};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use raceproof::channel::{self, Kind};
use raceproof::remote;
use raceproof_core::finding::Report;
use raceproof_host::interrupt;
use raceproof_symbols::raw::Spot;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may take to end after SIGTERM. One that records a trace still writes its
/// names.
const GRACE: Duration = Duration::from_secs(5);
const TRACE_GRACE: Duration = Duration::from_secs(30);

/// Time between two checks for an interrupt.
const TICK: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RunEnd {
    Ended(Ended),
    OutOfTime,
    Interrupted,
}

/// Standard input: passed through, or kept, so that each of several runs reads the same.
pub(super) enum StandardInput {
    Passed,
    Kept(File),
}

impl StandardInput {
    pub(super) fn new(again: bool) -> Result<StandardInput, String> {
        // At a terminal each run asks the user again.
        if !again || io::stdin().is_terminal() {
            return Ok(StandardInput::Passed);
        }
        let kept = tempfile::tempfile().and_then(|mut to| {
            io::copy(&mut io::stdin().lock(), &mut to)?;
            Ok(to)
        });
        kept.map(StandardInput::Kept)
            .map_err(|error| format!("cannot keep standard input in a temporary file: {error}"))
    }

    /// Whether another run reads the same: not if it came through a pipe and was not kept.
    pub(super) fn is_there_again(&self) -> bool {
        let StandardInput::Passed = self else { return true };
        let Ok(mut passed) = io::stdin().as_fd().try_clone_to_owned().map(File::from) else { return false };
        let Ok(kind) = passed.metadata().map(|of| of.file_type()) else { return false };
        kind.is_char_device() || kind.is_file() && passed.rewind().is_ok()
    }

    fn stream(&mut self) -> io::Result<Stdio> {
        match self {
            StandardInput::Passed => Ok(Stdio::inherit()),
            StandardInput::Kept(file) => {
                file.rewind()?;
                Ok(file.try_clone()?.into())
            }
        }
    }
}

pub(super) struct ProgramRun<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [OsString],
    pub(super) team: Option<u32>,
    /// Which thread executes what, by number.
    pub(super) assignment: u32,
    /// Whether the verdict is to hold for the sizes of teams that run, and not for all.
    pub(super) only_this_size: bool,
    pub(super) limit: Option<Duration>,
    /// Where the run is recorded: a whole path.
    pub(super) trace: Option<&'a Path>,
    /// Whether the detector keeps all readers of a location, which costs memory and time.
    pub(super) all_readers: bool,
    /// Whether the report goes to standard output.
    pub(super) takes_stdout: bool,
    /// Where the program's own standard output goes instead.
    pub(super) stdout: Option<&'a File>,
    /// Whether it is one test of Rust's harness.
    pub(super) is_test: bool,
}

/// The result of a run.
pub(super) struct RunOutcome {
    pub(super) end: RunEnd,
    /// None if the runtime never started.
    pub(super) report: Option<Report>,
    /// Where its races are.
    pub(super) spots: Vec<Spot>,
}

impl ProgramRun<'_> {
    /// Runs the program.
    pub(super) fn execute(&self, input: &mut StandardInput) -> Result<RunOutcome, String> {
        self.begin(input, Channel::new(None)?, &[])
    }

    /// The same run with another assignment of work to threads, and with its output discarded.
    pub(super) fn assigned(&self, assignment: u32) -> Self {
        ProgramRun { assignment, ..*self }
    }

    /// Runs it again, with its output discarded, to find every pair of sites on these locations.
    pub(super) fn watch(&self, input: &mut StandardInput, spots: &[Spot]) -> Result<RunOutcome, String> {
        let request = serde_json::to_vec(spots).map_err(|error| error.to_string())?;
        self.begin(input, Channel::new(Some(&request))?, spots)
    }

    fn begin(
        &self,
        input: &mut StandardInput,
        channel: Channel,
        watched: &[Spot],
    ) -> Result<RunOutcome, String> {
        let name = self.program.display();
        let mut command = Command::new(absolute(self.program));
        command.args(self.arguments).env(OPTIONS, self.options(&channel, !watched.is_empty()));
        command.stdin(input.stream().map_err(|error| format!("cannot use standard input: {error}"))?);
        if !watched.is_empty() || self.assignment > 0 {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        } else if let Some(file) = self.stdout {
            let copy = file.try_clone();
            command.stdout(copy.map_err(|error| format!("cannot keep what {name} prints: {error}"))?);
        } else if self.takes_stdout {
            command.stdout(beside_the_report());
        }
        let interrupted = interrupt::watch();
        let child = command.spawn().map_err(|error| format!("cannot run {name}: {error}"))?;
        let end = self.wait(child, &channel).map_err(|error| format!("cannot wait for {name}: {error}"))?;
        let end = if interrupted.load(Ordering::Relaxed) { RunEnd::Interrupted } else { end };
        let found =
            channel.read().map_err(|error| format!("cannot read what {name} has reported: {error}"))?;
        Ok(RunOutcome { end, report: findings::report(&found), spots: findings::spots(&found) })
    }

    fn options(&self, channel: &Channel, watches: bool) -> OsString {
        let team = self.team.map(|n| format!("threads={n}").into_bytes());
        let assignment =
            (self.assignment > 0).then(|| format!("{}={}", remote::ASSIGNMENT, self.assignment).into_bytes());
        let sizes = self.only_this_size.then(|| b"sizes=ran".to_vec());
        let trace = self.trace.map(|file| path_word("trace", file));
        let readers = self.all_readers.then(|| remote::ALL_READERS.as_bytes().to_vec());
        let pairs = watches.then(|| channel::ALL_PAIRS.as_bytes().to_vec());
        let harness = self.is_test.then(|| channel::HARNESS.as_bytes().to_vec());
        let findings = Some(channel.word(channel::OPTION));
        options([findings, team, assignment, sizes, trace, readers, pairs, harness].into_iter().flatten())
    }

    /// Waits for the program. On a time limit or an interrupt it sends SIGTERM, then SIGKILL.
    fn wait(&self, mut child: Child, channel: &Channel) -> io::Result<RunEnd> {
        let number = child.id();
        let (tell, told) = mpsc::channel();
        thread::spawn(move || tell.send(child.wait()));
        let end = self.limit.and_then(|limit| Instant::now().checked_add(limit));
        let interrupted = interrupt::watch();
        let why = loop {
            let left = end.map_or(TICK, |end| end.saturating_duration_since(Instant::now()));
            match told.recv_timeout(left.min(TICK)) {
                Ok(status) => return status.map(|status| RunEnd::Ended(status.into())),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the waiting thread is gone"));
                }
                Err(RecvTimeoutError::Timeout) if interrupted.load(Ordering::Relaxed) => {
                    break RunEnd::Interrupted;
                }
                Err(RecvTimeoutError::Timeout) if end.is_some_and(|end| Instant::now() >= end) => {
                    break RunEnd::OutOfTime;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        // On SIGTERM the runtime writes its report. If the program does not end, its findings so
        // far are in the channel.
        let mut left = begun(channel);
        left.push(number);
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            for &process in &left {
                // The process may have ended already.
                let _ = kill(Pid::from_raw(process as i32), signal);
            }
            let patience = Instant::now() + if self.trace.is_some() { TRACE_GRACE } else { GRACE };
            while !left.is_empty() && Instant::now() < patience {
                if told.recv_timeout(Duration::from_millis(5)).is_ok() {
                    left.retain(|&process| process != number);
                }
                left.retain(|&process| process == number || is_there(process));
            }
        }
        Ok(why)
    }
}

/// The processes that have written to the channel; a script may have started several.
fn begun(channel: &Channel) -> Vec<u32> {
    let bytes = channel.read().unwrap_or_default();
    let (records, _) = channel::records(&bytes);
    records.iter().filter(|record| record.kind == Kind::Begin).map(|record| record.process).collect()
}

fn is_there(process: u32) -> bool {
    kill(Pid::from_raw(process as i32), None).is_ok()
}
