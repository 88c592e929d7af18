//! Compiles the plugin for each LLVM that is installed, by the clang that belongs to it, and gives
//! the crate the plugin's sources.

// The crate itself makes these public.
#[allow(unreachable_pub)]
#[path = "src/compile.rs"]
mod compile;

use compile::{VERSIONS, clang_of, llvm_config, write_unit};
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What the functions of the C library access: a link to the table of `crates/native`.
const TABLE: &str = "library.table";

fn main() {
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where output goes"));
    for changed in ["build.rs", "src/compile.rs", "plugin", TABLE] {
        println!("cargo::rerun-if-changed={changed}");
    }
    let functions = functions();
    let each = |form: &str| functions.iter().map(|name| form.replace("NAME", name)).collect::<String>();
    let included = each("FUNCTION(NAME)\n");
    write_to(&output.join("library.inc"), &included);
    write_to(&output.join("library.rs"), &format!("&[{}]", each("\"NAME\",")));
    let sources = files();
    write_to(&output.join("sources.rs"), &texts(&sources, &output));
    // An LLVM that is installed later is noticed by the folder it comes into.
    println!("cargo::rerun-if-changed=/usr/bin");
    println!("cargo::rerun-if-env-changed=PATH");
    let mut plugins = String::from("const PLUGINS: &[(u32, &[u8])] = &[");
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    for version in VERSIONS {
        let Some(config) = llvm_config(version, &folders) else { continue };
        match compiled(version, &config, &sources, &output) {
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

/// The files of the plugin, in order.
fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir("plugin").expect("the plugin is there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| fs::canonicalize(entry.expect("an entry").path()).expect("a file"))
        .filter(|path| is_cpp(path) || path.extension().is_some_and(|extension| extension == "h"))
        .collect();
    files.sort();
    files
}

fn is_cpp(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cpp")
}

/// The files of the plugin, and the one that is generated, as a list of names and texts in Rust.
fn texts(files: &[PathBuf], output: &Path) -> String {
    let generated = output.join("library.inc");
    let files = files.iter().chain([&generated]);
    let text = |path: &PathBuf| {
        let name = path.file_name().expect("a file has a name");
        format!("({name:?}, include_str!({path:?})),")
    };
    format!("&[{}]", files.map(text).collect::<String>())
}

fn compiled(version: u32, config: &Path, files: &[PathBuf], output: &Path) -> Result<PathBuf, String> {
    let clang = clang_of(config, version)?;
    let (unit, plugin) = (output.join("unit.cpp"), output.join(format!("raceproof-pass-{version}.so")));
    let sources: Vec<PathBuf> = files.iter().filter(|path| is_cpp(path)).cloned().collect();
    write_unit(&sources, &unit)?;
    compile::compile(version, config, &clang, &unit, output, &plugin)?;
    Ok(plugin)
}
