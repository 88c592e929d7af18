//! One execution of a native program: a process of its own, under a given schedule.
//!
//! What the program prints goes nowhere, but for a replay. It reads standard input from the
//! beginning if that is a file, and nothing otherwise.

use crate::shared::channel::{Channel, OPTIONS, options, path_word};
use crate::shared::harness;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use raceproof::channel::{self, Kind};
use raceproof::remote::{ASSIGNMENT, Answer, OPTION, Order, Request, VERSION};
use raceproof_core::explore::trace::Trace;
use raceproof_core::finding::{Place, ProgramError, WitnessTeam};
use raceproof_host::interrupt::EndsWithUs;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempPath;

/// A program that can be run any number of times.
#[derive(Clone)]
pub(crate) struct NativeProgram {
    path: PathBuf,
    arguments: Vec<OsString>,
    /// The size of its teams, if it is given.
    threads: Option<u32>,
    /// Which thread executes what, by number.
    assignment: u32,
    /// Whether it is one test of Rust's harness.
    is_test: bool,
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    Status(i32),
    Signal(i32),
}

impl Ended {
    /// An end that is an error of the program; `run` follows in the message and says which run it
    /// was.
    pub(crate) fn error(self, run: &str) -> Option<ProgramError> {
        match self {
            Ended::Status(0) => None,
            Ended::Status(status) => Some(error_of_the_program(
                "exit-status",
                format!("the program ended with exit status {status}{run}"),
            )),
            Ended::Signal(signal) => {
                let name = signal_name(signal);
                Some(error_of_the_program(
                    "signal",
                    format!("the program was ended by signal {signal}{name}{run}"),
                ))
            }
        }
    }
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Status(code),
            (None, signal) => Ended::Signal(signal.unwrap_or(0)),
        }
    }
}

/// Whether the program's streams are the user's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Streams {
    Hidden,
    /// What it prints does not mix with a report on standard output.
    Shown,
    /// As they are: the report goes elsewhere.
    Passed,
}

/// The limits of one execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExecutionLimits {
    pub(crate) actions: u64,
    pub(crate) seconds: f64,
    /// The most bytes of its answer.
    pub(crate) answer: u64,
}

/// Why an execution has no result.
pub(crate) enum Failed {
    /// It could not start, or its answer could not be parsed.
    Wrong(String),
    /// It exceeded a limit.
    Limit(String),
    /// It did not end within its time limit and was killed.
    Late,
    /// The caller stopped it.
    Stopped,
}

/// A run that was recorded.
pub(crate) struct Recorded {
    pub(crate) trace: TempPath,
    /// None if it was ended before.
    pub(crate) ended: Option<Ended>,
}

/// How long a program that records its run may take to end after SIGTERM: it still writes its
/// names.
const RECORD_GRACE: Duration = Duration::from_secs(30);

/// Seconds between the time limit, at which the runtime answers, and SIGKILL.
pub(super) const GRACE: f64 = 10.0;

impl NativeProgram {
    pub(crate) fn new(path: PathBuf, arguments: &[OsString], threads: Option<u32>) -> Self {
        let is_test = harness::runs_one_test(&path, arguments);
        NativeProgram { path, arguments: arguments.to_vec(), threads, assignment: 0, is_test }
    }

