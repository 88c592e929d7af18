//! Finds clang, or flang for Fortran, and runs it.

use super::Language;
use super::pass::{self, Plugin};
use raceproof_host::interrupt;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::NamedTempFile;

/// Turns the elimination of redundant checks off: read by the pass, and for build systems.
const SWITCH: &str = "RACEPROOF_CHECK_ELIMINATION";

/// Says to the pass that the compiler is flang, which marks no functions and has no
/// ThreadSanitizer.
const FLANG: &str = "RACEPROOF_FLANG_UNIT";

/// Tells the pass that the user has not asked for debug information: the part that reports need is
/// enough.
const FOR_REPORTS: &str = "RACEPROOF_DEBUG_FOR_REPORTS";

/// The oldest clang whose calls of the OpenMP and TSan runtimes are known.
const OLDEST: u32 = 14;

/// The oldest flang that compiles OpenMP.
const OLDEST_FLANG: u32 = 19;

/// Longer command lines go through a file, well below what any system takes.
const LONGEST: usize = 100_000;

pub(super) struct Clang {
    pub(super) program: PathBuf,
    pub(super) version: u32,
    language: Language,
    /// Whether the program is the C compiler, and needs an option to compile C++.
    by_mode: bool,
    /// Whether redundant-check elimination is off.
    checks_everything: bool,
    /// Whether only reports need the debug information of what is compiled.
    debug_for_reports: bool,
}

impl Clang {
    /// The one the user names, else the newest `clang-NN`, else `clang`.
    pub(super) fn find(language: Language) -> Result<Clang, String> {
        if language == Language::Fortran {
            return Clang::find_flang();
        }
        if language == Language::Cxx
            && let Some(program) = named("RACEPROOF_CLANGXX")
        {
            return Clang::checked(program, language, false, "RACEPROOF_CLANGXX");
        }
        let by_mode = language == Language::Cxx;
        if let Some(program) = named("RACEPROOF_CLANG") {
            return Clang::checked(program, language, by_mode, "RACEPROOF_CLANG");
        }
        let path = env::var_os("PATH").unwrap_or_default();
        if let Some((version, program)) = newest(env::split_paths(&path), &["clang-"], OLDEST) {
            return Ok(Clang {
                program,
                version,
                language,
                by_mode,
                checks_everything: false,
                debug_for_reports: false,
            });
        }
        Clang::checked("clang".into(), language, by_mode, "PATH")
    }

    /// The one the user names, else the newest `flang-new-NN` or `flang-NN`, else `flang-new` or
    /// `flang`.
    fn find_flang() -> Result<Clang, String> {
        let advice = format!(
            "raceproof needs flang {OLDEST_FLANG} or newer for Fortran: install it (on Debian and Ubuntu the package flang-19) or set \
             RACEPROOF_FLANG to it"
        );
        let of = |program: PathBuf, version| Clang {
            program,
            version,
            language: Language::Fortran,
            by_mode: false,
            checks_everything: false,
            debug_for_reports: false,
        };
        let (programs, from) = match named("RACEPROOF_FLANG") {
            Some(program) => (vec![program], "RACEPROOF_FLANG"),
            None => {
                let path = env::var_os("PATH").unwrap_or_default();
                let numbered = newest(env::split_paths(&path), &["flang-new-", "flang-"], OLDEST_FLANG);
                if let Some((version, program)) = numbered {
                    return Ok(of(program, version));
                }
                (vec!["flang-new".into(), "flang".into()], "PATH")
            }
        };
        let mut wrong = String::new();
        for program in programs {
            let shown = program.to_string_lossy().into_owned();
            wrong = match Command::new(&program).arg("--version").stdin(Stdio::null()).output() {
                Err(error) => format!("cannot run {shown} (from {from}): {error}; {advice}"),
                Ok(output) => match version(&String::from_utf8_lossy(&output.stdout), "flang") {
                    None => format!("{shown} (from {from}) does not say that it is LLVM's flang; {advice}"),
                    Some(old) if old < OLDEST_FLANG => {
                        format!("{shown} (from {from}) is flang {old}; {advice}")
                    }
                    Some(version) => return Ok(of(program.into(), version)),
                },
            };
        }
        Err(wrong)
    }

