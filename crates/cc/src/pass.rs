//! The LLVM pass for a compilation: a file for clang to load.

use super::Language;
use super::clang::Clang;
use raceproof_host::output::private_folder;
use std::ffi::OsString;
use std::fs;
use tempfile::TempDir;

pub(super) struct Pass {
    folder: TempDir,
}

impl Pass {
    /// The plugin that fits this clang, if there is one.
    pub(super) fn of(clang: &Clang) -> Result<Option<Pass>, String> {
        let Some(plugin) = raceproof_pass::plugin(clang.version) else { return Ok(None) };
        let pass = Pass { folder: private_folder()? };
        let path = pass.folder.path().join(NAME);
        fs::write(&path, plugin).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Some(pass))
    }

    /// The options for clang. Markers in loop headers would keep clang from rotating loops, so we
    /// raise the limit on header size. We silence the warning about loops that it could not
    /// vectorise, since the markers are the cause; flang has no such warning.
    pub(super) fn words(&self, language: Language) -> Vec<OsString> {
        let mut load = OsString::from("-fpass-plugin=");
        load.push(self.folder.path().join(NAME));
        let mut words = language.proper(&["-mllvm", "-rotation-max-header-size=64"]);
        if language != Language::Fortran {
            words.push("-Wno-pass-failed".into());
        }
        words.push(load);
        words
    }
}

/// The note where no plugin fits.
pub(super) fn missing(clang: &Clang) -> String {
    format!(
        "raceproof: note: there is no LLVM pass of raceproof's for clang {0}: clang's own is used, with every check, so that the program is slower, and \
         optimised code may lose lines of accesses; for another, install clang-{0} and llvm-{0}-dev and build raceproof again",
        clang.version
    )
}

/// The error where no plugin fits flang, which has no pass that could take its place.
pub(super) fn missing_for_flang(flang: &Clang) -> String {
    format!(
        "there is no LLVM pass of raceproof's for flang {0}, and flang has none of its own that could take its place; install clang-{0} and \
         llvm-{0}-dev and build raceproof again, or set RACEPROOF_FLANG to a flang whose version has one",
        flang.version
    )
}

const NAME: &str = "raceproof-pass.so";
