//! Finds the library that programs are linked with: where the user says, beside this program, or
//! inside of it.

use raceproof_host::cache;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const OBJECT: &str = "libraceproof_native.o";
const ARCHIVE: &str = "libraceproof_native.a";
const SHARED: &str = "libraceproof_native.so";

/// How an archive begins.
const ARCHIVE_MAGIC: &[u8] = b"!<arch>\n";

/// A library that is part of this program, and a number that tells one from another.
pub type Embedded = (&'static [u8], u64);

static EMBEDDED: OnceLock<Embedded> = OnceLock::new();
static EMBEDDED_SHARED: OnceLock<Embedded> = OnceLock::new();

/// Says what this program has inside of it for C programs: an object, or an archive.
pub fn embed(library: Embedded) {
    let _ = EMBEDDED.set(library);
}

/// The same for Rust programs: a shared library.
pub fn embed_shared(library: Embedded) {
    let _ = EMBEDDED_SHARED.set(library);
}

/// The library for C programs: an object, or an archive to make one of.
pub fn find() -> Result<PathBuf, String> {
    find_as(&[OBJECT, ARCHIVE], &EMBEDDED)
}

/// The shared library, for Rust programs: they have a standard library of their own.
pub fn find_shared() -> Result<PathBuf, String> {
    find_as(&[SHARED], &EMBEDDED_SHARED)
}

fn find_as(names: &[&str], embedded: &OnceLock<Embedded>) -> Result<PathBuf, String> {
    if let Some(named) = env::var_os("RACEPROOF_RUNTIME").filter(|value| !value.is_empty()) {
        return named_by_user(Path::new(&named), names);
    }
    let program = env::current_exe().and_then(|path| path.canonicalize());
    let folder = program.ok().and_then(|path| path.parent().map(Path::to_owned)).unwrap_or_default();
    if let Some(found) = beside(&folder, names) {
        return Ok(found);
    }
    match embedded.get().filter(|(content, _)| !content.is_empty()) {
        Some((content, number)) => {
            let is_archive = content.starts_with(ARCHIVE_MAGIC);
            let name = if is_archive { ARCHIVE } else { names[0] };
            cache::keep(&format!("{}-{number:016x}/{name}", env!("CARGO_PKG_VERSION")), content)
        }
        None => Err(format!(
            "{}, the runtime that programs are linked with, is not in {} nor installed; build it with \
             `cargo build --release -p raceproof-native`, or set RACEPROOF_RUNTIME to it",
            names[names.len() - 1],
            folder.display()
        )),
    }
}

fn named_by_user(path: &Path, names: &[&str]) -> Result<PathBuf, String> {
    let in_folder = |folder: &Path| {
        let places: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        places.iter().find(|place| place.is_file()).unwrap_or(&places[places.len() - 1]).clone()
    };
    let path = match path.parent() {
        _ if path.is_dir() => in_folder(path),
        // One stands beside the other.
        Some(folder) if names == [SHARED] => in_folder(folder),
        _ => path.to_owned(),
    };
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("RACEPROOF_RUNTIME names {}, which is not there", path.display()))
}

/// What cargo has built for this program is in `deps`, and never older than it.
fn beside(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    // Tests run in `deps` themselves.
    let folders =
        [folder.join("deps"), folder.to_owned(), folder.join(".."), folder.join("../lib/raceproof")];
    let mut places = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    places.find(|place| place.is_file())
}
