//! Wraps rustc, which cargo calls through us, with the options that instrument a crate.
//!
//! Stable compilers contain the ThreadSanitizer pass without an option for it. We request it by
//! name, after the optimisations, and give every function the attribute that the pass looks for.
//! The standard library is precompiled and stays uninstrumented; its generic functions are compiled
//! with the crates that use them, and are instrumented.

use super::linker;
use raceproof_cc::INVENTIVE;
use raceproof_host::note;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Where the runtime and the drop-in are; set for the compilers that cargo starts.
const LIBRARY: &str = "RACEPROOF_CARGO_LIBRARY";
const DROP_IN: &str = "RACEPROOF_CARGO_DROP_IN";

/// Options of code generation that we choose instead of cargo: link-time optimisation would
/// instrument the program twice, and a report needs names and lines.
const OURS: [&str; 5] = ["lto", "linker-plugin-lto", "strip", "debuginfo", "force-frame-pointers"];

/// The passes before the instrumentation in unoptimised builds: loads go that nobody uses, such as
/// that of the value of an enum whose variant is asked for, which rustc emits beside that of the
/// variant (what the program keeps in a variable is used: it is stored there). Then inlining, and
/// promotion of variables whose address does not escape to registers. Such variables cannot race,
/// and are most of the accesses of an unoptimised program. Inlining works within one codegen unit,
/// so there is only one.
const UNOPTIMISED: [&str; 2] = ["-Cpasses=function(dce),cgscc(inline,function(sroa))", "-Ccodegen-units=1"];

/// Tells cargo's compilers what they need.
pub(super) fn ask_for(cargo: &mut Command, library: &Path, drop_in: &Path) {
    cargo.env(LIBRARY, library).env(DROP_IN, drop_in);
}

/// Whether this process was started in place of a compiler.
pub(super) fn is_wanted() -> bool {
    env::var_os(LIBRARY).is_some()
}

/// All that crates of the program are compiled with, to tell one version from another.
pub(super) fn all_flags(library: &Path) -> Vec<OsString> {
    flags(library, false)
}

/// What a crate of the program is compiled with.
fn flags(library: &Path, is_optimised: bool) -> Vec<OsString> {
    let folder = library.parent().unwrap_or(Path::new("."));
    let mut flags: Vec<OsString> = [
        "-Cpasses=forceattrs,tsan-module,tsan",
        "-Cllvm-args=-force-attribute=sanitize_thread",
        "-Clto=off",
        "-Cdebuginfo=2",
        "-Cforce-frame-pointers=yes",
        "-ldylib=raceproof_native",
    ]
    .map(OsString::from)
    .into();
    if !is_optimised {
        flags.splice(0..0, UNOPTIMISED.map(OsString::from));
    }
    flags.extend(INVENTIVE.map(|option| OsString::from(format!("-Cllvm-args={option}"))));
    for option in ["-Lnative=", "-Clink-arg=-Wl,-rpath,"] {
        let mut word = OsString::from(option);
        word.push(folder);
        flags.push(word);
    }
    flags
}

/// Becomes the compiler, whose path and arguments the words are.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    let (Some((compiler, words)), Some(library), Some(drop_in)) =
        (words.split_first(), env::var_os(LIBRARY), env::var_os(DROP_IN))
    else {
        note("raceproof: error: started in place of a compiler, but not by `cargo raceproof`");
        return ExitCode::from(2);
    };
    let mut command = Command::new(compiler);
    if is_of_program(words) {
        command.args(instrumented(words, Path::new(&library), Path::new(&drop_in)));
        linker::ask_for(&mut command, words);
    } else {
        command.args(words);
    }
    let error = command.exec();
    note(&format!("raceproof: error: cannot start {}: {error}", compiler.display()));
    ExitCode::from(2)
}

/// Whether a crate of the program is compiled: cargo names the system for these, and not for what
/// runs while it builds.
fn is_of_program(words: &[OsString]) -> bool {
    let has = |name: &str| {
        words.iter().any(|word| word == name || word.to_string_lossy().starts_with(&format!("{name}=")))
    };
    has("--target") && has("--crate-name") && !has("--print")
}