    fn checked(program: OsString, language: Language, by_mode: bool, from: &str) -> Result<Clang, String> {
        let advice = format!(
            "raceproof needs clang {OLDEST} or newer: install it (on Debian and Ubuntu the packages clang-19 and \
             libomp-19-dev) or set RACEPROOF_CLANG to it"
        );
        let shown = program.to_string_lossy().into_owned();
        let output = Command::new(&program).arg("--version").stdin(Stdio::null()).output();
        let output =
            output.map_err(|error| format!("cannot run {shown} (from {from}): {error}; {advice}"))?;
        match version(&String::from_utf8_lossy(&output.stdout), "clang") {
            None => Err(format!("{shown} (from {from}) does not say that it is clang; {advice}")),
            Some(old) if old < OLDEST => Err(format!("{shown} (from {from}) is clang {old}; {advice}")),
            Some(version) => Ok(Clang {
                program: program.into(),
                version,
                language,
                by_mode,
                checks_everything: false,
                debug_for_reports: false,
            }),
        }
    }

    /// The plugin that fits it, or why there is none. A flang has a clang of its version beside it,
    /// which can compile one.
    pub(super) fn plugin(&self) -> Result<Plugin, String> {
        if self.language != Language::Fortran {
            return pass::find(self.version, &self.program);
        }
        let clang = on_path(&format!("clang-{}", self.version)).unwrap_or_else(|| PathBuf::from("clang"));
        pass::find(self.version, &clang)
    }

    /// Turns off redundant-check elimination for what is compiled from now on.
    pub(super) fn check_everything(&mut self) {
        self.checks_everything = true;
    }

    /// Has the pass leave debug information out that no report needs.
    pub(super) fn debug_for_reports(&mut self) {
        self.debug_for_reports = true;
    }

    /// Runs it with our streams; gives its status.
    pub(super) fn run(&self, words: &[OsString]) -> Result<u8, String> {
        let status = self.started(words, interrupt::status_of)?;
        // A signal has no status; 1 is what compilers give for any failure.
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }

    /// Assembles a file; flang does not, but its links need the assembler's package too.
    pub(super) fn assemble(&self, text: &Path, object: &Path) -> Result<(), String> {
        let status = match self.language {
            Language::Fortran => {
                let mut command = Command::new(self.tool("as"));
                let status = interrupt::status_of(command.arg("-o").arg(object).arg(text));
                status.map_err(|error| format!("cannot run the assembler, as: {error}"))?.code()
            }
            _ => {
                let words = ["-c".into(), "-o".into(), object.into(), text.into()];
                Some(self.run(&words)?.into())
            }
        };
        match status {
            Some(0) => Ok(()),
            _ => Err(format!("cannot assemble {}", object.display())),
        }
    }

    /// Joins objects to one; whether that went well. flang cannot be asked for it.
    pub(super) fn join(&self, objects: &[OsString], joined: &Path) -> Result<bool, String> {
        if self.language == Language::Fortran {
            let mut command = Command::new(self.tool("ld"));
            let status = interrupt::status_of(command.args(["-r", "-o"]).arg(joined).args(objects));
            return Ok(status.map_err(|error| format!("cannot run the linker, ld: {error}"))?.success());
        }
        let mut words: Vec<OsString> =
            ["-r", "-nostdlib", "-Wl,--build-id=none", "-o"].map(OsString::from).into();
        words.push(joined.into());
        words.extend_from_slice(objects);
        Ok(self.run(&words)? == 0)
    }

