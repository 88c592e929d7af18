//! Whether a source file is still the one that a program was built from, by the MD5 sum that the
//! line table of DWARF 5 has of each of its files. clang and rustc write it.

use addr2line::gimli::{self, Dwarf, EndianSlice, LittleEndian, Unit};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::fs;
use std::path::{Component, Path, PathBuf};

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Of each file whether it has the text that the program was built from, as far as the program says
/// so: not if it has no sum of it.
pub fn unchanged(program: &Path, files: &[PathBuf]) -> Vec<bool> {
    let mut sums: Vec<Vec<[u8; 16]>> = vec![Vec::new(); files.len()];
    let wanted: Vec<PathBuf> = files.iter().map(|file| normal(file)).collect();
    let _ = collect(program, &wanted, &mut sums);
    let is_unchanged = |(file, sums): (&PathBuf, Vec<[u8; 16]>)| {
        let Ok(bytes) = fs::read(file) else { return false };
        let sum = md5(&bytes);
        // Units that were built at different times may have different sums.
        !sums.is_empty() && sums.iter().all(|known| *known == sum)
    };
    files.iter().zip(sums).map(is_unchanged).collect()
}

/// The sums that the line tables of a program have of files.
fn collect(program: &Path, wanted: &[PathBuf], sums: &mut [Vec<[u8; 16]>]) -> Option<()> {
    let bytes = fs::read(program).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let load = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
        let section = file.section_by_name(id.name());
        Ok(section.and_then(|section| section.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(load).ok()?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if let Ok(unit) = dwarf.unit(header) {
            of_unit(&dwarf, &unit, wanted, sums);
        }
    }
    Some(())
}

fn of_unit(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>, wanted: &[PathBuf], sums: &mut [Vec<[u8; 16]>]) {
    let Some(header) = unit.line_program.as_ref().map(|program| program.header()) else { return };
    if !header.file_has_md5() {
        return;
    }
    let text = |value| Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned());
    let base =
        PathBuf::from(unit.comp_dir.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default());
    for entry in header.file_names() {
        let Some(name) = text(entry.path_name()) else { continue };
        let folder = entry.directory(header).and_then(text).unwrap_or_default();
        let path = normal(&base.join(folder).join(name));
        if let Some(at) = wanted.iter().position(|file| *file == path) {
            sums[at].push(*entry.md5());
        }
    }
}

/// A path without `.` and `..`, which nothing looks up: the folder may be another machine's.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// RFC 1321.
fn md5(bytes: &[u8]) -> [u8; 16] {
    const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut message = bytes.to_vec();
    message.push(0x80);
    message.resize((message.len() + 8).div_ceil(64) * 64 - 8, 0);
    message.extend((bytes.len() as u64).wrapping_mul(8).to_le_bytes());
    let constants: [u32; 64] =
        std::array::from_fn(|i| ((i as f64 + 1.0).sin().abs() * 4_294_967_296.0) as u32);
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in message.chunks_exact(64) {
        let word = |i: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| block[4 * i + byte]));
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (mixed, at) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (d & b | !d & c, (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            let sum = a.wrapping_add(mixed).wrapping_add(constants[i]).wrapping_add(word(at));
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(TURNS[i / 16][i % 4]));
        }
        for (state, new) in state.iter_mut().zip([a, b, c, d]) {
            *state = state.wrapping_add(new);
        }
    }
    let mut sum = [0; 16];
    sum.chunks_exact_mut(4).zip(state).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standard() {
        let hex = |text: &str| -> String {
            md5(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
        };
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        let long = "1234567890".repeat(8);
        assert_eq!(hex(&long), "57edf4a22be3c955ac49da2e2107b67a");
        assert_eq!(hex(&long[..56]), "49f193adce178490e34d1b3a4ec0064c");
    }

    #[test]
    fn a_path_is_compared_without_its_detours() {
        assert_eq!(normal(Path::new("/a/./b/../c.c")), Path::new("/a/c.c"));
    }
}
