//! Functions of Rust's standard library that the program calls through the runtime.
//!
//! The standard library comes compiled, without instrumentation. What is generic or inlined in it
//! is compiled with the program and observed. Of the rest, a few functions order threads by atomic
//! operations that nobody sees: `thread::park`, `Barrier::wait`, the end of a scoped thread, the
//! contended paths of locks, and condition variables. The linker is told to call the runtime in
//! their place (`--wrap`): by a stub for each, which hands on the arguments and, as the sixth, the
//! function itself (`crates/native/src/abi/standard.rs`).
//!
//! Names are found in the index of the library's archive by their parts, which both of rustc's
//! manglings keep. A function that another version of Rust does not have, or has under another
//! name, is called as before: the runtime then knows of it what its system calls say. Calls inside
//! the library stay as they are, too: the linker wraps only names that an object does not define.

use object::read::archive::ArchiveFile;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A function of the standard library.
struct Function {
    /// Parts of its name, in their order: module, type, function, as they are mangled.
    parts: &'static [&'static str],
    /// What takes its place.
    hook: &'static str,
    /// The last part of the name of what the hook is handed, if that is not the function itself:
    /// another of this list.
    instead: Option<&'static str>,
}

const fn function(parts: &'static [&'static str], hook: &'static str) -> Function {
    Function { parts, hook, instead: None }
}

const FUNCTIONS: [Function; 17] = [
    Function { instead: Some("12park_timeout"), ..function(&["6thread", "6Thread", "4park"], "thread_park") },
    function(&["6thread", "6Thread", "12park_timeout"], "thread_park_timeout"),
    Function { instead: Some("12park_timeout"), ..function(&["6thread", "4park"], "park") },
    function(&["6thread", "12park_timeout"], "park_timeout"),
    function(&["6thread", "9ScopeData", "29increment_num_running_threads"], "scope_enter"),
    function(&["6thread", "9ScopeData", "29decrement_num_running_threads"], "scope_leave"),
    function(&["4sync", "7Barrier", "4wait"], "barrier_wait"),
    function(&["4sync", "5mutex", "5futex", "5Mutex", "14lock_contended"], "mutex_lock"),
    function(&["4sync", "6rwlock", "5futex", "14read_contended"], "rwlock_lock"),
    function(&["4sync", "6rwlock", "5futex", "15write_contended"], "rwlock_lock"),
    function(&["4sync", "7condvar", "5futex", "7Condvar", "4wait"], "condition_wait"),
    function(&["4sync", "7condvar", "5futex", "7Condvar", "12wait_timeout"], "condition_wait_timeout"),
    function(&["4sync", "7Condvar", "10notify_one"], "condition_notify_one"),
    function(&["4sync", "7Condvar", "10notify_all"], "condition_notify_all"),
    function(&["2io", "5stdio", "6Stdout", "4lock"], "stream_lock"),
    function(&["2io", "5stdio", "6Stderr", "4lock"], "stream_lock"),
    function(&["2io", "5stdio", "5Stdin", "4lock"], "stream_lock"),
];

/// The arguments by which the linker calls the runtime, and the stubs. `words` are those of the
/// linker, response files expanded; nothing is wrapped in what is linked without the runtime.
pub(super) fn wrapped(words: &[OsString]) -> Option<(Vec<OsString>, String)> {
    let has_runtime = words.iter().any(|word| word == "-lraceproof_native");
    let library = words.iter().find(|word| is_library(Path::new(word))).filter(|_| has_runtime)?;
    let bytes = fs::read(library).ok()?;
    let archive = ArchiveFile::parse(&*bytes).ok()?;
    let symbols = archive.symbols().ok()??;
    let names: Vec<&str> = symbols.filter_map(|symbol| str::from_utf8(symbol.ok()?.name()).ok()).collect();
    let (mut options, mut stubs) = (Vec::new(), String::new());
    for name in &names {
        let Some(function) = find(name) else { continue };
        let called = match function.instead {
            Some(last) => {
                let is_it = |other: &&&str| is_of(other, &function.parts[..function.parts.len() - 1], last);
                let Some(other) = names.iter().find(is_it) else { continue };
                other
            }
            None => name,
        };
        options.push(format!("-Wl,--wrap={name}").into());
        let hook = function.hook;
        let _ = write!(
            stubs,
            ".section .text.__wrap_{name},\"ax\",@progbits\n.globl __wrap_{name}\n.type __wrap_{name},@function\n\
             __wrap_{name}:\nmovq __real_{called}@GOTPCREL(%rip), %r9\njmp __raceproof_std_{hook}@PLT\n"
        );
    }
    Some((options, stubs)).filter(|(options, _)| !options.is_empty())
}

fn is_library(path: &Path) -> bool {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    file.starts_with("libstd-") && file.ends_with(".rlib")
}

fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| {
        let (last, path) = function.parts.split_last().expect("a function has a name");
        is_of(name, path, last)
    })
}

/// Whether a mangled name is that of a function of the standard library, with these parts before
/// its last.
fn is_of(name: &str, path: &[&str], last: &str) -> bool {
    let Some(rest) = without_hash(name).strip_suffix(last) else { return false };
    let Some(at) = rest.find("3std") else { return false };
    let mut rest = &rest[at..];
    for part in path {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    // `park` of the module is not that of the type.
    !rest.contains("6Thread")
}

/// A legacy name without what stands at its end: `17h`, a hash, `E`.
fn without_hash(name: &str) -> &str {
    const HASH: usize = "17h0123456789abcdefE".len();
    let is_legacy = name.starts_with("_ZN") && name.ends_with('E') && name.len() > HASH;
    if is_legacy { &name[..name.len() - HASH] } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_in_both_manglings() {
        let hook = |name: &str| find(name).map(|function| function.hook);
        for (name, expected) in [
            ("_RNvMs_NtNtCsjrHSEGnQ3l9_3std6thread6threadNtB4_6Thread4park", Some("thread_park")),
            (
                "_RNvMs_NtNtCsjrHSEGnQ3l9_3std6thread6threadNtB4_6Thread12park_timeout",
                Some("thread_park_timeout"),
            ),
            ("_RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions4park", Some("park")),
            ("_RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions15park_timeout_ms", None),
            ("_RNvMs0_NtNtCsjrHSEGnQ3l9_3std4sync7barrierNtB5_7Barrier4wait", Some("barrier_wait")),
            (
                "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync7condvar5futexNtB2_7Condvar4wait",
                Some("condition_wait"),
            ),
            (
                "_RNvMNtNtNtCsjrHSEGnQ3l9_3std4sync6poison7condvarNtB2_7Condvar10notify_all",
                Some("condition_notify_all"),
            ),
            (
                "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
                Some("mutex_lock"),
            ),
            ("_ZN3std6thread4park17h0123456789abcdefE", Some("park")),
            ("_ZN3std6thread6Thread4park17h0123456789abcdefE", Some("thread_park")),
            ("_ZN3std4sync7barrier7Barrier4wait17h0123456789abcdefE", Some("barrier_wait")),
            (
                "_ZN3std6thread6scoped9ScopeData29decrement_num_running_threads17h0123456789abcdefE",
                Some("scope_leave"),
            ),
            ("_ZN3std4sync7barrier7Barrier4wait28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", None),
            ("_ZN4other6thread4park17h0123456789abcdefE", None),
        ] {
            assert_eq!(hook(name), expected, "{name}");
        }
    }
}
