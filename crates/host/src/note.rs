//! Lines for the person at the terminal.

use std::io::{self, Write};

/// A line for the person at the terminal, beside the result. If nobody can read it, so be it.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text.trim_end());
}
