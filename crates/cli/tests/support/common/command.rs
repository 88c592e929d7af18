//! Runs the `raceproof` binary as a user would.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};
use tempfile::TempDir;

/// No run of a test may take longer, on a busy machine and without optimisation.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a command did.
#[derive(Debug)]
pub struct Done {
    /// None if a signal ended it: an abort, a stack overflow.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    #[track_caller]
    pub fn expect_status(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self
    }

    /// Standard output and standard error in words with single spaces: reports are wrapped.
    pub fn said(&self) -> String {
        format!("{} {}", self.stdout, self.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(self.said().contains(words), "{words:?} expected in {self:#?}");
        self
    }
}

/// Without the libraries that cargo has its tests find: programs are to find the runtime they were
/// linked with.
pub fn raceproof() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raceproof"));
    command.env_remove("LD_LIBRARY_PATH");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).env_remove("NO_COLOR");
    command
}

pub fn run(command: &mut Command) -> Done {
    finish(command.spawn().expect("the binary starts"))
}

/// Waits for a command that was started.
pub fn finish(child: Child) -> Done {
    wait(child, PATIENCE).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a command that may start others; if it takes too long, all of them are ended.
#[cfg(unix)]
pub fn finish_within(command: &mut Command, patience: Duration) -> Result<Done, String> {
    use std::os::unix::process::CommandExt;
    let child = command.process_group(0).spawn().map_err(|e| format!("{command:?}: {e}"))?;
    let group = format!("-{}", child.id());
    wait(child, patience).inspect_err(|_| {
        drop(Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status())
    })
}

fn wait(mut child: Child, patience: Duration) -> Result<Done, String> {
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let start = Instant::now();
    let status = loop {
        match child.try_wait().expect("the command can be waited for") {
            Some(status) => break status,
            None if start.elapsed() > patience => {
                let _ = child.kill();
                return Err(format!("still running after {patience:?}"));
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    let text = |thread: thread::JoinHandle<String>| thread.join().expect("output can be read");
    Ok(Done { status: status.code(), stdout: text(stdout), stderr: text(stderr) })
}

fn reader(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            stream.read_to_end(&mut bytes).expect("a pipe can be read");
        }
        String::from_utf8(bytes).expect("output is UTF-8")
    })
}

/// Runs the command with `input` on its standard input.
pub fn run_with_input(command: &mut Command, input: &[u8]) -> Done {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it has a standard input");
    let input = input.to_vec();
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let done = finish(child);
    writer.join().expect("the writer ends");
    done
}

/// `raceproof check` of a program given as text, with options.
pub fn check(program: &str, options: &[&str]) -> Done {
    run_with_input(raceproof().args(["check", "-"]).args(options), program.as_bytes())
}

/// An empty folder of the test's own, removed with it.
pub struct Folder(TempDir);

impl Folder {
    /// A new one, also if another test gives it the same name.
    pub fn new(name: &str) -> Self {
        let folder = tempfile::Builder::new().prefix(&format!("raceproof-{name}-")).tempdir();
        Folder(folder.expect("the temporary folder can be written"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("the temporary folder can be written");
        path
    }

    /// The names of everything in it.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder is there");
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// A program of the corpus, as a path from the root of the repository.
pub fn corpus(name: &str) -> PathBuf {
    Path::new("programs/tp").join(name)
}

/// The root of the repository: reports name files as they were given, so tests give them from here.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
