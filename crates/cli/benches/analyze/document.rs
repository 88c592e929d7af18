//! The sections of `docs/BENCHMARKS.md` that this program writes.

use crate::Section;
use crate::common::document::Document;

pub(crate) use crate::common::document::Table;
pub(crate) use crate::common::programs::repository;

/// Puts the sections between their marks.
pub(crate) fn write(sections: &[Section]) {
    let mut document = Document::open();
    for Section { name, text, .. } in sections {
        document.replace(&format!("analyze:{name}"), text);
    }
    document.save();
}
