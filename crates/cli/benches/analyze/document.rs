//! The sections of `docs/BENCHMARKS.md` that this program writes.

use crate::Section;
use crate::common::document::Document;

pub(crate) use crate::common::document::Table;
pub(crate) use crate::common::programs::repository;

/// Every section that a measurement can give.
const SECTIONS: [&str; 5] = ["rates", "memory", "workers", "validation", "netzer"];

/// Ends this program if the document has no place for a section.
pub(crate) fn check() {
    let document = Document::open();
    SECTIONS.iter().for_each(|name| document.check(&format!("analyze:{name}")));
}

/// Puts the sections between their marks.
pub(crate) fn write(sections: &[Section]) {
    let mut document = Document::open();
    for Section { name, text, .. } in sections {
        document.replace(&format!("analyze:{name}"), text);
    }
    document.save();
}
