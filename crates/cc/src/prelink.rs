//! Links the runtime once into one object, instead of into each program anew.
//!
//! `raceproof-prelink` says what the object is. It is kept beside the archive that it was made of,
//! or, where that folder is not ours to write to, in the cache, under a name that tells which
//! archive it was. Where it cannot be made (no `objcopy`), the archive itself is linked: slower and
//! larger, nothing else.

use super::clang::Clang;
use raceproof_host::{cache, interrupt};
use raceproof_prelink::{Tools, join};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What to link for the runtime: the object made of this archive, else the archive. What is an
/// object already stays as it is.
pub(super) fn object(archive: &Path, clang: &Clang) -> PathBuf {
    if archive.extension().is_some_and(|extension| extension == "o") {
        return archive.to_owned();
    }
    existing_or_made(archive, clang).unwrap_or_else(|| archive.to_owned())
}

fn existing_or_made(archive: &Path, clang: &Clang) -> Option<PathBuf> {
    let stem = archive.file_stem()?.to_str()?;
    let made_of = fs::metadata(archive).ok()?;
    let name = format!("{stem}-{:x}-{:x}.{:09}.o", made_of.size(), made_of.mtime(), made_of.mtime_nsec());
    let object = archive.with_file_name(&name);
    if object.is_file() {
        return Some(object);
    }
    let make = |folder: &Path| {
        let tools = Tools { ld: clang.tool("ld"), objcopy: clang.tool("objcopy") };
        join(archive, folder, &tools, &succeeds)
    };
    // In the same folder, so that it takes its place at once and whole.
    let Ok(folder) = TempDir::new_in(archive.parent()?) else {
        let failed = || "the object cannot be made".to_owned();
        return cache::make_once(&name, |folder| make(folder).ok_or_else(failed)).ok();
    };
    fs::rename(make(folder.path())?, &object).ok()?;
    remove_older(archive.parent()?, stem, &name);
    Some(object)
}

fn succeeds(command: &mut Command) -> bool {
    interrupt::output_of(command).is_ok_and(|output| output.status.success())
}

/// Objects made of archives that stood here before.
fn remove_older(folder: &Path, stem: &str, kept: &str) {
    let prefix = format!("{stem}-");
    let is_older = |name: &OsStr| {
        name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(".o") && name != kept)
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_older(&entry.file_name()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
