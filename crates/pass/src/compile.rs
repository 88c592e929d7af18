//! Compiles the plugin for one LLVM, by a clang of the same version. `build.rs` includes this file
//! for the LLVMs that are there when raceproof is built; the compiler driver calls it for one that
//! came later.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The versions whose interfaces the plugin is written for.
pub const VERSIONS: RangeInclusive<u32> = 16..=21;

/// The `llvm-config` of a version in these folders: with the version in its name, as Debian and
/// Fedora have it, or one that says that it is of this version.
pub fn llvm_config(version: u32, folders: &[PathBuf]) -> Option<PathBuf> {
    let names = [format!("llvm-config-{version}"), format!("llvm-config-{version}-64")];
    let numbered = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let own = [format!("/usr/lib/llvm-{version}/bin"), format!("/usr/lib/llvm{version}/bin")];
    let own = own.iter().map(|folder| Path::new(folder).join("llvm-config"));
    if let Some(found) = numbered.chain(own).find(|program| program.is_file()) {
        return Some(found);
    }
    let plain = folders.iter().map(|folder| folder.join("llvm-config")).find(|program| program.is_file())?;
    let says = asked(&plain, "--version").ok()?;
    (says.split('.').next()?.parse() == Ok(version)).then_some(plain)
}

/// The clang that belongs to an LLVM.
pub fn clang_of(config: &Path, version: u32) -> Result<PathBuf, String> {
    let compiler = Path::new(&asked(config, "--bindir")?).join("clang");
    if !compiler.is_file() {
        return Err(format!("the package clang-{version} is not installed"));
    }
    Ok(compiler)
}

/// Compiles the file `unit`, which includes all of the plugin, to `plugin`; `include` is where
/// `library.inc` is.
pub fn compile(
    version: u32,
    config: &Path,
    clang: &Path,
    unit: &Path,
    include: &Path,
    plugin: &Path,
) -> Result<(), String> {
    if !Path::new(&asked(config, "--includedir")?).join("llvm/Passes/PassPlugin.h").is_file() {
        return Err(format!("the package llvm-{version}-dev is not installed"));
    }
    let mut command = Command::new(clang);
    command.args(["--driver-mode=g++", "-shared", "-fPIC", "-O1", "-std=c++17", "-fno-rtti"]);
    command.args(["-fvisibility=hidden", "-Wl,-s"]);
    command.args(asked(config, "--cppflags")?.split_whitespace()).arg("-I").arg(include);
    let done = command.arg(unit).arg("-o").arg(plugin).output().map_err(|error| error.to_string())?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let first = said.lines().find(|line| line.contains("error")).unwrap_or("the compiler failed");
        return Err(first.to_owned());
    }
    Ok(())
}

/// Writes a file that includes those of the plugin: one unit, since the headers of LLVM are most of
/// the work.
pub fn write_unit(sources: &[PathBuf], unit: &Path) -> Result<(), String> {
    let included: String = sources.iter().map(|path| format!("#include {path:?}\n")).collect();
    fs::write(unit, included).map_err(|error| format!("{}: {error}", unit.display()))
}

fn asked(config: &Path, question: &str) -> Result<String, String> {
    let output = Command::new(config).arg(question).output();
    let output = output.map_err(|error| format!("{}: {error}", config.display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
