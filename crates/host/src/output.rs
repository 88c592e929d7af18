//! Writes results to standard output, or atomically to a file.

use crate::interrupt::Unfinished;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// Writes to standard output, or atomically to a file: to a temporary file first, so that a failure
/// leaves the old file as it was.
pub fn deliver(text: &str, file: Option<&Path>) -> Result<(), String> {
    match file {
        None => print(text).map_err(|error| format!("cannot write to standard output: {error}")),
        Some(file) => deliver_by(file, &|out| out.write_all(text.as_bytes())),
    }
}

/// The same for a file that is written piece by piece.
pub fn deliver_by(file: &Path, write: &dyn Fn(&mut OutFile) -> io::Result<()>) -> Result<(), String> {
    replace_by(file, write).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Writes a file that others may be reading: they see all of the old text or all of the new.
pub fn replace(file: &Path, text: &str) -> io::Result<()> {
    replace_by(file, &|out| out.write_all(text.as_bytes()))
}

fn replace_by(file: &Path, write: &dyn Fn(&mut OutFile) -> io::Result<()>) -> io::Result<()> {
    let mut out = OutFile::create(file)?;
    write(&mut out)?;
    out.keep()
}

/// A reader that has seen enough (`| head`) is no error.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// A file that takes its name only when it is whole. Until [`keep`](OutFile::keep) the old file
/// stays, and dropping it before leaves nothing behind. It is written in the same folder under a
/// name that others cannot guess, and opened without following links.
pub struct OutFile(Destination);

enum Destination {
    Beside {
        new: BufWriter<NamedTempFile>,
        place: PathBuf,
        /// After the file: it is there until then.
        unfinished: Unfinished,
    },
    /// A device or pipe cannot be replaced; it is written to as it is.
    InPlace(BufWriter<File>),
}

impl OutFile {
    pub fn create(file: &Path) -> io::Result<OutFile> {
        let known = match fs::metadata(file) {
            Ok(known) if known.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(known) if !known.is_file() => {
                let device = File::options().write(true).open(file)?;
                return Ok(OutFile(Destination::InPlace(BufWriter::new(device))));
            }
            // Renaming over it would succeed all the same, against its owner's wish.
            Ok(known) if known.permissions().readonly() => return Err(ErrorKind::PermissionDenied.into()),
            Ok(known) => Some(known.permissions()),
            Err(_) => None,
        };
        // What a link leads to is replaced, not the link.
        let place = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let name = place.file_name().ok_or(ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
        let folder = match place.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        let prefix = format!(".{name}.");
        builder.prefix(&prefix);
        // The permissions of the file before, or those that a new file gets.
        let permissions = known.or_else(ordinary_permissions);
        let new = match permissions {
            Some(permissions) => builder.permissions(permissions).tempfile_in(folder)?,
            None => builder.tempfile_in(folder)?,
        };
        let unfinished = Unfinished::new(new.path());
        Ok(OutFile(Destination::Beside { new: BufWriter::new(new), place, unfinished }))
    }

    /// Writes what is left and puts the file in its place.
    pub fn keep(self) -> io::Result<()> {
        match self.0 {
            Destination::Beside { new, place, unfinished } => {
                let new = new.into_inner().map_err(|error| error.into_error())?;
                let kept = new.persist(place).map(drop).map_err(|error| error.error);
                drop(unfinished);
                kept
            }
            Destination::InPlace(mut file) => file.flush(),
        }
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Destination::Beside { new, .. } => new.write(bytes),
            Destination::InPlace(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Destination::Beside { new, .. } => new.flush(),
            Destination::InPlace(file) => file.flush(),
        }
    }
}

/// What a new file may be asked for; the system takes the user's mask from it.
#[cfg(unix)]
fn ordinary_permissions() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn ordinary_permissions() -> Option<fs::Permissions> {
    None
}

/// A new folder for files that are needed for a while: for its owner only, removed when dropped.
pub fn private_folder() -> Result<TempDir, String> {
    tempfile::Builder::new().prefix("raceproof-").tempdir().map_err(|error| {
        let place = std::env::temp_dir();
        format!("cannot make a folder in {}: {error}; set TMPDIR to another", place.display())
    })
}