fn instrumented(words: &[OsString], library: &Path, drop_in: &Path) -> Vec<OsString> {
    let of = |name: &str| words.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1].as_os_str());
    let is_core = of("--crate-name") == Some(OsStr::new("rayon_core"));
    let mut changed: Vec<OsString> = Vec::new();
    let mut is_optimised = false;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if text == "-C" || text == "--codegen" {
            let Some(option) = rest.next() else { break };
            is_optimised = optimises(&option.to_string_lossy()).unwrap_or(is_optimised);
            if !is_ours(&option.to_string_lossy()) {
                changed.extend([word.clone(), option.clone()]);
            }
        } else if text.strip_prefix("-C").is_some_and(is_ours) {
            continue;
        } else if is_core && text.starts_with("--edition=") {
            changed.push("--edition=2021".into());
        } else if is_core && !text.starts_with('-') && text.ends_with("lib.rs") {
            changed.push(drop_in.into());
        } else {
            is_optimised =
                text.strip_prefix("-C").and_then(optimises).unwrap_or(is_optimised || text == "-O");
            changed.push(word.clone());
        }
    }
    changed.extend(flags(library, is_optimised));
    changed
}

/// If the option is about optimisation: whether there is any.
fn optimises(option: &str) -> Option<bool> {
    option.strip_prefix("opt-level=").map(|level| level != "0")
}

fn is_ours(option: &str) -> bool {
    let name = option.split('=').next().unwrap_or(option);
    OURS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn only_crates_of_the_program_are_instrumented() {
        assert!(is_of_program(&words("--crate-name a a.rs --target x86_64-unknown-linux-gnu")));
        assert!(!is_of_program(&words("--crate-name build_script_build build.rs")));
        assert!(!is_of_program(&words("- --crate-name ___ --print=file-names --target x")));
    }

    #[test]
    fn what_is_ours_replaces_what_cargo_chose() {
        let given = words(
            "--crate-name a src/lib.rs -C opt-level=3 -C lto -C strip=debuginfo -Cdebuginfo=0 --target x",
        );
        let changed = instrumented(&given, Path::new("/r/lib.so"), Path::new("/d/lib.rs"));
        let (kept, added) = changed.split_at(6);
        assert_eq!(kept, words("--crate-name a src/lib.rs -C opt-level=3 --target"));
        assert!(added.contains(&"-Clto=off".into()) && added.contains(&"-Lnative=/r".into()));
        assert!(!added.contains(&"lto".into()) && !added.contains(&"-Cdebuginfo=0".into()));
    }

    #[test]
    fn variables_that_nobody_shares_are_left_out_where_nothing_else_does_so() {
        let is_left_out = |text: &str| {
            let given = words(&format!("--crate-name a src/lib.rs {text} --target x"));
            let changed = instrumented(&given, Path::new("/r/lib.so"), Path::new("/d/lib.rs"));
            let at = |option: &str| changed.iter().position(|word| word.to_string_lossy().contains(option));
            // Passes come in the order in which they are named.
            assert!(at("(sroa)").is_none_or(|sroa| Some(sroa) < at("tsan-module")));
            at("(sroa)").is_some()
        };
        assert!(
            is_left_out("-C debuginfo=2") && is_left_out("-C opt-level=0") && is_left_out("-Copt-level=0")
        );
        assert!(!is_left_out("-C opt-level=1") && !is_left_out("-Copt-level=s") && !is_left_out("-O"));
    }

    #[test]
    fn the_core_of_rayon_is_replaced() {
        let given =
            words("--crate-name rayon_core --edition=2018 /x/rayon-core-1.13.0/src/lib.rs --target x");
        let changed = instrumented(&given, Path::new("/r/lib.so"), Path::new("/d/lib.rs"));
        assert_eq!(changed[..4], words("--crate-name rayon_core --edition=2021 /d/lib.rs"));
    }
}