    /// The same program, with teams as a witness has them.
    pub(crate) fn with_team(self, team: Option<WitnessTeam>) -> Self {
        match team {
            Some(WitnessTeam { size, assignment }) => {
                NativeProgram { threads: Some(size), assignment, ..self }
            }
            None => self,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs it; returns how it ended, and its answer if it has one. Polls `stop`.
    pub(crate) fn execute(
        &self,
        order: &Order,
        limits: ExecutionLimits,
        streams: Streams,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Ended, Option<Answer>), Failed> {
        let text = request(order, limits)?;
        let channel = Channel::new(Some(&text)).map_err(Failed::Wrong)?;
        let ended = self.process(&channel, limits, streams, stop)?;
        Ok((ended, self.read(&channel, limits)?))
    }

    /// Runs it once, as it runs by itself, and records the run in a temporary file. If `stop` says
    /// so, or after so many seconds, the run is ended and recorded up to there.
    pub(crate) fn record(
        &self,
        seconds: Option<f64>,
        streams: Streams,
        stop: &dyn Fn() -> bool,
    ) -> Result<Recorded, String> {
        let named = tempfile::Builder::new().prefix("raceproof").suffix(".rpt").tempfile();
        let trace = named.map_err(|error| format!("cannot make a temporary file for the trace: {error}"))?;
        let trace = trace.into_temp_path();
        // What it finds goes there, rather than to the user.
        let channel = Channel::new(None)?;
        let mut command = self.command([channel.word(channel::OPTION), path_word("trace", &trace)], streams);
        if streams == Streams::Hidden {
            command.stdin(input());
        }
        let cannot = |error| format!("cannot run {}: {error}", self.path.display());
        let child = command.spawn().map_err(cannot)?;
        let _ends = EndsWithUs::new(&child, Signal::SIGKILL);
        let mut child = RunningProcess { child, group: streams == Streams::Hidden };
        let start = Instant::now();
        let mut asked_to_end = None;
        loop {
            if child.has_ended() {
                let ended = child.end().map_err(cannot)?.into();
                return Ok(Recorded { trace, ended: asked_to_end.is_none().then_some(ended) });
            }
            let took = start.elapsed();
            let late = seconds.is_some_and(|most| took.as_secs_f64() > most);
            match asked_to_end {
                None if late || stop() => {
                    let _ = kill(child.number(), Signal::SIGTERM);
                    asked_to_end = Some(Instant::now());
                }
                Some(asked) if asked.elapsed() > RECORD_GRACE => {
                    child.end().map_err(cannot)?;
                    return Ok(Recorded { trace, ended: None });
                }
                _ => thread::sleep((took / 16).clamp(Duration::from_micros(50), ASK)),
            }
        }
    }

    /// The command that starts it, with these words for its runtime.
    pub(super) fn command(&self, words: impl IntoIterator<Item = Vec<u8>>, streams: Streams) -> Command {
        let mut command = Command::new(absolute(&self.path));
        let size = self.threads.map(|size| format!("threads={size}").into_bytes());
        let assignment =
            (self.assignment > 0).then(|| format!("{ASSIGNMENT}={}", self.assignment).into_bytes());
        let harness = self.is_test.then(|| channel::HARNESS.as_bytes().to_vec());
        let words = words.into_iter().chain(size).chain(assignment).chain(harness);
        command.args(&self.arguments).env(OPTIONS, options(words));
        match streams {
            Streams::Hidden => {
                // Its children end with it: the search may run long after this execution.
                command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
            }
            Streams::Shown => {
                command.stdout(beside_the_report());
            }
            Streams::Passed => {}
        }
        command
    }

    /// Runs the process.
    fn process(
        &self,
        channel: &Channel,
        limits: ExecutionLimits,
        streams: Streams,
        stop: &dyn Fn() -> bool,
    ) -> Result<Ended, Failed> {
        let mut command = self.command([channel.word(OPTION)], streams);
        command.stdin(input());
        same_addresses();
        let cannot = |error| Failed::Wrong(format!("cannot run {}: {error}", self.path.display()));
        let child = command.spawn().map_err(cannot)?;
        let _ends = EndsWithUs::new(&child, Signal::SIGKILL);
        let mut child = RunningProcess { child, group: streams == Streams::Hidden };
        let start = Instant::now();
        let mut asked = start;
        loop {
            if child.has_ended() {
                return child.end().map(Ended::from).map_err(cannot);
            }
            let took = start.elapsed();
            let late = took.as_secs_f64() > limits.seconds + GRACE;
            let stopped = asked.elapsed() > ASK && {
                asked = Instant::now();
                stop()
            };
            if late || stopped {
                // SIGKILL, since the program may block other signals.
                let _ = child.end();
                return Err(if stopped { Failed::Stopped } else { Failed::Late });
            }
            // The interval grows with the run time: polling and the delay after the end stay small
            // parts of it.
            thread::sleep((took / 16).clamp(Duration::from_micros(50), ASK));
        }
    }

    /// The answer of an execution, if it has one.
    pub(super) fn read(&self, channel: &Channel, limits: ExecutionLimits) -> Result<Option<Answer>, Failed> {
        let name = self.path.display();
        let cannot = |error| Failed::Wrong(format!("cannot read what {name} has answered: {error}"));
        let bytes = channel.len().map_err(cannot)?;
        if bytes > limits.answer {
            return Err(Failed::Limit(format!(
                "what one execution shows takes {} MB, too much for the limit of memory; raise --max-memory, or give the program a \
                 smaller input",
                bytes / 1_000_000
            )));
        }
        let bytes = channel.read().map_err(cannot)?;
        let (records, _) = channel::records(&bytes);
        let last = |kind| records.iter().rfind(|record| record.kind == kind).map(|record| record.content);
        let Some(text) = last(Kind::Answer) else {
            return Ok(None);
        };
        let mut answer: Answer = serde_json::from_slice(text).map_err(|error| {
            Failed::Wrong(format!(
                "the answer of {name} cannot be read: {error}; build it again with this version of raceproof"
            ))
        })?;
        let damaged = |wrong: &str| Failed::Wrong(format!("the answer of {name} is damaged: {wrong}"));
        let trace = Trace::from_bytes(last(Kind::Trace).unwrap_or_default());
        answer.trace = trace.map_err(|at| damaged(&format!("its trace ends at byte {at}")))?;
        answer.trace.check().map_err(damaged)?;
        Ok(Some(answer))
    }
}

/// What asks for an execution.
pub(super) fn request(order: &Order, limits: ExecutionLimits) -> Result<Vec<u8>, Failed> {
    let seconds = limits.seconds.max(0.01);
    let asked = Request { version: VERSION, order, actions: limits.actions, seconds };
    serde_json::to_vec(&asked).map_err(|error| Failed::Wrong(format!("cannot write a request: {error}")))
}

/// A running process.
pub(super) struct RunningProcess {
    pub(super) child: Child,
    /// Whether it has a process group of its own.
    pub(super) group: bool,
}

impl RunningProcess {
    /// Whether it has ended. Its pid stays reserved until [`end`](RunningProcess::end).
    pub(super) fn has_ended(&self) -> bool {
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
        // On an error of `waitid`, `end` waits.
        !matches!(waitid(Id::Pid(self.number()), look), Ok(WaitStatus::StillAlive))
    }

    /// Kills it if it runs, and its process group.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if self.group {
            let _ = killpg(self.number(), Signal::SIGKILL);
        }
        // No effect on a process that has ended: its status stays.
        let _ = self.child.kill();
        self.child.wait()
    }

