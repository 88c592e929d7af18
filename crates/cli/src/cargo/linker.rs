//! Wraps the linker that rustc calls, to note in the program which of its parts are not
//! instrumented, and to have it call the runtime in place of some functions of the standard library
//! ([`standard`]).
//!
//! Crates of the program are instrumented, the standard library is not. The rest are objects that
//! build scripts have compiled from C (`-sys` crates): members of a crate's archive, or archives of
//! their own. An error here never fails the link.

use super::standard;
use raceproof_cc::{assembly, left_out, response};
use raceproof_core::finding::{Note, PartKind, Uninstrumented};
use raceproof_host::note;
use raceproof_host::output::private_folder;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The real linker; set for the compilers that cargo starts through us, and by them for us.
const LINKER: &str = "RACEPROOF_CARGO_LINKER";

/// What rustc calls unless it is told otherwise.
const DEFAULT: &str = "cc";

/// Whether this process was started in place of a linker.
pub(super) fn is_wanted() -> bool {
    env::var_os(LINKER).is_some()
}

/// Has rustc call us to link what it is told to compile by these words, if it links by way of a C
/// compiler.
pub(super) fn ask_for(rustc: &mut Command, words: &[OsString]) {
    let Ok(own) = env::current_exe() else { return };
    if let Some(linker) = linker(words) {
        let mut option = OsString::from("-Clinker=");
        option.push(own);
        rustc.arg("-Clinker-flavor=gcc").arg(option).env(LINKER, linker);
    }
}

/// The C compiler that links; none if something else does.
fn linker(words: &[OsString]) -> Option<OsString> {
    let mut linker = OsString::from(DEFAULT);
    for (at, word) in words.iter().enumerate() {
        let joined = word.to_string_lossy();
        let option = match joined.strip_prefix("-C") {
            Some("") => words.get(at + 1)?.to_string_lossy(),
            Some(option) => option.into(),
            None => continue,
        };
        match option.split_once('=') {
            Some(("linker-flavor", _)) => return None,
            Some(("linker", path)) => linker = path.into(),
            _ => {}
        }
    }
    let name = Path::new(&linker).file_name().unwrap_or_default().to_string_lossy().into_owned();
    (!name.contains("ld")).then_some(linker)
}

/// Links, as the words say.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    let linker = env::var_os(LINKER).unwrap_or_else(|| DEFAULT.into());
    let added = private_folder().ok().and_then(|folder| {
        let added = added(&linker, words, folder.path())?;
        Some((folder, added))
    });
    let added = added.iter().flat_map(|(_, words)| words);
    let mut command = Command::new(&linker);
    match command.args(words).args(added).env_remove(LINKER).status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => {
            note(&format!("raceproof: error: cannot start {}: {error}", linker.display()));
            ExitCode::from(2)
        }
    }
}

/// What the linker is told beside: an object that says which of the linked ones are not
/// instrumented and has the stubs of wrapped functions, and which these are.
fn added(linker: &OsStr, words: &[OsString], folder: &Path) -> Option<Vec<OsString>> {
    let words = response::expand(words).ok()?;
    let wrapped = standard::wrapped(&words);
    let parts = left_out(words);
    let notes: Vec<Note> = parts.into_iter().filter_map(of_program).map(Note::Uninstrumented).collect();
    if notes.is_empty() && wrapped.is_none() {
        return None;
    }
    let assembled = |text: &str| {
        let (source, object) = (folder.join("added.s"), folder.join("added.o"));
        fs::write(&source, text).ok()?;
        let status = Command::new(linker).arg("-c").arg(&source).arg("-o").arg(&object).status().ok()?;
        status.success().then(|| object.into_os_string())
    };
    let notes = assembly(&notes);
    let (mut added, stubs) = wrapped.unwrap_or_default();
    match assembled(&(notes.clone() + &stubs)) {
        Some(object) => added.push(object),
        // The notes count even where the stubs cannot be had.
        None => added = vec![assembled(&notes)?],
    }
    Some(added)
}

/// A part that is neither Rust's own nor what rustc adds; archives of crates by the names of these.
fn of_program(mut part: Uninstrumented) -> Option<Uninstrumented> {
    let is_rust = |name: &str| name.ends_with(".rcgu.o") || name.ends_with(".rmeta");
    if part.name.contains("/rustlib/") || part.kind == PartKind::Object && is_rust(&part.name) {
        return None;
    }
    let had_parts = !part.parts.is_empty();
    part.parts.retain(|name| !is_rust(name));
    if had_parts && part.parts.is_empty() {
        return None;
    }
    let file = Path::new(&part.name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = file.strip_prefix("lib").and_then(|name| name.strip_suffix(".rlib"));
    if let Some((name, _)) = stem.and_then(|stem| stem.rsplit_once('-')) {
        part.name = format!("crate {name}");
    } else {
        part.name = file;
    }
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Option<OsString> {
        linker(&words.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_linker_of_the_user_stays() {
        assert_eq!(of("--crate-name a"), Some("cc".into()));
        assert_eq!(of("-C linker=/x/clang -Copt-level=3"), Some("/x/clang".into()));
        assert_eq!(of("-Clinker=ld.lld"), None);
        assert_eq!(of("-C linker-flavor=ld"), None);
    }

    #[test]
    fn parts_are_named_by_their_crates() {
        let part = |name: &str, parts: &[&str]| {
            let parts = parts.iter().map(|&part| part.to_owned()).collect();
            of_program(Uninstrumented { kind: PartKind::Archive, name: name.to_owned(), parts })
        };
        let found = part("/t/deps/libz_sys-0ab1.rlib", &["z_sys.1-cgu.0.rcgu.o", "inflate.o"]).unwrap();
        assert_eq!((found.name.as_str(), found.parts), ("crate z_sys", vec!["inflate.o".to_owned()]));
        assert_eq!(part("/t/deps/liba-0.rlib", &["a.1-cgu.0.rcgu.o"]), None);
        assert_eq!(part("/r/lib/rustlib/x/lib/libstd-0.rlib", &["std.o"]), None);
        assert_eq!(part("/o/libfoo.a", &["foo.o"]).unwrap().name, "libfoo.a");
    }
}
