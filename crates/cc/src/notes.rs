//! ELF notes: what the compiler knows of a unit, and the linker of a program, for the runtime
//! inside the program. Every linker collects, keeps and loads notes, whatever else it discards.

use super::clang::Clang;
use raceproof_core::finding::Note;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The notes as assembly.
pub fn assembly(notes: &[Note]) -> String {
    let owner = Note::OWNER;
    let mut text =
        format!(".section .note.GNU-stack,\"\",@progbits\n.section {},\"a\",@note\n", Note::SECTION);
    for note in notes {
        let content = serde_json::to_string(note).unwrap_or_default();
        let _ = writeln!(text, ".balign 4\n.long {}, {}, {}", owner.len() + 1, content.len(), Note::TYPE);
        let _ = writeln!(text, ".asciz \"{owner}\"\n.balign 4");
        let bytes: Vec<String> = content.bytes().map(|byte| byte.to_string()).collect();
        for line in bytes.chunks(32) {
            let _ = writeln!(text, ".byte {}", line.join(","));
        }
    }
    text + ".balign 4\n.text\n"
}

/// Assembles an object that has nothing but the notes.
pub(super) fn object(notes: &[Note], clang: &Clang, folder: &Path) -> Result<OsString, String> {
    let (text, object) = (folder.join("coverage.s"), folder.join("coverage.o"));
    fs::write(&text, assembly(notes)).map_err(|error| format!("cannot write {}: {error}", text.display()))?;
    clang.assemble(&text, &object)?;
    Ok(object.into_os_string())
}

/// Adds the notes to what clang has made of a source: an object, or assembly. What is neither
/// (LLVM's bitcode) stays as it is: whether they were added.
pub(super) fn add(notes: &[Note], to: &Path, clang: &Clang, folder: &Path) -> Result<bool, String> {
    let cannot = |error| format!("cannot add what is known of it to {}: {error}", to.display());
    let bytes = fs::read(to).map_err(cannot)?;
    if bytes.starts_with(b"\x7fELF") {
        let joined = folder.join("joined.o");
        if !clang.join(&[to.into(), object(notes, clang, folder)?], &joined)? {
            return Ok(false);
        }
        // Copied, so that the output keeps its name, links and permissions.
        fs::copy(&joined, to).map_err(cannot)?;
        return Ok(true);
    }
    let is_assembly = to.extension().is_some_and(|extension| extension == "s");
    if is_assembly {
        fs::write(to, [bytes, assembly(notes).into_bytes()].concat()).map_err(cannot)?;
    }
    Ok(is_assembly)
}
