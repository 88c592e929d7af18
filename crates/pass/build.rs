//! Compiles the plugin for each LLVM that is installed, by the clang that belongs to it.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The versions whose interfaces the plugin is written for.
const VERSIONS: std::ops::RangeInclusive<u32> = 16..=21;

/// What the functions of the C library access.
const TABLE: &str = "../native/src/abi/library/functions.rs";

fn main() {
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where output goes"));
    println!("cargo::rerun-if-changed=plugin");
    println!("cargo::rerun-if-changed={TABLE}");
    let functions = functions();
    let each = |form: &str| functions.iter().map(|name| form.replace("NAME", name)).collect::<String>();
    write_to(&output.join("library.inc"), &each("FUNCTION(NAME)\n"));
    write_to(&output.join("library.rs"), &format!("&[{}]", each("\"NAME\",")));
    // An LLVM that is installed later is noticed by the folder it comes into.
    println!("cargo::rerun-if-changed=/usr/bin");
    println!("cargo::rerun-if-env-changed=PATH");
    let mut plugins = String::from("const PLUGINS: &[(u32, &[u8])] = &[");
    for version in VERSIONS {
        let Some(config) = found(version) else { continue };
        match compile(version, &config, &output) {
            Ok(plugin) => {
                write!(plugins, "({version}, include_bytes!({plugin:?})),").expect("a string grows")
            }
            Err(message) => {
                println!("cargo::warning=no pass for clang {version}: {message}");
            }
        }
    }
    plugins.push_str("];\n");
    write_to(&output.join("plugins.rs"), &plugins);
}

fn write_to(path: &Path, text: &str) {
    fs::write(path, text).expect("the output folder can be written to");
}

/// The functions of the C library that the runtime knows: the first word of each row.
fn functions() -> Vec<String> {
    let text = fs::read_to_string(TABLE).expect("the table of the runtime is there");
    let (_, rows) = text.split_once("library! {\n").expect("the table begins so");
    let name = |row: &str| {
        let row = row.strip_prefix("    ")?;
        let end = row.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let is_row = row[end..].starts_with('(') || row[end..].starts_with(" as ");
        (end > 0 && is_row).then(|| row[..end].to_owned())
    };
    rows.lines().filter_map(name).collect()
}

/// The `llvm-config-NN` of a version in PATH.
fn found(version: u32) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let name = format!("llvm-config-{version}");
    env::split_paths(&path).map(|folder| folder.join(&name)).find(|program| program.is_file())
}

fn compile(version: u32, config: &Path, output: &Path) -> Result<PathBuf, String> {
    let folder = asked(config, "--bindir")?;
    let compiler = Path::new(&folder).join("clang++");
    if !compiler.is_file() {
        return Err(format!("the package clang-{version} is not installed"));
    }
    if !Path::new(&asked(config, "--includedir")?).join("llvm/Passes/PassPlugin.h").is_file() {
        return Err(format!("the package llvm-{version}-dev is not installed"));
    }
    let plugin = output.join(format!("raceproof-pass-{version}.so"));
    let mut sources: Vec<PathBuf> = fs::read_dir("plugin")
        .map_err(|error| error.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect();
    sources.sort();
    // One unit: the headers of LLVM are most of the work.
    let unit = output.join("plugin.cpp");
    let included: String = sources
        .iter()
        .map(|source| fs::canonicalize(source).map(|path| format!("#include {path:?}\n")))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    fs::write(&unit, included).map_err(|error| error.to_string())?;
    let mut command = Command::new(compiler);
    command.args(["-shared", "-fPIC", "-O1", "-std=c++17", "-fno-rtti", "-fvisibility=hidden", "-Wl,-s"]);
    command.args(asked(config, "--cppflags")?.split_whitespace()).arg("-I").arg(output);
    let done = command.arg(&unit).arg("-o").arg(&plugin).output().map_err(|error| error.to_string())?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let first = said.lines().find(|line| line.contains("error")).unwrap_or("the compiler failed");
        return Err(first.to_owned());
    }
    Ok(plugin)
}

fn asked(config: &Path, question: &str) -> Result<String, String> {
    let output = Command::new(config).arg(question).output().map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
