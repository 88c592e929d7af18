//! The source texts a report quotes.

use raceproof_core::finding::{Object, Place, Report};
use std::collections::BTreeMap;
use std::fs;

/// The texts of the source files, by the names that places give them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, Vec<String>>,
}

impl Sources {
    pub fn new() -> Sources {
        Sources::default()
    }

    pub fn insert(&mut self, file: impl Into<String>, text: &str) {
        self.files.insert(file.into(), text.lines().map(str::to_owned).collect());
    }

    /// Reads the files the report names and that are not here yet. A file that cannot be read is
    /// left out: the report then shows the place without its line.
    pub fn load_for(&mut self, report: &Report) {
        let races = report.races.iter().flat_map(|race| [&race.first.at, &race.second.at]);
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
        for place in places {
            if !self.files.contains_key(&place.file)
                && let Ok(bytes) = fs::read(&place.file)
            {
                self.insert(place.file.clone(), &String::from_utf8_lossy(&bytes));
            }
        }
    }

    /// The line of a place, without its line break.
    pub fn line(&self, place: &Place) -> Option<&str> {
        let lines = self.files.get(&place.file)?;
        lines.get((place.line as usize).checked_sub(1)?).map(String::as_str)
    }
}
