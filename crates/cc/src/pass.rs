//! The LLVM pass for a compilation: a file for clang to load. It is part of this program for the
//! versions of clang that were there when raceproof was built; for another it is compiled once, if
//! LLVM's headers are there, and kept in the cache.

use super::Language;
use raceproof_host::output::private_folder;
use raceproof_host::{cache, note};
use raceproof_pass::compile::{VERSIONS, llvm_config};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where the plugin for a version of clang comes from.
pub enum Plugin {
    /// It is part of this program.
    Inside(&'static [u8]),
    /// It was compiled on this machine.
    Compiled(PathBuf),
}

/// The plugin that fits this clang; else why there is none. Compiles it if need be.
pub fn find(version: u32, clang: &Path) -> Result<Plugin, String> {
    if let Some(plugin) = raceproof_pass::plugin(version) {
        return Ok(Plugin::Inside(plugin));
    }
    if !VERSIONS.contains(&version) {
        return Err(format!(
            "it is written for clang {} to {}, and not for {version}",
            VERSIONS.start(),
            VERSIONS.end()
        ));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let config = llvm_config(version, &folders)
        .ok_or_else(|| format!("llvm-config-{version} and LLVM's headers are not installed"))?;
    let name = format!("pass-{version}-{:016x}", raceproof_pass::fingerprint());
    // Compiling takes half a minute: what has failed once would fail again.
    let failed = format!("{name}.failed");
    if let Some(wrong) = cache::place().and_then(|place| fs::read_to_string(place.join(&failed)).ok()) {
        return Err(format!("{wrong} (remove {failed} from the cache to try again)"));
    }
    let made = cache::make_once(&format!("{name}.so"), |folder| {
        note(&format!("raceproof: note: compiling the LLVM pass for clang {version}, once"));
        raceproof_pass::make(version, &config, clang, folder).inspect_err(|wrong| {
            let _ = cache::keep(&failed, wrong.as_bytes());
        })
    });
    made.map(Plugin::Compiled)
}

/// A plugin as a file.
pub(super) struct Pass {
    path: PathBuf,
    /// Where the file is, if it is for this compilation only.
    _folder: Option<TempDir>,
}

impl Pass {
    pub(super) fn of(plugin: Plugin) -> Result<Pass, String> {
        let content = match plugin {
            Plugin::Compiled(path) => return Ok(Pass { path, _folder: None }),
            Plugin::Inside(content) => content,
        };
        let folder = private_folder()?;
        let path = folder.path().join("raceproof-pass.so");
        fs::write(&path, content).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Pass { path, _folder: Some(folder) })
    }

    /// The options for clang. Markers in loop headers would keep clang from rotating loops, so we
    /// raise the limit on header size. We silence the warning about loops that it could not
    /// vectorise, since the markers are the cause; flang has no such warning.
    pub(super) fn words(&self, language: Language) -> Vec<OsString> {
        let mut load = OsString::from("-fpass-plugin=");
        load.push(&self.path);
        let mut words = language.proper(&["-mllvm", "-rotation-max-header-size=64"]);
        if language != Language::Fortran {
            words.push("-Wno-pass-failed".into());
        }
        words.push(load);
        words
    }
}

/// The note where no plugin fits, for this reason.
pub(super) fn missing(version: u32, why: &str) -> String {
    format!(
        "raceproof: note: there is no LLVM pass of raceproof's for clang {version}: {why}. clang's own is used, with every check, so that the program \
         is slower, and optimised code may lose lines of accesses; install clang-{version} and llvm-{version}-dev for another (`raceproof doctor` has the \
         command)"
    )
}

/// The error where no plugin fits flang, which has no pass that could take its place.
pub(super) fn missing_for_flang(version: u32, why: &str) -> String {
    format!(
        "there is no LLVM pass of raceproof's for flang {version}: {why}; flang has none of its own that could take its place. Install clang-{version} and \
         llvm-{version}-dev, or set RACEPROOF_FLANG to a flang whose version has one"
    )
}
