//! Joins the archive of the native runtime to one object.
//!
//! The archive that cargo builds has hundreds of members, each function in a section of its own,
//! and the debug information of Rust's standard library. A linker takes a third of a second for it
//! and leaves most of it in the program. The object has what is reachable from the runtime's entry
//! points, in a few large sections, and only the entry points are global symbols: what else is in
//! it cannot clash with a symbol of the program.
//!
//! A crate of its own, since `raceproof-embed` makes the object when raceproof is built, and
//! `raceproof-cc` makes it of an archive that is installed as it is.

#![forbid(unsafe_code)]

use object::read::archive::ArchiveFile;
use object::{File, Object, ObjectSymbol};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate whose members of the archive have the entry points.
const OWN: &[u8] = b"raceproof_native";

/// Functions of the C library that the runtime takes the place of in Rust programs only, which have it
/// as a shared library. Of a program in C the pass wraps the calls (`native/src/abi/library`), and
/// has to know them for the C library's.
const FOR_RUST: [&str; 14] = [
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "accept",
    "accept4",
    "write",
    "writev",
    "send",
    "sendto",
    "sendmsg",
    "poll",
    "clock_gettime",
];

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

/// The tools of binutils that join objects and hide symbols.
pub struct Tools {
    pub ld: PathBuf,
    pub objcopy: PathBuf,
}

/// Joins the archive to an object in `folder`, which is the caller's own; nothing if the tools
/// cannot do it. `succeeds` runs a tool and tells whether that went well.
pub fn join(
    archive: &Path,
    folder: &Path,
    tools: &Tools,
    succeeds: &dyn Fn(&mut Command) -> bool,
) -> Option<PathBuf> {
    let entries = entry_points(&fs::read(archive).ok()?)?;
    let (layout, exported) = (folder.join("layout"), folder.join("exported"));
    let (joined, finished) = (folder.join("joined.o"), folder.join("finished.o"));
    fs::write(&layout, LAYOUT).ok()?;
    fs::write(&exported, entries.join("\n")).ok()?;
    let mut link = Command::new(&tools.ld);
    link.args(["-r", "--gc-sections", "-T"]).arg(&layout).arg("-o").arg(&joined);
    link.args(entries.iter().flat_map(|name| ["-u", name])).arg(archive);
    let mut hide = Command::new(&tools.objcopy);
    hide.arg("--strip-unneeded").arg(joined_option("--keep-global-symbols=", &exported));
    hide.arg(&joined).arg(&finished);
    (succeeds(&mut link) && succeeds(&mut hide)).then_some(finished)
}

fn joined_option(option: &str, value: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}

/// The functions of the runtime that programs call, by their names without Rust's mangling.
fn entry_points(archive: &[u8]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for member in ArchiveFile::parse(archive).ok()?.members() {
        let member = member.ok()?;
        if !is_own(member.name()) {
            continue;
        }
        let file = File::parse(member.data(archive).ok()?).ok()?;
        for symbol in file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition()) {
            let name = symbol.name().ok()?;
            let is_mangled =
                ["_ZN", "_R", "anon.", "DW.ref."].iter().any(|mangled| name.starts_with(mangled));
            if !is_mangled && !FOR_RUST.contains(&name) {
                names.push(name.to_owned());
            }
        }
    }
    names.sort();
    (!names.is_empty()).then_some(names)
}

/// Members are named after the crate; cargo adds a hash to crates from a registry.
fn is_own(member: &[u8]) -> bool {
    member.strip_prefix(OWN).is_some_and(|rest| rest.starts_with(b".") || rest.starts_with(b"-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_the_runtime_are_known_by_their_names() {
        assert!(is_own(b"raceproof_native.raceproof_native.1f-cgu.0.rcgu.o"));
        assert!(is_own(b"raceproof_native-0b1c.raceproof_native.1f-cgu.0.rcgu.o"));
        assert!(!is_own(b"raceproof_core-0b1c.raceproof_core.1f-cgu.0.rcgu.o"));
    }
}
