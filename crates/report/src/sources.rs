//! The source texts a report quotes.

use crate::advice::source::Tree;
use raceproof_core::finding::{Object, Place, Report};
use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

/// The texts of the source files, by the names that places give them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: BTreeMap<String, Vec<String>>,
    /// The statements of a file, from when they are first asked for.
    trees: BTreeMap<String, OnceLock<Tree>>,
}

impl Sources {
    pub fn new() -> Sources {
        Sources::default()
    }

    pub fn insert(&mut self, file: impl Into<String>, text: &str) {
        let file = file.into();
        self.trees.insert(file.clone(), OnceLock::new());
        self.files.insert(file, text.lines().map(str::to_owned).collect());
    }

    /// Reads the files the report names and that are not here yet. A file that cannot be read is
    /// left out: the report then shows the place without its line.
    pub fn load_for(&mut self, report: &Report) {
        let races = report.races.iter().flat_map(|race| [&race.first, &race.second]).flat_map(|access| {
            let calls = access.stack.iter().map(|frame| &frame.call).filter(|call| is_own(call));
            let spawns = access.spawned.iter().map(|spawn| &spawn.at);
            std::iter::once(&access.at).chain(calls).chain(spawns)
        });
        let waits = report.deadlocks.iter().flat_map(|d| d.waiting.iter().map(|w| &w.at));
        let errors = report.errors.iter().map(|error| &error.at);
        let blocks = report.races.iter().filter_map(|race| match &race.object {
            Some(Object::Heap { at, .. }) => Some(at),
            _ => None,
        });
        for place in races.chain(waits).chain(errors).chain(blocks) {
            if !self.files.contains_key(&place.file)
                && let Ok(bytes) = fs::read(&place.file)
            {
                self.insert(place.file.clone(), &String::from_utf8_lossy(&bytes));
            }
        }
    }

    /// A file by its name, with the name as it is kept here.
    pub(super) fn file(&self, file: &str) -> Option<(&str, &Tree)> {
        let (name, _) = self.files.get_key_value(file)?;
        Some((name, self.tree(file)?))
    }

    /// The statements of a file; none if it was not read.
    pub(super) fn tree(&self, file: &str) -> Option<&Tree> {
        Some(self.trees.get(file)?.get_or_init(|| {
            // Only languages whose statements are known.
            let known = ["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "tp"];
            let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
            let lines = self.files.get(file).filter(|_| known.contains(&extension) || file == "-");
            Tree::new(lines.map_or(&[], Vec::as_slice))
        }))
    }

    /// The line of a place, without its line break.
    pub(super) fn line(&self, place: &Place) -> Option<&str> {
        let lines = self.files.get(&place.file)?;
        lines.get((place.line as usize).checked_sub(1)?).map(String::as_str)
    }
}

/// Whether a place is in the user's own sources, and not in a library of the system.
pub(super) fn is_own(place: &Place) -> bool {
    place.line > 0 && !place.file.starts_with("/usr/") && !place.file.starts_with("/rustc/")
}
