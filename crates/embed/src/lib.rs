//! Macros that put the native runtime into a command: `cargo install` installs programs, and no
//! libraries beside them.
//!
//! `raceproof-native` is a dependency of the command that no code of it refers to, so that it is
//! built and not linked. Cargo names it on rustc's command line (`--extern
//! raceproof_native=….rlib`), and the archive and the shared library are beside that file, since
//! one call of rustc makes all three. Cargo builds them before it compiles what depends on them.
//!
//! Where nothing is built (`cargo check`, editors) the macros give an empty runtime.

#![forbid(unsafe_code)]

use proc_macro::TokenStream;
use raceproof_prelink::{Tools, join};
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, id};
use std::time::SystemTime;

/// The option of rustc that says where the runtime is.
const EXTERN: &str = "raceproof_native=";

/// What C programs are linked with: one object, or, without binutils, the archive as it is. A pair
/// of its bytes and a number that tells one from another.
#[proc_macro]
pub fn static_runtime(_: TokenStream) -> TokenStream {
    embedded("a", "o", &|archive, folder| {
        let tools = Tools { ld: tool("ld"), objcopy: tool("objcopy") };
        join(archive, folder, &tools, &succeeds)
    })
}

/// What Rust programs are linked with: the shared library, without debug information.
#[proc_macro]
pub fn shared_runtime(_: TokenStream) -> TokenStream {
    embedded("so", "so", &|library, folder| {
        let stripped = folder.join("stripped.so");
        let mut strip = Command::new(tool("objcopy"));
        succeeds(strip.arg("--strip-debug").arg(library).arg(&stripped)).then_some(stripped)
    })
}

type Make<'a> = &'a dyn Fn(&Path, &Path) -> Option<PathBuf>;

/// The expression for what `make` makes of the library with this extension.
fn embedded(extension: &str, made_extension: &str, make: Make<'_>) -> TokenStream {
    let Some(library) = library(extension) else { return tokens("(&[] as &[u8], 0u64)") };
    match made(&library, made_extension, make) {
        Ok((path, number)) => tokens(&format!("(include_bytes!({path:?}) as &[u8], {number}u64)")),
        Err(wrong) => {
            let message = format!("cannot embed {}: {wrong}", library.display());
            tokens(&format!("compile_error!({message:?})"))
        }
    }
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// The library of the runtime with this extension, beside the one that rustc's command line names.
fn library(extension: &str) -> Option<PathBuf> {
    let words: Vec<String> = env::args_os().filter_map(|word| word.into_string().ok()).collect();
    let path = words.iter().find_map(|word| word.split_once(EXTERN).map(|(_, path)| Path::new(path)))?;
    // Without the hash if the crate is in the workspace.
    let named = path.with_extension(extension);
    let plain = path.with_file_name(format!("libraceproof_native.{extension}"));
    // Of a crate that is only checked there is metadata alone, and perhaps old libraries.
    let is_built = path.extension().is_some_and(|extension| extension == "rlib");
    is_built.then(|| [named, plain].into_iter().find(|path| path.is_file())).flatten()
}

/// The file that is made of a library, and a number for its content. It is as old as the library:
/// for cargo, a file that is newer than the call of rustc that reads it would have to be read
/// again.
fn made(library: &Path, extension: &str, make: Make<'_>) -> std::io::Result<(PathBuf, u64)> {
    let age = fs::metadata(library)?.modified()?;
    let place = library.with_extension(format!("embedded.{extension}"));
    if !is_as_old(&place, age) {
        let folder = library.with_extension(format!("embedding-{extension}-{}", id()));
        fs::create_dir_all(&folder)?;
        let made = make(library, &folder).unwrap_or_else(|| library.to_owned());
        let copy = folder.join("copy");
        fs::copy(&made, &copy)?;
        fs::File::options().write(true).open(&copy)?.set_modified(age)?;
        fs::rename(&copy, &place)?;
        fs::remove_dir_all(&folder)?;
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(&fs::read(&place)?);
    Ok((place, hasher.finish()))
}

fn is_as_old(file: &Path, age: SystemTime) -> bool {
    fs::metadata(file).and_then(|known| known.modified()).is_ok_and(|known| known == age)
}

/// The tool that links of the C compiler would use.
fn tool(name: &str) -> PathBuf {
    let output = Command::new("cc").arg(format!("-print-prog-name={name}")).output();
    let found = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    PathBuf::from(found.ok().filter(|found| !found.is_empty()).unwrap_or_else(|| name.to_owned()))
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