    /// What it writes on standard output; nothing if that did not go well. What it says is not
    /// passed on.
    pub(super) fn output(&self, words: &[OsString]) -> Option<String> {
        let output = self.started(words, interrupt::output_of).ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn started<T>(
        &self,
        words: &[OsString],
        start: impl FnOnce(&mut Command) -> io::Result<T>,
    ) -> Result<T, String> {
        let mut command = Command::new(&self.program);
        if self.language == Language::Cxx && self.by_mode {
            command.arg("--driver-mode=g++");
        }
        if self.language == Language::Fortran {
            command.env(FLANG, "1");
        }
        if self.checks_everything {
            command.env(SWITCH, "off");
        }
        if self.debug_for_reports {
            command.env(FOR_REPORTS, "1");
        }
        let file = if words.iter().map(|word| word.len() + 1).sum::<usize>() > LONGEST {
            Some(Shortened::write(words)?)
        } else {
            None
        };
        match &file {
            Some(file) => command.arg(file.argument()),
            None => command.args(words),
        };
        start(&mut command).map_err(|error| format!("cannot run {}: {error}", self.program.display()))
    }

    /// The tool that its links would use; flang does not tell.
    pub(super) fn tool(&self, name: &str) -> PathBuf {
        if self.language == Language::Fortran {
            return PathBuf::from(name);
        }
        let output = Command::new(&self.program).arg(format!("-print-prog-name={name}")).output();
        let found = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        PathBuf::from(found.ok().filter(|found| !found.is_empty()).unwrap_or_else(|| name.to_owned()))
    }

    /// Whether `#include <omp.h>` finds the header of LLVM's OpenMP runtime.
    pub(super) fn has_omp_header(&self) -> bool {
        has_omp_header(&self.program)
    }
}

fn named(variable: &str) -> Option<OsString> {
    env::var_os(variable).filter(|value| !value.is_empty())
}

/// Whether a clang finds the header of LLVM's OpenMP runtime: its own, or the system's.
pub(super) fn has_omp_header(clang: &Path) -> bool {
    let output = Command::new(clang).arg("-print-file-name=include/omp.h").output();
    let is_own = |text: &[u8]| Path::new(String::from_utf8_lossy(text).trim()).is_file();
    output.is_ok_and(|output| is_own(&output.stdout)) || Path::new("/usr/include/omp.h").is_file()
}

/// A program in PATH.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The newest program of these folders that is called one of the names and a number; the first
/// folder counts where two have the same.
fn newest(folders: impl Iterator<Item = PathBuf>, names: &[&str], oldest: u32) -> Option<(u32, PathBuf)> {
    let mut best: Option<(u32, PathBuf)> = None;
    for entry in folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let file = entry.file_name();
        let name = file.to_str().unwrap_or_default();
        let number =
            names.iter().filter_map(|prefix| name.strip_prefix(prefix)).find_map(|rest| rest.parse().ok());
        if let Some(version) = number
            && version >= oldest
            && best.as_ref().is_none_or(|(known, _)| version > *known)
        {
            best = Some((version, entry.path()));
        }
    }
    best
}

/// The major version in what `--version` prints.
fn version(text: &str, of: &str) -> Option<u32> {
    let (name, rest) = text.split_once(" version ")?;
    let name = name.rsplit(' ').next()?;
    if name != of && name.strip_suffix("-new") != Some(of) {
        return None;
    }
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// A response file for a long command line, removed when clang is done.
struct Shortened(NamedTempFile);

impl Shortened {
    fn write(words: &[OsString]) -> Result<Shortened, String> {
        let mut text = String::new();
        for word in words {
            let word = word.to_str().ok_or_else(|| {
                format!("{}: file names in command lines this long have to be UTF-8", word.to_string_lossy())
            })?;
            text.push('"');
            text.push_str(&word.replace('\\', "\\\\").replace('"', "\\\""));
            text.push_str("\"\n");
        }
        let file = tempfile::Builder::new().prefix("raceproof-cc-").suffix(".rsp").tempfile();
        file.and_then(|mut file| file.write_all(text.as_bytes()).map(|()| Shortened(file)))
            .map_err(|error| format!("cannot write a file in {}: {error}", env::temp_dir().display()))
    }

    fn argument(&self) -> OsString {
        let mut argument = OsStr::new("@").to_owned();
        argument.push(self.0.path());
        argument
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_compilers_print() {
        assert_eq!(version("Debian clang version 19.1.7 (3~deb12u1)\nTarget: x", "clang"), Some(19));
        assert_eq!(version("Apple clang version 15.0.0 (clang-1500.3.9.4)", "clang"), Some(15));
        assert_eq!(version("clang version 14.0.0-1ubuntu1", "clang"), Some(14));
        assert_eq!(version("gcc (Debian 12.2.0-14) 12.2.0", "clang"), None);
        assert_eq!(version("Debian flang-new version 19.1.7 (3~deb12u1)", "flang"), Some(19));
        assert_eq!(version("flang version 20.1.2", "flang"), Some(20));
        assert_eq!(version("clang version 14.0.0\nflang", "flang"), None);
    }
}
