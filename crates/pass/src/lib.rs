//! The LLVM pass that instruments programs, as a plugin for each version of clang.
//!
//! The pass is written in C++, in `plugin/`. `build.rs` compiles it for each LLVM whose `llvm-config-NN` is installed; a
//! plugin fits the clang of its own version only. For a clang that came later, [`make`] compiles it from the sources, which
//! are part of this crate. Where neither is possible, programs are compiled with clang's own pass.

pub mod compile;

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/plugins.rs"));

/// The files of the plugin: names and texts.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The plugin for a version of clang: what its file has to contain.
pub fn plugin(version: u32) -> Option<&'static [u8]> {
    PLUGINS.iter().find(|(of, _)| *of == version).map(|(_, bytes)| *bytes)
}

/// The versions of clang that a plugin is part of this crate for.
pub fn versions() -> impl Iterator<Item = u32> {
    PLUGINS.iter().map(|(version, _)| *version)
}

/// A number that tells one version of the sources from another.
pub fn fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    SOURCES.hash(&mut hasher);
    hasher.finish()
}

/// Compiles the plugin for this clang in a folder of the caller's.
pub fn make(version: u32, config: &Path, clang: &Path, folder: &Path) -> Result<PathBuf, String> {
    let mut sources = Vec::new();
    for (name, text) in SOURCES {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        if name.ends_with(".cpp") {
            sources.push(path);
        }
    }
    let (unit, plugin) = (folder.join("unit.cpp"), folder.join("plugin.so"));
    compile::write_unit(&sources, &unit)?;
    compile::compile(version, config, clang, &unit, folder, &plugin)?;
    Ok(plugin)
}

/// The functions of the C library whose accesses the runtime knows. The pass sends calls of them through it; where there is no pass, the linker can.
pub const LIBRARY: &[&str] = include!(concat!(env!("OUT_DIR"), "/library.rs"));
