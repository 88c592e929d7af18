//! `raceproof fc` by one word.

use std::process::ExitCode;

fn main() -> ExitCode {
    raceproof_host::beside::become_verb("fc")
}
