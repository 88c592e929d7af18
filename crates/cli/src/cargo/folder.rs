//! The folder `target/raceproof`, in which cargo builds instrumented programs.

use super::arguments::CargoRequest;
use super::{cargo, compiler, drop_in};
use crate::commands::ProgramOutcome;
use crate::shared::witness_file::fingerprint;
use raceproof_host::output::replace;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};
use tempfile::NamedTempFile;

pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// Where the programs that are run say how it went: new, and for us only.
    outcomes: NamedTempFile,
}

impl Folder {
    /// The folder, with the drop-in in it. What another version of us has built there is removed:
    /// cargo would take it for fresh.
    pub(super) fn prepare(request: &CargoRequest, library: &Path) -> Result<Folder, String> {
        let base = match &request.target_dir {
            Some(folder) => folder.clone(),
            None => target_directory(request)?,
        };
        let path = std::path::absolute(base.join("raceproof")).map_err(|error| error.to_string())?;
        let complain = |error: io::Error| match dangling(&path) {
            Some((link, to)) => {
                format!("{} is a link to {}, which is not there", link.display(), to.display())
            }
            None => format!("{}: {error}", path.display()),
        };
        fill(&path, &version(library)).map_err(complain)?;
        let outcomes = tempfile::Builder::new().prefix("outcomes-").tempfile_in(&path).map_err(complain)?;
        Ok(Folder { path, outcomes })
    }

    /// The root of the drop-in.
    pub(super) fn drop_in(&self) -> PathBuf {
        drop_in_of(&self.path)
    }

    pub(super) fn outcomes(&self) -> &Path {
        self.outcomes.path()
    }

    /// The status of it all: the gravest of those of the programs that were run; else whether cargo
    /// did its part, and whether anything ran in parallel in any of them.
    pub(super) fn verdict(&self, built: bool) -> u8 {
        let statuses = fs::read_to_string(self.outcomes()).unwrap_or_default();
        let grave = |status: u8| statuses.lines().any(|line| line == status.to_string());
        match [1, 2, 3].into_iter().find(|&status| grave(status)) {
            Some(status) => status,
            None if !built => 2,
            None if !statuses.is_empty() && statuses.lines().all(|line| line == SEQUENTIAL) => 3,
            None => 0,
        }
    }
}

/// The link on the way to a path that leads nowhere, and where it would: the system says of it that
/// there is a file already.
fn dangling(path: &Path) -> Option<(&Path, PathBuf)> {
    path.ancestors().find_map(|link| Some((link, fs::read_link(link).ok().filter(|_| !link.exists())?)))
}

fn drop_in_of(folder: &Path) -> PathBuf {
    folder.join("rayon-core/lib.rs")
}

fn fill(path: &Path, version: &str) -> io::Result<()> {
    let stamp = path.join("version");
    let before = fs::read_to_string(&stamp).ok();
    if before.as_deref() == Some(version) {
        return Ok(());
    }
    // Of several processes that find an old version, one removes it.
    if before.is_some() && fs::remove_file(&stamp).is_ok() {
        let beside = path.parent().unwrap_or(path);
        let old = tempfile::Builder::new().prefix("raceproof-old-").tempdir_in(beside)?;
        fs::rename(path, old.path().join("old"))?;
        old.close()?;
    }
    if let Some(folder) = drop_in_of(path).parent() {
        drop_in::write(folder)?;
    }
    // Several processes may write it: all write the same.
    replace(&stamp, version)
}

/// Written in place of a status by a program in which nothing ran in parallel.
const SEQUENTIAL: &str = "sequential";

/// Adds the status of a program that was run to those of the others.
pub(super) fn note_outcome(file: Option<OsString>, outcome: ProgramOutcome) {
    let Some(file) = file else { return };
    let file = fs::OpenOptions::new().create(true).append(true).open(file);
    // Without it cargo's own status counts, which is not 0 either.
    let _ = file.and_then(|mut file| match outcome {
        ProgramOutcome::Status(status) => writeln!(file, "{status}"),
        ProgramOutcome::Sequential => writeln!(file, "{SEQUENTIAL}"),
    });
}

/// Tells versions of us apart: what crates are compiled with, and what they are linked with.
fn version(library: &Path) -> String {
    let mut all = env!("CARGO_PKG_VERSION").to_owned();
    drop_in::text().for_each(|text| all.push_str(text));
    for flag in compiler::all_flags(library) {
        let _ = write!(all, " {}", flag.display());
    }
    fingerprint(&all)
}

/// Where cargo would build.
fn target_directory(request: &CargoRequest) -> Result<PathBuf, String> {
    let mut command = Command::new(cargo());
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    if let Some(manifest) = &request.manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    let output = raceproof_host::interrupt::output_of(&mut command)
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let answer: Option<serde_json::Value> = serde_json::from_slice(&output.stdout).ok();
    let folder = answer.as_ref().and_then(|answer| answer["target_directory"].as_str());
    folder.map(PathBuf::from).ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        said.trim().trim_start_matches("error: ").to_owned()
    })
}
