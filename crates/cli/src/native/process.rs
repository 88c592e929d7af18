//! One execution of a native program: a process of its own, under a given schedule.
//!
//! What the program prints goes nowhere, but for a replay. It reads standard input from the beginning if that is a file, and
//! nothing otherwise.

use crate::channel::{Channel, options};
use crate::interrupt::EndsWithUs;
use crate::run::execute::{OPTIONS, absolute, beside_the_report, signal_name};
use crate::run::outcome;
use nix::sys::signal::Signal;
use raceproof::channel::{self, Kind};
use raceproof::remote::{Answer, OPTION, Order, Request, VERSION};
use raceproof_core::finding::ProgramError;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// A program that can be run any number of times.
pub(super) struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    Status(i32),
    Signal(i32),
}

impl Ended {
    /// An end that is an error of the program.
    pub(super) fn error(self) -> Option<ProgramError> {
        match self {
            Ended::Status(0) => None,
            Ended::Status(status) => {
                Some(outcome("exit-status", format!("the program ended with exit status {status}")))
            }
            Ended::Signal(signal) => {
                let name = signal_name(signal);
                Some(outcome("signal", format!("the program was ended by signal {signal}{name}")))
            }
        }
    }
}

/// Whether the program's streams are the user's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Streams {
    Hidden,
    Shown,
}

/// What one execution may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub(super) actions: u64,
    pub(super) seconds: f64,
}

impl Program {
    pub(super) fn new(path: PathBuf, arguments: &[OsString]) -> Self {
        Program { path, arguments: arguments.to_vec() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs it; how it ended, and what it answered if it did.
    pub(super) fn execute(
        &self,
        order: Order,
        budget: Budget,
        streams: Streams,
    ) -> Result<(Ended, Option<Answer>), String> {
        let name = self.path.display();
        let asked =
            Request { version: VERSION, order, actions: budget.actions, seconds: budget.seconds.max(0.01) };
        let text = serde_json::to_vec(&asked).map_err(|error| format!("cannot write a request: {error}"))?;
        let channel = Channel::new(Some(&text))?;
        let mut command = Command::new(absolute(&self.path));
        command.args(&self.arguments).env(OPTIONS, options([channel.word(OPTION)])).stdin(input());
        if streams == Streams::Hidden {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        } else {
            command.stdout(beside_the_report());
        }
        same_addresses();
        let status = command.spawn().and_then(|mut child| {
            let _ends = EndsWithUs::new(&child, Signal::SIGKILL);
            child.wait()
        });
        let ended = ended(status.map_err(|error| format!("cannot run {name}: {error}"))?);
        let bytes =
            channel.read().map_err(|error| format!("cannot read what {name} has answered: {error}"))?;
        let (records, _) = channel::records(&bytes);
        let Some(text) = records.iter().rfind(|record| record.kind == Kind::Answer) else {
            return Ok((ended, None));
        };
        let answer: Answer = serde_json::from_slice(text.content).map_err(|error| {
            format!(
                "the answer of {name} cannot be read: {error}; build it again with this version of raceproof"
            )
        })?;
        answer.trace.check().map_err(|wrong| format!("the answer of {name} is damaged: {wrong}"))?;
        Ok((ended, Some(answer)))
    }
}

fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Status(code),
        (None, signal) => Ended::Signal(signal.unwrap_or(0)),
    }
}

/// A file from its beginning; nothing if standard input is no file.
fn input() -> Stdio {
    let file = File::open("/dev/stdin").and_then(|file| {
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("no file")) }
    });
    file.map_or(Stdio::null(), Stdio::from)
}

/// Has the system put the programs that this thread starts at the same addresses each time. Where it does not let us, programs
/// that depend on their addresses are not deterministic; the search itself does not.
fn same_addresses() {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::personality::{Persona, get, set};
        if let Ok(now) = get()
            && !now.contains(Persona::ADDR_NO_RANDOMIZE)
        {
            let _ = set(now | Persona::ADDR_NO_RANDOMIZE);
        }
    }
}
