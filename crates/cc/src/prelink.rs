//! Links the runtime once into one object, instead of into each program anew.
//!
//! The archive that cargo builds has hundreds of members, each function in a section of its own,
//! and the debug information of Rust's standard library. A linker takes a third of a second for it
//! and leaves most of it in the program. So the first link joins what is reachable from the
//! runtime's entry points to one object with a few large sections, in which only the entry points
//! are global symbols: what else is in it cannot clash with a symbol of the program. The object is
//! kept beside the archive, under a name that says which archive it was made of. Where that cannot
//! be done (a folder that is not ours to write to, no `objcopy`), the archive itself is linked:
//! slower and larger, nothing else.

use super::clang::Clang;
use object::read::archive::ArchiveFile;
use object::{File, Object, ObjectSymbol};
use raceproof_host::interrupt;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The members of the archive that have the entry points begin with this.
const OWN: &[u8] = b"raceproof_native.";

/// Sections of one kind become one. The runtime knows its own code by the names around it
/// (`crates/native/src/abi/library`). Unwinding tables refer to functions without keeping them.
const LAYOUT: &str = "SECTIONS {
  .text : { __raceproof_text = .; *(.text .text.*) __raceproof_text_end = .; }
  .rodata : { *(.rodata .rodata.*) }
  .data.rel.ro : { *(.data.rel.ro .data.rel.ro.*) }
  .data : { *(.data .data.*) }
  .bss : { *(.bss .bss.*) }
  .tdata : { *(.tdata .tdata.*) }
  .tbss : { *(.tbss .tbss.*) }
  .gcc_except_table : { *(.gcc_except_table .gcc_except_table.*) }
  .init_array : { KEEP(*(.init_array .init_array.*)) }
  .fini_array : { KEEP(*(.fini_array .fini_array.*)) }
  .eh_frame : { KEEP(*(.eh_frame)) }
  /DISCARD/ : { *(.debug_*) *(.llvmbc) *(.llvmcmd) *(.comment) }
}
";

/// What to link for the runtime: the object made of this archive, else the archive.
pub(super) fn object(archive: &Path, clang: &Clang) -> PathBuf {
    existing_or_made(archive, clang).unwrap_or_else(|| archive.to_owned())
}

fn existing_or_made(archive: &Path, clang: &Clang) -> Option<PathBuf> {
    let stem = archive.file_stem()?.to_str()?;
    let made_of = fs::metadata(archive).ok()?;
    let name = format!("{stem}-{:x}-{:x}.{:09}.o", made_of.size(), made_of.mtime(), made_of.mtime_nsec());
    let object = archive.with_file_name(&name);
    if object.is_file() {
        return Some(object);
    }
    make(archive, &object, clang)?;
    remove_older(archive.parent()?, stem, &name);
    Some(object)
}

fn make(archive: &Path, object: &Path, clang: &Clang) -> Option<()> {
    let entries = entry_points(&fs::read(archive).ok()?)?;
    // In the same folder, so that it takes its place at once and whole.
    let folder = TempDir::new_in(object.parent()?).ok()?;
    let (layout, exported) = (folder.path().join("layout"), folder.path().join("exported"));
    let (joined, finished) = (folder.path().join("joined.o"), folder.path().join("finished.o"));
    fs::write(&layout, LAYOUT).ok()?;
    fs::write(&exported, entries.join("\n")).ok()?;
    let mut link = Command::new(clang.tool("ld"));
    link.args(["-r", "--gc-sections", "-T"]).arg(&layout).arg("-o").arg(&joined);
    link.args(entries.iter().flat_map(|name| ["-u", name])).arg(archive);
    succeed(&mut link)?;
    let mut hide = Command::new(clang.tool("objcopy"));
    hide.arg("--strip-unneeded").arg(joined_option("--keep-global-symbols=", &exported));
    succeed(hide.arg(&joined).arg(&finished))?;
    fs::rename(&finished, object).ok()
}

fn joined_option(option: &str, value: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

fn succeed(command: &mut Command) -> Option<()> {
    interrupt::output_of(command).ok()?.status.success().then_some(())
}

/// The functions of the runtime that programs call, by their names without Rust's mangling.
fn entry_points(archive: &[u8]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for member in ArchiveFile::parse(archive).ok()?.members() {
        let member = member.ok()?;
        if !member.name().starts_with(OWN) {
            continue;
        }
        let file = File::parse(member.data(archive).ok()?).ok()?;
        for symbol in file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition()) {
            let name = symbol.name().ok()?;
            if !["_ZN", "_R", "anon.", "DW.ref."].iter().any(|mangled| name.starts_with(mangled)) {
                names.push(name.to_owned());
            }
        }
    }
    names.sort();
    (!names.is_empty()).then_some(names)
}

/// Objects made of archives that stood here before.
fn remove_older(folder: &Path, stem: &str, kept: &str) {
    let prefix = format!("{stem}-");
    let is_older = |name: &OsStr| {
        name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(".o") && name != kept)
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_older(&entry.file_name()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
