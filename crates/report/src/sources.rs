//! The source texts a report quotes, and the project they belong to.

use crate::frames::user_place;
use crate::project::Project;
use raceproof_core::finding::{Object, Place, Report};
use std::collections::BTreeMap;
use std::fs;

/// The texts of the source files, by the names that places give them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, Vec<String>>,
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

    pub fn insert(&mut self, file: impl Into<String>, text: &str) {
        self.files.insert(file.into(), text.lines().map(str::to_owned).collect());
    }

    /// Reads the files the report names and that are not here yet. A file that cannot be read is
    /// left out: the report then shows the place without its line.
    pub fn load_for(&mut self, report: &Report) {
        let sides = report.races.iter().flat_map(|race| [&race.first, &race.second]);
        let races = sides.flat_map(|side| [&side.at, user_place(side)]);
        let waits = report.deadlocks.iter().flat_map(|d| d.waiting.iter().map(|w| &w.at));
        let errors = report.errors.iter().map(|error| &error.at);
        let blocks = report.races.iter().filter_map(|race| match &race.object {
            Some(Object::Heap { at, .. }) => Some(at),
            _ => None,
        });
        self.load(races.chain(waits).chain(errors).chain(blocks));
    }

    /// The same for the files of some places.
    pub fn load<'a>(&mut self, places: impl Iterator<Item = &'a Place>) {
        places.for_each(|place| self.load_file(&place.file));
    }

    /// Reads a file unless it is here already; one that cannot be read is left out.
    pub(super) fn load_file(&mut self, file: &str) {
        if !self.files.contains_key(file)
            && let Ok(bytes) = fs::read(file)
        {
            self.insert(file, &String::from_utf8_lossy(&bytes));
        }
    }

    /// All lines of a file.
    pub(super) fn text(&self, file: &str) -> Option<&[String]> {
        self.files.get(file).map(Vec::as_slice)
    }

    /// The line of a place, without its line break.
    pub fn line(&self, place: &Place) -> Option<&str> {
        let lines = self.files.get(&place.file)?;
        lines.get((place.line as usize).checked_sub(1)?).map(String::as_str)
    }
}