    fn number(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }
}

/// Time between two calls of `stop`.
pub(super) const ASK: Duration = Duration::from_millis(20);

/// Whether standard input is the same for another run of the program: not if it comes through a
/// pipe.
pub(crate) fn input_is_there_again() -> bool {
    let kind = File::open("/dev/stdin").and_then(|file| Ok(file.metadata()?.file_type()));
    // One that is closed has nothing in it.
    kind.map_or(true, |kind| kind.is_file() || kind.is_char_device())
}

/// A file from its beginning; nothing if standard input is no file.
pub(super) fn input() -> Stdio {
    let file = File::open("/dev/stdin").and_then(|file| {
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("no file")) }
    });
    file.map_or(Stdio::null(), Stdio::from)
}

/// Turns off address space randomisation for the programs that this thread starts. Where the system
/// forbids it, programs that depend on addresses are not deterministic; the search itself is.
pub(super) fn same_addresses() {
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

/// The standard output of a program whose report goes to ours: the terminal, if ours is one, else
/// standard error, so that the report stands alone.
pub(crate) fn beside_the_report() -> Stdio {
    if io::stdout().is_terminal() {
        return Stdio::inherit();
    }
    io::stderr().as_fd().try_clone_to_owned().map_or_else(|_| Stdio::null(), Stdio::from)
}

/// ` (SIGSEGV)` for a signal whose name is known.
pub(crate) fn signal_name(signal: i32) -> String {
    let Ok(name) = Signal::try_from(signal) else { return String::new() };
    format!(" ({name})")
}

/// A program in this folder needs its path: `a` alone would be looked for in `PATH`.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    if path.components().count() == 1 { Path::new(".").join(path) } else { path.to_owned() }
}

fn error_of_the_program(kind: &str, message: String) -> ProgramError {
    ProgramError {
        id: String::new(),
        kind: kind.to_owned(),
        message,
        task: "main".to_owned(),
        at: Place { file: String::new(), line: 0, column: 0 },
        stack: Vec::new(),
        spawned: Vec::new(),
        witness: None,
        related: Vec::new(),
    }
}
