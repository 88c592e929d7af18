//! One run of the program: its environment, its streams, its end.

use crate::interrupt;
use raceproof::remote;
use raceproof_core::finding::Report;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use std::{env, process, thread};

pub(crate) const OPTIONS: &str = "RACEPROOF_OPTIONS";

/// How long a program may take to write its report when it is told to end.
const GRACE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    Status(i32),
    Signal(i32),
    OutOfTime,
    Interrupted,
}

/// Standard input: passed through, or kept, so that each of several runs reads the same.
pub(super) enum Input {
    Passed,
    Kept { file: File, path: PathBuf },
}

impl Input {
    pub(super) fn new(again: bool) -> Result<Input, String> {
        // What a person types is not typed ahead; each run asks for it.
        if !again || io::stdin().is_terminal() {
            return Ok(Input::Passed);
        }
        let path = temporary("stdin");
        let kept = File::create_new(&path).and_then(|mut to| {
            io::copy(&mut io::stdin().lock(), &mut to)?;
            File::open(&path)
        });
        match kept {
            Ok(file) => Ok(Input::Kept { file, path }),
            Err(error) => Err(format!("cannot keep standard input in {}: {error}", path.display())),
        }
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
            Input::Kept { file, .. } => {
                file.rewind()?;
                Ok(file.try_clone()?.into())
            }
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        if let Input::Kept { path, .. } = self {
            let _ = fs::remove_file(path);
        }
    }
}

pub(super) struct Run<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [OsString],
    pub(super) team: Option<u32>,
    pub(super) limit: Option<Duration>,
    /// Where the run is recorded: a whole path.
    pub(super) trace: Option<&'a str>,
    /// All readers of a location are remembered, at a cost.
    pub(super) all_readers: bool,
}

impl Run<'_> {
    /// How the program ended, and the report it wrote, if it did.
    pub(super) fn execute(&self, input: &mut Input) -> Result<(Ended, Option<Report>), String> {
        let name = self.program.display();
        let file = Temporary(temporary("report.json"));
        let mut command = Command::new(absolute(self.program));
        command.args(self.arguments).env(OPTIONS, self.options(&file.0)?);
        command.stdin(input.stream().map_err(|error| format!("cannot use standard input: {error}"))?);
        let interrupted = interrupt::watch();
        let child = command.spawn().map_err(|error| format!("cannot run {name}: {error}"))?;
        let ended = self.wait(child).map_err(|error| format!("cannot wait for {name}: {error}"))?;
        let ended = if interrupted.load(Ordering::Relaxed) { Ended::Interrupted } else { ended };
        let report = match fs::read_to_string(&file.0) {
            Ok(text) if !text.is_empty() => Some(serde_json::from_str(&text).map_err(|error| {
                format!("the report of {name} cannot be read: {error}; was it built by another version of raceproof?")
            })?),
            _ => None,
        };
        Ok((ended, report))
    }

    /// The user's own options, and ours after them, which count.
    fn options(&self, report: &Path) -> Result<String, String> {
        let report = report.to_str().filter(|path| !path.contains([':', ' ']));
        let report =
            report.ok_or("the folder for temporary files (TMPDIR) has a space or colon in its name")?;
        let mut words: Vec<String> =
            env::var(OPTIONS).into_iter().filter(|words| !words.is_empty()).collect();
        words.extend([format!("report={report}"), "exitcode=0".to_owned()]);
        words.extend(self.team.map(|n| format!("threads={n}")));
        words.extend(self.trace.map(|file| format!("trace={file}")));
        words.extend(self.all_readers.then(|| remote::ALL_READERS.to_owned()));
        Ok(words.join(":"))
    }

    fn wait(&self, mut child: Child) -> io::Result<Ended> {
        let Some(limit) = self.limit else { return child.wait().map(ended) };
        if let Some(status) = wait_until(&mut child, Instant::now().checked_add(limit))? {
            return Ok(ended(status));
        }
        // The runtime writes what it knows when it is asked to end; one that is stuck is not asked twice.
        let asked = Command::new("kill").arg("-TERM").arg(child.id().to_string()).status();
        if asked.is_ok_and(|status| status.success()) {
            wait_until(&mut child, Instant::now().checked_add(GRACE))?;
        }
        child.kill()?;
        child.wait()?;
        Ok(Ended::OutOfTime)
    }
}

/// Waits for the child up to an instant; for ever if there is none.
fn wait_until(child: &mut Child, end: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Status(code),
        (None, signal) => Ended::Signal(signal.unwrap_or(0)),
    }
}

/// ` (SIGSEGV)` for a signal whose name is known.
pub(crate) fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return String::new(),
    };
    format!(" ({name})")
}

/// A program in this folder needs its path: `a` alone would be looked for in `PATH`.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    if path.components().count() == 1 { Path::new(".").join(path) } else { path.to_owned() }
}

fn temporary(name: &str) -> PathBuf {
    env::temp_dir().join(format!("raceproof-{}-{name}", process::id()))
}

/// A file that is removed at the end.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
