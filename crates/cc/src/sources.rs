//! Scans sources for the one construct that clang compiles past ThreadSanitizer: `atomic compare`
//! may become a minimum or maximum, which is one instruction and no call. Files that a source
//! includes are not looked at.

use super::arguments::Arguments;
use raceproof_core::finding::{Note, PartKind, Uninstrumented};
use std::ffi::{OsStr, OsString};
use std::fs;

/// The sources that have it, and in which lines.
pub(super) fn inspect(arguments: &Arguments) -> Vec<(OsString, Vec<usize>)> {
    let compiled = arguments.inputs().filter(|(_, compiled)| *compiled);
    // The compiler says what is wrong with a file that cannot be read.
    let read = compiled.filter_map(|(path, _)| Some((path.to_owned(), fs::read(path).ok()?)));
    let lines = read.map(|(path, text)| (path, unseen(&String::from_utf8_lossy(&text))));
    lines.filter(|(_, lines)| !lines.is_empty()).collect()
}

pub(super) fn warning(path: &OsStr, line: usize) -> String {
    format!(
        "{}:{line}: `atomic compare` (OpenMP 5.1) may be compiled to an instruction that clang does not instrument: it is not \
         seen, nor are races with it; a `critical` section is",
        path.to_string_lossy()
    )
}

/// What a verdict about the program leaves out.
pub(super) fn note(path: &OsStr, lines: &[usize]) -> Note {
    let parts = lines.iter().map(|line| format!("`atomic compare` in line {line}")).collect();
    Note::Uninstrumented(Uninstrumented {
        kind: PartKind::Object,
        name: path.to_string_lossy().into_owned(),
        parts,
    })
}

/// The lines with an `atomic` pragma that has the clause `compare`.
fn unseen(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(pragma) = line.trim_start().strip_prefix('#') else { continue };
        let mut pragma = pragma.trim().to_owned();
        while let Some(more) = pragma.strip_suffix('\\') {
            pragma = format!("{more} {}", lines.next().map_or("", |(_, line)| line.trim()));
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = pragma.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
        if words.by_ref().take(3).eq(["pragma", "omp", "atomic"]) && words.any(|word| word == "compare") {
            found.push(at + 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_clause_and_nothing_else() {
        let text = "\
            int compare;\n\
            #pragma omp atomic update\n\
            x += compare;\n\
            \t# pragma omp atomic compare capture\n\
            // #pragma omp atomic compare\n\
            #pragma omp atomic relaxed \\\n\
               compare\n\
            #pragma omp parallel if(compare)\n\
            #pragma omp atomic hint(compare_hint)\n";
        assert_eq!(unseen(text), [4, 6]);
        assert!(unseen("#pragma omp atomic \\").is_empty());
    }
}
