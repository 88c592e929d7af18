//! `raceproof cc` by a name with `clang` in it, for Makefiles that look for that.

use std::process::ExitCode;

fn main() -> ExitCode {
    raceproof_host::beside::become_verb("cc")
}
