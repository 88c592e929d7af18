//! Where results go: standard output, or a file that is there whole or not at all.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Writes to standard output, or whole and at once to a file: beside it first, so that a failure leaves no
/// half of it and keeps what was there. The error says what could not be done.
pub(crate) fn deliver(text: &str, file: Option<&Path>) -> Result<(), String> {
    match file {
        None => print(text).map_err(|error| format!("cannot write to standard output: {error}")),
        Some(file) => store(text, file).map_err(|error| format!("cannot write {}: {error}", file.display())),
    }
}

/// A line for the person at the terminal, beside the result. If nobody can read it, so be it.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text.trim_end());
}

/// A reader that has seen enough (`| head`) is no error.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn store(text: &str, file: &Path) -> io::Result<()> {
    match fs::metadata(file) {
        Ok(known) if known.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        // A device or pipe cannot be replaced; it is written to as it is.
        Ok(known) if !known.is_file() => return fs::write(file, text),
        // Renaming over it would succeed all the same, against its owner's wish.
        Ok(known) if known.permissions().readonly() => return Err(ErrorKind::PermissionDenied.into()),
        _ => {}
    }
    // What a link leads to is replaced, not the link.
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let name = file.file_name().ok_or(ErrorKind::InvalidInput)?;
    let beside = file.with_file_name(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, &file));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
