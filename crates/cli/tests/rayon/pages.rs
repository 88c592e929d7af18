//! The page about rayon shows what the commands print.

use crate::native::toolchain::runtime;
use crate::rayon::{corpus, target};
use crate::transcript::check_page;
use std::path::Path;

#[test]
fn rayon() {
    // rayon is compiled already, of the version that the corpus has.
    let (corpus, target) = (corpus(), target());
    let settings: [(&str, &Path); 3] =
        [("RACEPROOF_RUNTIME", runtime()), ("CORPUS", &corpus), ("CORPUS_TARGET", &target)];
    check_page("docs/RAYON.md", &settings);
}
