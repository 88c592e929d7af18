//! The page about rayon and the README show what the commands print.

use crate::native::toolchain::runtime;
use crate::rayon::{corpus, target};
use crate::transcript::check_page;
use std::path::Path;

/// What the pages find: rayon is compiled already, of the version that the corpus has.
fn check(page: &str) {
    let (corpus, target) = (corpus(), target());
    let settings: [(&str, &Path); 3] =
        [("RACEPROOF_RUNTIME", runtime()), ("CORPUS", &corpus), ("CORPUS_TARGET", &target)];
    check_page(page, &settings);
}

#[test]
fn rayon() {
    check("docs/RAYON.md");
}

#[test]
fn threads() {
    check("docs/THREADS.md");
}

#[test]
fn readme() {
    check("README.md");
}
