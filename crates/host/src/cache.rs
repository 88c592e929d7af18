//! Files that are made once and kept for the next time: in `raceproof` below `XDG_CACHE_HOME`, or
//! below `~/.cache`. Whoever removes them loses time only.

use crate::output::OutFile;
use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder, made if it is not there.
pub fn folder() -> Result<PathBuf, String> {
    let folder = place().ok_or(
        "there is no folder to keep files in: set XDG_CACHE_HOME to one that can be written to (or HOME)",
    )?;
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    Ok(folder)
}

/// Where the folder is or would be. A relative XDG_CACHE_HOME is to be ignored, says the standard.
pub fn place() -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("raceproof"))
}

/// A file with this content, under this name below the folder. The name has to tell one content
/// from another: a file of the same name and length is taken as it is.
pub fn keep(name: &str, content: &[u8]) -> Result<PathBuf, String> {
    let file = folder()?.join(name);
    if fs::metadata(&file).is_ok_and(|known| known.len() == content.len() as u64) {
        return Ok(file);
    }
    let written = || -> io::Result<()> {
        fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
        let mut out = OutFile::create(&file)?;
        out.write_all(content)?;
        out.keep()
    };
    written().map_err(|error| cannot_write(&file, &error))?;
    Ok(file)
}

/// A file that `make` makes, in a folder that is given to it. Of several processes that want it one
/// makes it and the others wait.
pub fn make_once(name: &str, make: impl FnOnce(&Path) -> Result<PathBuf, String>) -> Result<PathBuf, String> {
    let folder = folder()?;
    let file = folder.join(name);
    if file.is_file() {
        return Ok(file);
    }
    let _turn = turn(&folder.join("lock")).map_err(|error| cannot_write(&folder, &error))?;
    if file.is_file() {
        return Ok(file);
    }
    let work = tempfile::Builder::new().prefix("making-").tempdir_in(&folder);
    let work = work.map_err(|error| cannot_write(&folder, &error))?;
    let made = make(work.path())?;
    fs::rename(made, &file).map_err(|error| cannot_write(&file, &error))?;
    Ok(file)
}

/// Waits until no other process holds the file, and holds it until dropped.
#[cfg(unix)]
fn turn(lock: &Path) -> io::Result<nix::fcntl::Flock<File>> {
    let file = File::options().create(true).append(true).open(lock)?;
    nix::fcntl::Flock::lock(file, nix::fcntl::FlockArg::LockExclusive).map_err(|(_, error)| error.into())
}

#[cfg(not(unix))]
fn turn(lock: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(lock)
}

fn cannot_write(place: &Path, error: &io::Error) -> String {
    format!(
        "cannot write {}: {error}; set XDG_CACHE_HOME to a folder that can be written to",
        place.display()
    )
}
