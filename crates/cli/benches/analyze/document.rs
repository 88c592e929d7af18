//! Markdown tables, and the sections of `docs/BENCHMARKS.md` that this program writes.

use crate::Section;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// A markdown table; the first column is text, the others are numbers.
pub(crate) struct Table {
    text: String,
}

impl Table {
    pub(crate) fn new(columns: &[&str]) -> Self {
        let mut table = Table { text: String::new() };
        table.row(columns);
        let rule: Vec<&str> = (0..columns.len()).map(|at| if at == 0 { "---" } else { "---:" }).collect();
        table.row(&rule);
        table
    }

    pub(crate) fn row(&mut self, cells: &[impl AsRef<str>]) {
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        let _ = writeln!(self.text, "| {} |", cells.join(" | "));
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

pub(crate) fn repository() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Puts the sections between their marks.
pub(crate) fn write(sections: &[Section]) {
    let path = repository().join("docs/BENCHMARKS.md");
    let mut text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for Section { name, text: table, .. } in sections {
        let (begin, end) = (format!("<!-- analyze:{name} -->"), format!("<!-- /analyze:{name} -->"));
        let place = |mark: &str| text.find(mark).unwrap_or_else(|| panic!("{}: no {mark}", path.display()));
        let (from, to) = (place(&begin) + begin.len(), place(&end));
        text.replace_range(from..to, &format!("\n{table}"));
    }
    fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
