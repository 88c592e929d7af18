//! The compilers of this machine, for `raceproof doctor`: which there are, which one is used, and
//! whether the pass fits each.

use super::Language;
use super::clang::{Clang, on_path};
use super::pass::{self, Plugin};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;

/// A clang or flang.
pub struct Compiler {
    pub program: PathBuf,
    pub version: u32,
    /// Whether it is the one that `raceproof cc`, or `raceproof fc`, calls.
    pub is_used: bool,
    /// Whether `#include <omp.h>` finds the header of its OpenMP runtime.
    pub has_omp_header: bool,
}

/// Where the pass for a compiler is.
pub enum PassPlace {
    Inside,
    Compiled(PathBuf),
    /// Why there is none.
    Missing(String),
}

impl Compiler {
    /// Where its pass is; compiles it if it can be.
    pub fn pass(&self) -> PassPlace {
        match pass::find(self.version, &self.program) {
            Ok(Plugin::Inside(_)) => PassPlace::Inside,
            Ok(Plugin::Compiled(path)) => PassPlace::Compiled(path),
            Err(why) => PassPlace::Missing(why),
        }
    }
}

/// The compilers for a language, the newest first, and why none is used if so.
pub fn compilers(language: Language) -> (Vec<Compiler>, Option<String>) {
    let prefixes: &[&str] = match language {
        Language::Fortran => &["flang-new-", "flang-"],
        _ => &["clang-"],
    };
    let mut found: BTreeMap<u32, PathBuf> = BTreeMap::new();
    for (version, program) in numbered(prefixes) {
        found.entry(version).or_insert(program);
    }
    let used = Clang::find(language);
    let mut compilers: Vec<Compiler> = Vec::new();
    if let Ok(used) = &used {
        found.remove(&used.version);
        compilers.push(Compiler {
            program: used.program.clone(),
            version: used.version,
            is_used: true,
            has_omp_header: used.has_omp_header(),
        });
    }
    for (version, program) in found.into_iter().rev() {
        let has_omp_header = super::clang::has_omp_header(&program);
        compilers.push(Compiler { program, version, is_used: false, has_omp_header });
    }
    (compilers, used.err())
}

/// The programs in PATH that are called one of these names and a number.
fn numbered(prefixes: &[&str]) -> Vec<(u32, PathBuf)> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found = Vec::new();
    for entry in env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let rest = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
        if let Some(version) = rest.and_then(|rest| rest.parse().ok()) {
            found.push((version, entry.path()));
        }
    }
    found
}

/// The tool of binutils that links use.
pub fn tool(name: &str) -> Option<PathBuf> {
    on_path(name)
}

/// The `llvm-config` of a version.
pub fn llvm_config(version: u32) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    raceproof_pass::compile::llvm_config(version, &folders)
}

/// The versions of clang that the pass is part of this program for.
pub fn versions_inside() -> Vec<u32> {
    raceproof_pass::versions().collect()
}
