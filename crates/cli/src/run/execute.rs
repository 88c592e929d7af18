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

/// How long a program may take to end when it is told to; if it records itself, it has names to write.
const GRACE: Duration = Duration::from_secs(5);
const TRACE_GRACE: Duration = Duration::from_secs(30);

/// How often it is looked whether the user has had enough.
const TICK: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RunEnd {
    Ended(Ended),
    OutOfTime,
    Interrupted,
}

/// Standard input: passed through, or kept, so that each of several runs reads the same.
pub(super) enum Input {
    Passed,
    Kept(File),
}

impl Input {
    pub(super) fn new(again: bool) -> Result<Input, String> {
        // What a person types is not typed ahead; each run asks for it.
        if !again || io::stdin().is_terminal() {
            return Ok(Input::Passed);
        }
        let kept = tempfile::tempfile().and_then(|mut to| {
            io::copy(&mut io::stdin().lock(), &mut to)?;
            Ok(to)
        });
        kept.map(Input::Kept)
            .map_err(|error| format!("cannot keep standard input in a temporary file: {error}"))
    }

    /// Whether another run reads the same: not if it came through a pipe and was not kept.
    pub(super) fn is_there_again(&self) -> bool {
        let Input::Passed = self else { return true };
        let Ok(mut passed) = io::stdin().as_fd().try_clone_to_owned().map(File::from) else { return false };
        let Ok(kind) = passed.metadata().map(|of| of.file_type()) else { return false };
        kind.is_char_device() || kind.is_file() && passed.rewind().is_ok()
    }

    fn stream(&mut self) -> io::Result<Stdio> {
        match self {
            Input::Passed => Ok(Stdio::inherit()),
            Input::Kept(file) => {
                file.rewind()?;
                Ok(file.try_clone()?.into())
            }
        }
    }
}

pub(super) struct Run<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [OsString],
    pub(super) team: Option<u32>,
    pub(super) limit: Option<Duration>,
    /// Where the run is recorded: a whole path.
    pub(super) trace: Option<&'a Path>,
    /// All readers of a location are remembered, at a cost.
    pub(super) all_readers: bool,
    /// Whether the report goes to standard output.
    pub(super) takes_stdout: bool,
}

/// What a run has brought.
pub(super) struct Outcome {
    pub(super) end: RunEnd,
    /// Of a program that began.
    pub(super) report: Option<Report>,
    /// Where its races are.
    pub(super) spots: Vec<Spot>,
}

impl Run<'_> {
    /// Runs the program.
    pub(super) fn execute(&self, input: &mut Input) -> Result<Outcome, String> {
        self.begin(input, Channel::new(None)?, &[])
    }

    /// Runs it once more, without what it prints, for every pair of sites of these places.
    pub(super) fn watch(&self, input: &mut Input, spots: &[Spot]) -> Result<Outcome, String> {
        let request = serde_json::to_vec(spots).map_err(|error| error.to_string())?;
        self.begin(input, Channel::new(Some(&request))?, spots)
    }

    fn begin(&self, input: &mut Input, channel: Channel, watched: &[Spot]) -> Result<Outcome, String> {
        let name = self.program.display();
        let mut command = Command::new(absolute(self.program));
        command.args(self.arguments).env(OPTIONS, self.options(&channel, !watched.is_empty()));
        command.stdin(input.stream().map_err(|error| format!("cannot use standard input: {error}"))?);
        if !watched.is_empty() {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        } else if self.takes_stdout {
            command.stdout(beside_the_report());
        }
        let interrupted = interrupt::watch();
        let child = command.spawn().map_err(|error| format!("cannot run {name}: {error}"))?;
        let end = self.wait(child, &channel).map_err(|error| format!("cannot wait for {name}: {error}"))?;
        let end = if interrupted.load(Ordering::Relaxed) { RunEnd::Interrupted } else { end };
        let found =
            channel.read().map_err(|error| format!("cannot read what {name} has reported: {error}"))?;
        Ok(Outcome { end, report: findings::report(&found), spots: findings::spots(&found) })
    }

    fn options(&self, channel: &Channel, watches: bool) -> OsString {
        let team = self.team.map(|n| format!("threads={n}").into_bytes());
        let trace = self.trace.map(|file| path_word("trace", file));
        let readers = self.all_readers.then(|| remote::ALL_READERS.as_bytes().to_vec());
        let pairs = watches.then(|| channel::ALL_PAIRS.as_bytes().to_vec());
        options([Some(channel.word(channel::OPTION)), team, trace, readers, pairs].into_iter().flatten())
    }

    /// Waits for the program; if it is to end before its time, it is asked to, then made to.
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
        // The runtime writes what it knows when it is asked to end. A program that does not end has written what it has found.
        let mut left = begun(channel);
        left.push(number);
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            for &process in &left {
                // One that is gone needs none.
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

/// The processes that have begun to report: a script may have started them.
fn begun(channel: &Channel) -> Vec<u32> {
    let bytes = channel.read().unwrap_or_default();
    let (records, _) = channel::records(&bytes);
    records.iter().filter(|record| record.kind == Kind::Begin).map(|record| record.process).collect()
}

fn is_there(process: u32) -> bool {
    kill(Pid::from_raw(process as i32), None).is_ok()
}
