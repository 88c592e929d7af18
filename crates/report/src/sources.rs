//! The source texts a report quotes, and the project they belong to.

use crate::frames::user_place;
use crate::project::Project;
use crate::statements::Tree;
use raceproof_core::finding::{Object, Place, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::OnceLock;
use std::time::SystemTime;

/// The texts of the source files, by the names that places give them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, Vec<String>>,
    /// The statements of a file, from when they are first asked for.
    trees: BTreeMap<String, OnceLock<Tree>>,
    /// The files by the names that the report shows.
    shown: BTreeMap<String, String>,
    /// Those that are not what the program was built from.
    stale: BTreeSet<String>,
    /// What names of files are relative to.
    pub(crate) project: Project,
}

impl Sources {
    pub fn new() -> Sources {
        Sources::default()
    }

    /// None yet, of a project whose files get short names.
    pub fn of(project: Project) -> Sources {
        Sources { project, ..Sources::default() }
    }

    /// The name of a file that is the same on every machine.
    pub fn portable(&self, file: &str) -> String {
        self.project.portable(file)
    }

    pub fn insert(&mut self, file: impl Into<String>, text: &str) {
        let file = file.into();
        self.trees.insert(file.clone(), OnceLock::new());
        self.shown.insert(self.project.shown(&file), file.clone());
        self.files.insert(file, text.lines().map(str::to_owned).collect());
    }

    /// Reads the files the report names and that are not here yet. A file that cannot be read is
    /// left out: the report then shows the place without its line.
    pub fn load_for(&mut self, report: &Report) {
        let sides = report.races.iter().flat_map(|race| [&race.first, &race.second]);
        let races = sides.flat_map(|side| {
            let calls = side.stack.iter().map(|frame| &frame.call).filter(|call| is_own(call));
            let spawns = side.spawned.iter().map(|spawn| &spawn.at);
            [&side.at, user_place(side)].into_iter().chain(calls).chain(spawns)
        });
        // A library may be what waits, or fails: its callers are shown.
        let stacks = report.deadlocks.iter().flat_map(|deadlock| &deadlock.waiting).map(|wait| &wait.stack);
        let stacks = stacks.chain(report.errors.iter().map(|error| &error.stack));
        let callers = stacks.flatten().map(|frame| &frame.call).filter(|call| is_own(call));
        let waits = report.deadlocks.iter().flat_map(|d| d.waiting.iter().map(|w| &w.at)).chain(callers);
        let errors = report.errors.iter().flat_map(|error| {
            std::iter::once(&error.at).chain(error.related.iter().map(|related| &related.at))
        });
        let blocks = report.races.iter().filter_map(|race| match &race.object {
            Some(Object::Heap { at, .. }) => Some(at),
            _ => None,
        });
        for place in races.chain(waits).chain(errors).chain(blocks) {
            self.load_file(&place.file, built_before(report, &place.file));
            let lines = self.files.get(&place.file).map_or(usize::MAX, Vec::len);
            if place.line as usize > lines {
                self.stale.insert(place.file.clone());
            }
        }
    }

    /// The same for the files of some places.
    pub fn load<'a>(&mut self, places: impl Iterator<Item = &'a Place>) {
        places.for_each(|place| self.load_file(&place.file, None));
    }

    /// Reads a file unless it is here already; one that cannot be read is left out, and one that is
    /// newer than the program is not quoted.
    pub(super) fn load_file(&mut self, file: &str, built: Option<SystemTime>) {
        if file.is_empty() || self.files.contains_key(file) {
            return;
        }
        if let Ok(bytes) = fs::read(file) {
            self.insert(file, &String::from_utf8_lossy(&bytes));
            let modified = fs::metadata(file).and_then(|metadata| metadata.modified());
            if built.zip(modified.ok()).is_some_and(|(built, modified)| modified > built) {
                self.stale.insert(file.to_owned());
            }
        }
    }

    /// All lines of a file, unless it has changed since the program was built.
    pub(super) fn text(&self, file: &str) -> Option<&[String]> {
        self.files.get(file).filter(|_| !self.stale.contains(file)).map(Vec::as_slice)
    }

    /// The statements of a file, with its name here; none if it was not read or has changed since.
    pub(super) fn file(&self, file: &str) -> Option<(&str, &Tree)> {
        let file = self.shown.get(file).map_or(file, String::as_str);
        let (name, lines) = self.files.get_key_value(file).filter(|_| !self.stale.contains(file))?;
        let tree = self.trees.get(file)?.get_or_init(|| {
            // Only languages whose statements are known.
            let known = ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "tp"];
            let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
            let is_known = known.contains(&extension) || file == "-";
            Tree::new(if is_known { lines } else { &[] })
        });
        Some((name, tree))
    }

    /// The files that have changed since the program was built, as the report names them.
    pub fn stale(&self) -> impl Iterator<Item = String> {
        self.stale.iter().map(|file| self.project.shown(file))
    }

    /// The line of a place, without its line break; none of a file that has changed since.
    pub fn line(&self, place: &Place) -> Option<&str> {
        let file = self.shown.get(&place.file).unwrap_or(&place.file);
        self.line_as_it_is(place).filter(|_| !self.stale.contains(file))
    }

    /// The line of a place as the file has it now.
    pub(crate) fn line_as_it_is(&self, place: &Place) -> Option<&str> {
        let file = self.shown.get(&place.file).unwrap_or(&place.file);
        let lines = self.files.get(file)?;
        lines.get((place.line as usize).checked_sub(1)?).map(String::as_str)
    }
}

/// The column of a place in characters of its line. The columns of TP count characters; those of
/// compilers are bytes.
pub(super) fn character(at: &Place, line: &str) -> u32 {
    if at.column == 0 || at.file.ends_with(".tp") || at.file == "-" {
        return at.column;
    }
    let before = at.column as usize - 1;
    let whole = line.char_indices().take_while(|&(byte, _)| byte < before).count();
    // Beyond the end, as far beyond it.
    (whole + before.saturating_sub(line.len()) + 1) as u32
}

/// When the program was built that a file may be newer than; none if the file is known to be the same.
pub(super) fn built_before(report: &Report, file: &str) -> Option<SystemTime> {
    report.built.filter(|_| !report.unchanged.contains(file))
}

/// Whether a place is in the user's own sources, and not in a library of the system.
pub(super) fn is_own(place: &Place) -> bool {
    place.line > 0 && !place.file.starts_with("/usr/") && !place.file.starts_with("/rustc/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_compilers_are_bytes() {
        let line = "/* äö */ x = 1;";
        let column = |file: &str, column| character(&Place { file: file.into(), line: 1, column }, line);
        assert_eq!([1, 4, 6, 12, 17, 18, 0].map(|at| column("f.c", at)), [1, 4, 5, 10, 15, 16, 0]);
        assert_eq!(column("f.tp", 12), 12);
    }
}
