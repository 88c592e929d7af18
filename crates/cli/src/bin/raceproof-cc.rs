//! `raceproof cc` by one word: `which $CC` in a Makefile, and autoconf, want that.

use std::process::ExitCode;

fn main() -> ExitCode {
    raceproof_host::beside::become_verb("cc")
}
