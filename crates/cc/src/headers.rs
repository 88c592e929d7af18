//! Headers that are part of this program, HClib's and the standard library's `<future>`: written to
//! the cache once, where the compiler finds them.

use raceproof_host::cache;
use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;

const FILES: [(&str, &str); 3] = [
    ("hclib.h", include_str!("../include/hclib/hclib.h")),
    ("hclib_cpp.h", include_str!("../include/hclib/hclib_cpp.h")),
    ("hclib_atomic.h", include_str!("../include/hclib/hclib_atomic.h")),
];

/// Other headers of HClib that programs include, and those of ours that have what is in them.
const OTHERS: [(&str, &str); 20] = [
    ("hclib_config.h", "hclib.h"),
    ("hclib-finish.h", "hclib.h"),
    ("hclib_common.h", "hclib.h"),
    ("hclib-locality-graph.h", "hclib.h"),
    ("hclib-module.h", "hclib.h"),
    ("hclib-promise.h", "hclib.h"),
    ("hclib-rt.h", "hclib.h"),
    ("hclib-task.h", "hclib.h"),
    ("hclib-timer.h", "hclib.h"),
    ("hclib_system.h", "hclib.h"),
    ("hclib-accumulator.h", "hclib.h"),
    ("hclib-async.h", "hclib_cpp.h"),
    ("hclib-async-struct.h", "hclib_cpp.h"),
    ("hclib-forasync.h", "hclib_cpp.h"),
    ("hclib_future.h", "hclib_cpp.h"),
    ("hclib_promise.h", "hclib_cpp.h"),
    ("hclib.hpp", "hclib_cpp.h"),
    ("hclib-async.hpp", "hclib_cpp.h"),
    ("hclib-future.hpp", "hclib_cpp.h"),
    ("hclib-promise.hpp", "hclib_cpp.h"),
];

/// The headers of the standard library that are ours. The last is in the folder itself.
const STD: [(&str, &str); 3] = [
    ("bits/c++config.h", include_str!("../include/std/bits/c++config.h")),
    ("future", include_str!("../include/std/future")),
    ("__raceproof_state.h", include_str!("../include/std/__raceproof_state.h")),
];

/// The folder with HClib's.
pub(super) fn hclib() -> Result<PathBuf, String> {
    let others = OTHERS.map(|(name, ours)| (name, format!("#include \"{ours}\"\n")));
    let files = FILES.iter().map(|(name, text)| (*name, *text));
    let files: Vec<(&str, &str)> =
        files.chain(others.iter().map(|(name, text)| (*name, text.as_str()))).collect();
    keep("hclib", &files)
}

/// The folder with those of the standard library.
pub(super) fn std() -> Result<PathBuf, String> {
    keep("std", &STD)
}

fn keep(folder: &str, files: &[(&str, &str)]) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    for (name, text) in files {
        hasher.write(name.as_bytes());
        hasher.write(text.as_bytes());
    }
    let folder = format!("{}-{:016x}/{folder}", env!("CARGO_PKG_VERSION"), hasher.finish());
    let mut place = None;
    for (name, text) in files {
        place = Some(cache::keep(&format!("{folder}/{name}"), text.as_bytes())?);
    }
    Ok(place.and_then(|file| file.parent().map(PathBuf::from)).unwrap_or_default())
}
