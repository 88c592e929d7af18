//! Finds the program to run as a shell would, and checks that raceproof built it.

use crate::shared::input::{self, Verb};
use crate::shared::witness_file;
use object::{File, Object, ObjectSection, ObjectSymbol};
use raceproof_core::finding::Report;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{self, Path, PathBuf};

/// What the linker calls instead of `main`; only our runtime defines it.
const ENTRY: &str = "__wrap_main";

/// Where a program is that a command was given, by its path or by `PATH`.
pub(crate) fn find(name: &OsStr, verb: &Verb) -> Result<PathBuf, String> {
    let path = Path::new(name);
    if path.is_file()
        && !input::is_native(path)
        && let Some(other) = input::refuse(path, verb)
    {
        return Err(other);
    }
    if path.components().count() > 1 || path.is_absolute() || name.to_string_lossy().starts_with('.') {
        return if path.is_file() {
            Ok(path.to_owned())
        } else {
            Err(format!("{} is not there, or no file", path.display()))
        };
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file());
    found.ok_or_else(|| {
        let hint =
            if path.is_file() { format!("; did you mean ./{}?", path.display()) } else { String::new() };
        format!("{} is not in PATH{hint}", path.display())
    })
}

/// Says in a report when its program was built, as far as the file system knows, and which of its
/// sources are newer and still the same. A checkout is newer than what was built elsewhere.
pub(crate) fn date(report: &mut Report, program: &Path) {
    let modified = |file: &Path| fs::metadata(file).and_then(|metadata| metadata.modified()).ok();
    report.built = modified(program);
    let built = report.built;
    let is_newer =
        |file: &String| modified(Path::new(file)).zip(built).is_some_and(|(file, built)| file > built);
    let newer: Vec<String> = raceproof_report::html::files(report).into_iter().filter(is_newer).collect();
    if newer.is_empty() {
        return;
    }
    let paths: Vec<PathBuf> =
        newer.iter().map(|file| path::absolute(file).unwrap_or_else(|_| file.into())).collect();
    let unchanged = newer.into_iter().zip(raceproof_symbols::unchanged(program, &paths));
    report.unchanged = unchanged.filter(|(_, is)| *is).map(|(file, _)| file).collect();
}

/// Why a program cannot be observed that has more rights than who runs it: what to look for in its
/// file is the same as what the system looks for. Nothing else can be known before it has run.
pub(crate) fn privileged(path: &Path) -> Option<&'static str> {
    const WHY: &str = "it has more rights than its user (setuid or setgid), so that the system and raceproof's runtime do not let others tell \
                       it where to report; observe a copy without these rights";
    let file = fs::metadata(path).ok()?;
    let own = fs::metadata("/proc/self").ok()?;
    let (user, group) = (file.mode() & 0o4000 != 0, file.mode() & 0o2000 != 0);
    (user && file.uid() != own.uid() || group && file.gid() != own.gid()).then_some(WHY)
}

/// What a program that has our runtime beside it is linked with.
const LIBRARY: &[u8] = b"libraceproof_native.so";

/// An error if it is a program that was not built by `raceproof cc` or `cargo raceproof`. A script
/// may start one that was.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let name = path.display();
    let bytes = fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    if bytes.starts_with(b"#!") {
        return Ok(());
    }
    let file = File::parse(&*bytes).map_err(|_| format!("{name} is neither a program nor a script"))?;
    let ours = file
        .symbols()
        .chain(file.dynamic_symbols())
        .any(|symbol| symbol.is_definition() && symbol.name() == Ok(ENTRY));
    let needed = file.section_by_name(".dynstr").and_then(|names| names.data().ok()).unwrap_or_default();
    if ours || needed.windows(LIBRARY.len()).any(|part| part == LIBRARY) {
        return Ok(());
    }
    Err(format!(
        "{name} was not built by raceproof, so nothing it does can be seen; compile and link it with `raceproof cc` or \
         `raceproof c++` (`make clean && make CC=\"raceproof cc\"`), or build it with `cargo raceproof build`"
    ))
}

/// The program that is asked for, and what tells it from all others: its bytes and its arguments.
pub(crate) fn identified(words: &[OsString], verb: &Verb) -> Result<(PathBuf, String), String> {
    let path = find(&words[0], verb)?;
    check(&path)?;
    let bytes = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let arguments = words[1..].iter().flat_map(|word| [b" ", word.as_encoded_bytes()].concat());
    let fingerprint = witness_file::fingerprint_of(bytes.into_iter().chain(arguments));
    Ok((path, fingerprint))
}
