//! Commands that stand beside each other: `raceproof-cc` and its like become `raceproof`.

use crate::note;
use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The command of this name in the folder of this one, of the name it was started by or of what
/// that leads to; else the one in PATH.
pub fn find(name: &str) -> PathBuf {
    let own = env::current_exe().ok();
    let real = own.as_ref().and_then(|own| own.canonicalize().ok());
    let places = [own, real].into_iter().flatten().map(|own| own.with_file_name(name));
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

/// Becomes `raceproof VERB` with the arguments of this process.
pub fn become_verb(verb: &str) -> ExitCode {
    let program = find("raceproof");
    let mut command = Command::new(&program);
    command.arg(verb).args(env::args_os().skip(1));
    let error = start(&mut command);
    note(&format!(
        "raceproof: error: cannot start {}, which stands beside this program: {error}; install both again",
        program.display()
    ));
    ExitCode::from(2)
}

#[cfg(unix)]
fn start(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn start(_: &mut Command) -> std::io::Error {
    std::io::ErrorKind::Unsupported.into()
}
