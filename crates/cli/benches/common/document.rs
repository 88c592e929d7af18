//! Markdown tables, and the sections of `docs/BENCHMARKS.md`.

use super::Section;
use super::programs::repository;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::{fs, thread};

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

/// A number to three significant digits or to the unit, whichever is more.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value {
        v if v < 1.0 => 3,
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// `docs/BENCHMARKS.md`.
pub(crate) struct Document {
    path: PathBuf,
    text: String,
}

impl Document {
    pub(crate) fn open() -> Self {
        let path = repository().join("docs/BENCHMARKS.md");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Document { path, text }
    }

    /// Puts `text` between the marks of the section `name`, which is that of a benchmark and a part
    /// of it.
    pub(crate) fn replace(&mut self, name: &str, text: &str) {
        let place = self.place(name);
        self.text.replace_range(place, &format!("\n{text}"));
    }

    /// Panics if there are no marks of the section `name`.
    pub(crate) fn check(&self, name: &str) {
        let _ = self.place(name);
    }

    fn place(&self, name: &str) -> Range<usize> {
        let (begin, end) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
        let find =
            |mark: &str| self.text.find(mark).unwrap_or_else(|| panic!("{}: no {mark}", self.path.display()));
        find(&begin) + begin.len()..find(&end)
    }

    pub(crate) fn save(&self) {
        fs::write(&self.path, &self.text).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()));
    }
}

/// What the numbers were measured on.
pub(crate) fn machine() -> Section {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown CPU", |(_, model)| model);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Section { text: format!("{model}, {cores} cores, {os} {arch}\n"), missed: Vec::new() }
}
